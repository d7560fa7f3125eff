"""The Perceptron, word for word: add to the weights every example they get wrong."""

import numpy as np


def learn(X, signs, fit_intercept=True, *, max_passes=1):  # noqa: FBT002
    """Visit the rows in index order, pass after pass, until a clean pass or `max_passes`.

    Returns the score of every visit before learning from it, the weights, the intercept, and the
    index of the row behind every update, in order and with repetitions. A tie is a mistake.
    """
    w, b = np.zeros(X.shape[1]), 0.0
    scores, updated = [], []
    for _ in range(max_passes):
        clean = True
        for i in range(len(X)):
            score = X[i] @ w + b
            scores.append(score)
            if signs[i] * score <= 0.0:
                w = w + signs[i] * X[i]
                b = b + signs[i] * fit_intercept
                updated.append(i)
                clean = False
        if clean:
            break
    return np.array(scores), w, float(b), updated


def compressed_set(X, signs, w, b, updated):
    """Return the examples that caused an update, with those on which the final weights err."""
    return set(updated) | set(np.flatnonzero(signs * (X @ w + b) <= 0.0).tolist())
