"""Rows that are learnt from before anybody has looked at every value: all of them, or none."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier

from surelearn.app.registry import find_learners
from surelearn.base import validation
from surelearn.losses import Logistic

TELLERS = {
    name: cls
    for name, cls in find_learners().items()
    if is_classifier(cls()) and getattr(cls, "_scores_tell", False)
}
every_teller = pytest.mark.parametrize("name", TELLERS)
FORMS = {"dense": np.asarray, "sparse": sparse.csr_array}
every_form = pytest.mark.parametrize("form", FORMS)


def table(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * (rng.random((n, 4)) < 0.7)
    return X, np.where(X @ [1.0, -2.0, 0.5, 0.0] > 0.0, "yes", "no")


def thin(indices, indptr, n_columns=4):
    """Return a sparse matrix of ones without any look at its indices, as SciPy makes it."""
    X = sparse.csr_array((len(indptr) - 1, n_columns))
    X.data, X.indices, X.indptr = np.ones(len(indices)), np.array(indices), np.array(indptr)
    return X


def broken():
    """Return large blocks of which one row cannot be learnt, and what is said about it."""
    X, y = table(seed=1)
    for value, words in ((np.nan, "NaN"), (np.inf, "infinity"), (1e200, "norm"), (-1e141, "norm")):
        bad = X.copy()
        bad[-1, 1] = value
        yield bad, y, words
    opposite = X.copy()
    opposite[7] = np.inf, -np.inf, 0.0, 0.0
    yield opposite, y, "infinity"


def refused(learner, X, y, words):
    before, arrays = pickle.dumps(learner), vars(learner).copy()
    with pytest.raises(ValueError, match=words):
        learner.learn(X, y)
    assert pickle.dumps(learner) == before
    assert all(vars(learner)[name] is value for name, value in arrays.items())


def test_the_learners_of_the_fast_pass_are_among_them():
    assert {"Perceptron", "PassiveAggressive", "OnlineGradientDescent"} <= TELLERS.keys()


@every_form
@every_teller
def test_a_large_block_with_a_bad_row_is_as_if_it_had_never_come(name, form):
    begun = TELLERS[name]().partial_fit(*table())
    for X, y, words in broken():
        refused(begun, FORMS[form](X), y, words)
        refused(TELLERS[name](), FORMS[form](X), y, words)


@every_teller
def test_what_comes_after_a_refused_block_is_learnt_as_if_there_had_been_none(name):
    model, twin = (TELLERS[name]().partial_fit(*table()) for _ in range(2))
    for X, y, words in broken():
        refused(model, X, y, words)
    X, y = table(seed=2)
    np.testing.assert_array_equal(model.learn(X, y), twin.learn(X, y))
    np.testing.assert_array_equal(model.coef_, twin.coef_)


@every_teller
def test_it_need_not_be_looked_through_and_small_blocks_are(name, monkeypatch):
    looks = []
    look = validation.all_finite
    monkeypatch.setattr(
        validation, "all_finite", lambda *args, **kwargs: looks.append(1) or look(*args, **kwargs)
    )
    X, y = table()
    model = TELLERS[name]()
    model.learn(X, y)
    assert not looks
    model.learn(X[:3], y[:3])
    assert looks == [1]


@every_form
def test_long_rows_that_do_not_overflow_are_learnt_after_a_look(form):
    X, y = table()
    scale = 0.5 * validation.LARGEST / np.linalg.norm(X, axis=1).max()
    model, twin = (TELLERS["Perceptron"](fit_intercept=False) for _ in range(2))
    scores = model.learn(FORMS[form](X * scale), y)
    np.testing.assert_allclose(scores / scale**2, twin.learn(X, y), rtol=1e-9, atol=1e-12)


def many(indices, indptr):
    """Repeat the rows of a broken matrix after good ones, so that the block is large."""
    good = np.tile([0, 1, 3], 40)
    starts = np.arange(0, len(good) + 1, 3)
    return thin([*good, *indices], [*starts, *(len(good) + np.array(indptr[1:]))])


BROKEN = {
    "a column too many": ([0, 4], [0, 2]),
    "far beyond": ([2**30], [0, 1]),
    "a negative column": ([-1, 2], [0, 2]),
    "rows that overlap": ([0, 1, 2], [0, 3, 1]),
}


@pytest.mark.parametrize("what", BROKEN)
@every_teller
def test_a_broken_sparse_matrix_is_refused_and_never_followed(name, what):
    X = many(*BROKEN[what])
    y = np.where(np.arange(X.shape[0]) % 2, "yes", "no")
    settings = [{}] if "loss" not in TELLERS[name]().get_params() else [{}, {"loss": Logistic()}]
    for chosen in settings:
        model = TELLERS[name](**chosen).partial_fit(*table())
        refused(model, X, y, "broken")
        refused(TELLERS[name](**chosen), X, y, "broken")
        with pytest.raises(ValueError, match="broken"):
            model.fit(X, y)
        with pytest.raises(ValueError, match="broken"):
            model.predict(X)


def test_room_for_more_entries_is_not_looked_at():
    X, y = table()
    rows = sparse.csr_array(X)
    roomy = rows.copy()
    roomy.indices = np.append(rows.indices, [99, -1]).astype(np.int32)
    roomy.data = np.append(rows.data, [1.0, 1.0])
    model, twin = (TELLERS["Perceptron"]() for _ in range(2))
    np.testing.assert_array_equal(model.learn(roomy, y), twin.learn(rows, y))
    np.testing.assert_array_equal(model.predict(roomy[:50]), twin.predict(rows[:50]))


@pytest.mark.parametrize("classes", [["no", "yes"], ["no", "perhaps", "yes"]], ids=len)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@every_teller
def test_a_single_row_that_is_not_finite_is_named_and_changes_nothing(name, bad, classes):
    pa = pytest.importorskip("pyarrow")
    X, _ = table()
    y = np.resize(classes, len(X))
    model = TELLERS[name](max_iter=3).fit(pa.table(dict(zip("abcd", X.T, strict=True))), y)
    before = pickle.dumps(model)
    row = {"a": 1.0, "b": bad, "c": 0.0, "d": 2.0}
    for x in (row, {"b": bad}, np.array([1.0, bad, 0.0, 2.0]), [1.0, bad, 0.0, 2.0]):
        with pytest.raises(ValueError, match=r"'b': .*finite numbers"):
            model.learn_one(x, "yes")
        with pytest.raises(ValueError, match=r"'b': .*finite numbers"):
            model.predict_one(x)
    assert pickle.dumps(model) == before


@every_teller
def test_a_single_row_that_is_too_long_is_refused_and_changes_nothing(name):
    model = TELLERS[name]().partial_fit(*table())
    before = pickle.dumps(model)
    for row in ([1e200, -1e200, 0.0, 0.0], [0.0, 0.0, 2e140, 0.0]):
        with pytest.raises(ValueError, match="norm"):
            model.learn_one(row, "yes")
    assert pickle.dumps(model) == before
    assert model.predict_one([1e200, 0.0, 0.0, 0.0]) in {"no", "yes"}
