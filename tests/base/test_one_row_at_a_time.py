"""One row, whatever it is: learnt, predicted, or refused with a sentence, and nothing changed."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import surelearn

LEARNERS = {
    cls.__name__: cls
    for cls in (getattr(surelearn, name) for name in surelearn.__all__)
    if inspect.isclass(cls) and hasattr(cls, "learn_one")
    if not cls.__module__.startswith("surelearn.base")
    if all(p.default is not p.empty for p in inspect.signature(cls).parameters.values())
}
ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
BAD_ROWS = [
    None,
    "abc",
    b"ab",
    5,
    object(),
    {},
    {"a": 1},
    [1],
    [1, 2, 3],
    [[1], [2]],
    [[1, 2], [3, 4]],
    [1, "x"],
    [1, None],
    [np.nan, 1],
    [np.inf, 1],
    [1e200, 1],
    [10**400, 1],
    np.array([1 + 2j, 2]),
    np.zeros((1, 2, 1)),
    np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"),
    np.ma.masked_array([1.0, 0.0], mask=[True, False]),
    iter([1, 2]),
]
BAD_TARGETS = [None, "x", [1], [[1]], {}, object(), np.nan, np.inf, 10**400, 1 + 2j, [1.0, 2.0]]


def begun(name):
    model, targets = LEARNERS[name](), np.array([0, 1, 1, 0])
    return model.partial_fit(ROWS, targets)


def refuse(model, call, *arguments):
    before = pickle.dumps(model)
    with pytest.raises((ValueError, TypeError)) as caught:
        call(*arguments)
    said = str(caught.value)
    assert 4 < len(said.split()) < 60
    for raw in ("float() arg", "setting an array", "could not convert", "Cannot determine Numba"):
        assert raw not in said
    assert pickle.dumps(model) == before


def test_the_learners_are_all_there():
    assert len(LEARNERS) >= 15


@pytest.mark.parametrize("name", LEARNERS)
def test_a_bad_row_is_refused_with_a_sentence(name):
    model = begun(name)
    for row in BAD_ROWS:
        refuse(model, model.learn_one, row, 1)
        if not isinstance(row, list) or row != [1e200, 1]:  # long, but it has a score
            refuse(model, model.predict_one, row)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_bad_target_is_refused_with_a_sentence(name):
    model = begun(name)
    for target in BAD_TARGETS:
        refuse(model, model.learn_one, [1.0, 0.0], target)


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_of_all_kinds_are_the_same_row(name):
    expected = begun(name).learn_one([1.0, 0.0], 1).predict_one([1.0, 1.0])
    same = [(1, 0), range(1, -1, -1), [True, False], np.float32([1, 0]), sparse.csr_array([[1, 0]])]
    for row in [*same, np.array([1, 0], dtype=object), [[1, 0]], np.ma.array([1.0, 0.0])]:
        assert begun(name).learn_one(row, 1).predict_one([1.0, 1.0]) == expected


def test_a_series_is_read_by_name():
    frame = pd.DataFrame(ROWS, columns=["a", "b"])
    model = surelearn.Perceptron().partial_fit(frame, [0, 1, 1, 0])
    there = model.predict_one(pd.Series({"b": 0.0, "a": 1.0}))
    assert there == model.predict_one({"a": 1.0, "b": 0.0})
