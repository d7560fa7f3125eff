"""States as values: copied, compared, put back; a call that fails leaves the old ones."""

import copy
import pickle
import threading
from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from surelearn.app.registry import find_learners
from surelearn.base.online.learner import OnlineLearner
from surelearn.base.online.state import appended, put_back, snapshot, together, widened
from surelearn.base.states import copy_of, digest, same
from surelearn.checks import small_table

ONLINE = {name: cls for name, cls in find_learners().items() if issubclass(cls, OnlineLearner)}
every_learner = pytest.mark.parametrize("name", ONLINE)


def started(name, n=40):
    """Return a learner that has seen some rows, and the rows that come next."""
    X, y = small_table(ONLINE[name]())
    model = ONLINE[name]()
    model.learn(X[:n], y[:n])
    return model, X[n:], y[n:]


@every_learner
def test_a_state_is_a_named_tuple_of_arrays_and_histories(name):
    model, _, _ = started(name)
    for state in model.states_:
        assert hasattr(state, "_fields")
        for part in state:
            assert isinstance(part, np.ndarray | tuple)
            assert not isinstance(part, tuple) or all(hasattr(block, "shape") for block in part)


@every_learner
def test_a_copy_is_the_same_until_one_of_them_learns(name):
    model, X, y = started(name)
    before = tuple(map(copy_of, model.states_))
    assert same(before, model.states_)
    assert digest(before) == digest(model.states_)
    for x, target in zip(X, y, strict=True):
        model.learn_one(x, target)
    assert not same(before, model.states_)
    assert digest(before) != digest(model.states_)


@every_learner
def test_a_snapshot_can_be_put_back_more_than_once(name):
    model, X, y = started(name)
    kept, before = snapshot(model), pickle.dumps(model.predict(X))
    ends = []
    for _ in range(2):
        for x, target in zip(X, y, strict=True):
            model.learn_one(x, target)
        ends.append((digest(model.states_), model.n_rounds_, model.cumulative_loss_))
        put_back(model, kept)
        assert pickle.dumps(model.predict(X)) == before
    assert ends[0] == ends[1]


class Interrupted(KeyboardInterrupt):
    """Someone pressed Ctrl-C."""


def interrupting(cls):
    """Return a learner that learns all rows of a call and is then interrupted."""

    class Slow(cls):
        armed = False

        def _learn(self, X, targets, state, scores):
            super()._learn(X, targets, state, scores)
            if Slow.armed:
                raise Interrupted

    return Slow


@every_learner
@pytest.mark.parametrize("call", ["learn", "fit", "partial_fit"])
def test_an_interrupted_call_changes_nothing(name, call):
    X, y = small_table(ONLINE[name]())
    slow = interrupting(ONLINE[name])
    model = slow().fit(X, y)
    kept, before = vars(model).copy(), digest(model.states_)
    slow.armed = True
    with pytest.raises(Interrupted):
        getattr(model, call)(X, y)
    assert all(vars(model)[attribute] is value for attribute, value in kept.items())
    assert vars(model).keys() == kept.keys()
    assert digest(model.states_) == before


@every_learner
def test_an_interrupted_first_call_leaves_a_learner_that_has_not_learnt(name):
    X, y = small_table(ONLINE[name]())
    slow = interrupting(ONLINE[name])
    slow.armed = True
    model = slow()
    with pytest.raises(Interrupted):
        model.learn(X, y)
    assert vars(model) == vars(slow())


