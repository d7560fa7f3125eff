"""Dividing the rows of a node: stable, without branches, chunk by chunk."""

from surelearn._jit import borrowing
from surelearn._typing import Indices
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.ensembles._histogram.histogram import Rows
from surelearn.learners.ensembles._histogram.splitting import Table

CHUNK = 4096
"""Rows divided at once by a worker."""


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
    i, j = first, last - 1
    for t in range(first, last):
        row = rows[t]
        sides[i] = row
        sides[j] = row
        goes = left[bins[row]]
        i += goes
        j -= 1 - goes
    return int(i - first)


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
    for i in range(n):
        rows[first + before + i] = sides[start + i]
    place = first + n_left[-1] + (start - first - before)
    for i in range(stop - start - n):
        rows[place + i] = sides[stop - 1 - i]
