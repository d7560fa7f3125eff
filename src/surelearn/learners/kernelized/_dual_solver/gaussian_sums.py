"""Blocks and weighted sums of Gaussian kernel values: in registers, or by products of matrices."""

from typing import Any

import numpy as np
from scipy import sparse

from surelearn._jit import tables
from surelearn._threads import Workers, chunks
from surelearn._typing import Matrix, Vector
from surelearn.learners.kernelized._dual_solver import gaussian_products, gaussian_tiles
from surelearn.learners.kernelized._dual_solver.gaussian_products import Factors
from surelearn.learners.kernelized._dual_solver.gaussian_tiles import HEIGHT, ROWS

_DENSE = 2**24  # entries up to which sparse rows are spread out
_WIDE = 200  # entries of a row
_FILLED = 0.05  # the share of entries from which that pays


def spread_out(X: Any) -> Any:
    """Return sparse rows as dense ones if they are few, or not sparse in truth."""
    if isinstance(X, np.ndarray):
        return X
    size = X.shape[0] * X.shape[1]
    small = size <= _DENSE and (size <= _DENSE // 256 or X.nnz >= _FILLED * size)
    return tables.dense(X) if small else X


def fill(left: Factors, right: Factors, out: Matrix, crew: Workers) -> None:
    """Write the values of all pairs to the corner of a table, which is as wide as panels are."""
    if not _in_registers(left, right):
        gaussian_products.fill(left, right, out, crew)
        return
    rows = np.zeros((-(-len(left.rows) // HEIGHT) * HEIGHT, left.rows.shape[1]), out.dtype)
    rows[: len(left.rows)] = left.rows
    panels = _panels(right)

    def task(part: slice) -> None:
        gaussian_tiles.fill_block(rows[part], panels, out[part])

    crew.map(task, list(chunks(len(rows), _share(len(rows), HEIGHT, crew))))


def add_expansion(
    left: Factors, right: Factors, weights: Vector, sums: Vector, crew: Workers
) -> None:
    """Add Σ weight·k(row, column) over all columns to the sum of each row."""
    if not _in_registers(left, right):
        gaussian_products.add_expansion(left, right, weights, sums, crew)
        return
    panels = _panels(right)
    shares = np.zeros(panels.shape[::2], panels.dtype)
    shares.ravel()[: len(weights)] = weights
    rows, n = left.rows, len(left.rows)
    whole = n // ROWS * ROWS

    def task(part: slice) -> None:
        lanes = np.zeros((ROWS, panels.shape[2] // 2), panels.dtype)
        gaussian_tiles.add_sums(rows[part], panels, shares, lanes, sums[part])

    crew.map(task, list(chunks(whole, _share(whole, ROWS, crew))))
    if whole < n:  # a few rows are left, and zeros stand in for those that are missing
        last, total = np.zeros((ROWS, rows.shape[1]), rows.dtype), np.zeros(ROWS)
        last[: n - whole] = rows[whole:]
        lanes = np.zeros((ROWS, panels.shape[2] // 2), panels.dtype)
        gaussian_tiles.add_sums(last, panels, shares, lanes, total)
        sums[whole:] += total[: n - whole]


def is_costly(rows: Factors) -> bool:
    """Say whether a value costs more than to hold it for a moment: then it is computed once."""
    return are_wide(rows) or not gaussian_tiles.is_fast()


def are_wide(rows: Factors) -> bool:
    """Say whether values cost much on any machine: rows have many entries, or are sparse."""
    return sparse.issparse(rows.rows) or rows.rows.shape[1] >= _WIDE


def _in_registers(left: Factors, right: Factors) -> bool:
    if left.rows.shape[1] != right.rows.shape[1]:  # a tile does not look where its rows end
        raise ValueError("the rows are not as wide as those that the model remembers")
    thin = sparse.issparse(left.rows) or sparse.issparse(right.rows)
    return not thin and gaussian_tiles.is_fast() and not (left is right and is_costly(left))


def _share(n: int, multiple: int, crew: Workers) -> int:
    """Return how many rows one of a crew takes at a time: a few turns each."""
    return max(1, -(-n // (4 * crew.size * multiple))) * multiple


def _panels(right: Factors) -> Any:
    """Return the columns in panels, each entry of all columns of a panel side by side."""
    rows = right.rows
    across = gaussian_tiles.width(rows.dtype)
    padded = np.zeros((-(-len(rows) // across) * across, rows.shape[1]), rows.dtype)
    padded[: len(rows)] = rows
    padded[:, -2:] = padded[:, :-3:-1]  # what is −g|x|² and 1 on the left is 1 and −g|x|² here
    panels = padded.reshape(-1, across, rows.shape[1]).transpose(0, 2, 1)
    return np.ascontiguousarray(panels)
