"""Distances between single rows, dense or sparse, summed in the order of the features."""

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from surelearn._jit._decorator import compiled_as, jit
from surelearn._jit.rows import Rows, SparseRows
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.neighbors._search.nearest import offer
from surelearn.learners.neighbors._search.products import kth_smallest


def squared_distance(X: Rows, i: int, Z: Rows, t: int) -> float:
    """Return the squared Euclidean distance of row i of X and row t of Z, of the same form."""
    if isinstance(X, SparseRows) and isinstance(Z, SparseRows):
        return _of_sparse(X, i, Z, t)
    return _of_dense(X, i, Z, t)


@compiled_as(squared_distance)
def _squared_distance(X: Any, *_: Any) -> Any:
    return _of_sparse if isinstance(X, types.BaseNamedTuple) else _of_dense


def _of_dense(X: Any, i: int, Z: Any, t: int) -> float:
    """Sum over all features."""
    total = 0.0
    for f in range(X.shape[1]):
        difference = X[i, f] - Z[t, f]
        total += difference * difference
    return total


def _of_sparse(X: Any, i: int, Z: Any, t: int) -> float:
    """Sum over the features stored in either row."""
    total, a, b = 0.0, X.indptr[i], Z.indptr[t]
    while a < X.indptr[i + 1] or b < Z.indptr[t + 1]:
        left, difference = a < X.indptr[i + 1], 0.0
        # A merge by feature number. `left` stays true if X has the smaller number, or the same.
        if b < Z.indptr[t + 1] and (not left or Z.indices[b] <= X.indices[a]):
            left = left and Z.indices[b] == X.indices[a]
            difference -= Z.data[b]
            b += 1
        if left:
            difference += X.data[a]
            a += 1
        total += difference * difference
    return total


@jit
def visit_rows(
    X: SparseRows,
    queries: SparseRows,
    products: NDArray[np.floating[Any]],
    margins: Vector,
    distances: Matrix,
    points: Indices,
    tied: Indices,
) -> None:
    """Compare each query with the rows whose product lies within a margin of the k-th smallest.

    The three outputs are its list and its ties.
    """
    near, who = np.empty(distances.shape[1]), np.empty(distances.shape[1], dtype=np.int64)
    for t in range(len(products)):
        limit = kth_smallest(products[t], near) + margins[t]
        near[:], who[:], ties = np.inf, -1, 0  # `near` was scratch for the limit until here
        for i in range(products.shape[1]):
            if products[t, i] <= limit:
                ties = offer(squared_distance(X, i, queries, t), i, near, who, ties)
        distances[t], points[t], tied[t] = near, who, ties
