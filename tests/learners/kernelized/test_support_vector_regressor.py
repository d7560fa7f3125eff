import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVR

from reference import support_vector_dual
from surelearn import SupportVectorRegressor
from surelearn.evaluate.leave_one_out import leave_one_out
from surelearn.kernels import Gaussian, Linear, Subsequence
from surelearn.persistence.model_files import load_model, save_model


def waves(n, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] ** 2 + 0.2 * rng.normal(size=n)


def test_four_points_on_a_line():
    X, y = np.arange(4.0)[:, None], [0.0, 1.5, 1.5, 3.0]
    model = SupportVectorRegressor(kernel=Linear(), epsilon=0.1).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[0.9333333333]], rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, [0.1], rtol=1e-8)
    np.testing.assert_allclose(model.dual_coef_, [[-0.6444444444, 1, -1, 0.6444444444]], rtol=1e-8)
    np.testing.assert_allclose(model.primal_values_, [1.1688888889], rtol=1e-8)
    np.testing.assert_allclose(model.dual_values_, [1.1688888889], rtol=1e-8)


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_it_equals_a_general_optimiser(epsilon):
    X, y = waves(16)
    kernel = Gaussian(gamma=0.5)
    model = SupportVectorRegressor(kernel=kernel, C=2.0, epsilon=epsilon).fit(X, y)
    beta = support_vector_dual.regressor(kernel(X), y, 2.0, epsilon)
    value = y @ beta - epsilon * np.abs(beta).sum() - 0.5 * beta @ kernel(X) @ beta
    np.testing.assert_allclose(model.dual_values_, value, rtol=1e-6)


def test_the_objective_is_that_of_libsvm():
    X, y = load_diabetes(return_X_y=True)
    y = (y - y.mean()) / y.std()
    model = SupportVectorRegressor().fit(X, y)
    peer = SVR(tol=1e-6).fit(X, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), atol=1e-4)
    assert model.n_support_ == pytest.approx(len(peer.support_), abs=2)


def test_large_problems_are_solved_block_by_block():
    X, y = waves(2500)
    model = SupportVectorRegressor(kernel=Gaussian(gamma=0.3)).fit(X, y)
    peer = SVR(gamma=0.3).fit(X, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), atol=5e-3)
    assert model.kkt_violation_[0] <= 1e-3
    np.testing.assert_array_equal(model.predict(X[:3]), model.predict(X)[:3])
    outside = np.abs(y - model.predict(X)) >= 0.1 + 1e-4
    assert set(np.flatnonzero(outside)) <= set(model.compression_set_)
    assert set(model.support_) <= set(model.compression_set_)


