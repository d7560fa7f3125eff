"""Cells of a column that sort by themselves: a key that orders them and the row, in one number.

A packed cell is `key << 32 | row`, so that sorting the numbers sorts the column, and a stable
partition of them keeps both children sorted: no column is sorted twice (SLIQ, Mehta et al. 1996).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing, jit
from surelearn._typing import Indices, Vector

MISSING = 2**31 - 1
"""The key of a missing cell, the largest one: missing cells stand last in a sorted column."""
_ROW = 2**32 - 1
_BITS = 2**31 - 1  # all but the sign

Places = NDArray[np.uint32]
"""Which rows of a table, in half the memory of `Indices`."""


@borrowing
def row_of(cell: int) -> int:
    """Return the row of a packed cell."""
    return cell & _ROW


@jit
def key_of(cell: int) -> int:
    """Return the key of a packed cell; the shift keeps the sign of a negative one."""
    return cell >> 32


@jit
def pack_codes(column: Vector, rows: Places, packed: Indices) -> None:
    """Pack the cells of a categorical column: its codes are the keys."""
    for i in range(len(rows)):
        cell = column[rows[i]]
        key = MISSING if np.isnan(cell) else int(cell)
        packed[i] = (key << 32) | i


@jit
def pack_numbers(column: Vector, rows: Places, packed: Indices) -> bool:
    """Pack the cells of a numeric column; False if a number needs more than single precision.

    The bits of a float, those of a negative one inverted, are ordered like the numbers.
    """
    for i in range(len(rows)):
        cell = column[rows[i]]
        single = np.float32(cell)
        key = MISSING
        if not np.isnan(cell):
            if single != cell:
                return False
            bits = np.int64(single.view(np.int32)) if cell != 0.0 else 0  # -0.0 equals 0.0
            key = bits if bits >= 0 else bits ^ _BITS
        packed[i] = (key << 32) | i
    return True


@jit
def pack_ranks(values: Vector, order: Indices, packed: Indices) -> None:
    """Pack the cells of a numeric column in sorted order, the keys being ranks."""
    rank = 0
    for i in range(len(order)):
        value = values[order[i]]
        if i > 0 and value != values[order[i - 1]]:  # equal values share a rank: no cut between
            rank += 1
        key = MISSING if np.isnan(value) else rank
        packed[i] = (key << 32) | order[i]


@borrowing
def count_known(column: Indices) -> int:
    """Return how many cells of a sorted column are not missing."""
    known = len(column)
    while known > 0 and key_of(column[known - 1]) == MISSING:
        known -= 1
    return known


@borrowing
def partition(column: Indices, goes_left: NDArray[Any], buffer: Indices) -> None:
    """Move the cells of the rows that go left to the front; both parts keep their order."""
    n_left, n_right = 0, 0
    for i in range(len(column)):
        # Write to both and advance one: a branch that cannot be predicted would cost more.
        cell = column[i]
        left = int(goes_left[row_of(cell)])  # uncompiled, sums of bytes would be bytes
        column[n_left] = cell
        buffer[n_right] = cell
        n_left += left
        n_right += 1 - left
    for i in range(n_right):
        column[n_left + i] = buffer[i]
