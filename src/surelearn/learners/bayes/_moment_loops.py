"""Weights, means and squared deviations by class, and Gaussian log-densities; NaN adds nothing.

`columns` are the places of the columns of numbers; sums have a row for each class.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector


@jit
def deviations(
    X: NDArray[Any],
    labels: Indices,
    weights: Vector,
    columns: Indices,
    centre: Matrix,
    sums: NDArray[np.float64],
) -> None:
    """Add the weight, the deviation from `centre` and its square to `sums[0]`, `[1]` and `[2]`."""
    for t in range(X.shape[0]):
        c, w = labels[t], weights[t]
        for i in range(len(columns)):
            x = X[t, columns[i]]
            if x == x:  # noqa: PLR0124 - NaN is what differs from itself
                gap = x - centre[c, i]  # small numbers: their squares lose no digits
                sums[0, c, i] += w
                sums[1, c, i] += w * gap
                sums[2, c, i] += w * gap * gap


@jit
def add_log_densities(
    X: NDArray[Any],
    columns: Indices,
    means: Matrix,
    halves: Matrix,
    constants: Matrix,
    sums: Matrix,
) -> None:
    """Add constant - half (x - mean)^2 of each column, for every class; `sums` changes."""
    for t in range(X.shape[0]):
        for c in range(means.shape[0]):
            total = 0.0
            for i in range(len(columns)):
                x = X[t, columns[i]]
                if x == x:  # noqa: PLR0124 - NaN is what differs from itself
                    gap = x - means[c, i]
                    total += constants[c, i] - halves[c, i] * gap * gap
            sums[t, c] += total
