"""Online learners at the door: parameters count when learning begins, huge numbers are refused."""

import pickle

import numpy as np
import pytest
from sklearn.base import is_regressor

import surelearn as sl
from surelearn.app.registry import find_learners

ONLINE = {name: cls for name, cls in find_learners().items() if hasattr(cls, "learn")}
OTHER = {
    "C": 0.01,
    "a": 9.0,
    "alpha": 100.0,
    "average": "none",
    "balanced": False,
    "batch_size": 3,
    "budget": 2,
    "decay": 0.3,
    "epsilon": 0.7,
    "fit_intercept": False,
    "kernel": sl.Gaussian(),
    "learning_rate": 0.3,
    "limit": 50.0,
    "margin": 0.8,
    "n_literals": 1,
    "negations": True,
    "project": True,
    "promotion": 64.0,
    "radius": 50.0,
    "random_state": 7,
    "regularization": 0.5,
    "removal": "decay",
    "schedule": sl.FixedRate(learning_rate=9.0),
    "threshold": 1.0,
}
"""For each parameter a value that is not the default; a new name must be added."""
LATE = {"max_iter"}  # belongs to a call of `fit`, not to what is learnt


def changes_of(name):
    """Return another value for every parameter that counts from the first row on."""
    learner = ONLINE[name]()
    other = {"loss": sl.Absolute() if is_regressor(learner) else sl.Logistic(), **OTHER}
    return {key: other[key] for key in learner.get_params(deep=False) if key not in LATE}


WITH_PARAMETERS = [name for name in ONLINE if changes_of(name)]
every_learner_with_parameters = pytest.mark.parametrize("name", WITH_PARAMETERS)
READS_NUMBERS = [n for n, cls in ONLINE.items() if getattr(cls, "_features", "numbers") != "bits"]
REGRESSORS = [n for n, cls in ONLINE.items() if is_regressor(cls())]


def test_there_are_learners_of_every_kind():
    assert len(WITH_PARAMETERS) >= 15
    assert len(READS_NUMBERS) >= 14
    assert len(REGRESSORS) >= 5


def table(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, 4)).astype(float)
    return X, np.where(rng.random(n) < 0.1, 1.0 - X[:, 1], X[:, 1])


def answers(model, X):
    """Return everything a learner says: predictions, weights, statements."""
    stated = [(c.claim, c.bound, c.observed, c.preconditions) for c in model.certificates()]
    return model.predict(X).tolist(), model.coef_.tolist(), model.cumulative_loss_, stated


@every_learner_with_parameters
@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_parameters_changed_after_the_beginning_change_nothing_said_or_learnt(name, how):
    X, y = table()
    model, twin = (getattr(ONLINE[name](), how)(X, y) for _ in range(2))
    model.set_params(**changes_of(name))
    assert answers(model, X) == answers(twin, X)
    for learner in (model, twin):
        learner.partial_fit(X[::-1], y[::-1])
        learner.learn_one(X[3], y[3])
    assert answers(model, X) == answers(twin, X)
    model.set_params(**ONLINE[name]().get_params(deep=False))
    assert answers(model, X) == answers(twin, X)
    assert model.predict_one(X[0]) == twin.predict_one(X[0])


@every_learner_with_parameters
def test_fit_begins_anew_with_the_parameters_of_that_moment(name):
    (X, y), changes = table(), changes_of(name)
    early, late = ONLINE[name]().fit(X, y), ONLINE[name]().fit(X, y)
    late.set_params(**changes).fit(X, y)
    assert answers(late, X) == answers(ONLINE[name](**changes).fit(X, y), X)
    assert answers(late, X) != answers(early, X)


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


@pytest.mark.parametrize("name", READS_NUMBERS)
def test_a_single_row_is_refused_where_a_table_of_it_is(name):
    model = ONLINE[name]()
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


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("target", [1e200, -2e140, np.inf, np.nan])
def test_huge_targets_are_refused_and_leave_no_mark(name, target):
    model = ONLINE[name]().partial_fit([[1.0, 1.0]], [2.0])
    before = pickle.dumps(model)
    for call in (model.learn, model.fit):
        with pytest.raises(ValueError, match=r"Rescale the targets|NaN|infinity"):
            call([[1.0, 1.0], [1.0, 2.0]], [1.0, target])
        assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match=r"Rescale the targets|not a finite number"):
        model.learn_one([1.0, 1.0], target)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("call", ["learn", "fit", "learn_one"])
@pytest.mark.parametrize("size", [1e60, 1e100, 1e139])
def test_large_rows_and_targets_are_learnt_or_refused_and_never_overflow(name, call, size):
    model = ONLINE[name]().partial_fit([[1.0, 1.0]], [2.0])
    before = pickle.dumps(model)
    row, target = (np.full(2, size), size) if call == "learn_one" else ([[size, size]], [size])
    try:
        getattr(model, call)(row, target)
    except ValueError:
        assert pickle.dumps(model) == before
    assert np.isfinite([model.cumulative_loss_, *model.coef_, *model.intercept_]).all()
    assert all(certificate.observed <= certificate.bound for certificate in model.certificates())


@pytest.mark.parametrize("name", [n for n in REGRESSORS if "loss" in ONLINE[n]().get_params()])
def test_gradients_that_would_overflow_are_refused_with_a_sentence(name):
    with pytest.raises(ValueError, match=r"overflows.* Rescale the features or the targets"):
        ONLINE[name]().learn([[1e100]], [1e100])
