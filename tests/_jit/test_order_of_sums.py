"""Sums in compiled loops have one order, wherever their arrays lie in memory."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from surelearn._jit import _decorator
from surelearn.learners.linear._softmax import loops
from surelearn.learners.mixtures import _loops


def with_two_orders(code):
    """Yield functions with a vector loop that is skipped if arrays overlap, and adds up floats."""
    function, asked = "", False
    for line in code:
        if line.startswith("define "):
            function, asked = re.search(r'@"?([^"( ]+)', line)[1], False
        elif line.startswith("vector.memcheck"):
            asked = True
        elif line.startswith(("}", "iter.check", "vector.scevcheck")):
            asked = False
        elif asked and re.search(r"bin\.rdx\S* = fadd|reduce\.fadd", line):
            yield function


def compiled_anew(function, *arguments):
    """Return the code of a function, which one that was kept on disk does not have."""
    fresh = njit(**_decorator._FLAGS)(function)
    fresh(*arguments)
    return "\n".join(fresh.inspect_llvm().values()).splitlines()


def summed_and_written(x, offset):
    z, total = np.empty(32), 0.0
    for start in range(0, len(x), 32):
        for i in range(min(32, len(x) - start)):
            z[i] = x[start + i] * offset[0]
            total += z[i]
    return total


def summed_afterwards(x, offset):
    z, total = np.empty(32), 0.0
    for start in range(0, len(x), 32):
        for i in range(min(32, len(x) - start)):
            z[i] = x[start + i] * offset[0]
        for i in range(min(32, len(x) - start)):
            total += z[i]
    return total


def test_a_loop_that_adds_up_and_writes_has_two_orders():
    given = np.ones(64), np.ones(1)
    assert list(with_two_orders(compiled_anew(summed_and_written, *given)))
    assert not list(with_two_orders(compiled_anew(summed_afterwards, *given)))


def test_the_passes_of_logistic_regression_and_mixtures_have_one():
    n, d = 64, 3
    X, ones, theta = np.ones((n, d)), np.ones(n), np.ones(d + 1)
    code = compiled_anew(loops.logistic_pass.py_func, X, 0, n, ones, ones, theta, np.ones(d + 1))
    code += compiled_anew(loops.logistic_audit.py_func, X, 0, n, ones, ones, theta, np.ones(d + 1))
    shares, bands = np.ones((2, n)), np.ones((2, d, d))
    rest = np.ones((2, d)), shares, np.ones(32), np.ones((2, d)), bands
    code += compiled_anew(_loops.moments.py_func, np.ones((d, n)), *rest)
    assert any("vector.body" in line for line in code)
    assert not list(with_two_orders(code))


@pytest.mark.slow
def test_no_loop_of_any_learner_has_two(tmp_path):
    told = {"NUMBA_DUMP_OPTIMIZED": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "surelearn", "warm-up"]
    with subprocess.Popen(  # noqa: S603 - our own command
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **told}
    ) as run:
        found = set(with_two_orders(run.stdout))
    assert run.returncode == 0
    assert not found
