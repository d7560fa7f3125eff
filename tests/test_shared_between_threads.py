"""One learner in many threads: a fit with another width meanwhile never leads out of an array."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from sklearn.callback import ProgressBar
from sklearn.model_selection import GridSearchCV

from surelearn import OnlineRidge, Perceptron

HAMMER = """
import sys, threading, time, traceback, warnings
import numpy as np
from surelearn import checks
from surelearn.app.registry import find_learners

warnings.simplefilter("ignore")
sys.setswitchinterval(1e-5)
READS = ("predict", "predict_proba", "decision_function", "transform", "kneighbors", "apply")
names, seconds = sys.argv[2:], float(sys.argv[1])
faults = []

def hammer(model, X, y):
    narrow, three = X[:, :3], np.where(np.arange(len(y)) % 3 == 0, "maybe", y.astype(str))
    other = three if y.dtype.kind == "U" else y
    model.fit(X, y)
    calls = [lambda: model.fit(X, y), lambda: model.fit(narrow, other)]
    calls += [lambda t=t, r=r: getattr(model, r)(t) for r in READS for t in (X, narrow)
              if hasattr(model, r)]
    if hasattr(model, "certificates"):
        calls.append(model.certificates)
    if hasattr(model, "learn_one"):
        calls += [lambda: model.learn(X, y), lambda: model.learn_one(X[0], y[0])]
        calls += [lambda: model.predict_one(X[0]), lambda: model.predict_one(narrow[0])]
    elif hasattr(model, "partial_fit"):
        calls.append(lambda: model.partial_fit(X, y))
    stop = time.monotonic() + seconds

    def repeat(call):
        while time.monotonic() < stop:
            try:
                call()
            except ValueError:
                pass
            except Exception:
                faults.append(f"{type(model).__name__}: {traceback.format_exc()}")

    threads = [threading.Thread(target=repeat, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

for name, kind in find_learners().items():
    if not names or name in names:
        few = {"max_iter": 3} if "max_iter" in kind().get_params() else {}
        hammer(kind(**few), *checks.small_table(kind()))
print("\\n".join(faults[:5]))
sys.exit(bool(faults))
"""


def run(seconds, *names):
    folder = Path(__file__).parents[1]
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-X", "faulthandler", "-c", HAMMER, str(seconds), *names],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


class FitsAnother:
    """A callback during which another thread begins and ends a fit of the same learner."""

    def __init__(self, fit):
        self.fit, self.ended = fit, 0

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):  # noqa: ARG002
        self.ended += 1

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):  # noqa: ARG002
        fit, self.fit = self.fit, None
        if fit is not None:
            thread = threading.Thread(target=fit)
            thread.start()
            thread.join()
        return False


@pytest.mark.parametrize("kind", [Perceptron, OnlineRidge])
def test_a_fit_within_a_fit_of_the_same_learner_removes_nothing_of_it(kind):
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10.0) > 4.0
    model = kind()
    listener = FitsAnother(lambda: model.fit(X, y))
    model.set_callbacks(listener).fit(X, y)
    assert listener.fit is None
    assert listener.ended == 2
    assert model.predict(X).shape == (10,)


def test_whoever_fits_a_learner_within_its_own_fit_hears_it():
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10.0) > 4.0
    listener = FitsAnother(None)
    search = GridSearchCV(Perceptron(), {"max_iter": [2]}, cv=2).set_callbacks(ProgressBar())
    search.estimator.set_callbacks(listener)
    search.fit(X, y)
    assert listener.ended == 3


def test_a_fit_of_another_width_in_another_thread_harms_nobody():
    run(0.4, "CARTClassifier", "NearestNeighborsClassifier", "Perceptron", "VotedPerceptron")


@pytest.mark.slow
def test_every_learner_survives_fits_of_another_width():
    run(3.0)
