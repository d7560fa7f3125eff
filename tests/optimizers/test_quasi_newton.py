"""Limited-memory BFGS: known minima, the exact metric, a wrong gradient."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from surelearn.optimizers import limited_memory_bfgs

CURVES = np.array([1.0, 3.0, 10.0])


def bowl(w):
    return 0.5 * float(CURVES @ w**2), CURVES * w


@pytest.mark.parametrize("start", [[-1.2, 1.0], [3.0, -4.0, 2.0, 0.0, 1.0]])
def test_limited_memory_bfgs_finds_rosenbrocks_minimum(start):
    trace = limited_memory_bfgs(lambda w: (rosen(w), rosen_der(w)), start, tolerance=1e-8)
    assert trace.converged
    np.testing.assert_allclose(rosen_der(trace.point), 0.0, atol=1e-7)


def test_with_the_exact_metric_a_quadratic_takes_one_step():
    trace = limited_memory_bfgs(bowl, np.ones(3), precondition=lambda v: v / CURVES)
    assert trace.n_steps == 1
    assert trace.converged


def test_a_wrong_gradient_ends_the_search_with_a_sentence():
    trace = limited_memory_bfgs(lambda w: (float(w @ w), -w), [1.0, 2.0])
    assert "not the function's" in trace.reason
