"""A Ctrl-C while compiled code hands its result to Python ends a fit, and never the process."""

import subprocess
import sys

import numpy as np
import pytest
from numba.core import types
from numba.core.dispatcher import Dispatcher

from surelearn import CARTClassifier, ForwardStagewiseClassifier, OnlineGradientDescent

CALLED_BY_LOOPS_ALONE = {"_constants", "add_class"}
INTERRUPT = """
import random, signal, time
import numpy as np
from surelearn import ForwardStagewiseClassifier

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
X = np.random.default_rng(0).normal(size=(40, 3))
y, model = X[:, 0] > 0.0, ForwardStagewiseClassifier(n_estimators=10**7)
begun = time.monotonic()

def fit():
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.001, 0.02))
        model.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)

while time.monotonic() - begun < 10.0:
    try:
        fit()
    except (KeyboardInterrupt, SystemError):  # the second is what Numba makes of the first
        pass
"""


def is_named(kind):
    parts = getattr(kind, "types", ()) if isinstance(kind, types.BaseTuple) else ()
    return isinstance(kind, types.BaseNamedTuple) or any(map(is_named, parts))


def test_no_loop_hands_a_named_tuple_to_python():
    """Numba makes one by functions of Python, and does not look whether they were interrupted."""
    X = np.random.default_rng(0).normal(size=(300, 3))
    for learner in (CARTClassifier(), ForwardStagewiseClassifier(), OnlineGradientDescent()):
        learner.fit(X, X[:, 0] * X[:, 1] > 0.0)
    modules = [module for name, module in sys.modules.items() if name.startswith("surelearn.")]
    loops = [one for module in modules for one in vars(module).values()]
    found = {
        loop.py_func.__name__
        for loop in loops
        if isinstance(loop, Dispatcher)
        for made in loop.overloads.values()
        if is_named(made.signature.return_type) and not loop.targetoptions.get("no_cpython_wrapper")
    }
    assert found <= CALLED_BY_LOOPS_ALONE


@pytest.mark.slow
def test_a_fit_that_is_interrupted_ends_no_process():
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", INTERRUPT], capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