def test_weights_are_repeated_rows_and_sparse_is_dense():
    X, y = waves(50)
    counts = np.random.default_rng(1).integers(0, 4, size=50)
    kernel = Gaussian(gamma=0.4)
    weighted = SupportVectorRegressor(kernel=kernel).fit(X, y, sample_weight=counts)
    twin = SupportVectorRegressor(kernel=kernel).fit(np.repeat(X, counts, 0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.predict(X), twin.predict(X), atol=1e-6)
    thin = SupportVectorRegressor(kernel=kernel).fit(sparse.csr_array(X), y, sample_weight=counts)
    np.testing.assert_allclose(thin.predict(sparse.csr_array(X)), weighted.predict(X), atol=1e-8)


@pytest.mark.parametrize("setting", [{"fit_intercept": False}, {"penalize_intercept": True}])
def test_intercepts_are_absent_or_a_constant_feature(setting):
    X, y = waves(40)
    model = SupportVectorRegressor(kernel=Linear(), **setting).fit(X, y)
    wide = np.column_stack([X, np.full(len(X), float("penalize_intercept" in setting))])
    twin = SupportVectorRegressor(kernel=Linear(), fit_intercept=False).fit(wide, y)
    np.testing.assert_allclose(model.predict(X), twin.predict(wide), atol=1e-8)


def test_a_warm_start_needs_fewer_steps_and_a_short_search_says_so():
    X, y = waves(300)
    model = SupportVectorRegressor(kernel=Gaussian(gamma=0.3), warm_start=True).fit(X, y)
    first = model.n_iter_[0]
    assert model.fit(X, y).n_iter_[0] < 0.1 * first
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        SupportVectorRegressor(max_iter=3).fit(X, y)


def test_targets_whose_squares_vanish_are_refused_where_the_tube_is_as_small():
    """Ten million steps gained nothing, and `certify` did not end."""
    x = np.linspace(-1.0, 1.0, 40)
    near = SupportVectorRegressor(C=1e-200, epsilon=1e-201, tol=1e-203)
    with pytest.raises(ValueError, match="larger units"):
        near.fit(x[:, np.newaxis], 1e-200 * x)
    wide = SupportVectorRegressor().fit(x[:, np.newaxis], 1e-200 * x)
    assert wide.n_support_ == 0


def test_targets_inside_the_tube_need_no_support_vector():
    model = SupportVectorRegressor(epsilon=1.0).fit([[0.0], [1.0], [2.0]], [0.1, 0.0, -0.1])
    assert model.n_support_ == 0
    np.testing.assert_allclose(model.predict([[5.0]]), 0.0, atol=1.0)
    assert model.duality_gap_.tolist() == [0.0]


def test_leaving_rows_out_equals_refitting():
    X, y = waves(25)
    model = SupportVectorRegressor(kernel=Gaussian(gamma=0.5))
    fast, slow = (leave_one_out(model, X, y, shortcut=use) for use in (True, False))
    assert fast.shortcut is not None
    np.testing.assert_allclose(fast.predictions, slow.predictions, atol=1e-6)


def test_strings_have_numbers():
    kernel = Subsequence(order=1, decay=0.5).normalised()
    model = SupportVectorRegressor(kernel=kernel, C=100.0).fit(["aa", "ab", "bb"], [0.0, 1.0, 2.0])
    assert model.predict(["aa"])[0] < model.predict(["bb"])[0]


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"C": np.inf}, None, "must be finite"),
        ({"C": -1.0}, None, "above 0"),
        ({"epsilon": -0.1}, None, "epsilon"),
        ({}, ["a", "b", "c"], "not an array of numbers"),
        ({}, [1.0, np.nan, 2.0], "NaN"),
        ({}, [1.0, 1e200, 2.0], "overflow"),
    ],
)
def test_bad_input_is_refused(parameters, y, message):
    with pytest.raises(ValueError, match=message):
        SupportVectorRegressor(**parameters).fit([[0.0], [1.0], [2.0]], y or [0.0, 1.0, 2.0])


def test_a_model_file_gives_the_same_predictions(tmp_path):
    X, y = waves(30)
    model = SupportVectorRegressor().fit(sparse.csr_array(X), y)
    save_model(model, tmp_path / "model.surelearn", schema={}, metadata={})
    loaded = load_model(tmp_path / "model.surelearn").model
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize(("gamma", "epsilon"), [(0.1, 0.4), (0.5, 0.36)])
def test_variables_that_rest_are_in_no_block(gamma, epsilon):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1010, 3))
    y = np.clip(0.5 + 0.2 * np.sin(3 * X[:, 0]) + 0.2 * rng.normal(size=1010), 0.0, 1.0)
    kernel = Gaussian(gamma=gamma)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SupportVectorRegressor(kernel=kernel, C=1e3, epsilon=epsilon).fit(X, y)
    assert model.kkt_violation_[0] <= 1e-3
    coef = np.zeros(1010)
    coef[model.support_] = model.dual_coef_[0]
    errors = y - kernel(X) @ coef - model.intercept_
    assert (errors[coef > 0.0] >= epsilon - 1e-3).all()
    assert (errors[coef < 0.0] <= -epsilon + 1e-3).all()
    assert (np.abs(errors[np.abs(coef) < 1e3]) <= epsilon + 1e-3).all()
