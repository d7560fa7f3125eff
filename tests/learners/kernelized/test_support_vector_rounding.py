"""Support vector machines where rounding decides: scores of 0, huge C, variables at a bound."""

import numpy as np
import pytest

from surelearn import KernelRidge, SupportVectorClassifier
from surelearn.kernels import Gaussian, Linear, Polynomial


def grid(seed, n=111, d=3):
    """Return rows of -1, 0 and 1, many of them alike, with labels that tell nothing."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-1, 2, size=(n, d)).astype(float), rng.integers(0, 2, n)
    y[:2] = 0, 1
    return X, y


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("kernel", [Linear(), Polynomial(degree=2), Gaussian(gamma=0.5)])
def test_errors_are_those_of_predictions_even_where_scores_are_zero(kernel, C):
    for seed in range(5):
        X, y = grid(seed)
        for intercept in (False, True):
            model = SupportVectorClassifier(kernel=kernel, C=C, fit_intercept=intercept, n_jobs=1)
            model.set_params(max_iter=50_000).fit(X, y)
            wrong = int(np.count_nonzero(model.predict(X) != y))
            assert model.training_errors_ == wrong
            assert all(c.observed == wrong / len(y) for c in model.certificates())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("C", [1e6, 1e8, 1e10])
@pytest.mark.parametrize("setting", [{}, {"penalize_intercept": True}, {"fit_intercept": False}])
def test_the_norm_survives_coefficients_that_cancel(setting, C):
    rng = np.random.default_rng(25)
    X = rng.normal(size=(62, 1))
    y = (X[:, 0] + 0.5 * rng.normal(size=62) > 0.0).astype(int)
    model = SupportVectorClassifier(kernel=Linear(), C=C, max_iter=100_000, **setting).fit(X, y)
    intercept = model.intercept_[0]
    own = np.hypot(model.coef_[0, 0], intercept if setting.get("penalize_intercept") else 0.0)
    np.testing.assert_allclose(model.norms_[0], own, rtol=1e-9)
    assert np.isfinite(model.geometric_margin(X, y))
    whole = np.hypot(model.coef_[0, 0], intercept)
    lengths = whole * np.sqrt(X[:, 0] ** 2 + model.fit_intercept)
    cosines = np.where(y == 1, 1.0, -1.0) * model.decision_function(X) / lengths
    assert (model.normalized_margins_ <= cosines + 1e-9).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_normalised_margins_of_any_kernel_are_not_too_large():
    for seed in range(10):
        X, y = grid(seed, n=100, d=1)
        X += np.random.default_rng(seed).normal(size=X.shape)
        kernel = Polynomial(degree=2)
        model = SupportVectorClassifier(kernel=kernel, C=1e7, max_iter=50_000, fit_intercept=False)
        model.fit(X, y)
        c, S = model.dual_coef_[0].astype(np.longdouble), model.support_vectors_
        weight = np.array([c.sum(), np.sqrt(2.0) * (c @ S)[0], (c @ S**2)[0]], dtype=float)
        features = np.column_stack([np.ones(len(X)), np.sqrt(2.0) * X[:, 0], X[:, 0] ** 2])
        lengths = np.linalg.norm(weight) * np.linalg.norm(features, axis=1)
        cosines = np.where(y == 1, 1.0, -1.0) * (features @ weight) / lengths
        assert (model.normalized_margins_ <= cosines + 1e-9).all()


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(gamma=1.0)])
def test_leaving_out_equals_refitting_where_several_intercepts_are_optimal(kernel):
    for seed in (6, 12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 40))
        X = rng.integers(-2, 3, (n, 2)).astype(float)
        y = rng.integers(0, 3, n)
        y[:6] = np.repeat([0, 1, 2], 2)
        model = SupportVectorClassifier(kernel=kernel, C=0.01, n_jobs=1)
        kept = [np.arange(n) != i for i in range(n)]
        plain = [
            SupportVectorClassifier(kernel=kernel, C=0.01, n_jobs=1)
            .fit(X[k], y[k])
            .predict(X[~k])[0]
            for k in kept
        ]
        quick, _ = model._leave_one_out(X, y, None)
        np.testing.assert_array_equal(quick, plain)


class Longer(Gaussian):
    """Not a Gaussian at all: points of any length."""

    def __call__(self, X, Z=None):
        return np.asarray(X) @ np.asarray(X if Z is None else Z).T

    def diagonal(self, X):
        return np.square(np.asarray(X)).sum(axis=1)


def test_nothing_is_known_of_the_points_of_a_kernel_that_only_inherits():
    X, _ = grid(0)
    model = KernelRidge(kernel=Longer(), alpha=1e3, fit_intercept=False).fit(0.1 * X, X[:, 0])
    with pytest.raises(ValueError, match="kernel_radius"):
        model.stability_certificate(label_bound=1.0)
    stated = model.stability_certificate(label_bound=1.0, kernel_radius=1.0)
    told = {p.key: p.status for p in stated.preconditions}
    assert told["radius"] == told["minimiser"] == "assumed"
