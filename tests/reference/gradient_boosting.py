"""Gradient boosting of stumps by the book: residuals, the best cut, a line search."""

import itertools

import numpy as np


def stump(x, target):
    """Return the cut whose two means fit the target best; the first of equals."""
    values = np.unique(x)
    best = None
    for low, high in itertools.pairwise(values):
        left = x <= (low + high) / 2.0
        error = sum(((target[s] - target[s].mean()) ** 2).sum() for s in (left, ~left))
        if best is None or error < best[0] - 1e-9:
            best = (error, (low + high) / 2.0)
    return best[1]


def boost(x, y, *, n_rounds, rate, start, gradient, step):
    """Return the scores after each round; `step` is the line search in a leaf."""
    scores, stages = np.full(len(y), start), []
    for _ in range(n_rounds):
        left = x <= stump(x, -gradient(y, scores))
        moved = scores.copy()
        for side in (left, ~left):
            moved[side] += rate * step(y[side], scores[side])
        scores = moved
        stages.append(scores)
    return stages
