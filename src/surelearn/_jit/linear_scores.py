"""Labels as signs, and scores of linear rules: which are mistakes, and which class wins."""

import numpy as np

from surelearn._jit import rows
from surelearn._jit._decorator import jit
from surelearn._typing import Indices, Matrix, Vector


@jit
def plus_or_minus(index: Indices, positive: int) -> Vector:
    """Return 1 where the position is that of the positive class, else -1.

    Examples
    --------
    >>> plus_or_minus(np.array([0, 2, 1]), 2)
    array([-1.,  1., -1.])
    """
    signs = np.empty(len(index))
    for t in range(len(index)):
        signs[t] = 1.0 if index[t] == positive else -1.0
    return signs


@jit
def n_mistakes(signs: Vector, scores: Vector) -> int:
    """Return how many scores are 0 or of the wrong sign.

    Examples
    --------
    >>> n_mistakes(np.array([1.0, 1.0, -1.0]), np.array([2.0, 0.0, 3.0]))
    2
    """
    n = 0
    for t in range(len(signs)):
        n += signs[t] * scores[t] <= 0.0  # added, not branched on: mistakes are hard to predict
    return n


@jit
def score(row: Matrix, coef: Vector, bias: Vector) -> float:
    """Return the score of the only row of a matrix; not a number if the row is not finite.

    Examples
    --------
    >>> score(np.array([[1.0, 2.0]]), np.array([3.0, -1.0]), np.array([0.5]))
    1.5
    """
    # NaN sends the caller to the door, which says what is wrong with the row.
    if row.shape[1] != len(coef) or not rows.is_finite(row):
        return np.nan
    return rows.dot(row, 0, coef) + bias[0]


@jit
def winner(row: Matrix, coef: Matrix, bias: Matrix) -> int:
    """Return the place of the highest score of the only row of a matrix; a tie goes to the first.

    `coef` and `bias` have a row for each class. If the row of the matrix is not finite, -1.

    Examples
    --------
    >>> winner(np.array([[1.0, 2.0]]), np.eye(2), np.zeros((2, 1)))
    1
    """
    if row.shape[1] != coef.shape[1] or not rows.is_finite(row):
        return -1
    index, best = 0, rows.dot(row, 0, coef[0]) + bias[0, 0]
    for k in range(1, len(coef)):
        other = rows.dot(row, 0, coef[k]) + bias[k, 0]
        if other > best:  # strictly, so that a tie goes to the first
            index, best = k, other
    return index
