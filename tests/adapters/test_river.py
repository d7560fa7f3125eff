"""Our learners inside River: exact with late features and classes, by River's own rules."""

import pickle
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surelearn.adapters.river import to_river
from surelearn.app.registry import find_learners
from surelearn.base import OnlineClassifier, OnlineLinearRegressor
from surelearn.learners.linear.online_ridge import OnlineRidge
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.linear.winnow import Winnow

river = pytest.importorskip("river")
from river import checks, compose, datasets, evaluate, linear_model, metrics, preprocessing  # noqa: E402

LEARNERS = {
    name: cls
    for name, cls in find_learners().items()
    if issubclass(cls, OnlineClassifier | OnlineLinearRegressor)
}
REMEMBER_ROWS = {
    *("KernelPerceptron", "AveragedKernelPerceptron", "BudgetedKernelPerceptron", "KernelPegasos"),
    *("VotedKernelPerceptron", "VotedPerceptron"),
}
DEPEND_ON_THE_WIDTH = {"NormalizedWinnow"}  # its rate and its shares
GROWING = sorted(
    name
    for name, cls in LEARNERS.items()
    if cls._features == "numbers" and name not in REMEMBER_ROWS | DEPEND_ON_THE_WIDTH
)
QUICK = {"OnlineRidge", "Perceptron"}


def rows(n, names, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, len(names))).astype(float)
    return X, [dict(zip(names, x, strict=True)) for x in X.tolist()]


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in GROWING]
)
def test_it_passes_rivers_own_checks(name):
    checks.check_estimator(to_river(LEARNERS[name]()))


def test_with_announced_classes_it_passes_rivers_own_checks():
    checks.check_estimator(to_river(Perceptron(), classes=[False, True]))


def test_it_works_in_a_pipeline_as_rivers_own_perceptron_does():
    scores = []
    for model in (to_river(Perceptron()), linear_model.Perceptron()):
        pipeline = preprocessing.StandardScaler() | model
        assert isinstance(pipeline, compose.Pipeline)
        score = evaluate.progressive_val_score(
            datasets.Phishing().take(600), pipeline, metrics.Accuracy()
        )
        scores.append(score.get())
    assert scores[0] == pytest.approx(scores[1], abs=0.01)
    assert scores[0] > 0.8


def test_a_feature_that_comes_late_was_zero_until_then():
    X, mappings = rows(60, ["a", "b", "c"])
    X[:30, 2] = 0.0
    y = X @ [1.0, -2.0, 3.0] > 0.5
    model = to_river(Perceptron())
    for t, (x, label) in enumerate(zip(mappings, y, strict=True)):
        model.learn_one({k: v for k, v in x.items() if t >= 30 or k != "c"}, bool(label))
    told = Perceptron().partial_fit(X, y)
    inside = model._model
    assert inside.coef_.tolist() == told.coef_.tolist()
    assert (inside.n_mistakes_, inside.radius_) == (told.n_mistakes_, told.radius_)


