"""One row at a time: fast, but with every refusal of the door."""

import pickle
from collections import defaultdict

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from surelearn._jit.linear_scores import score, winner
from surelearn._jit.rows import is_finite
from surelearn.base import fingerprint
from surelearn.base.row_reader import RowReader
from surelearn.learners.linear.perceptron import Perceptron


def learner():
    pa = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(30, 3)).astype(float)
    y = np.where(X @ [1.0, -2.0, 3.0] > 0.5, "yes", "no")
    return Perceptron().fit(pa.table(dict(zip("abc", X.T, strict=True))), y), X, y


def test_rows_by_name_are_put_in_order_and_what_is_missing_is_zero():
    read = RowReader(2, ["a", "b"])
    assert read({"b": 2, "a": True}).tolist() == [[1.0, 2.0]]
    assert read({"b": np.float32(2.5)}).tolist() == [[0.0, 2.5]]
    assert RowReader(1, ["a"])({"a": 3}).tolist() == [[3.0]]


def test_a_mapping_that_grows_when_asked_is_left_alone():
    x = defaultdict(float, a=1.0, stranger=2.0)
    with pytest.raises(ValueError, match="stranger"):
        RowReader(2, ["a", "b"])(x)
    assert dict(x) == {"a": 1.0, "stranger": 2.0}


def test_a_mapping_changed_after_the_prediction_is_read_again():
    read, x = RowReader(2, ["a", "b"]), {"a": 1.0, "b": 2.0}
    first = read(x)
    assert read(x) is first
    x["b"] = 5.0
    assert read(x).tolist() == [[1.0, 5.0]]
    assert first.tolist() == [[1.0, 2.0]]


def test_large_finite_values_are_welcome():
    read = RowReader(2, ["a", "b"])
    assert read({"a": 1e308, "b": 1e308}).tolist() == [[1e308, 1e308]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, "Bonn", None, [1.0, 2.0], 10**309])
def test_what_is_no_finite_number_is_named(bad):
    read = RowReader(2, ["a", "town"])
    read({"a": 1.0, "town": 1.0})
    with pytest.raises(ValueError, match=r"town.*finite numbers"):
        read({"a": 1.0, "town": bad})


@pytest.mark.parametrize("bad", [[1.0], [[1.0, 2.0]] * 2, 3.0, [1.0, np.nan], [1.0, -np.inf]])
def test_arrays_of_another_shape_or_not_finite_are_refused(bad):
    with pytest.raises(ValueError, match=r"shape|NaN or infinity"):
        RowReader(2)(bad)


def test_predicting_leaves_no_mark():
    model, X, _ = learner()
    print_before, bytes_before = fingerprint(model), pickle.dumps(model)
    for x in X:
        model.predict_one(dict(zip("abc", x.tolist(), strict=True)))
        model.predict_one(x)
    assert fingerprint(model) == print_before
    assert pickle.dumps(model) == bytes_before
    assert fingerprint(pickle.loads(bytes_before)) == print_before  # noqa: S301 - our own bytes


def test_one_row_by_name_or_place_counts_as_a_block_of_one_does():
    model, X, y = learner()
    named, placed, block = (pickle.loads(pickle.dumps(model)) for _ in range(3))  # noqa: S301
    for x, label in zip(X[::-1], y, strict=True):
        mapping = dict(zip("abc", x.tolist(), strict=True))
        assert named.predict_one(mapping) == placed.predict_one(x) == block.predict_one(x)
        named.learn_one(mapping, label)
        placed.learn_one(x, str(label))
        block.partial_fit(dict_table(mapping), [label])
    assert fingerprint(named) == fingerprint(placed) == fingerprint(block)


def dict_table(mapping):
    pa = pytest.importorskip("pyarrow")
    return pa.table({name: [value] for name, value in mapping.items()})


@pytest.mark.parametrize("label", ["perhaps", 3, None, ["yes"], np.nan])
def test_a_label_never_announced_is_refused_and_nothing_changes(label):
    model, X, _ = learner()
    before = pickle.dumps(model)
    with pytest.raises((ValueError, TypeError)):
        model.learn_one(X[0], label)
    assert pickle.dumps(model) == before


def test_before_learning_a_sentence_says_what_to_do():
    for call in (lambda: Perceptron().predict_one([1.0]), lambda: Perceptron().learn_one([1.0], 0)):
        with pytest.raises(NotFittedError, match=r"classes=\["):
            call()


def test_compiled_and_interpreted_agree():
    rng = np.random.default_rng(0)
    coef = rng.integers(-2, 3, size=4).astype(float)
    for row in rng.integers(-2, 3, size=(50, 1, 4)).astype(float):
        arguments = row, coef, np.ones(1)
        assert score(*arguments) == score.py_func(*arguments) == row[0] @ coef + 1.0
        several = row, rng.integers(-2, 3, size=(3, 4)).astype(float), np.zeros((3, 1))
        assert winner(*several) == winner.py_func(*several) == (several[1] @ row[0]).argmax()
    for row in ([[1.0, np.nan, 0.0, 0.0]], [[np.inf, 0.0, 0.0, 0.0]], [[1.0, 2.0]]):
        assert np.isnan(score(np.array(row), coef, np.ones(1)))
        assert np.isnan(score.py_func(np.array(row), coef, np.ones(1)))
        assert winner(np.array(row), np.eye(4), np.zeros((4, 1))) == -1
    for row in ([[1.0, np.nan]], [[np.inf, 0.0]], [[1.0, 2.0]]):
        assert is_finite(np.array(row)) == is_finite.py_func(np.array(row))
