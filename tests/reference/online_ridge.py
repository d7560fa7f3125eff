"""Online least squares: the forecaster of Vovk, Azoury and Warmuth (2001), and plain ridge."""

from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    predictions: np.ndarray
    leverages: np.ndarray  # q = x' A^-1 x, with x already in A
    log_determinant: float
    loss: float
    best: float  # min over u of regularization |u|^2 + square loss of u

    @property
    def excess(self):
        return self.loss - self.best


def online_ridge(X, y, regularization, *, forecaster=True, clip=np.inf):
    """Predict y one by one; the forecaster puts the current x into A before it predicts."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    A, b = regularization * np.eye(X.shape[1]), np.zeros(X.shape[1])
    predictions, leverages = [], []
    for x, target in zip(X, y, strict=True):
        before, A = A, A + np.outer(x, x)
        prediction = x @ np.linalg.solve(A if forecaster else before, b)
        predictions.append(np.clip(prediction, -clip, clip))
        leverages.append(x @ np.linalg.solve(A, x))
        b = b + target * x
    predictions = np.array(predictions)
    best = y @ y - b @ np.linalg.solve(A, b)
    volume = np.linalg.slogdet(A / regularization)[1]
    loss = ((y - predictions) ** 2).sum()
    return Run(predictions, np.array(leverages), float(volume), float(loss), float(best))
