"""First and second moments of rows, summed block by block without losing digits."""

from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import blas

from surelearn._typing import Matrix, Vector

_BLOCK = 2048  # rows centred at once: they stay in the cache until the product has read them


@dataclass(frozen=True)
class Moments:
    """The moments of weighted rows; the sum of two holds those of all the rows.

    Attributes
    ----------
    n_rows
        The number of rows with a positive weight.
    weight
        The sum of the weights.
    mean
        The weighted mean of each column.
    scatter
        The weighted sum of (x - mean)(x - mean)ᵀ: only its lower triangle is kept up.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [3.0, 4.0], [5.0, 2.0]])
    >>> whole, parts = moments(rows), moments(rows[:1]) + moments(rows[1:])
    >>> whole.mean.tolist(), parts.mean.tolist()
    ([3.0, 2.0], [3.0, 2.0])
    >>> bool(np.allclose(np.tril(whole.scatter), np.tril(parts.scatter)))
    True
    """

    n_rows: int
    weight: float
    mean: Vector
    scatter: Matrix

    def __add__(self, other: Self) -> "Moments":
        """Return the moments of the rows of both (Chan, Golub and LeVeque, 1983)."""
        weight = self.weight + other.weight
        if weight == 0.0:
            return self
        share = other.weight / weight
        step = other.mean - self.mean
        between = self.weight * share * np.outer(step, step)
        return Moments(
            self.n_rows + other.n_rows,
            weight,
            self.mean + share * step,
            self.scatter + other.scatter + between,
        )


def moments(*columns: Any, weights: Vector | None = None) -> Moments:
    """Return the moments of tables that stand side by side; a vector is one more column.

    Rows are centred, a block at a time, at the mean of the first ones: the products then lose
    digits only if later rows lie elsewhere. A value that is not finite makes the means NaN or
    infinite. Sparse rows become dense one block at a time.

    Examples
    --------
    >>> moments(np.array([[1.0], [3.0]]), np.array([2.0, 6.0])).scatter[1, 0]
    np.float64(4.0)
    """
    tables = [table[:, np.newaxis] if table.ndim == 1 else table for table in columns]
    n, width = tables[0].shape[0], sum(table.shape[1] for table in tables)
    guess = np.concatenate([_rows(table, 0, _BLOCK).mean(axis=0) for table in tables])
    buffer = np.empty((min(n, _BLOCK), width + 1))  # its last column, of ones, sums the others
    products = np.zeros((width + 1, width + 1), order="F")
    for start in range(0, n, _BLOCK):
        block = buffer[: min(_BLOCK, n - start)]
        _centre(tables, start, guess, block)
        if weights is not None:
            block *= np.sqrt(weights[start : start + len(block), np.newaxis])
        products = blas.dsyrk(1.0, block.T, beta=1.0, c=products, lower=1, overwrite_c=1)
    weight, shift = float(products[-1, -1]), products[-1, :-1] / products[-1, -1]
    n_rows = n if weights is None else int(np.count_nonzero(weights))
    scatter = products[:-1, :-1] - weight * np.outer(shift, shift)
    return Moments(n_rows, weight, guess + shift, scatter)


def _centre(tables: list[Any], start: int, guess: Vector, block: Matrix) -> None:
    """Write the rows from `start` on, less the guess of their mean, and a 1, into the block."""
    left = 0
    for table in tables:
        right = left + table.shape[1]
        rows = _rows(table, start, len(block))
        np.subtract(rows, guess[left:right], out=block[:, left:right])
        left = right
    block[:, -1] = 1.0


def _rows(table: Any, start: int, size: int) -> NDArray[Any]:
    rows = table[start : start + size]
    return cast("Any", rows).toarray() if sparse.issparse(rows) else rows
