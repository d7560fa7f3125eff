"""Winnow, Littlestone (1988): multiply or divide the weights of the variables that are 1."""

from fractions import Fraction

import numpy as np


def learn(X, labels, promotion=2, threshold=None):
    """Return the prediction of every row and the final exponents; the weights are exact."""
    factor = Fraction(promotion)
    threshold = Fraction(X.shape[1] if threshold is None else threshold)
    exponents, predictions = np.zeros(X.shape[1], dtype=int), []
    for row, label in zip(X, labels, strict=True):
        on = np.flatnonzero(row)
        values, counts = np.unique(exponents[on], return_counts=True)
        total = sum(int(c) * factor ** int(v) for v, c in zip(values, counts, strict=True))
        predictions.append(int(total >= threshold))
        exponents[on] += int(label) - predictions[-1]
    return np.array(predictions), exponents


def attribute_errors(X, labels, relevant, rounds):
    """Count how many attributes of these rounds must change for the disjunction to be right."""
    hits = X[rounds][:, relevant].sum(axis=1)
    return int(np.where(labels[rounds] == 1, hits == 0, hits).sum())
