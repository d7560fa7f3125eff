"""Kernel logistic and Huber regression against a general method and their linear forms."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from reference import kernel_empirical_risk as plain
from surelearn import (
    KernelHuberRegression,
    KernelLogisticRegression,
    KernelRidge,
    LogisticRegression,
)
from surelearn.kernels import Gaussian, Linear, Subsequence
from surelearn.persistence.model_files import load_model, save_model

FX_A = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]])


def table(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n)
    return X, y, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kernel", [Linear(), Gaussian(gamma=0.5)])
def test_the_objective_is_the_least_that_a_general_method_finds(kernel, intercept):
    X, y, weights = table()
    signs, gram = np.sign(y), kernel(X)

    def logistic(scores):
        return weights * np.logaddexp(0.0, -signs * scores)

    def huber(scores):
        size = np.abs(y - scores)
        return weights * np.where(size <= 0.3, 0.5 * size**2, 0.3 * size - 0.045)

    model = KernelLogisticRegression(kernel=kernel, C=2.0, fit_intercept=intercept)
    model.fit(X, signs, weights)
    found = plain.least(gram, logistic, 0.5, intercept=intercept)
    assert model.objective_ == pytest.approx(2.0 * found, rel=1e-8)
    robust = KernelHuberRegression(
        kernel=kernel, alpha=0.5, threshold=0.3, fit_intercept=intercept, tol=1e-7
    ).fit(X, y, weights)
    found = plain.least(gram, huber, 0.5, intercept=intercept)
    assert robust.objective_ == pytest.approx(found, rel=1e-7)


def test_with_the_linear_kernel_it_is_logistic_regression():
    X, y, weights = table(80)
    labels = np.where(y > 0.0, "yes", "no")
    for C in (0.1, 10.0):
        primal = LogisticRegression(C=C, tol=1e-10).fit(X, labels, weights)
        dual = KernelLogisticRegression(C=C, tol=1e-10).fit(X, labels, weights)
        np.testing.assert_allclose(
            dual.dual_coef_ @ dual.support_vectors_, primal.coef_[0], rtol=1e-6, atol=1e-8
        )
        np.testing.assert_allclose(dual.predict_proba(X), primal.predict_proba(X), atol=1e-7)
        np.testing.assert_array_equal(dual.predict(X), primal.predict(X))


def test_the_catalogues_minimiser_and_its_representer_coefficients():
    signs = np.array([1.0, -1.0, 1.0, 1.0])
    model = KernelLogisticRegression(C=1.0, fit_intercept=False, tol=1e-12).fit(FX_A, signs)
    weights = model.dual_coef_ @ model.support_vectors_
    np.testing.assert_allclose(weights, [0.00734476, 0.87663047], atol=1e-7)
    slopes = -signs / (1.0 + np.exp(signs * (FX_A @ weights)))
    np.testing.assert_allclose(model.dual_coef_, -slopes, atol=1e-9)


def test_a_high_threshold_gives_kernel_ridge_and_a_low_one_ignores_outliers():
    X, y, weights = table(80)
    kernel = Gaussian(gamma=0.3)
    ridge = KernelRidge(kernel=kernel, alpha=0.5).fit(X, y, weights)
    same = KernelHuberRegression(kernel=kernel, alpha=0.5, threshold=1e3).fit(X, y, weights)
    np.testing.assert_allclose(same.predict(X), ridge.predict(X), rtol=1e-8, atol=1e-9)
    wild = y.copy()
    wild[:5] += 1e3
    robust = KernelHuberRegression(kernel=kernel, alpha=0.5, threshold=0.1).fit(X, wild)
    calm = KernelHuberRegression(kernel=kernel, alpha=0.5, threshold=0.1).fit(X, y)
    assert np.abs(robust.predict(X[5:]) - calm.predict(X[5:])).mean() < 0.3


@pytest.mark.parametrize("cls", [KernelLogisticRegression, KernelHuberRegression])
def test_weights_are_repetitions_and_a_matrix_may_be_given(cls):
    X, y, weights = table(30)
    y = np.sign(y)
    kernel, times = Gaussian(gamma=0.5), weights.astype(int)
    weighted = cls(kernel=kernel, tol=1e-9).fit(X, y, weights)
    repeated = cls(kernel=kernel, tol=1e-9).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    given = cls(kernel="precomputed", tol=1e-9).fit(kernel(X), y, weights)
    answer = "decision_function" if hasattr(weighted, "decision_function") else "predict"
    expected = getattr(weighted, answer)(X)
    np.testing.assert_allclose(getattr(repeated, answer)(X), expected, atol=1e-6)
    np.testing.assert_allclose(getattr(given, answer)(kernel(X)), expected, atol=1e-9)


@pytest.mark.parametrize("cls", [KernelLogisticRegression, KernelHuberRegression])
def test_strings_are_read_and_stored(cls, tmp_path):
    texts, y = ["cat", "car", "cart", "dog", "dig", "dodge"], [1, 1, 1, 0, 0, 0]
    model = cls(kernel=Subsequence(order=2).normalised()).fit(texts, y)
    save_model(model, tmp_path / "m", schema={}, metadata={})
    loaded = load_model(tmp_path / "m").model
    np.testing.assert_array_equal(loaded.predict(texts), model.predict(texts))
    assert model.predict(["carts"])[0] > model.predict(["dodges"])[0]


def test_separable_rows_and_wild_prices_converge():
    X = np.linspace(-1.0, 1.0, 30)[:, np.newaxis]
    y = (X[:, 0] > 0.0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        for C in (1e-6, 1.0, 1e6):
            model = KernelLogisticRegression(kernel=Gaussian(gamma=2.0), C=C).fit(X, y)
            assert model.gradient_norm_ <= 1e-8
    assert np.mean(model.predict(X) == y) == 1.0


def test_too_few_steps_are_told():
    X, y, _ = table()
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        KernelLogisticRegression(max_iter=1).fit(X, np.sign(y))


@pytest.mark.parametrize(
    ("cls", "settings", "told"),
    [
        (KernelLogisticRegression, {"C": 0.0}, "C"),
        (KernelLogisticRegression, {"kernel": "precomputed"}, "square"),
        (KernelLogisticRegression, {"kernel": Subsequence()}, "strings"),
        (KernelHuberRegression, {"alpha": 0.0}, "alpha"),
        (KernelHuberRegression, {"threshold": -1.0}, "threshold"),
        (KernelHuberRegression, {"kernel": "rbf"}, "kernel"),
        (KernelHuberRegression, {"max_iter": 0}, "max_iter"),
    ],
)
def test_bad_input_is_refused(cls, settings, told):
    with pytest.raises(ValueError, match=told):
        cls(**settings).fit(FX_A, [0, 1, 1, 1])


def test_three_classes_are_sent_elsewhere():
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        KernelLogisticRegression().fit(FX_A, [0, 1, 2, 1])
