"""Sums over tables of codes by class, and sums of table entries by codes.

Column j of a table of codes owns the rows of `table` from `starts[j]` on, one for each code; a
column of numbers has no start, and a negative code or NaN adds nothing.
"""

from typing import Any

from numpy.typing import NDArray

from surelearn._jit import inner, jit
from surelearn._typing import Indices, Matrix, Vector

_FEW = 4  # up to here a sum in a register, class by class, is twice as fast


@jit
def count(
    codes: NDArray[Any], labels: Indices, weights: Vector, starts: Indices, table: Matrix
) -> None:
    """Add the weight of each row to the entries of its codes and its class; `table` changes."""
    for t in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            if starts[j] >= 0 and codes[t, j] >= 0:  # NaN fails the comparison, as it should
                table[starts[j] + int(codes[t, j]), labels[t]] += weights[t]


@inner
def _sum_of_entries(codes: NDArray[Any], starts: Indices, column: Vector) -> float:
    """Return the sum of the entries of the codes of one row, for one class."""
    total = 0.0
    for j in range(len(codes)):
        if starts[j] >= 0 and codes[j] >= 0:
            total += float(column[starts[j] + int(codes[j])])
    return total


@jit
def gather(codes: NDArray[Any], starts: Indices, table: Matrix, sums: Matrix) -> None:
    """Add the entries of the codes of each row, for every class; `sums` changes."""
    n_classes = table.shape[1]
    for t in range(codes.shape[0]):
        if n_classes <= _FEW:
            for c in range(n_classes):
                sums[t, c] += _sum_of_entries(codes[t], starts, table[:, c])
            continue
        # With many classes a row of the table is read whole: classes innermost.
        for j in range(codes.shape[1]):
            if starts[j] >= 0 and codes[t, j] >= 0:
                row = starts[j] + int(codes[t, j])
                for c in range(n_classes):
                    sums[t, c] += table[row, c]
