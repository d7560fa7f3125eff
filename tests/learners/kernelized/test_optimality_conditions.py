"""The Karush-Kuhn-Tucker conditions of what was found, for every way to pose a problem."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVR

from surelearn import SupportVectorClassifier, SupportVectorRegressor
from surelearn.datasets.real import load
from surelearn.kernels import Gaussian, Subsequence

TOL = 2e-3
few = settings(max_examples=12, deadline=None)
draws = st.tuples(st.integers(0, 2**31), st.integers(6, 50), st.floats(-2.0, 3.0))


def coefficients(model, n):
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    return beta


def assert_classified_at_the_optimum(beta, scores, signs, limits):
    """Hold α, the margins and the limits of α against the conditions."""
    alpha, margins = signs * beta, signs * scores
    assert (alpha >= 0.0).all()
    assert (alpha <= limits * (1.0 + 1e-12)).all()
    assert abs(beta.sum()) <= 1e-9 * limits.max()
    assert (margins[(alpha == 0.0) & (limits > 0.0)] >= 1.0 - TOL).all()
    assert (margins[(alpha == limits) & (limits > 0.0)] <= 1.0 + TOL).all()
    np.testing.assert_allclose(margins[(alpha > 0.0) & (alpha < limits)], 1.0, atol=TOL)


@few
@given(draws)
def test_of_rows_with_weights_and_of_kernel_values(drawn):
    seed, n, log_price = drawn
    rng = np.random.default_rng(seed)
    X, weights, price = rng.normal(size=(n, 3)), rng.uniform(0.1, 3.0, size=n), 10.0**log_price
    signs = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    signs[:2] = [1.0, -1.0]
    model = SupportVectorClassifier(kernel=Gaussian(gamma=0.7), C=price).fit(X, signs, weights)
    beta, scores = coefficients(model, n), model.decision_function(X)
    assert_classified_at_the_optimum(beta, scores, signs, price * weights)
    K = Gaussian(gamma=0.7)(X)
    given = SupportVectorClassifier(kernel="precomputed", C=price).fit(K, signs)
    beta, scores = coefficients(given, n), given.decision_function(K)
    assert_classified_at_the_optimum(beta, scores, signs, np.full(n, price))


@few
@given(draws)
def test_of_strings(drawn):
    seed, n, log_price = drawn
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("abc"), rng.integers(3, 9))) for _ in range(n)]
    signs = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    signs[:2] = [1.0, -1.0]
    kernel = Subsequence(order=2).normalised()
    model = SupportVectorClassifier(kernel=kernel, C=10.0**log_price).fit(words, signs)
    beta, scores = coefficients(model, n), model.decision_function(words)
    assert_classified_at_the_optimum(beta, scores, signs, np.full(n, 10.0**log_price))


@few
@given(draws)
def test_of_numbers(drawn):
    seed, n, log_price = drawn
    rng = np.random.default_rng(seed)
    X, price, width = rng.normal(size=(n, 2)), 10.0**log_price, 0.1
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=n)
    model = SupportVectorRegressor(kernel=Gaussian(gamma=0.7), C=price, epsilon=width).fit(X, y)
    beta, residual = coefficients(model, n), y - model.predict(X)
    assert abs(beta.sum()) <= 1e-9 * price
    assert (np.abs(beta) <= price).all()
    assert (np.abs(residual[beta == 0.0]) <= width + TOL).all()
    away = np.abs(beta) == price
    assert (np.sign(beta[away]) * residual[away] >= width - TOL).all()
    free = (beta != 0.0) & ~away
    np.testing.assert_allclose(np.sign(beta[free]) * residual[free], width, atol=TOL)


@pytest.mark.parametrize("price", [1.0, 100.0])
def test_the_numbers_of_the_shipped_table_are_predicted_as_libsvm_does(price):
    table = load("diabetes")
    X, y = table.X, (table.y - table.y.mean()) / table.y.std()
    ours = SupportVectorRegressor(kernel=Gaussian(gamma=20.0), C=price).fit(X, y)
    peer = SVR(gamma=20.0, C=price, tol=1e-8).fit(X, y)
    K, beta = Gaussian(gamma=20.0)(X), np.zeros(len(y))
    beta[peer.support_] = peer.dual_coef_[0]
    value = beta @ y - 0.1 * np.abs(beta).sum() - 0.5 * beta @ K @ beta
    np.testing.assert_allclose(ours.dual_values_[0], value, rtol=1e-6)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), atol=1e-3)
