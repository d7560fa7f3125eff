"""The support vector machine without intercept by dual coordinate ascent (Hsieh et al., 2008)."""

import numpy as np


def fit(X, y, C, *, epochs=200):
    """Return weights and duality gaps of |w|^2 / 2 + C sum(hinge), for many samples at once.

    X is (samples, rows, features) and y (samples, rows) in {-1, 1}.
    """
    alpha, w = np.zeros(y.shape), np.zeros((len(X), X.shape[2]))
    squares = (X**2).sum(axis=2)
    for _ in range(epochs):
        for i in range(X.shape[1]):
            slack = 1.0 - y[:, i] * (w * X[:, i]).sum(axis=1)
            new = np.clip(alpha[:, i] + slack / squares[:, i], 0.0, C)
            w += ((new - alpha[:, i]) * y[:, i])[:, None] * X[:, i]
            alpha[:, i] = new
    gap = (w**2).sum(axis=1) + C * hinge(X, y, w).sum(axis=1) - alpha.sum(axis=1)
    return w, np.maximum(gap, 0.0)


def hinge(X, y, w):
    """Return the hinge loss of every row of every sample."""
    return np.maximum(0.0, 1.0 - y * np.einsum("snd,sd->sn", X, w))