@pytest.mark.parametrize("name", GROWING)
def test_growing_equals_having_known_all_features_from_the_start(name):
    X, _ = rows(40, list("abcd"))
    X[:20, 3] = 0.0
    y = (X @ [1.0, -2.0, 3.0, 1.0] > 0.5).astype(int)
    grown, told = LEARNERS[name](), LEARNERS[name]().partial_fit(X, y)
    grown.partial_fit(X[:20, :3], y[:20])
    grown._grow(4)
    grown.partial_fit(X[20:], y[20:])
    np.testing.assert_allclose(grown.coef_, told.coef_, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(grown.predict(X), told.predict(X), rtol=1e-12, atol=1e-15)


def test_a_learner_that_depends_on_the_width_refuses_to_grow_and_stays_as_it_was():
    class Threshold(Perceptron):
        def _start(self, n_features):
            return super()._start(n_features)._replace(radius=np.full(1, float(n_features)))

    model = to_river(Threshold())
    model.learn_one({"a": 1.0}, True)  # noqa: FBT003
    with pytest.raises(ValueError, match=r"Threshold cannot take in features.*first row"):
        model.learn_one({"a": 1.0, "b": 1.0}, False)  # noqa: FBT003
    inside = model._model
    assert (inside.n_features_in_, inside.n_rounds_, inside.coef_.tolist()) == (1, 1, [[1.0]])
    assert model.predict_one({"a": 1.0, "b": -9.0}) is True


def test_a_learner_may_say_that_it_does_not_grow():
    class Stubborn(Perceptron):
        _late_features = False

    with pytest.raises(ValueError, match="Stubborn cannot take in features"):
        Stubborn().partial_fit([[1.0], [0.0]], [0, 1])._grow(2)


@pytest.mark.parametrize("name", sorted(REMEMBER_ROWS))
def test_a_learner_that_remembers_rows_refuses_to_grow(name):
    X, _ = rows(40, list("abc"))
    model = LEARNERS[name]().partial_fit(X, X[:, 0] > X[:, 1])
    with pytest.raises(ValueError, match="cannot take in features"):
        model._grow(4)


@pytest.mark.parametrize("labels", [["no", "yes"], ["blue", "green", "red"], [3, 1, 2, 7]])
def test_a_class_that_comes_late_is_where_it_would_be_if_it_had_been_known(labels):
    X, mappings = rows(90, ["a", "b", "c"])
    y = [labels[min(t // 20, len(labels) - 1) if t < 60 else t % len(labels)] for t in range(90)]
    model = to_river(Perceptron())
    for x, label in zip(mappings, y, strict=True):
        model.learn_one(x, label)
    told = Perceptron().partial_fit(X, y)
    learnt = model._model.learnt_
    assert list(learnt.positions) == told.classes_.tolist()
    inside = [state.coef for state in learnt.states[:-1]]
    expected = told.coef_ if len(labels) > 2 else np.vstack([-told.coef_, told.coef_])
    np.testing.assert_array_equal(inside, expected)
    assert [model.predict_one(x) for x in mappings] == told.predict(X).tolist()


def test_before_anything_was_learnt_nothing_is_predicted():
    assert to_river(Perceptron()).predict_one({"a": 1.0}) is None
    assert to_river(OnlineRidge()).predict_one({"a": 1.0}) == 0.0
    with pytest.raises(NotImplementedError):
        to_river(Perceptron()).predict_proba_one({"a": 1.0})


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ({"a": float("nan")}, True, "finite numbers"),
        ({"a": "Bonn"}, True, "Bonn.*finite numbers"),
        ({"new": None}, True, "new.*finite numbers"),
        ({"a": 1.0, "new": 1.0}, "perhaps", r"perhaps.*classes=\["),
        ({"a": 1.0, "new": 1.0}, None, "None is missing"),
        ({"a": 1.0, "new": 1.0}, ["a"], "names no class"),
    ],
)
def test_bad_rows_and_labels_are_refused_and_change_nothing(x, y, message):
    model = to_river(Perceptron())
    model.learn_one({"a": 1.0}, False)  # noqa: FBT003
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.learn_one(x, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    "y", [None, float("nan"), np.float64("nan"), ["a"], {}, 1j, np.ones(2)], ids=repr
)
def test_what_names_no_class_is_refused_at_any_time_and_changes_nothing(y):
    model = to_river(Perceptron())
    for label in ("a", "b"):
        before = pickle.dumps(model)
        with pytest.raises(ValueError, match="missing or names no class"):
            model.learn_one({"a": 1.0, f"before {label}": 1.0}, y)
        assert pickle.dumps(model) == before
        model.learn_one({"a": 1.0}, label)


@pytest.mark.parametrize("y", [None, "1.5", 10**400, 1j, np.complex128(1), np.inf, [1.0]], ids=str)
def test_a_target_that_is_no_number_is_refused_and_changes_nothing(y):
    model = to_river(OnlineRidge())
    for _ in range(2):
        before = pickle.dumps(model)
        with pytest.raises(ValueError, match="is not a finite number; leave that row out"):
            model.learn_one({"a": 1.0, "new": 1.0}, y)
        assert pickle.dumps(model) == before
        model.learn_one({"a": 1.0}, 2.0)


@pytest.mark.parametrize(("learner", "y"), [(Perceptron(), "a"), (OnlineRidge(), 1.0)])
def test_after_a_first_row_that_is_refused_all_goes_on_as_if_it_had_not_come(learner, y):
    model = to_river(learner)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="Rescale the features"):
        model.learn_one({"a": 1e200}, y)
    assert pickle.dumps(model) == before
    model.learn_one({"a": 1.0}, y)
    assert model.predict_one({"a": 1.0}) is not None


def test_a_row_that_fails_halfway_leaves_no_mark_where_features_are_new():
    class Fragile(OnlineRidge):
        def _learn(self, X, targets, state, predictions):
            super()._learn(X, targets, state, predictions)
            if len(state.coef) > 1:
                raise ValueError("too late")

    model = to_river(Fragile())
    model.learn_one({"a": 1.0}, 1.0)
    inside = model._model
    before = inside.ledger_.tolist(), inside.intercept_.tolist(), model.predict_one({"a": 1.0})
    with pytest.raises(ValueError, match="too late"):
        model.learn_one({"a": 1.0, "b": 2.0}, 3.0)
    after = inside.ledger_.tolist(), inside.intercept_.tolist(), model.predict_one({"a": 1.0})
    assert after == before


def test_a_row_that_its_learner_does_not_admit_brings_no_class_into_being():
    model = to_river(Winnow())
    model.learn_one({"a": 1.0, "b": 0.0}, "yes")
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="0 or 1"):
        model.learn_one({"a": 0.5}, "no")
    assert pickle.dumps(model) == before


