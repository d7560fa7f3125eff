"""The step of a leaf that minimises the loss's second-order expansion."""

import numpy as np

from surelearn._jit import borrowing
from surelearn._typing import Vector
from surelearn.learners.ensembles._histogram.histogram import Rows

_LEAST = 1e-300  # a hessian below it says nothing


@borrowing
def newton_step(
    rows: Rows, first: int, last: int, gradients: Vector, hessians: Vector, l2: float
) -> float:
    """Return -G / (H + l2), summed in the order of the rows."""
    gradient, hessian = 0.0, l2
    for i in range(first, last):
        row = np.uint64(rows[i])  # unsigned: never counted from the end
        gradient += gradients[row]
        hessian += hessians[row]
    return -gradient / hessian if hessian > _LEAST else 0.0
