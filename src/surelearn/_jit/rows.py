"""Rows of a data matrix, dense or sparse: one loop in a learner serves both.

Inside compiled code `dot`, `add` and `squared_norm` become the dense or the sparse version by the
type of `X`; outside they run as plain Python. Positions in sparse rows are read as unsigned: a
signed one would be tested for counting from the end at every entry, at twice the cost of a loop.
"""

from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numba import types
from numpy.typing import NDArray
from scipy import sparse

from surelearn._jit._decorator import compiled_as, jit
from surelearn._typing import Matrix, Vector

LARGEST = 1e140
"""The norm of a row beyond which its products with others, and sums of them, may overflow."""

_FEW = 2**16  # places that are written anew in less time than a single function is compiled


class SparseRows(NamedTuple):
    """The three arrays of a CSR matrix, in a form that compiled code accepts."""

    data: Vector
    indices: NDArray[np.integer[Any]]
    indptr: NDArray[np.integer[Any]]


Rows: TypeAlias = Matrix | SparseRows
"""A dense matrix or the arrays of a sparse one."""


def of(X: Any) -> Rows:
    """Return `X` in the form that compiled code accepts; no cell is copied.

    A small matrix with places of 64 bits gets places of 32, or loops would be compiled once more.

    Examples
    --------
    >>> rows = of(sparse.csr_array([[0.0, 2.0], [1.0, 0.0]]))
    >>> count(rows), dot(rows, 0, np.array([5.0, 3.0]))
    (2, 6.0)
    """
    if sparse.issparse(X):
        csr = cast("Any", X).tocsr()
        places = csr.indices, csr.indptr
        if places[0].dtype == np.int64 and max(csr.nnz, csr.shape[1]) <= _FEW:
            places = (array.astype(np.int32) for array in places)
        return SparseRows(*map(unlocked, (csr.data, *places)))
    return cast("Matrix", unlocked(X))


class _Unlocked:
    """Says of the memory of an array that it may be written to."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array  # the memory stays as long as this does
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


def unlocked(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array for a compiled loop that only reads it, as one that is not read-only.

    For the compiler read-only arrays are another type, and the loop would be compiled once more.

    Examples
    --------
    >>> table = np.ones((2, 2))
    >>> table.flags.writeable = False
    >>> shown = unlocked(table)
    >>> shown.flags.writeable, np.shares_memory(shown, table)
    (True, True)
    """
    return array if array.flags.writeable else np.asarray(_Unlocked(array))


