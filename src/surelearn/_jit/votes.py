"""Votes of all weight vectors that a Perceptron ever had, found from the rows of its mistakes."""

import numpy as np

from surelearn._jit._decorator import jit
from surelearn._typing import Indices, Matrix, Vector


@jit
def vote(products: Matrix, updates: Indices, survived: Indices, step: float, votes: Vector) -> None:
    """Let all weight vectors vote on each row, given its products with the stored rows.

    Vector k is the one before plus (+j) or minus (-j) stored row j, and has `survived[k]` votes.
    """
    for i in range(len(votes)):
        score = 0.0
        votes[i] = 0.0
        for k in range(len(updates)):
            sign = np.sign(updates[k])
            score += sign * (products[i, abs(updates[k]) - 1] + step)
            votes[i] += survived[k] * np.sign(score)
