"""Elements, counters and tuples of arrays as the compiler writes them equal those of Python."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from surelearn._jit import borrowing, inner, jit
from surelearn._jit._lowering import PlainCompiler, PlainLower

GRID = np.arange(24.0).reshape(4, 6)
FORMS = {
    "rows": GRID.copy(),
    "columns": np.asfortranarray(GRID),
    "strides": np.arange(96.0).reshape(8, 12)[::2, ::2],
    "backwards": GRID[::-1, ::-1],
    "bytes": GRID.astype(np.uint8),
    "truths": GRID > 7.0,
    "complex numbers": GRID + 1j,
    "read-only": GRID.copy(),
    "not aligned": np.frombuffer(b"\0" + GRID.tobytes(), np.uint8)[1:].view("f8").reshape(4, 6),
}
FORMS["read-only"].setflags(write=False)


@jit
def picked(table, i, j):
    row = table[i]
    return table[i, j], row[j], table[-1, -2], row[-1], table[np.uint8(1), j], table.size


@pytest.mark.parametrize("form", FORMS)
def test_an_element_is_read_where_it_stands(form):
    for at in ((0, 0), (3, 5), (-1, -6), (-4, 2)):
        assert picked(FORMS[form], *at) == picked.py_func(FORMS[form], *at)


def test_a_place_is_a_whole_number_of_any_kind():
    at = np.int8(-2), np.uint64(3)
    assert picked(GRID, *at) == picked.py_func(GRID, *at)


@jit
def written(table, line, i, value):
    table[i, 1] = value
    table[-1, i] = 2
    line[i] = table[i, 1]
    line[-2] = value
    line[0] += table[0, 0]


@pytest.mark.parametrize(
    ("kind", "value", "order"),
    [("f8", 5, "C"), ("f4", 3.5, "F"), ("u1", 3.0, "C"), ("?", True, "F"), ("c16", 2.5, "C")],
)
def test_an_element_is_written_as_its_array_has_them(kind, value, order):
    found, plain = ((np.ones((4, 4), kind, order=order), np.ones(4, kind)) for _ in range(2))
    written(*found, -3, value)
    written.py_func(*plain, -3, np.dtype(kind).type(value))
    assert (found[0] == plain[0]).all()
    assert (found[1] == plain[1]).all()


@jit
def counted(start, stop):
    total = 0
    for _ in range(stop):
        total += 1
    for i in range(start, stop):
        total += 10 * i
    for i in range(stop, start, -2):
        total += 1000 * i
    for i in range(start, stop, 3):
        total += 100000 * i
    return total


@pytest.mark.parametrize("number", [int, np.uint8])
@pytest.mark.parametrize(("start", "stop"), [(0, 5), (2, 2), (5, 1), (3, 17)])
def test_counters_end_where_those_of_python_do(number, start, stop):
    assert counted(number(start), number(stop)) == counted.py_func(start, stop)


def test_counters_below_nought_and_of_words_end_too():
    assert counted(-7, -2) == counted.py_func(-7, -2)
    assert counted(3, -2) == counted.py_func(3, -2)
    assert counted(np.uint64(2), np.uint64(9)) == counted.py_func(2, 9)


@jit
def counted_by(limits):
    total = 0
    for i in range(*limits):
        total += 1 + 10 * i
    return total


def test_a_step_that_stands_in_a_tuple_is_taken():
    for limits in ((4,), (1, 5), (7, 1, -2), (1, 9, 3)):
        assert counted_by(limits) == counted_by.py_func(limits)


@borrowing
def moved(pair, scale):
    """Change an array in a tuple, and return numbers."""
    numbers, (inside, shift) = pair
    for i in range(len(numbers)):
        numbers[i] = scale * numbers[i] + inside[i, 0] + shift
    return numbers[0], len(inside)


@inner
def doubled(numbers):
    return 2.0 * numbers


@jit
def handed_on(numbers, inside):
    first, n = moved((numbers, (inside, 1)), 2.0)
    again, _ = moved((numbers[::2], (inside[1:], 0.5)), -1.0)
    return first + again + n, doubled(numbers).sum()


def test_tuples_and_arrays_are_handed_on_as_they_are():
    numbers, inside = np.arange(4.0), GRID.copy()
    assert handed_on(numbers, inside) == (10.5, 70.0)
    assert numbers.tolist() == [5.5, 9.0, -4.5, 25.0]


@jit
def mixed(whole, real, truth, word):
    return (
        whole + real,
        whole + whole,
        whole / whole,
        whole // 2,
        truth + truth,
        whole < real,
        word >> np.uint64(1),
        real**2,
    )


def test_operators_know_each_kind_of_number():
    for whole, real in ((3, 2.5), (np.uint8(3), np.float32(2.5))):
        found = mixed(whole, real, np.True_, np.uint64(2**63 + 2))
        assert found == (5.5, 6, 1.0, 1, 2, False, 2**62 + 1, 6.25)


def test_an_operator_that_knows_no_answer_is_refused_each_time():
    for _ in range(2):

        @jit
        def wrong(numbers):
            return numbers[0] + "a"

        with pytest.raises(Exception, match="No implementation of function"):
            wrong(np.ones(2))


CHECKED = """
import numpy as np
from surelearn._jit import jit
@jit
def beyond(numbers, i):
    return numbers[i]