def test_threads_that_fit_rows_of_other_widths_do_not_crash_those_that_learn():
    rng = np.random.default_rng(0)
    tables = {d: (rng.normal(size=(30, d)), np.arange(30) % 2) for d in (2, 200)}
    model, failures = ONLINE["Perceptron"]().fit(*tables[200]), []

    def play(d, call):
        X, y = tables[d]
        for _ in range(60):
            try:
                getattr(model, call)(X, y)
                model.learn_one(X[0], y[0])
                model.predict_one(X[0])
            except ValueError:
                continue  # the other thread's width
            except Exception as error:  # noqa: BLE001 - whatever it is, it must not happen
                failures.append(error)

    threads = [threading.Thread(target=play, args=a) for a in ((2, "fit"), (200, "learn"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert model.coef_.shape == (1, model.n_features_in_)


@every_learner
def test_what_a_learner_defines_sees_parameters_alone(name):
    model, _, _ = started(name)
    unlearnt = clone(ONLINE[name]())
    assert vars(model.begun_).keys() == vars(unlearnt).keys()


@every_learner
def test_what_fit_leaves_behind_is_dropped_as_a_whole(name):
    X, y = small_table(ONLINE[name]())
    model = ONLINE[name]().fit(X, y)
    assert model.n_iter_ >= 1
    assert len(model.training_rows_) > 0
    left = ("n_iter_", "training_rows_", "compression_set_", "records_")
    for on in (lambda m: m.learn_one(X[0], y[0]), lambda m: m.learn(X[:1], y[:1])):
        moved = copy.deepcopy(model)
        on(moved)
        assert moved.run_ is None
        assert not any(hasattr(moved, attribute) for attribute in left)


def test_same_tells_forms_apart():
    dense, thin = np.eye(2), sparse.csr_array(np.eye(2))
    assert same((thin,), (thin.copy(),))
    assert not same((dense,), (thin,))
    assert not same((dense,), (dense.astype(np.float32),))
    assert not same((thin,), (sparse.csr_array(2.0 * np.eye(2)),))
    assert not same(((dense,),), ((dense, dense),))


@pytest.mark.parametrize("n", [1, 7, 64, 100])
def test_a_history_keeps_the_order_in_few_blocks_and_never_writes_to_one(n):
    history, earlier = (), []
    for t in range(n):
        earlier.append((history, [block.copy() for block in history]))
        history = appended(history, np.array([[t, -t]]))
    assert together(history)[:, 0].tolist() == list(range(n))
    assert len(history) <= np.log2(n) + 1
    for blocks, copies in earlier:
        assert all(np.array_equal(a, b) for a, b in zip(blocks, copies, strict=True))


def test_a_history_with_a_sparse_block_is_sparse():
    history = appended(appended((), np.eye(3)), sparse.csr_array(np.ones((1, 3))))
    assert together(history).toarray().tolist() == [*np.eye(3).tolist(), [1.0, 1.0, 1.0]]


class Pair(NamedTuple):
    first: object
    second: object


def test_a_state_widens_around_its_corner_or_not_at_all():
    narrow, wide = Pair(np.zeros(2), np.ones(1)), Pair(np.zeros(4), np.ones(1))
    grown = widened(Pair(np.array([5.0, 6.0]), np.array([7.0])), narrow, wide)
    assert [part.tolist() for part in grown] == [[5.0, 6.0, 0.0, 0.0], [7.0]]
    assert widened(narrow, narrow, Pair(np.zeros(4), np.full(1, 2.0))) is None
    assert widened(Pair(np.zeros(2), ()), narrow, wide) is None


GROWING = [
    name
    for name, cls in ONLINE.items()
    if cls._late_features and cls._features == "numbers" and not getattr(cls, "_keeps_rows", False)
]


@pytest.mark.parametrize("name", GROWING)
def test_growing_shares_nothing_with_the_learner_it_was(name):
    model, X, y = started(name)
    wide = copy.copy(model)
    wide._grow(7)
    before = digest(model.states_)
    wide.learn_one(np.append(X[0], [1.0, 0.0]), y[0])
    assert digest(model.states_) == before


@pytest.mark.parametrize("name", ["Perceptron", "PassiveAggressiveRegressor"])
@pytest.mark.parametrize("one_row", [False, True])
def test_a_fit_that_ends_while_rows_are_learnt_is_what_remains(name, one_row):
    kind, due = ONLINE[name], []

    class Overtaken(kind):
        def _learn(self, X, answers, state, scores):
            super()._learn(X, answers, state, scores)
            if due:
                due.clear()
                model.fit(wider, y)

    X, y = small_table(kind())
    wider = np.hstack([X, X[:, :1]])
    model = Overtaken()
    model.learn(X, y)
    due.append("while the next rows are learnt")
    model.learn(X[:1] * 1e75 if one_row else X, y[:1] if one_row else y)
    alone = kind().fit(wider, y)
    assert model.n_features_in_ == wider.shape[1]
    assert model.n_rounds_ == alone.n_rounds_
    np.testing.assert_array_equal(model.predict(wider), alone.predict(wider))
