"""Rows and targets of any size: sure bounds on the regret hold, or the size is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surelearn import (
    AdaGrad,
    AdaGradRegressor,
    OnlineGradientDescent,
    OnlineGradientDescentRegressor,
    OnlineRidge,
)
from surelearn.learners.linear.schedules import (
    FixedRate,
    InverseSquareRootRate,
    StronglyConvexRate,
)
from surelearn.losses import Absolute

REGRESSORS = {
    "ridge": OnlineRidge(),
    "adaptive": OnlineGradientDescentRegressor(),
    "absolute": OnlineGradientDescentRegressor(loss=Absolute(), fit_intercept=False),
    "fixed": OnlineGradientDescentRegressor(schedule=FixedRate(learning_rate=0.1)),
    "root": OnlineGradientDescentRegressor(schedule=InverseSquareRootRate(learning_rate=0.1)),
    "strong": OnlineGradientDescentRegressor(schedule=StronglyConvexRate(strong_convexity=0.5)),
    "adagrad": AdaGradRegressor(),
    "adagrad, absolute": AdaGradRegressor(loss=Absolute(), fit_intercept=False),
}
CLASSIFIERS = {"descent": OnlineGradientDescent(), "adagrad": AdaGrad(fit_intercept=False)}
EXPONENTS = st.integers(-300, 300)


def assert_proved(model, X, y):
    """Require bounds that hold, or a refusal with a sentence."""
    refused = ""
    try:
        model.learn(X, y)
    except ValueError as refusal:
        refused = str(refusal)
    assert not refused or "escale" in refused or "overflow" in refused
    for certificate in () if refused else model.certificates():
        amount = 1e-9 * model.cumulative_loss_
        assert certificate.observed <= certificate.bound * (1.0 + 1e-9) + amount


@pytest.mark.parametrize("name", REGRESSORS)
@given(rows=EXPONENTS, targets=EXPONENTS, seed=st.integers(0, 9))
@settings(max_examples=25, deadline=None)
def test_regressors(name, rows, targets, seed):
    rng, model = np.random.default_rng(seed), REGRESSORS[name]
    X, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    fresh = type(model)(**model.get_params())
    assert_proved(fresh, X * 10.0**rows, y * 10.0**targets)


@pytest.mark.parametrize("name", CLASSIFIERS)
@given(rows=EXPONENTS, seed=st.integers(0, 9))
@settings(max_examples=25, deadline=None)
def test_classifiers(name, rows, seed):
    rng, model = np.random.default_rng(seed), CLASSIFIERS[name]
    X = rng.normal(size=(12, 3))
    y = np.where(rng.random(12) < 0.5, 1, 0)
    y[:2] = 0, 1
    fresh = type(model)(**model.get_params())
    assert_proved(fresh, X * 10.0**rows, y)
