"""Arrays that a loop borrows are all that they were: places, lengths, gaps and kinds."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof
from numpy.typing import NDArray

from surelearn._jit import borrowing, jit

CUBE = np.arange(60.0).reshape(3, 4, 5)
FORMS = {
    "rows": CUBE.copy(),
    "columns": np.asfortranarray(CUBE),
    "with gaps": np.arange(480.0).reshape(6, 8, 10)[::2, ::2, ::2],
    "backwards": CUBE[::-1, :, ::-1],
    "one row": CUBE[:1].copy(),
    "bytes": CUBE.astype(np.uint8),
    "words": CUBE.astype(np.uint64),
    "halves of words": CUBE.astype(np.float32),
    "truths": CUBE > 7.0,
    "complex numbers": CUBE * (3 + 4j),
    "read-only": CUBE.copy(),
    "not aligned": np.frombuffer(b"\0" + CUBE.tobytes(), np.uint8)[1:].view("f8").reshape(3, 4, 5),
}
FORMS["read-only"].setflags(write=False)


@borrowing
def told(cube):
    """What an array says of itself, and what stands in it."""
    inside = cube[0, 1:]
    last = cube[-1, -1, 1:3]
    total = 0.0
    for i in range(cube.shape[0]):
        for k in range(cube.shape[2]):
            total += (i + 1) * (k + 2) * float(abs(cube[i, 1, k]))
    return (
        cube.size,
        cube.ndim,
        cube.itemsize,
        len(cube),
        cube.strides[0],
        cube.strides[1],
        cube.strides[2],
        inside.size,
        inside.shape[0],
        inside.strides[0],
        last.strides[0],
        total,
        abs(inside[0, 0]),
        abs(last[0]),
        abs(last[1]),
    )


@jit
def asked(cube):
    return told(cube)


@pytest.mark.parametrize("form", FORMS)
def test_an_array_says_the_same_of_itself(form):
    with np.errstate(all="ignore"):
        assert asked(FORMS[form]) == told.py_func(FORMS[form])


@pytest.mark.parametrize("shape", [(0, 3, 2), (2, 0, 3), (3, 2, 0), (0, 0, 0)])
def test_an_array_without_elements_keeps_its_lengths(shape):
    @borrowing
    def lengths(cube):
        return cube.size, len(cube), cube.shape[1], cube.shape[2]

    @jit
    def ask(cube):
        return lengths(cube)

    assert ask(np.zeros(shape)) == lengths.py_func(np.zeros(shape))


class Bench(NamedTuple):
    """What is handed on together."""

    marks: NDArray[np.uint8]
    table: NDArray[np.float64]
    pair: tuple[NDArray[np.int32], float]
    nothing: None


@borrowing
def _mark(bench, by):
    marks, (places, step) = bench.marks, bench.pair
    for k in range(len(places)):
        marks[places[k]] += by
        bench.table[places[k], -1] += step
    return len(marks) + bench.table.shape[1]


@borrowing
def _mark_twice(bench):
    first = _mark(bench, 1)
    return first + _mark(Bench(bench.marks[1:], bench.table[::-1], bench.pair, None), 2)


@jit
def mark(bench):
    return _mark_twice(bench)


def test_what_stands_in_tuples_is_written_where_it_stands():
    found, plain = (
        Bench(np.zeros(5, np.uint8), np.zeros((4, 3)), (np.array([0, 2], np.int32), 0.5), None)
        for _ in range(2)
    )
    once = mark(found)
    for bench, by in ((plain, 1), (plain._replace(marks=plain.marks[1:]), 2)):
        turned = bench.table if by == 1 else bench.table[::-1]
        _mark.py_func(bench._replace(table=turned), by)
    assert once == 8 + 7
    assert found.marks.tolist() == plain.marks.tolist() == [1, 2, 1, 2, 0]
    assert (found.table == plain.table).all()


def test_an_array_without_gaps_is_handed_over_by_address_and_lengths():
    @borrowing
    def first(line, table):
        return line[0] + table[0, 0]

    first.compile((typeof(np.ones(2)), typeof(np.ones((2, 2)))))
    (made,) = first.overloads.values()
    (defined,) = (one for one in made.library.get_llvm_str().splitlines() if "define" in one)
    assert defined.count("%") == 2 + 2 + 3  # the result, an error, a line, a table
