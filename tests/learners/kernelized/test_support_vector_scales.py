"""The units of features, targets and prices do not matter: huge and tiny numbers, same machines."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

from surelearn import SupportVectorClassifier, SupportVectorRegressor
from surelearn.kernels import Gaussian, Linear

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = (X[:, 0] + 0.5 * RNG.normal(size=40) > 0.0).astype(int)
T = 2.0 * X[:, 0] + np.sin(3.0 * X[:, 1])
INTERCEPTS = [{}, {"fit_intercept": False}]


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("setting", INTERCEPTS)
@pytest.mark.parametrize("unit", [1e-45, 1e-20, 1e-7, 1e7, 1e20, 1e45])
def test_a_classifier_in_other_units_of_the_features_is_the_same(unit, setting):
    plain = SupportVectorClassifier(kernel=Linear(), **setting).fit(X, Y)
    model = SupportVectorClassifier(kernel=Linear(), C=unit**-2.0, max_iter=100_000, **setting)
    model.fit(X * unit, Y)
    np.testing.assert_allclose(model.dual_coef_ * unit**2, plain.dual_coef_, atol=1e-6)
    np.testing.assert_allclose(
        model.decision_function(X * unit), plain.decision_function(X), atol=1e-5
    )
    assert model.duality_gap_[0] < 1e-6


@pytest.mark.parametrize("setting", INTERCEPTS)
@pytest.mark.parametrize("unit", [1e-60, 1e-12, 1e12, 1e31, 1e60, 1e99])
def test_a_regressor_in_other_units_of_the_targets_is_the_same(unit, setting):
    kernel = Gaussian(gamma=0.5)
    plain = SupportVectorRegressor(kernel=kernel, **setting).fit(X, T)
    model = SupportVectorRegressor(
        kernel=kernel, C=unit, epsilon=0.1 * unit, tol=1e-3 * unit, max_iter=100_000, **setting
    )
    model.fit(X, T * unit)
    np.testing.assert_allclose(model.dual_coef_ / unit, plain.dual_coef_, atol=1e-6)
    np.testing.assert_allclose(model.predict(X) / unit, plain.predict(X), atol=1e-5)
    assert model.duality_gap_[0] < 1e-6


@pytest.mark.parametrize("unit", [1e31, 1e60, 1e139])
def test_targets_far_beyond_the_price_put_every_coefficient_at_it(unit):
    model = SupportVectorRegressor(kernel=Gaussian(gamma=0.5), max_iter=10_000).fit(X, T * unit)
    assert model.duality_gap_[0] < 1e-6
    np.testing.assert_allclose(np.abs(model.dual_coef_), 1.0)


@pytest.mark.parametrize("C", [1e-300, 1e-50, 1e50, 1e100])
def test_no_price_makes_boxes_vanish_or_infinite(C):
    for unit in (1e-139, 1e-50):
        model = SupportVectorClassifier(kernel=Linear(), C=C, max_iter=10_000).fit(X * unit, Y)
        assert model.kkt_violation_[0] < 1e-3
        assert np.abs(model.dual_coef_).max() <= C


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_the_dual_value_is_that_of_libsvm(unit):
    wide, gamma = X * unit, 0.3 / unit**2
    gram = Gaussian(gamma=gamma)(wide)
    for C in (0.1, 10.0, 1e4):
        ours = SupportVectorClassifier(kernel=Gaussian(gamma=gamma), C=C).fit(wide, Y)
        theirs = SVC(C=C, gamma=gamma, tol=1e-6).fit(wide, Y)
        beta = np.zeros(len(X))
        beta[theirs.support_] = theirs.dual_coef_[0]
        value = np.abs(beta).sum() - 0.5 * beta @ gram @ beta
        assert ours.dual_values_[0] >= value * (1.0 - 1e-6)
        tube = SupportVectorRegressor(kernel=Gaussian(gamma=gamma), C=C).fit(wide, T)
        theirs = SVR(C=C, gamma=gamma, tol=1e-6).fit(wide, T)
        beta = np.zeros(len(X))
        beta[theirs.support_] = theirs.dual_coef_[0]
        value = T @ beta - 0.1 * np.abs(beta).sum() - 0.5 * beta @ gram @ beta
        assert tube.dual_values_[0] >= value * (1.0 - 1e-6)


def test_an_optimum_within_the_tolerance_is_no_cause_for_a_warning():
    model = SupportVectorRegressor(kernel=Gaussian(gamma=0.5), C=1e10).fit(X, T * 1e10)
    assert model.kkt_violation_[0] <= model.tol


def test_what_rounding_keeps_from_the_optimum_is_not_asked_for_more_steps():
    model = SupportVectorRegressor(kernel=Gaussian(gamma=0.5), C=1e15)
    with pytest.warns(ConvergenceWarning, match=r"rounding ended the search after \d+ steps"):
        model.fit(X, T * 1e15)
    assert model.duality_gap_[0] < 1e-9
    with pytest.warns(ConvergenceWarning, match="in max_iter=3 steps"):
        SupportVectorClassifier(max_iter=3).fit(X, Y)


@pytest.mark.parametrize("setting", INTERCEPTS)
@pytest.mark.parametrize("unit", [1e-8, 1e-5, 1.0, 1e8, 1e20])
def test_a_path_in_other_units_of_the_features_is_the_same(unit, setting):
    wide, first = X * unit, 0.01 / unit**2
    start = SupportVectorClassifier(kernel=Linear(), C=first, **setting)
    path = start.regularization_path(wide, Y, C_max=500.0 * first)
    assert path.violations.max() < 1e-9
    for C in (50.0 * first, 400.0 * first):
        plain = SupportVectorClassifier(kernel=Linear(), C=C, tol=1e-8, **setting).fit(wide, Y)
        coef, intercept = path.at(C)
        np.testing.assert_allclose(coef @ wide * unit, plain.coef_[0] * unit, atol=1e-6)
        np.testing.assert_allclose(intercept, plain.intercept_[0], atol=1e-6)


@pytest.mark.parametrize("C", [1e3, 1e8, 1e12])
def test_coefficients_on_a_path_do_not_vanish_beside_a_huge_price(C):
    apart = X + 3.0 * np.where(Y == 1, 1.0, -1.0)[:, None]
    path = SupportVectorClassifier(kernel=Linear(), C=C).regularization_path(
        apart, Y, C_max=10.0 * C
    )
    plain = SupportVectorClassifier(kernel=Linear(), C=2.0 * C).fit(apart, Y)
    assert path.violations.max() < 1e-9
    np.testing.assert_allclose(path.at(2.0 * C)[0] @ apart, plain.coef_[0], atol=1e-9)


@pytest.mark.parametrize("price", ["1", None, [2.0], np.nan, -1.0, np.inf])
def test_a_path_goes_to_a_number(price):
    model = SupportVectorClassifier(kernel=Linear(), C=0.1)
    with pytest.raises(ValueError, match="C_max="):
        model.regularization_path(X, Y, C_max=price)
    with pytest.raises(ValueError, match="C="):
        model.regularization_path(X, Y, C_max=1.0).at(price)


def test_a_path_of_a_class_that_hardly_counts_has_no_empty_side():
    model = SupportVectorClassifier(kernel=Linear(), class_weight={0: 1e-200})
    assert model.regularization_path(X, Y, C_max=10.0).violations.max() < 1e-9


def test_polishing_keeps_the_balance_of_tiny_boxes():
    # In units of these rows the box is 1e-11 wide, and the intercept is near 1.
    rows = [
        [-2.640603923115122e-07, -1.116919072611534e-06],
        [-1.935087367301753e-06, 9.028520468000429e-08],
        [9.556223365537018e-07, -8.092178231848549e-07],
        [2.627019893732258e-07, -1.289613242644808e-06],
        [9.6152320672824e-08, -2.087179237752756e-07],
    ]
    machine = SupportVectorClassifier(kernel=Linear(), C=10.0, class_weight="balanced")
    model = machine.fit(rows, [0, 1, 0, 0, 1])
    assert abs(model.dual_coef_.sum()) <= 1e-12 * np.abs(model.dual_coef_).sum()
    assert model.duality_gap_[0] < 1e-9


@pytest.mark.parametrize("learner", [SupportVectorClassifier, SupportVectorRegressor])
@pytest.mark.parametrize(("first", "then"), [(1e-250, 1e90), (1.0, 1e100), (1.0, 1e9), (1e5, 1e-5)])
def test_a_warm_start_at_a_far_price_leads_to_the_same_optimum(learner, first, then):
    labels = np.arange(40) % 3
    model = learner(kernel=Gaussian(gamma=5.0), C=first, warm_start=True).fit(X, labels)
    again = model.set_params(C=then).fit(X, labels)
    cold = learner(kernel=Gaussian(gamma=5.0), C=then).fit(X, labels)
    np.testing.assert_allclose(again.dual_values_, cold.dual_values_, rtol=1e-6)
    assert again.kkt_violation_.max() < 1e-3


@pytest.mark.parametrize("far", [0.0, 1e4, 1e8])
def test_the_gamma_of_weighted_and_of_sparse_rows_is_that_of_the_rows(far):
    plain = SupportVectorClassifier().fit(X + far, Y).kernel_.gamma
    weighted = SupportVectorClassifier().fit(X + far, Y, np.full(40, 2.0)).kernel_.gamma
    thin = SupportVectorClassifier().fit(sparse.csr_array(X + far), Y).kernel_.gamma
    assert weighted == pytest.approx(plain, rel=1e-9)
    assert thin == pytest.approx(plain, rel=1e-9)


def test_zeros_that_are_not_stored_count_in_the_gamma_of_sparse_rows():
    rows = np.where(X > 0.0, X, 0.0)
    weights = np.arange(1, 41) % 3
    plain = SupportVectorClassifier().fit(np.repeat(rows, weights, 0), np.repeat(Y, weights))
    thin = SupportVectorClassifier().fit(sparse.csr_array(rows), Y, weights)
    assert thin.kernel_.gamma == pytest.approx(plain.kernel_.gamma, rel=1e-12)
