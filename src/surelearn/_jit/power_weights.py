"""Weights that are powers: where a bit of a row is on, a base to the power of its exponent."""

from typing import Any

import numpy as np
from numba import types

from surelearn._jit._decorator import compiled_as
from surelearn._jit.rows import Rows, SparseRows
from surelearn._typing import Vector


def weigh(X: Rows, t: int, base: float, exponents: Vector, weights: Vector) -> None:
    """Set the weight of every bit that is on in row `t` to `base` to the power of its exponent.

    Examples
    --------
    >>> weights = np.ones(3)
    >>> weigh(np.array([[1.0, 0.0, 1.0]]), 0, 2.0, np.array([3.0, 1.0, -1.0]), weights)
    >>> weights
    array([8. , 1. , 0.5])
    """
    sparse = isinstance(X, SparseRows)
    for j in X.indices[X.indptr[t] : X.indptr[t + 1]] if sparse else np.flatnonzero(X[t]):
        weights[j] = base ** exponents[j]


@compiled_as(weigh)
def _weigh(X: Any, t: Any, base: Any, exponents: Any, weights: Any) -> Any:  # noqa: ARG001
    def sparse_weigh(X: Any, t: int, base: float, exponents: Vector, weights: Vector) -> None:
        for i in range(X.indptr[t], X.indptr[t + 1]):
            j = X.indices[i]
            weights[j] = base ** exponents[j]

    def dense_weigh(X: Any, t: int, base: float, exponents: Vector, weights: Vector) -> None:
        for j in range(X.shape[1]):
            if X[t, j] == 1.0:
                weights[j] = base ** exponents[j]

    return sparse_weigh if isinstance(X, types.BaseNamedTuple) else dense_weigh
