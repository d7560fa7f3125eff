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


def gower(row, other, categorical):
    """Return the mean difference of two rows over the features known in both, 1 if none is.

    Numbers are scaled to [0, 1] by the ranges of the training rows beforehand.
    """
    gaps = []
    for a, b, is_category in zip(row, other, categorical, strict=True):
        if not (np.isnan(a) or np.isnan(b)):
            gaps.append(float(a != b) if is_category else abs(a - b))
    return sum(gaps) / len(gaps) if gaps else 1.0


def distances_to(X, query, metric, categorical=None):
    """Return the distance of each row to the query; squared if Euclidean or cosine."""
    X, query = np.asarray(X, dtype=float), np.asarray(query, dtype=float)
    if metric == "gower":
        return np.array([gower(row, query, categorical) for row in X])
    if metric == "cosine":
        X = X / np.linalg.norm(X, axis=1)[:, None]
        query = query / np.linalg.norm(query)
    gaps = np.abs(X - query)
    if metric == "manhattan":
        return gaps.sum(axis=1)
    if metric == "chebyshev":
        return gaps.max(axis=1)
    return (gaps**2).sum(axis=1)


def voters(distances, k):
    """Return every row at most as far as the k-th nearest: the rule of the lecture notes."""
    return np.flatnonzero(distances <= np.sort(distances)[k - 1])


def vote(labels, training_labels):
    """Return the most frequent label; of those tied the most frequent in training, the smallest."""
    counts = {c: np.sum(labels == c) for c in np.unique(labels)}
    tied = [c for c, count in counts.items() if count == max(counts.values())]
    return min(tied, key=lambda c: (-np.sum(training_labels == c), c))


def predict_with_ties(X, y, queries, k, metric="euclidean", categorical=None):
    """Return the label of each query, every row at the k-th distance voting."""
    y = np.asarray(y)
    found = [voters(distances_to(X, q, metric, categorical), k) for q in queries]
    return np.array([vote(y[rows], y) for rows in found])


def leave_one_out_predictions(X, y, k):
    """Return for each row the label that the rule trained on the others gives it."""
    X, y = np.asarray(X), np.asarray(y)
    others = [np.arange(len(X)) != i for i in range(len(X))]
    return np.array([predict_with_ties(X[m], y[m], [X[i]], k)[0] for i, m in enumerate(others)])
