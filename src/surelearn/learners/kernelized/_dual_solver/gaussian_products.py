"""Gaussian kernel values by products of matrices, dense or sparse, and powers of their entries."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from surelearn._jit import sparse_products
from surelearn._threads import Workers, chunks, one_thread_products
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.kernelized._dual_solver.powers_of_two import (
    raise_two_doubles,
    raise_two_singles,
)

_HIGH, _WIDE = 256, 1024  # rows and columns of a product that stays in the cache
_SPARSE_HIGH = 32  # rows at a time, where there are twice as many columns

Use = Callable[[slice, slice, Matrix], Any]
"""What is done with the values of some rows and some columns."""


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


def fill(left: Factors, right: Factors, out: Matrix, crew: Workers) -> None:
    """Write the values of all pairs to the corner of a table.

    Those of dense rows with themselves are computed once; of sparse ones they cost as little as to
    write a few to many lines of the table.
    """
    mirrored = left is right and not sparse.issparse(left.rows)

    def write(rows: slice, columns: slice, values: Matrix) -> None:
        out[rows, columns] = values
        if mirrored and rows.stop <= columns.start:
            out[columns, rows] = values.T

    for _ in _strips(left, right, write, crew, mirrored=mirrored):
        pass


def add_expansion(
    left: Factors, right: Factors, weights: Vector, sums: Vector, crew: Workers
) -> None:
    """Add Σ weight·k(row, column) over all columns to the sum of each row.

    Each value of one list with itself is computed once, and belongs to the sum of its row and to
    that of its column. What columns get is added in the order of rows, not of threads.
    """
    mirrored = left is right

    def add(rows: slice, columns: slice, values: Matrix) -> Vector | None:
        sums[rows] += values @ weights[columns]
        return weights[rows] @ values if mirrored and rows.stop <= columns.start else None

    for columns, shares in _strips(left, right, add, crew, mirrored=mirrored):
        for share in shares:
            if share is not None:
                sums[columns] += share


def _strips(
    left: Factors, right: Factors, use: Use, crew: Workers, *, mirrored: bool
) -> Iterator[tuple[slice, Iterable[Any]]]:
    """Use all values, a strip of columns after another; yield what came of it, row by row.

    If they are mirrored, those below the diagonal strips are left out.
    """
    thin = sparse.issparse(left.rows)
    with one_thread_products():
        for columns in chunks(len(right.halves), sparse_products.ACROSS if thin else _WIDE):
            exponents = (_of_sparse if thin else _of_dense)(left, right, columns)

            def task(part: slice, columns: slice = columns, exponents: Any = exponents) -> Any:
                return [use(rows, columns, _powers(exponents(rows))) for rows in _cut(part, thin)]

            n = columns.stop if mirrored else len(left.halves)
            yield columns, chain.from_iterable(crew.map(task, list(chunks(n, _HIGH))))


def _cut(part: slice, thin: bool) -> Iterator[slice]:  # noqa: FBT001
    high = _SPARSE_HIGH if thin else _HIGH
    for first in range(part.start, part.stop, high):
        yield slice(first, min(first + high, part.stop))


def _of_dense(left: Factors, right: Factors, columns: slice) -> Callable[[slice], Matrix]:
    """Return what gives the exponents of some rows with these columns."""
    others = right.rows[columns].copy()
    others[:, -2:] = others[:, :-3:-1]  # what is −g|x|² and 1 on the left is 1 and −g|x|² here
    return lambda rows: left.rows[rows] @ others.T


def _of_sparse(left: Factors, right: Factors, columns: slice) -> Callable[[slice], Matrix]:
    """Return what gives the exponents of some rows with these columns."""
    others, halves = sparse_products.turned(right.rows[columns]), right.halves[columns]

    def exponents(rows: slice) -> Matrix:
        found = np.add.outer(left.halves[rows], halves)
        sparse_products.add_products(left.rows, others, found, rows.start)
        return found

    return exponents


def _powers(exponents: Matrix) -> Matrix:
    """Return 2 to the power of each exponent, in its place."""
    raise_two = raise_two_singles if exponents.dtype == np.float32 else raise_two_doubles
    raise_two(exponents.reshape(-1))
    return exponents
