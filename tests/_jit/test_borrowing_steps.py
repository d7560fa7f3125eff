"""Steps that borrow do what Python does, whichever way their variables and tuples go."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from surelearn._jit import borrowing, inner, jit


class Ends(NamedTuple):
    """Two numbers."""

    first: int
    last: int


class Told(NamedTuple):
    """What a step is told, numbers, truths, arrays and tuples among one another."""

    line: NDArray[np.float64]
    is_long: bool
    ends: Ends
    pair: tuple[NDArray[np.int64], float]
    table: NDArray[np.float64]
    rate: np.float32


TOLD = Told(
    line=np.arange(6.0),
    is_long=True,
    ends=Ends(1, 4),
    pair=(np.array([5, 7, 9]), 0.25),
    table=np.arange(12.0).reshape(3, 4),
    rate=np.float32(0.5),
)
OTHER = TOLD._replace(line=-np.arange(4.0), is_long=False, ends=Ends(0, 2), rate=np.float32(2.0))


@borrowing
def parts_asked_in_branches(told, other):
    total = 0.0
    for k in range(told.ends.first, told.ends.last):
        if told.is_long and k > 1:
            total += told.line[k] * told.rate
        elif other.is_long:
            total -= 100.0
        else:
            total += told.table[k - 1, other.ends.last] - told.pair[1]
    return total


@borrowing
def another_tuple_under_the_same_name(told, other):
    total = told.line[1]
    if told.is_long:
        told = other
    for _ in range(2):
        total += 10.0 * told.line[2] + told.ends.last
        told, other = other, told
    return total + told.line[3]


@borrowing
def a_variable_written_in_one_branch(told, other):
    total = 0.0
    for k in range(len(told.line)):
        if k == other.ends.last:
            found = told.line[k]
        if k >= other.ends.last:
            total += found * k  # written for sure, which no compiler knows
    return total


@borrowing
def a_tuple_written_in_one_branch(told, other):
    if told.is_long or other.is_long:  # always
        known = other
    return known.line[1] + known.ends.last


@borrowing
def numbers_from_before_a_loop(told, other):
    first, last = told.ends
    step, line = first + other.ends.last, told.line
    while first < last:
        line[first] += step
        first += 1
    return float(line.sum()) + step


@borrowing
def the_last_of_each_row(told, other):
    kept = -1.0
    for i in range(told.table.shape[0]):
        row = told.table[i]
        for k in range(len(row)):
            if row[k] % 2.0 == 0.0:
                kept = row[k]
                break
        else:
            kept = other.line[0] - 7.0
        other.line[0] += kept
    return kept


@borrowing
def places_and_shares_of_tuples(told, other):
    whole = (told.line, other.line, told.table[0])
    total = 0.0
    for line in (whole[-1], whole[0]):
        total += line[1] + len(line)
    rest = whole[1:]
    places, rate = told.pair
    return total + rest[0][2] * rate + places[-1] + len(told) + len(rest)


@inner
def _counts_references(told):
    return told.line.sum() + told.ends.first


@borrowing
def _ends_of(ends):
    return ends


@borrowing
def _first_of(told, name):
    return told.line[name] + told.pair[0][name]


@borrowing
def handed_on(told, other):
    ends = _ends_of(told.ends)
    known = told
    return _first_of(known, 1) + _first_of(Told(*other), 0) + ends.last + _ends_of(other.ends).first


@borrowing
def handed_to_one_that_counts(told, other):
    return _counts_references(told) - _counts_references(other)


@borrowing
def a_truth_of_a_tuple(told, other):
    n = 0
    while told.is_long and n < other.ends.last:
        n += 1 + int(other.is_long)
    return float(n)


@jit
def _entrance(step, told, other):
    return step(told, other)


STEPS = [
    parts_asked_in_branches,
    another_tuple_under_the_same_name,
    a_variable_written_in_one_branch,
    a_tuple_written_in_one_branch,
    numbers_from_before_a_loop,
    the_last_of_each_row,
    places_and_shares_of_tuples,
    handed_on,
    handed_to_one_that_counts,
    a_truth_of_a_tuple,
]


def _copied(told):
    return told._replace(line=told.line.copy(), table=told.table.copy())


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
@pytest.mark.parametrize("swapped", [False, True])
def test_a_step_does_what_python_does(step, swapped, monkeypatch):
    given = (OTHER, TOLD) if swapped else (TOLD, OTHER)
    compiled, plain = tuple(map(_copied, given)), tuple(map(_copied, given))
    found = _entrance(step, *compiled)
    for called in (_counts_references, _ends_of, _first_of):
        monkeypatch.setitem(globals(), called.__name__, called.py_func)
    assert found == step.py_func(*plain)
    for ours, theirs in zip(compiled, plain, strict=True):
        assert (ours.line == theirs.line).all()
        assert (ours.table == theirs.table).all()
