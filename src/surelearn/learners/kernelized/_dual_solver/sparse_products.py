"""Inner products of sparse rows: a few are spread out side by side, and all others run over them.

Without it each pair of rows would be searched for common entries. What is spread out is a panel,
with a line for each feature that one of the few has; features that none has cost one look.
"""

from typing import Any

import numpy as np

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector

_ACROSS = 64  # rows side by side: four vectors of single numbers


def product(rows: Any, others: Any) -> Matrix:
    """Return the inner products of the rows of one CSR matrix with those of another.

    Examples
    --------
    >>> from scipy import sparse
    >>> product(sparse.csr_array([[0.0, 2.0], [1.0, 0.0]]), sparse.csr_array([[3.0, 4.0]])).tolist()
    [[8.0], [3.0]]
    """
    out = np.empty((rows.shape[0], others.shape[0]), rows.dtype)
    lines = np.full(rows.shape[1], -1, dtype=np.int32)
    firsts = range(0, others.shape[0], _ACROSS)
    parts = [others.indptr[first : first + _ACROSS + 1] for first in firsts]
    panel = np.empty((max(part[-1] - part[0] for part in parts), _ACROSS), rows.dtype)
    sums = np.empty(_ACROSS, rows.dtype)
    for first, part in zip(firsts, parts, strict=True):
        _spread(part, others.indices, others.data, lines, panel)
        columns = out[:, first : first + _ACROSS]
        _multiply(rows.indptr, rows.indices, rows.data, lines, panel, sums, columns)
        lines[others.indices[part[0] : part[-1]]] = -1
    return out


@jit
def _spread(starts: Indices, places: Indices, entries: Vector, lines: Any, panel: Matrix) -> None:
    """Write a few rows to the panel, a column each, and where the line of each feature is."""
    used = 0
    for row in range(len(starts) - 1):
        for t in range(starts[row], starts[row + 1]):
            line = lines[places[t]]
            if line < 0:
                line = lines[places[t]] = used
                used += 1
                for c in range(_ACROSS):
                    panel[line, c] = 0.0
            panel[line, row] += entries[t]


@jit
def _multiply(
    starts: Indices,
    places: Indices,
    entries: Vector,
    lines: Any,
    panel: Matrix,
    sums: Vector,
    out: Matrix,
) -> None:
    """Write the products of all rows with those of the panel."""
    for i in range(len(starts) - 1):
        for c in range(_ACROSS):  # their number is known here: the compiler makes vectors of them
            sums[c] = 0.0
        for t in range(starts[i], starts[i + 1]):
            line, entry = lines[places[t]], entries[t]
            if line >= 0:
                for c in range(_ACROSS):
                    sums[c] += entry * panel[line, c]
        for c in range(out.shape[1]):
            out[i, c] = sums[c]
