"""Sorted columns: a key that orders the cells and the row of each, in one whole number.

An entry is `key << 32 | row`, so that sorting entries sorts the column, and a stable partition of
the entries keeps both children sorted: no column is sorted twice (SLIQ, Mehta et al. 1996).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._typing import Indices, Vector

MISSING = 2**31 - 1
"""The key of a missing cell, the largest one."""
_ROW = 2**32 - 1
_BITS = 2**31 - 1  # all but the sign

Places = NDArray[np.uint32]
"""Which rows of a table, in half the memory of `Indices`."""


@jit
def row_of(entry: int) -> int:
    """Return the row of an entry."""
    return entry & _ROW


@jit
def key_of(entry: int) -> int:
    """Return the key of an entry."""
    return entry >> 32


@jit
def pack_codes(cells: Vector, rows: Places, entries: Indices) -> None:
    """Write the entries of a categorical column: its codes are the keys."""
    for i in range(len(rows)):
        cell = cells[rows[i]]
        key = MISSING if np.isnan(cell) else int(cell)
        entries[i] = (key << 32) | i


@jit
def pack_numbers(cells: Vector, rows: Places, entries: Indices) -> bool:
    """Write the entries of a numeric column; False if a number needs more than single precision.

    The bits of a float, those of a negative one inverted, are ordered like the numbers.
    """
    for i in range(len(rows)):
        cell = cells[rows[i]]
        single = np.float32(cell)
        key = MISSING
        if not np.isnan(cell):
            if single != cell:
                return False
            bits = np.int64(single.view(np.int32)) if cell != 0.0 else 0  # -0.0 equals 0.0
            key = bits if bits >= 0 else bits ^ _BITS
        entries[i] = (key << 32) | i
    return True


@jit
def pack_ranks(values: Vector, order: Indices, entries: Indices) -> None:
    """Write the entries of a numeric column in sorted order, the keys being ranks."""
    rank = 0
    for i in range(len(order)):
        value = values[order[i]]
        if i > 0 and value != values[order[i - 1]]:
            rank += 1
        key = MISSING if np.isnan(value) else rank
        entries[i] = (key << 32) | order[i]


@jit
def count_known(column: Indices) -> int:
    """Return how many cells of a sorted column are not missing."""
    known = len(column)
    while known > 0 and key_of(column[known - 1]) == MISSING:
        known -= 1
    return known


@jit
def partition(column: Indices, goes_left: NDArray[Any], buffer: Indices) -> None:
    """Move the entries of the rows that go left to the front; both parts keep their order."""
    n_left, n_right = 0, 0
    for i in range(len(column)):
        entry = column[i]
        left = goes_left[row_of(entry)]
        column[n_left] = entry
        buffer[n_right] = entry
        n_left += left
        n_right += 1 - left
    for i in range(n_right):
        column[n_left + i] = buffer[i]
