"""k nearest neighbours as in the book: sort by (distance, row number), count the labels of k."""

import numpy as np


def neighbours(X, query, k):
    """Return the rows of the k smallest (distance, row number)."""
    distances = ((np.asarray(X) - np.asarray(query)) ** 2).sum(axis=1)
    return np.argsort(distances, kind="stable")[:k]


def predict(X, y, queries, k):
    """Return 1 for each query with more ones than zeros among its k neighbours."""
    y = np.asarray(y, dtype=int)
    return np.array([int(2 * y[neighbours(X, q, k)].sum() > k) for q in queries])


def leave_one_out_errors(X, y, k):
    """Return how many rows are misclassified by the rule trained on all the others."""
    X, y = np.asarray(X), np.asarray(y, dtype=int)
    others = [np.arange(len(X)) != i for i in range(len(X))]
    return sum(int(predict(X[m], y[m], [X[i]], k)[0] != y[i]) for i, m in enumerate(others))
