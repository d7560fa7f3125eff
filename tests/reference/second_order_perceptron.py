"""The second-order Perceptron, Cesa-Bianchi, Conconi and Gentile (2005)."""

import numpy as np


def learn(X, signs, regularization):
    """Return the scores, the rows of the mistakes and their leverages after the update."""
    matrix, v = regularization * np.eye(X.shape[1]), np.zeros(X.shape[1])
    scores, updated, leverages = [], [], []
    for t, (row, sign) in enumerate(zip(X, signs, strict=True)):
        direction = np.linalg.solve(matrix + np.outer(row, row), row)
        scores.append(v @ direction)
        if sign * scores[-1] <= 0.0:
            matrix, v = matrix + np.outer(row, row), v + sign * row
            updated.append(t)
            leverages.append(row @ direction)
    return np.array(scores), updated, np.array(leverages)
