"""The CV+ interval of Barber et al. (2021), from its definition; one row per fold is jackknife+."""

import math

import numpy as np


def least_squares(X, y):
    """Return the least-squares weights, of least norm if there are several."""
    return np.linalg.lstsq(X, y, rcond=None)[0]


def cv_plus_interval(X, y, x_new, alpha, n_folds):
    """Return the interval for the outcome at x_new; fold k holds the rows k, k + n_folds, ..."""
    n = len(y)
    low, high = np.empty(n), np.empty(n)
    for fold in range(n_folds):
        out = np.arange(n) % n_folds == fold
        weights = least_squares(X[~out], y[~out])
        residuals = np.abs(y[out] - X[out] @ weights)
        low[out], high[out] = x_new @ weights - residuals, x_new @ weights + residuals
    below, above = math.floor(alpha * (n + 1)), math.ceil((1 - alpha) * (n + 1))
    left = np.sort(low)[below - 1] if below >= 1 else -math.inf
    right = np.sort(high)[above - 1] if above <= n else math.inf
    return left, right