try:
    beyond(np.ones(3), 3)
except IndexError as error:
    print("refused:", error)
"""


def test_bounds_are_checked_where_numba_is_told_to(tmp_path):
    told = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(  # noqa: S603 - a script of our own
        [sys.executable, "-c", CHECKED], env=told, capture_output=True, text=True, check=True
    )
    assert "refused: index is out of bounds" in done.stdout


def test_the_compiler_does_write_elements_by_itself(monkeypatch):
    seen = []
    plain = PlainLower._address

    def address(lower, *variables):
        seen.append(plain(lower, *variables))
        return seen[-1]

    monkeypatch.setattr(PlainLower, "_address", address)

    @njit(pipeline_class=PlainCompiler)  # nothing is kept on disk, so that it is written each time
    def first(numbers):
        return numbers[0]

    assert first(np.ones(2)) == 1.0
    assert seen
    assert seen[0] is not None


@jit
def best(first, second, third):
    return (
        max(first, second),
        min(first, second),
        max(second, first),
        min(first, second, third),
        max((first, second)),
        int(third),
    )


@pytest.mark.parametrize(
    "numbers",
    [
        (1, 2, 3),
        (2.5, 2, -3.7),
        (np.nan, 1.0, 2.0),
        (1.0, np.nan, 0.5),
        (np.float32(0.5), 0.25, 1),
        (np.int32(-5), np.int64(7), True),
        (np.uint8(200), np.int64(-1), np.uint64(2**63)),
        (0.0, -0.0, 1e9),
    ],
)
def test_the_best_of_two_numbers_is_that_of_python(numbers):
    for found, plain in zip(best(*numbers), best.py_func(*numbers), strict=True):
        assert repr(float(found)) == repr(float(plain))


@jit
def best_of_truths(first, second):
    return max(first, second), min(first, second), int(first)


def test_truths_are_compared_as_numba_does():
    for pair in ((True, False), (False, True), (True, True)):
        assert best_of_truths(*pair) == best_of_truths.py_func(*pair)


@pytest.mark.parametrize("wrong", ["max(numbers, 1.0)", "int('a')", "min(1.0, 2j)"])
def test_what_cannot_be_compared_is_refused(wrong):
    made = {}
    exec(f"def wanted(numbers):\n    return {wrong}\n", made)  # noqa: S102 - a loop of ours
    with pytest.raises(Exception, match=r"[Nn]o (implementation|match|definition)"):
        njit(pipeline_class=PlainCompiler)(made["wanted"])(np.ones(2))
