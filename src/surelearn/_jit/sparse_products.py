"""Inner products of sparse rows with sparse rows, a table of all of them.

Some rows are turned first, so that each feature knows which of them have it. Then every other row
adds a number to the places that its features name. Features that many have are lines of a dense
panel: to add a whole line in vector instructions is faster than to look up its places.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit._decorator import jit
from surelearn._typing import Indices, Matrix, Vector

ACROSS = 2048
"""Rows to turn at a time: their sums stay in the nearest cache."""

_COMMON = 0.1  # the share of rows from which on a feature has a line of its own


class Turned(NamedTuple):
    """Rows by feature: the rows that have it and their entries, and its line in the panel or -1."""

    lines: NDArray[np.int32]
    panel: Matrix
    firsts: Indices
    places: Any
    entries: Vector


def turned(rows: Any) -> Turned:
    """Return the rows of a CSR matrix by feature."""
    by_feature: Any = rows.T.tocsr()
    counts = np.diff(by_feature.indptr)
    common = np.flatnonzero(counts > _COMMON * rows.shape[0])
    lines = np.full(len(counts), -1, dtype=np.int32)
    lines[common] = np.arange(len(common))
    panel: Matrix = by_feature[common].toarray()
    firsts, places = by_feature.indptr.astype(np.uint64), _unsigned(by_feature.indices)
    return Turned(lines, panel, firsts, places, by_feature.data)


def add_products(rows: Any, others: Turned, out: Matrix, first: int = 0) -> None:
    """Add the inner products of some rows of a CSR matrix with others to a table.

    There are as many as the table has rows; `first` is the place of the first one.

    Examples
    --------
    >>> from scipy import sparse
    >>> out = np.ones((2, 1))
    >>> others = turned(sparse.csr_array([[3.0, 4.0]]))
    >>> add_products(sparse.csr_array([[0.0, 2.0], [1.0, 0.0]]), others, out)
    >>> out.tolist()
    [[9.0], [4.0]]
    """
    starts = rows.indptr[first : first + len(out) + 1].astype(np.uint64)
    _add(starts, _unsigned(rows.indices), rows.data, others, out)


def _unsigned(places: Any) -> Any:
    """Return places as numbers that cannot count from the end: a loop would look for those."""
    return places.view(f"u{places.itemsize}")


@jit
def _add(starts: Indices, features: Any, values: Vector, others: Turned, out: Matrix) -> None:
    """Add the products of sparse rows with rows that were turned by feature."""
    for i in range(len(starts) - 1):
        sums = out[i]
        for t in range(starts[i], starts[i + 1]):
            value, feature = values[t], features[t]
            line = others.lines[feature]
            if line >= 0:
                for c in range(len(sums)):
                    sums[c] += value * others.panel[line, c]
            else:
                for s in range(others.firsts[feature], others.firsts[feature + 1]):
                    sums[others.places[s]] += value * others.entries[s]
