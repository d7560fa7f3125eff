"""Online learners at the door: parameters count when learning begins, huge numbers are refused."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import surelearn as sl

BEGUN = {
    "KernelPerceptron": (sl.KernelPerceptron(kernel=sl.Gaussian()), {"kernel": sl.Linear()}),
    "OnlineGradientDescent": (
        sl.OnlineGradientDescent(radius=3.0, fit_intercept=False),
        {"radius": 0.5, "schedule": sl.FixedRate(learning_rate=9.0), "loss": sl.Logistic()},
    ),
    "OnlineGradientDescentRegressor": (
        sl.OnlineGradientDescentRegressor(radius=3.0),
        {"radius": 0.5, "loss": sl.Absolute(), "fit_intercept": False},
    ),
    "AdaGrad": (sl.AdaGrad(limit=0.1), {"limit": 50.0, "loss": sl.Square()}),
    "AdaGradRegressor": (sl.AdaGradRegressor(limit=0.1), {"limit": 50.0, "fit_intercept": False}),
    "OnlineRidge": (sl.OnlineRidge(alpha=0.1), {"alpha": 100.0, "fit_intercept": False}),
    "Winnow": (
        sl.Winnow(promotion=1.05, threshold=10.0),
        {"promotion": 64.0, "threshold": 1.0, "negations": True},
    ),
    "NormalizedWinnow": (
        sl.NormalizedWinnow(),
        {"learning_rate": 0.3, "balanced": False, "fit_intercept": False},
    ),
    "SecondOrderPerceptron": (sl.SecondOrderPerceptron(), {"a": 9.0, "fit_intercept": False}),
    "Perceptron": (sl.Perceptron(), {"fit_intercept": False}),
    "AveragedPerceptron": (sl.AveragedPerceptron(), {"fit_intercept": False}),
    "VotedPerceptron": (sl.VotedPerceptron(), {"fit_intercept": False}),
}
every_begun = pytest.mark.parametrize("name", BEGUN)

SINGLE = [
    sl.AdaGrad,
    sl.AdaGradRegressor,
    sl.AveragedPerceptron,
    sl.KernelPerceptron,
    sl.NormalizedWinnow,
    sl.OnlineGradientDescent,
    sl.OnlineGradientDescentRegressor,
    sl.OnlineRidge,
    sl.PassiveAggressive,
    sl.PassiveAggressiveSquaredRegressor,
    sl.Perceptron,
    sl.SecondOrderPerceptron,
    sl.VotedPerceptron,
]
REGRESSORS = [
    sl.AdaGradRegressor,
    sl.OnlineGradientDescentRegressor,
    sl.OnlineRidge,
    sl.PassiveAggressiveRegressor,
    sl.PassiveAggressiveSquaredRegressor,
]


def table(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, 4)).astype(float)
    return X, np.where(rng.random(n) < 0.1, 1.0 - X[:, 1], X[:, 1])


def answers(model, X):
    """Return everything a learner says: predictions, weights, statements."""
    stated = [(c.claim, c.bound, c.observed, c.preconditions) for c in model.certificates()]
    return model.predict(X).tolist(), model.coef_.tolist(), model.cumulative_loss_, stated


@every_begun
@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_parameters_changed_after_the_beginning_change_nothing_said_or_learnt(name, how):
    (X, y), (given, changes) = table(), BEGUN[name]
    model, twin = (getattr(clone(given), how)(X, y) for _ in range(2))
    model.set_params(**changes)
    assert answers(model, X) == answers(twin, X)
    for learner in (model, twin):
        learner.partial_fit(X[::-1], y[::-1])
        learner.learn_one(X[3], y[3])
    assert answers(model, X) == answers(twin, X)
    model.set_params(**given.get_params())
    assert answers(model, X) == answers(twin, X)
    assert model.predict_one(X[0]) == twin.predict_one(X[0])


@every_begun
def test_fit_begins_anew_with_the_parameters_of_that_moment(name):
    (X, y), (given, changes) = table(), BEGUN[name]
    late = clone(given).fit(X, y).set_params(**changes).fit(X, y)
    assert answers(late, X) == answers(clone(given).set_params(**changes).fit(X, y), X)


def test_a_kernel_that_reads_bits_gives_way_to_one_that_reads_numbers():
    X, y = table()
    model = sl.KernelPerceptron(kernel=sl.Agreement()).fit(X, y).set_params(kernel=sl.Linear())
    with pytest.raises(ValueError, match="0 or 1"):
        model.predict(X / 3.0)
    assert model.fit(X / 3.0, y).predict(X / 3.0).shape == y.shape


def test_features_that_come_late_find_the_parameters_of_the_beginning():
    X, y = table()
    model, twin = (sl.OnlineRidge(alpha=0.1).partial_fit(X[:, :2], y) for _ in range(2))
    model.set_params(alpha=100.0)
    for learner in (model, twin):
        learner._grow(4)
        learner.partial_fit(X, y)
    assert answers(model, X) == answers(twin, X)


@pytest.mark.parametrize("learner", SINGLE)
def test_a_single_row_is_refused_where_a_table_of_it_is(learner):
    model = learner()
    model.learn([[1.0, 2.0], [2.0, 1.0]], [0.0, 1.0])
    before = pickle.dumps(model)
    for row in ([1e200, 1.0], [1.0, -2e140]):
        for call in (
            lambda row=row: model.learn([row], [1.0]),
            lambda row=row: model.learn_one(row, 1.0),
        ):
            with pytest.raises(ValueError, match="overflow"):
                call()
            assert pickle.dumps(model) == before


@pytest.mark.parametrize("learner", REGRESSORS)
@pytest.mark.parametrize("target", [1e200, -2e140, np.inf, np.nan])
def test_huge_targets_are_refused_and_leave_no_mark(learner, target):
    model = learner().partial_fit([[1.0, 1.0]], [2.0])
    before = pickle.dumps(model)
    for call in (model.learn, model.fit):
        with pytest.raises(ValueError, match=r"Rescale the targets|NaN|infinity"):
            call([[1.0, 1.0], [1.0, 2.0]], [1.0, target])
        assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match=r"Rescale the targets|not a finite number"):
        model.learn_one([1.0, 1.0], target)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("learner", REGRESSORS)
@pytest.mark.parametrize("call", ["learn", "fit", "learn_one"])
@pytest.mark.parametrize("size", [1e60, 1e100, 1e139])
def test_large_rows_and_targets_are_learnt_or_refused_and_never_overflow(learner, call, size):
    model = learner().partial_fit([[1.0, 1.0]], [2.0])
    before = pickle.dumps(model)
    row, target = (np.full(2, size), size) if call == "learn_one" else ([[size, size]], [size])
    try:
        getattr(model, call)(row, target)
    except ValueError:
        assert pickle.dumps(model) == before
    assert np.isfinite([model.cumulative_loss_, *model.coef_, *model.intercept_]).all()
    assert all(certificate.observed <= certificate.bound for certificate in model.certificates())


@pytest.mark.parametrize("learner", [sl.AdaGradRegressor, sl.OnlineGradientDescentRegressor])
def test_gradients_that_would_overflow_are_refused_with_a_sentence(learner):
    with pytest.raises(ValueError, match=r"overflows.* Rescale the features or the targets"):
        learner().learn([[1e100]], [1e100])
