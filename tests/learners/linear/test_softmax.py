"""The compiled sums of two-class models against NumPy's, and what the rows of a sample must be."""

import numpy as np
import pytest
from scipy import sparse, special

from surelearn._jit import rows
from surelearn.learners.linear._softmax import loops, metric
from surelearn.learners.linear._softmax.objective import SoftmaxObjective

N, D = 203, 7


def table(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.7)
    theta, shares = rng.normal(size=D + 1), rng.random(N) * (rng.random(N) < 0.9)
    return X, rng.integers(0, 2, N), shares / shares.sum(), theta


def test_the_logarithm_of_one_plus_is_exact_to_rounding():
    x = np.concatenate([np.linspace(0.0, 1.0, 10_001), np.geomspace(1e-300, 1.0, 1_001)])
    found = np.array([loops.log1p(value) for value in x])
    np.testing.assert_allclose(found, np.log1p(x), rtol=1e-15, atol=0.0)
    assert np.isnan(loops.log1p(np.nan))


@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
def test_the_audit_of_some_rows_counts_and_sums_them(form):
    X, y, shares, theta = table()
    X[40], theta[-1] = 0.0, 0.0  # a score of exactly 0 decides for the first class
    y[40], taken, some = 1, np.zeros(D + 1), slice(33, 190)
    signs = 2.0 * y - 1.0
    errors, margin, least = loops.logistic_audit(
        rows.of(form(X)), some.start, some.stop, signs, shares, theta, taken
    )
    scores = (X @ theta[:-1])[some]
    assert scores[7] == 0.0
    assert errors == np.count_nonzero((scores > 0.0) != (y[some] == 1))
    assert margin == pytest.approx((signs[some] * scores)[shares[some] > 0.0].min())
    assert least == pytest.approx(scores.min())
    spreads = shares[some] * special.expit(scores) * special.expit(-scores)
    expected = np.append(spreads @ X[some], spreads.sum())
    np.testing.assert_allclose(taken, expected, rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("changed", [{}, {"_WORTH_THREADS": 0}, {"_NARROW": 1}, {"_ENOUGH": 4}])
def test_the_metric_solves_with_the_hessians_blocks(
    form, classes, fit_intercept, changed, monkeypatch
):
    for name, value in changed.items():
        monkeypatch.setattr(metric, name, value)
    X, y, shares, _ = table()
    scores = 1 if classes == 2 else classes
    objective = SoftmaxObjective(form(X), y, shares, scores, 0.01, fit_intercept)
    theta = np.random.default_rng(1).normal(size=(scores, D + 1)) * [*[1.0] * D, fit_intercept]
    step = max(1, N // (metric._ENOUGH * (D + 1)))
    assert (step > 1) == ("_ENOUGH" in changed)
    design = np.column_stack([X, np.full(N, float(fit_intercept))])[::step]
    z = X[::step] @ theta[:, :-1].T + theta[:, -1]
    chances = special.expit(z) if scores == 1 else special.softmax(z, axis=1)
    weights = shares[::step, np.newaxis] / shares[::step].sum() * chances * (1.0 - chances)
    vector = np.random.default_rng(2).normal(size=theta.shape) * [*[1.0] * D, fit_intercept]
    vector -= vector.mean(axis=0) * (scores > 1)
    penalty = np.diag([*[0.01] * D, 0.0 if fit_intercept else 1.0])
    solved = [
        np.linalg.solve(design.T * weight @ design + penalty, part)
        for weight, part in zip(weights.T, vector, strict=True)
    ]
    solved = np.array(solved) - np.mean(solved, axis=0) * (scores > 1)
    found = metric.block_metric(objective, theta.ravel())(vector.ravel())
    np.testing.assert_allclose(found, solved.ravel(), rtol=1e-5, atol=1e-7)


def test_rows_without_weight_are_no_sample():
    X, y, shares, theta = table()
    shares[::3] = 0.0
    objective = SoftmaxObjective(X, y, shares / shares.sum(), 1, 0.01, fit_intercept=True)
    assert (objective.spacing(3), objective.spacing(2)) == (1, 2)
    assert objective.thinned(3) is objective
    thin = objective.thinned(2)
    assert thin.shares.sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(thin.X, X[::2])
    assert np.isfinite(thin(theta)[0])
