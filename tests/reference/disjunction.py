"""Disjunctions by elimination, Valiant (1984): cross out what was 1 in a negative row."""

import numpy as np


def learn(X, labels):
    """Return the prediction of every row and the mask of the variables not crossed out."""
    kept, predictions = np.ones(X.shape[1], dtype=bool), []
    for row, label in zip(X, labels, strict=True):
        predictions.append(int(row[kept].any()))
        if predictions[-1] == 1 and label == 0:
            kept = kept & (row == 0)
    return np.array(predictions), kept


def with_negations(X):
    """Return each variable beside its negation."""
    return np.hstack([X, 1 - X])
