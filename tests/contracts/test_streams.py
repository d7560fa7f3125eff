"""The promises of learning in order, for every learner that has `learn`."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier

from surelearn import checks
from surelearn.app.registry import find_learners
from surelearn.evaluate.progressive import progressive_validate

ONLINE = {name: cls for name, cls in find_learners().items() if hasattr(cls, "learn")}
every_online_learner = pytest.mark.parametrize("name", ONLINE)
every_online_classifier = pytest.mark.parametrize(
    "name", [name for name, cls in ONLINE.items() if is_classifier(cls())]
)


def applies(name, check):
    """Whether a check says anything of a learner: a regressor has no classes."""
    return check is not checks.check_more_than_two_classes or is_classifier(ONLINE[name]())


PROMISES = [
    pytest.param(name, check, id=f"{name}-{check.__name__}")
    for name in ONLINE
    for check in checks.ONLINE_CHECKS
    if applies(name, check)
]


@pytest.mark.parametrize(("name", "check"), PROMISES)
def test_it_keeps_its_promise(name, check):
    check(ONLINE[name]())


class Forgetful:
    """A learner that breaks the first promise: it forgets between calls."""

    def __init__(self, learner):
        self.learner = learner

    def __sklearn_clone__(self):
        return Forgetful(clone(self.learner))

    def learn(self, X, y, classes=None):
        self.learner = clone(self.learner)
        return self.learner.learn(X, y, np.array(["no", "yes"]) if classes is None else classes)

    def learn_one(self, x, y):
        self.learn(x[np.newaxis], [y])

    def __getattr__(self, name):
        return getattr(self.learner, name)


def test_a_learner_that_forgets_is_caught():
    with pytest.raises(AssertionError):
        checks.check_blocks_do_not_matter(Forgetful(ONLINE["Perceptron"]()))


def frames(X):
    pd, pl, pa = (pytest.importorskip(m) for m in ("pandas", "polars", "pyarrow"))
    columns = {f"f{j}": X[:, j] for j in range(X.shape[1])}
    return [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]


@every_online_learner
def test_data_frames_keep_their_names_and_give_the_same_weights(name):
    X, y = checks.small_table(ONLINE[name]())
    plain = ONLINE[name]().fit(X, y)
    for frame in frames(X):
        model = ONLINE[name]().fit(frame, y)
        assert model.feature_names_in_.tolist() == ["f0", "f1", "f2", "f3", "f4"]
        np.testing.assert_array_equal(model.coef_, plain.coef_)
        row = {"f4": 1.0, "f1": 1.0}
        assert model.predict_one(row) == plain.predict([[0, 1.0, 0, 0, 1.0]])[0]


@every_online_learner
def test_text_columns_are_named(name):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [1.0, 2.0], "town": ["Bonn", "Rome"]})
    with pytest.raises(ValueError, match=r"town.*OneHotEncoder"):
        ONLINE[name]().fit(frame, [0, 1])


@every_online_learner
def test_mappings_need_names_and_known_features(name):
    X, y = checks.small_table(ONLINE[name]())
    model = ONLINE[name]().fit(X, y)
    with pytest.raises(ValueError, match="data frame"):
        model.predict_one({"f0": 1.0})
    model = ONLINE[name]().fit(frames(X)[0], y)
    with pytest.raises(ValueError, match=r"unknown features.*extra"):
        model.learn_one({"extra": 1.0}, y[0])


@every_online_learner
def test_rows_that_are_all_too_short_for_their_norms_are_refused(name):
    X, y = checks.small_table(ONLINE[name]())
    model = ONLINE[name]().fit(X, y)
    before = pickle.dumps(model)
    for table in (X * 1e-170, sparse.csr_array(X * 1e-170)):
        with pytest.raises(ValueError, match=r"Rescale the features|0 or 1"):
            model.fit(table, y)
        assert pickle.dumps(model) == before
    bits = model._features == "bits"
    issued = ONLINE[name]().fit(X * (1.0 if bits else 1e-100), y).certificates()
    assert issued
    assert all(c.observed <= c.bound for c in issued if c.status != "void")


@every_online_classifier
def test_a_first_block_of_one_class_asks_for_all_classes(name):
    with pytest.raises(ValueError, match="classes="):
        ONLINE[name]().learn([[1.0], [0.0]], ["yes", "yes"])
    model = ONLINE[name]()
    model.learn([[1.0], [0.0]], ["yes", "yes"], classes=["no", "yes"])
    assert model.n_rounds_ == 2


@every_online_classifier
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_validated_progressively_by_what_it_would_have_predicted(name, n_classes):
    """Averages, votes and Pegasos were judged by their running weights, which do not predict."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, size=(40, 4)), rng.integers(0, n_classes, size=40)
    player, named = ONLINE[name](), np.arange(n_classes)
    player.partial_fit(X[:1], y[:1], classes=named)
    wrong = []
    for t in range(1, len(y)):
        wrong.append(player.predict(X[t : t + 1]).item() != y[t])
        player.partial_fit(X[t : t + 1], y[t : t + 1])
    result = progressive_validate(ONLINE[name](), X, y, classes=named, allow_duplicates=True)
    assert result.losses[1:].tolist() == wrong
    blocks = ((X[i : i + 7], y[i : i + 7]) for i in range(0, len(y), 7))
    again = progressive_validate(ONLINE[name](), blocks, classes=named, allow_duplicates=True)
    assert again.losses.tolist() == result.losses.tolist()
