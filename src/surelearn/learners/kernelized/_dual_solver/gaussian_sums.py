"""Blocks and weighted sums of Gaussian kernel values: in registers, or by products of matrices."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from surelearn._jit import jit, tables
from surelearn._threads import Workers, chunks, run_multiplying
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.kernelized._dual_solver import gaussian_tiles, sparse_products
from surelearn.learners.kernelized._dual_solver.bits import times_power_of_two
from surelearn.learners.kernelized._dual_solver.gaussian_tiles import HEIGHT, ROWS, power_series

_HIGH, _WIDE = 256, 1024  # rows and columns of a product that stays in the cache
_LOWEST, _ZERO = np.float32(-125.0), np.float32(0.0)
_C0, _C1, _C2, _C3, _C4, _C5, _C6 = (np.float32(c) for c in power_series(6))
_DENSE = 2**24  # entries up to which sparse rows are spread out
_FILLED = 0.05  # the share of entries from which that pays


class Factors(NamedTuple):
    """Rows whose products are exponents: x√(2g), and −g|x|² beside them, to base 2.

    Dense rows have two more columns, −g|x|² and 1, so that a product alone is the exponent.
    """

    rows: Any
    halves: Vector

    def take(self, places: Indices) -> "Factors":
        """Return the factors of some rows."""
        return Factors(self.rows[places], self.halves[places])

    def astype(self, dtype: Any) -> "Factors":
        """Return the factors in a precision."""
        return Factors(self.rows.astype(dtype), self.halves.astype(dtype))


def factors(X: Any, gamma: float, centre: Vector | None) -> Factors:
    """Return the factors of dense or sparse rows; dense ones are seen from a centre.

    Distances do not depend on it, but the lengths that cancel in them become small.
    """
    g = gamma / np.log(2.0)
    if sparse.issparse(X):
        rows: Any = X * np.sqrt(2.0 * g)
        return Factors(rows, -0.5 * np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    table = np.empty((X.shape[0], X.shape[1] + 2))
    np.multiply(X - centre, np.sqrt(2.0 * g), out=table[:, :-2])
    halves = -0.5 * np.einsum("ij,ij->i", table[:, :-2], table[:, :-2])
    table[:, -2], table[:, -1] = halves, 1.0
    return Factors(table, halves)


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
        _fill_by_products(left, right, out)
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
        _add_by_products(left, right, weights, sums)
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


def _in_registers(left: Factors, right: Factors) -> bool:
    if left.rows.shape[1] != right.rows.shape[1]:  # a tile does not look where its rows end
        raise ValueError("the rows are not as wide as those that the model remembers")
    thin = sparse.issparse(left.rows) or sparse.issparse(right.rows)
    return not thin and gaussian_tiles.is_fast()


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


def _fill_by_products(left: Factors, right: Factors, out: Matrix) -> None:
    def task(part: slice) -> None:
        for columns in chunks(len(right.halves), _WIDE):
            out[part, columns] = _values(_part(left, part), _part(right, columns))

    run_multiplying(task, list(chunks(len(left.halves), _height(left))))


def _add_by_products(left: Factors, right: Factors, weights: Vector, sums: Vector) -> None:
    def task(part: slice) -> None:
        for columns in chunks(len(right.halves), _WIDE):
            sums[part] += _values(_part(left, part), _part(right, columns)) @ weights[columns]

    run_multiplying(task, list(chunks(len(left.halves), _height(left))))


def _height(left: Factors) -> int:
    """Return how many rows to multiply at a time: more of sparse ones, since others are spread."""
    return max(_HIGH, len(left.halves) // 8) if sparse.issparse(left.rows) else _HIGH


def _part(factors: Factors, part: slice) -> Factors:
    return Factors(factors.rows[part], factors.halves[part])


def _values(left: Factors, right: Factors) -> Matrix:
    """Return the values of all pairs by a product of matrices and a loop over its entries."""
    if sparse.issparse(left.rows):
        exponents = sparse_products.product(left.rows, right.rows)
        exponents += left.halves[:, None]
        exponents += right.halves
    else:
        columns = right.rows.copy()
        columns[:, -2:] = columns[:, :-3:-1]
        exponents = left.rows @ columns.T
    if exponents.dtype == np.float32:
        raise_two(exponents.reshape(-1))
        return exponents
    return np.exp2(np.minimum(exponents, 0.0, out=exponents), out=exponents)


@jit
def raise_two(exponents: Vector) -> None:
    """Replace each single by 2 to its power, or by 1 if it is above 0.

    NumPy's loop for it is not made of vector instructions on every machine; this one is.
    """
    for t in range(len(exponents)):
        exponent = max(_LOWEST, min(exponents[t], _ZERO))
        whole = np.rint(exponent)
        r = exponent - whole
        value = (((_C6 * r + _C5) * r + _C4) * r + _C3) * r + _C2
        exponents[t] = times_power_of_two((value * r + _C1) * r + _C0, whole)
