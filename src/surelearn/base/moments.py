"""First and second moments of rows, summed block by block without losing digits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import assert_all_finite

from surelearn._typing import Matrix, Vector
from surelearn.base.threads import blas_threads, in_parts, slices

_BLOCK = 4096  # rows centred at once: they stay in the cache until the product has read them
_FIRST = 256  # rows whose mean is the guess
_MANY_BLOCKS = 8  # with less a second thread costs more than it saves
_NEAR = 8.0  # standard deviations: means so near zero cost the products less than two digits


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

    Rows far from zero are centred, a block at a time, at the mean of the first ones: the products
    then lose digits only if later rows lie elsewhere. A value that is not finite is refused: it
    shows in the sums, so it need not be looked for. Sparse rows become dense one block at a time.

    Examples
    --------
    >>> moments(np.array([[1.0], [3.0]]), np.array([2.0, 6.0])).scatter[1, 0]
    np.float64(4.0)
    """
    tables = [table[:, np.newaxis] if table.ndim == 1 else table for table in columns]
    n = tables[0].shape[0]
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is refused below
        first = np.hstack([_rows(table, 0, _FIRST) for table in tables])
        guess = first.mean(axis=0)
        near = (np.abs(guess) <= _NEAR * first.std(axis=0)).all()
        if near and weights is None and _plain(tables[0]):
            guess, products = np.zeros_like(guess), _raw_products(tables, n)
        else:
            products = _centred_products(tables, weights, guess, n)
    if not np.isfinite(products).all():
        _refuse(tables)
    weight, shift = float(products[-1, -1]), products[-1, :-1] / products[-1, -1]
    n_rows = n if weights is None else int(np.count_nonzero(weights))
    scatter = products[:-1, :-1] - weight * np.outer(shift, shift)
    return Moments(n_rows, weight, guess + shift, scatter)


def _refuse(tables: list[Any]) -> None:
    """Say which value is not finite, or that the products of finite ones are not."""
    for table in tables:
        assert_all_finite(table, input_name="X")
    raise ValueError("the products of such large values overflow; rescale the features")


def _plain(table: Any) -> bool:
    """Return whether the product can read the rows where they stand."""
    dense = isinstance(table, np.ndarray) and table.dtype == np.float64
    return dense and cast("Matrix", table).flags.c_contiguous


def _products(n: int, width: int, add: Callable[[slice, Matrix], None]) -> Matrix:
    """Return the sum of what `add` adds for each block of rows, part by part in threads.

    Threads that multiply a block each are faster than one product shared among threads.
    """
    blocks = list(slices(n, _BLOCK))

    def work(first: int, last: int) -> Matrix:
        total = np.zeros((width + 1, width + 1))
        for block in blocks[first:last]:
            add(block, total)
        return total

    if len(blocks) < _MANY_BLOCKS:
        return work(0, len(blocks))
    with blas_threads().limit(limits=1):
        return np.sum(in_parts(work, len(blocks)), axis=0)


def _raw_products(tables: list[Any], n: int) -> Matrix:
    """Return the products of all columns and a 1; the rows of the first table are not copied."""
    d, width = tables[0].shape[1], sum(table.shape[1] for table in tables)

    def add(block: slice, total: Matrix) -> None:
        rows = tables[0][block]
        size = len(rows)
        rest = np.hstack([*(_rows(t, block.start, size) for t in tables[1:]), np.ones((size, 1))])
        total[:d, :d] += rows.T @ rows
        total[d:, :d] += rest.T @ rows
        total[d:, d:] += rest.T @ rest

    return _products(n, width, add)


def _centred_products(tables: list[Any], weights: Vector | None, guess: Vector, n: int) -> Matrix:
    """Return the products of all columns, less the guess, and a 1."""

    def add(block: slice, total: Matrix) -> None:
        rows = np.empty((block.stop - block.start, len(guess) + 1))
        _centre(tables, block.start, guess, rows)
        if weights is not None:
            rows *= np.sqrt(weights[block, np.newaxis])
        total += rows.T @ rows

    return _products(n, len(guess), add)


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