def test_announced_classes_of_two_kinds_are_refused_and_leave_it_as_it_was():
    model = to_river(Perceptron(), classes=[1, "a"])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="mixes labels"):
        model.learn_one({"a": 1.0}, "a")
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("labels", [[True, False, True, True], ["no", "yes", "no", "no"]])
def test_an_empty_row_is_a_row_of_zeros_even_as_the_first(labels):
    model = to_river(Perceptron())
    mappings = [{}, {"a": 1.0}, {}, {"a": -1.0, "b": 2.0}]
    for x, label in zip(mappings, labels, strict=True):
        model.learn_one(x, label)
    X = [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [-1.0, 2.0]]
    told = Perceptron().partial_fit(X, labels)
    assert [model.predict_one(x) for x in mappings] == told.predict(X).tolist()
    inside = model._model.states_[0 if labels[0] is True else 1]
    assert inside.coef[1:].tolist() == told.coef_[0].tolist()
    assert inside.bias == told.intercept_


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_online_ridge_forecasts_new_features_as_it_does_before_learning_them(fit_intercept):
    model = to_river(OnlineRidge(fit_intercept=fit_intercept))
    model.learn_one({"a": 1.0}, 1.0)
    told = OnlineRidge(fit_intercept=fit_intercept).partial_fit([[1.0, 0.0]], [1.0])
    before = pickle.dumps(model)
    forecast = model.predict_one({"a": 1.0, "b": 10.0})
    assert pickle.dumps(model) == before
    assert forecast == told.predict([[1.0, 10.0]])[0]
    loss = model._model.cumulative_loss_
    model.learn_one({"a": 1.0, "b": 10.0}, 0.0)
    assert model._model.cumulative_loss_ - loss == pytest.approx(forecast**2)


def test_what_cannot_be_wrapped_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="already learnt"):
        to_river(Perceptron().fit([[0.0], [1.0]], [0, 1]))
    with pytest.raises(TypeError, match="learn_one"):
        to_river(StandardScaler())
    with pytest.raises(ValueError, match="regressor"):
        to_river(OnlineRidge(), classes=[0, 1])


def test_without_river_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(ModuleNotFoundError, match="pip install river"):
        to_river(Perceptron())


def test_pickled_in_mid_stream_it_goes_on_as_before():
    _, mappings = rows(40, ["a", "b"])
    model = to_river(Perceptron())
    for x in mappings[:20]:
        model.learn_one(x, x["a"] > x["b"])
    loaded = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    for x in mappings[20:]:
        assert model.predict_one(x) == loaded.predict_one(x)
        for each in (model, loaded):
            each.learn_one(x, x["a"] > x["b"])


def test_the_learners_work_in_scikit_learns_pipelines_and_searches():
    X, _ = rows(80, ["a", "b", "c"])
    y = np.where(X @ [1.0, -2.0, 3.0] > 0.5, "yes", "no")
    pipeline = make_pipeline(StandardScaler(), Perceptron())
    grid = {"perceptron__fit_intercept": [True, False], "perceptron__max_iter": [1, 50]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    copy = clone(search.best_estimator_)
    assert copy.get_params()["perceptron__max_iter"] == search.best_params_["perceptron__max_iter"]
    assert not hasattr(copy[-1], "coef_")
