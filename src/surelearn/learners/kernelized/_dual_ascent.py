"""The dual of the support vector machine without intercept, raised one variable at a time.

    maximise Σα − ½ ΣΣ α_i α_j y_i y_j K(x_i, x_j)   while  0 ≤ α ≤ limit

Any value of it is a bound from below on the least value of the primal.
"""

import numpy as np

from surelearn._jit import jit
from surelearn._typing import Matrix, Vector

_ASCENTS, _STEEP = 50, 1e-3  # passes over the variables at most, and when they end


def improved_dual_value(gram: Matrix, signs: Vector, alpha: Vector, limit: float) -> float:
    """Return the dual's value at a point that is no worse than α; rows of sign 0 are left out.

    Examples
    --------
    >>> improved_dual_value(np.eye(2), np.array([1.0, -1.0]), np.zeros(2), 5.0)
    1.0
    """
    own = np.flatnonzero(signs)
    gram, signs, alpha = gram[np.ix_(own, own)], signs[own], alpha[own]
    scores = gram @ (alpha * signs)
    for _ in range(_ASCENTS):
        if _ascend(gram, signs, limit, alpha, scores) < _STEEP:
            break
    return float(alpha.sum() - 0.5 * (alpha * signs) @ (gram @ (alpha * signs)))


@jit
def _ascend(gram: Matrix, signs: Vector, limit: float, alpha: Vector, scores: Vector) -> float:
    """Raise the dual objective in each coordinate in turn; return the largest slope that was left.

    `scores` are those of Σ α_s y_s K(x_s, ·), and change with α.
    """
    largest = 0.0
    for i in range(len(alpha)):
        slope = 1.0 - signs[i] * scores[i]
        room = limit - alpha[i] if slope > 0.0 else alpha[i]
        size = min(room, abs(slope) / gram[i, i]) if gram[i, i] > 0.0 else room
        if size > 0.0:
            step = size if slope > 0.0 else -size
            alpha[i] += step
            largest = max(largest, abs(slope))
            for s in range(len(alpha)):
                scores[s] += step * signs[i] * gram[i, s]
    return largest