def locked(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that nobody can write to, whatever flag they set: its memory is of bytes.

    Examples
    --------
    >>> places = locked(np.arange(3))
    >>> places.flags.writeable = True
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    >>> locked(places) is places
    True
    """
    if is_locked(array) or not array.size:
        return array
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


def is_locked(array: NDArray[Any]) -> bool:
    """Return whether the memory of an array can be written to by nobody."""
    base: Any = array.base
    owner = base.base if isinstance(base, np.ndarray) else base
    return isinstance(owner, bytes) and not array.flags.writeable


def count(X: Rows) -> int:
    """Return the number of rows."""
    return len(X.indptr) - 1 if isinstance(X, SparseRows) else len(X)


def dot(X: Rows, t: int, weights: Vector) -> float:
    """Return the inner product of row `t` with `weights`."""
    if isinstance(X, SparseRows):
        row = slice(X.indptr[t], X.indptr[t + 1])
        return float(X.data[row] @ weights[X.indices[row]])
    return float(X[t] @ weights)


def add(X: Rows, t: int, scale: float, weights: Vector) -> None:
    """Add `scale` times row `t` to `weights`, in place."""
    if isinstance(X, SparseRows):
        row = slice(X.indptr[t], X.indptr[t + 1])
        np.add.at(weights, X.indices[row], scale * X.data[row])
    else:
        weights += scale * X[t]


def dot_and_square(X: Rows, t: int, weights: Vector) -> tuple[float, float]:
    """Return the inner product of row `t` with `weights` and its squared norm, reading it once.

    Both are NaN, and nothing is read, where a sparse row, sorted, has an entry beyond the weights.
    """
    return dot(X, t, weights), squared_norm(X, t)


def squared_norm(X: Rows, t: int) -> float:
    """Return the squared Euclidean norm of row `t`."""
    row = X.data[X.indptr[t] : X.indptr[t + 1]] if isinstance(X, SparseRows) else X[t]
    return float(row @ row)


@compiled_as(count)
def _count(X: Any) -> Any:
    def sparse_count(X: Any) -> int:
        return len(X.indptr) - 1

    def dense_count(X: Any) -> int:
        return X.shape[0]

    return sparse_count if isinstance(X, types.BaseNamedTuple) else dense_count


@compiled_as(dot)
def _dot(X: Any, t: Any, weights: Any) -> Any:  # noqa: ARG001
    def sparse_dot(X: Any, t: int, weights: Vector) -> float:
        total = 0.0
        for i in range(np.uint64(X.indptr[t]), np.uint64(X.indptr[t + 1])):
            total += X.data[i] * weights[np.uint64(X.indices[i])]
        return total

    def dense_dot(X: Any, t: int, weights: Vector) -> float:
        total = 0.0
        for j in range(X.shape[1]):
            total += X[t, j] * weights[j]
        return total

    return sparse_dot if isinstance(X, types.BaseNamedTuple) else dense_dot


@compiled_as(add)
def _add(X: Any, t: Any, scale: Any, weights: Any) -> Any:  # noqa: ARG001
    def sparse_add(X: Any, t: int, scale: float, weights: Vector) -> None:
        for i in range(np.uint64(X.indptr[t]), np.uint64(X.indptr[t + 1])):
            weights[np.uint64(X.indices[i])] += scale * X.data[i]

    def dense_add(X: Any, t: int, scale: float, weights: Vector) -> None:
        for j in range(X.shape[1]):
            weights[j] += scale * X[t, j]

    return sparse_add if isinstance(X, types.BaseNamedTuple) else dense_add


@compiled_as(dot_and_square, inline=True)
def _dot_and_square(X: Any, t: Any, weights: Any) -> Any:  # noqa: ARG001
    def sparse_both(X: Any, t: int, weights: Vector) -> tuple[float, float]:
        product, square = 0.0, 0.0
        first, last = np.uint64(X.indptr[t]), np.uint64(X.indptr[t + 1])
        if first < last:
            # Sorted, so the ends tell of all the others.
            low, high = X.indices[first], X.indices[last - np.uint64(1)]
            if low < 0 or high >= len(weights):
                return np.nan, np.nan
        for i in range(first, last):
            product += X.data[i] * weights[np.uint64(X.indices[i])]
            square += X.data[i] * X.data[i]
        return product, square

    def dense_both(X: Any, t: int, weights: Vector) -> tuple[float, float]:
        product, square = 0.0, 0.0
        for j in range(X.shape[1]):
            product += X[t, j] * weights[j]
            square += X[t, j] * X[t, j]
        return product, square

    return sparse_both if isinstance(X, types.BaseNamedTuple) else dense_both


@compiled_as(squared_norm)
def _squared_norm(X: Any, t: Any) -> Any:  # noqa: ARG001
    def sparse_norm(X: Any, t: int) -> float:
        total = 0.0
        for i in range(np.uint64(X.indptr[t]), np.uint64(X.indptr[t + 1])):
            total += X.data[i] * X.data[i]
        return total

    def dense_norm(X: Any, t: int) -> float:
        total = 0.0
        for j in range(X.shape[1]):
            total += X[t, j] * X[t, j]
        return total

    return sparse_norm if isinstance(X, types.BaseNamedTuple) else dense_norm


@jit
def is_finite(row: Matrix) -> bool:
    """Say whether the only row of a matrix has neither NaN nor infinity: 5 times NumPy's speed."""
    for j in range(row.shape[1]):  # noqa: SIM110 - what compiles is the loop
        if not np.isfinite(row[0, j]):
            return False
    return True


@jit
def is_short(row: Matrix) -> bool:
    """Say whether the only row of a matrix is finite and no longer than rows learnt from may be."""
    return squared_norm(row, 0) <= LARGEST * LARGEST


@jit
def sum_of_squares(values: Vector) -> float:
    """Return the sum of the squares of some values; not a number if one is not."""
    total = 0.0
    for i in range(len(values)):
        total += values[i] * values[i]
    return total


@jit
def largest_norm(X: Rows) -> float:
    """Return the largest Euclidean norm of a row, 0.0 if there is none."""
    largest = 0.0
    for t in range(count(X)):
        largest = max(largest, squared_norm(X, t))
    return np.sqrt(largest)
