"""First and second moments of rows, summed chunk by chunk without losing digits."""

from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite

from surelearn import _arguments
from surelearn._jit import symmetric_products
from surelearn._stored import holds, stored
from surelearn._threads import chunks, map_chunks, one_thread_products
from surelearn._typing import Matrix, Vector

_CHUNK = 4096  # rows multiplied in one call
_FIRST = 256  # rows whose mean is the guess
_LITTLE_WORK = 5e7  # multiplications, that a second thread does not pay for


@stored("moments")
@holds(
    n_rows="count",
    weight="number",
    mean="finite[columns]",
    scatter="finite[columns, columns]",
)
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

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.mean)

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

    Rows are centred, a chunk at a time, at the mean of the first ones: the products then lose
    digits only if later rows lie elsewhere. A value that is not finite is refused: it shows in the
    sums, so it need not be looked for. Sparse rows become dense one chunk at a time.

    Examples
    --------
    >>> moments(np.array([[1.0], [3.0]]), np.array([2.0, 6.0])).scatter[1, 0]
    np.float64(4.0)
    """
    tables = [table[:, np.newaxis] if table.ndim == 1 else table for table in columns]
    n = tables[0].shape[0]
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is refused below
        guess = np.hstack([_rows(table, slice(_FIRST)) for table in tables]).mean(axis=0)
        products = _centred_products(tables, weights, guess, n)
    if not np.isfinite(products).all():
        _refuse(tables)
    weight, shift = float(products[-1, -1]), products[:-1, -1] / products[-1, -1]
    n_rows = n if weights is None else int(np.count_nonzero(weights))
    scatter = products[:-1, :-1] - weight * np.outer(shift, shift)
    return Moments(n_rows, weight, guess + shift, scatter.T)


def _refuse(tables: list[Any]) -> None:
    """Say which value is not finite, or that the products of finite ones are not."""
    for table in tables:
        assert_all_finite(table, input_name="X")
    raise ValueError("the products of such large values overflow; rescale the features")


def _centred_products(tables: list[Any], weights: Vector | None, guess: Vector, n: int) -> Matrix:
    """Return the products of all columns, less the guess, and a 1: only the upper triangle.

    Threads that multiply a chunk each are faster than one product shared among threads.
    """
    width = len(guess) + 1
    _arguments.pairs_of_features(width)
    fast = symmetric_products.is_fast(width)
    add = symmetric_products.add_centred_products if fast else _add_centred_products
    shares = np.ones(n) if weights is None else np.sqrt(weights)
    todo = list(chunks(n, _CHUNK))

    def work(first: int, last: int) -> Matrix:
        scratch = symmetric_products.scratch(width)
        total = np.zeros((scratch.shape[1], scratch.shape[1]))
        for chunk in todo[first:last]:
            rows, *others = (_rows(table, chunk) for table in tables)
            rest = np.hstack([*others, np.ones((len(rows), 1))])
            add(rows, rest, np.append(guess, 0.0), shares[chunk], scratch, total)
        return total[:width, :width]

    if n * width**2 < _LITTLE_WORK:
        return work(0, len(todo))
    with one_thread_products():
        return np.sum(map_chunks(work, len(todo)), axis=0)


def _add_centred_products(
    rows: Matrix, rest: Matrix, guess: Vector, shares: Vector, _: Matrix, total: Matrix
) -> None:
    """Do the same as the compiled loop, by a general product."""
    centred = (np.hstack([rows, rest]) - guess) * shares[:, np.newaxis]
    total[: len(guess), : len(guess)] += centred.T @ centred


def _rows(table: Any, chunk: slice) -> Matrix:
    rows = table[chunk]
    rows = cast("Any", rows).toarray() if sparse.issparse(rows) else rows
    return np.ascontiguousarray(rows, dtype=np.float64)
