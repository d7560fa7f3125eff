"""Settings of strange kinds and sizes: a sentence, or the machine that was asked for."""

import warnings

import numpy as np
import pytest

from surelearn import (
    KernelHuberRegression,
    KernelLogisticRegression,
    Pegasos,
    Perceptron,
    SupportVectorClassifier,
    SupportVectorRegressor,
)
from surelearn.kernels import Gaussian

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 3))
Y = (X[:, 0] > 0.0).astype(int)


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("kind", [SupportVectorClassifier, SupportVectorRegressor])
@pytest.mark.parametrize("number", [np.float16, np.float32, np.longdouble, np.int8])
def test_a_price_may_be_any_number_of_numpy(kind, number):
    found = kind(C=number(1)).fit(X, Y)
    np.testing.assert_array_equal(found.dual_coef_, kind(C=1.0).fit(X, Y).dual_coef_)


@pytest.mark.parametrize("kind", [Pegasos, Perceptron, KernelLogisticRegression])
@pytest.mark.parametrize("flag", [-1, 0.5, 1e300, np.nan, np.inf, np.int64(2)])
def test_a_flag_is_no_size(kind, flag):
    with pytest.raises(ValueError, match=r"fit_intercept=.* must be True or False"):
        kind(fit_intercept=flag).fit(X, Y)


@pytest.mark.parametrize("flag", [1, 1.0, np.True_, np.int8(1)])
def test_what_equals_true_is_a_flag(flag):
    found = Pegasos(fit_intercept=flag).fit(X, Y)
    np.testing.assert_array_equal(found.coef_, Pegasos().fit(X, Y).coef_)


def test_a_price_whose_inverse_is_infinite_is_refused():
    with pytest.raises(ValueError, match="too small to compute with"):
        KernelLogisticRegression(C=1e-320).fit(X, Y)


@pytest.mark.parametrize("kind", [KernelLogisticRegression, KernelHuberRegression])
def test_squares_of_huge_weights_do_not_overflow(kind):
    weights = np.append(1e200, np.ones(23))
    with pytest.raises(ValueError, match="lost in rounding"):
        kind().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("number", [np.float32, np.int16])
def test_a_search_among_prices_of_any_kind_is_noticed(number):
    rows = np.random.default_rng(len(number.__name__)).normal(size=(60, 2))
    y = (rows[:, 0] > 0.0).astype(int)
    for C in (1, 2, 4):
        SupportVectorClassifier(kernel=Gaussian(), C=number(C)).fit(rows[:40], y[:40])
    model = SupportVectorClassifier(kernel=Gaussian(), C=number(2)).fit(rows, y)
    assert model.settings_tried_ == "3 values of C from 1 to 4"
