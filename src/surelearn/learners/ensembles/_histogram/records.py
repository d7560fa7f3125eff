"""Rows as records: eight columns to a word, then one word with the row's gradient.

    gradient word = gradient << 38 | hessian << 14 | 1

One addition of such words adds gradients, hessians and counts at once. Their sums are whole
numbers, so any order of rows and any number of threads gives the same bits.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing, jit
from surelearn._typing import Vector
from surelearn.learners.ensembles._histogram.cut_points import Codes

Records = NDArray[np.uint64]
"""Bytes of cells, and the gradient word, of each row."""

GRADIENT, HESSIAN, COUNT = 38, 14, 1
"""The lowest bit of the gradient and of the hessian in a word; the count has the bits below."""

_MOST_ROWS_ADDED = 8192
_LINE = 8  # words of a line of the cache
_WASTE = 1.25  # how much longer a record may become to begin at the beginning of a line
_BLOCK = 512

_MIX = np.uint64(0x9E3779B97F4A7C15)
_MIX_AGAIN = np.uint64(0xBF58476D1CE4E5B9)
_UNIT = 2.0**-32


class Fields(NamedTuple):
    """How fine gradients are, and how many rows may be added before a field is full.

    Attributes
    ----------
    rows_added
        The number of words whose sum still fits; a power of two.
    gradient, hessian
        The largest value of each in one word.
    """

    rows_added: int
    gradient: int
    hessian: int

    @classmethod
    def of(cls, n_rows: int, most: int = _MOST_ROWS_ADDED) -> "Fields":
        """Return the finest fields in which sums over so many rows, or 8,192 of them, fit.

        Examples
        --------
        >>> Fields.of(10**6)
        Fields(rows_added=8192, gradient=4095, hessian=2047)
        >>> Fields.of(10)
        Fields(rows_added=16, gradient=2097151, hessian=1048575)
        """
        rows = min(most, 1 << max(4, math.ceil(math.log2(max(1, n_rows)))))
        return cls(rows, (1 << 25) // rows - 1, (1 << 24) // rows - 1)


def empty_records(n_rows: int, n_features: int) -> Records:
    """Return room for records; one that nearly fills lines of the cache begins with one.

    Examples
    --------
    >>> empty_records(2, 3).shape, empty_records(2, 50).shape, empty_records(2, 70).shape
    ((2, 2), (2, 8), (2, 10))
    """
    width = -(-n_features // 8) + 1
    whole = -(-width // _LINE) * _LINE
    width = whole if whole <= _WASTE * width else width
    room = np.zeros(n_rows * width + _LINE, dtype=np.uint64)
    start = -(room.ctypes.data // 8) % _LINE
    return room[start : start + n_rows * width].reshape(n_rows, width)


def pack_codes(codes: Codes, first: int, last: int, records: Records) -> None:
    """Write the cells of some rows to their records, the first column in the lowest byte."""
    words = np.zeros((_BLOCK, records.shape[1]), dtype="<u8")  # little-endian wherever it runs
    cells = words.view(np.uint8)
    for start in range(first, last, _BLOCK):
        n = min(_BLOCK, last - start)
        cells[:n, : len(codes)] = codes[:, start : start + n].T
        records[start : start + n] = words[:n]


@borrowing
def _dither(row: int, tree: int) -> np.uint64:
    """Return 64 bits that depend on the row and the tree alone."""
    key = np.uint64(row) * _MIX + np.uint64(tree + 1) * _MIX_AGAIN
    key = (key ^ (key >> np.uint64(31))) * _MIX_AGAIN
    return (key ^ (key >> np.uint64(29))) * _MIX


@borrowing
def write_words(
    gradients: Vector,
    hessians: Vector,
    units: Vector,
    tree: int,
    first: int,
    last: int,
    records: Records,
    before: int,
) -> None:
    """Write the gradient words of some rows, in units of 1 / units[0] and 1 / units[1].

    What is no whole number of units is rounded up or down at random, up the more often the nearer
    it is: sums over rows have no bias, however small gradients are beside the largest one. The
    table goes on where so many rows `before` end.
    """
    word = np.uint64(records.shape[1] - 1)
    for i in range(first, last):
        random = _dither(before + i, tree)  # the same wherever the rows before stand
        up = np.float64(np.int64(random >> np.uint64(32))) * _UNIT
        up_too = np.float64(np.int64(random & np.uint64(0xFFFFFFFF))) * _UNIT
        gradient = np.int64(np.floor(gradients[i] * units[0] + up))
        hessian = np.int64(np.floor(hessians[i] * units[1] + up_too))
        records[np.uint64(i), word] = np.uint64(
            (gradient << GRADIENT) + (hessian << HESSIAN) + COUNT
        )


@jit
def write_gradients(
    gradients: Vector,
    hessians: Vector,
    units: Vector,
    tree: int,
    first: int,
    last: int,
    records: Records,
    before: int,
) -> None:
    """Write the gradient words of some rows, as `write_words` does."""
    write_words(gradients, hessians, units, tree, first, last, records, before)
