"""Dividing the rows of a node: stable, without branches, chunk by chunk."""

import numpy as np

from surelearn._jit import borrowing
from surelearn._typing import Indices
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.ensembles._histogram.histogram import Rows
from surelearn.learners.ensembles._histogram.splitting import Table

CHUNK = 4096
"""Rows divided at once by a worker."""

_ONE = np.uint64(1)


@borrowing
def divide_chunk(rows: Rows, first: int, last: int, bins: Codes, left: Table, sides: Rows) -> int:
    """Write the rows of a chunk that go left, and those that go right; return how many go left.

    Both are written always, and one of the two places moves on.

    Parameters
    ----------
    bins
        The column that is asked about.
    left
        For each bin whether it goes left.
    sides
        What goes left, from the chunk's first place on, and what goes right, from its last place
        backwards.
    """
    i, j = np.uint64(first), np.uint64(last - 1)  # unsigned: never counted from the end
    for t in range(first, last):
        row = rows[t]
        sides[i] = row
        sides[j] = row
        goes = np.uint64(left[bins[np.uint64(row)]])
        i += goes
        j -= _ONE - goes
    return int(i) - first


@borrowing
def move_chunk(rows: Rows, chunk: int, first: int, last: int, n_left: Indices, sides: Rows) -> None:
    """Write the rows of a chunk to their children, behind those of the chunks before.

    Parameters
    ----------
    chunk
        Its number.
    first, last
        The first row of the node, and the one after the last.
    n_left
        How many rows of each chunk go left, and after them, how many of the node do.
    """
    start = first + chunk * CHUNK
    stop = min(start + CHUNK, last)
    before = 0
    for k in range(chunk):
        before += n_left[k]
    n = n_left[chunk]
    left, place = rows[first + before :], first + n_left[-1] + (start - first - before)
    right, own = rows[place:], sides[start:stop]
    for i in range(n):
        left[i] = own[i]
    for i in range(stop - start - n):
        right[i] = own[np.uint64(stop - start - 1 - i)]
