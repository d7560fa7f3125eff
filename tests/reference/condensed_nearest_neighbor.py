"""Hart's condensed nearest neighbour, word for word: store what the store gets wrong."""

import numpy as np


def predict(store_X, store_y, X):
    """Return for each row the label of the nearest stored row, the earliest stored if tied."""
    squared = ((X[:, None, :] - store_X[None, :, :]) ** 2).sum(axis=2)
    return store_y[np.argmin(squared, axis=1)]


def learn(X, y, *, max_passes=10):
    """Return the indices stored, in order: the first row, then every row the store gets wrong.

    Rows are visited in index order, pass after pass, until a pass adds nothing or `max_passes`;
    stored rows are not visited again.
    """
    store = [0]
    for _ in range(max_passes):
        before = len(store)
        for i in range(len(X)):
            if i not in store and predict(X[store], y[store], X[i : i + 1])[0] != y[i]:
                store.append(i)
        if len(store) == before:
            break
    return store


def compressed_set(X, y, store):
    """Return the stored rows, with those on which the final store errs."""
    return set(store) | set(np.flatnonzero(predict(X[store], y[store], X) != y).tolist())
