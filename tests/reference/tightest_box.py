"""The tightest axis-aligned box around the positive examples, Blumer et al. (1989)."""

import numpy as np


def tightest_box(X, y):
    """Return the lower and upper corner; of no positive examples, a box that contains nothing."""
    positives = np.asarray(X)[np.asarray(y, dtype=bool)]
    if len(positives) == 0:
        return np.full(np.shape(X)[1], np.inf), np.full(np.shape(X)[1], -np.inf)
    return positives.min(axis=0), positives.max(axis=0)
