"""Streams and comparators on which sure mistake bounds are tried."""

import numpy as np

from surelearn.datasets import adversaries


def streams(seed, n_rows=40):
    """Yield rows and signs: tight ones, separable, noisy, heavy-tailed, repeated, with a zero."""
    rng = np.random.default_rng(seed)
    yield adversaries.orthonormal_stream(9, radius=float(rng.uniform(0.5, 3.0)))
    yield adversaries.alternating_labels(20)
    for n_features in (1, 3, 8):
        X = rng.normal(size=(n_rows, n_features))
        signs = np.where(X @ rng.normal(size=n_features) > 0.0, 1.0, -1.0)
        yield X, signs
        yield X, signs * np.where(rng.random(n_rows) < 0.15, -1.0, 1.0)
        yield rng.standard_t(2, size=X.shape), rng.choice([-1.0, 1.0], n_rows)
        yield np.repeat(X[:8], 5, axis=0), np.repeat(signs[:8], 5)
        yield X * np.append(0.0, np.ones(n_rows - 1))[:, np.newaxis], signs


def spiteful(scores_of, X):
    """Return the signs that make every score of a learner a mistake; `scores_of(X, signs)`."""
    signs = np.ones(len(X))
    for t in range(len(X)):
        signs[t] = -1.0 if scores_of(X[: t + 1], signs[: t + 1])[t] > 0.0 else 1.0
    return signs


def comparators(X, signs, seed):
    """Yield weights worth comparing with: 0, least squares, the mean of signed rows, random."""
    rng = np.random.default_rng(seed)
    yield np.zeros(X.shape[1])
    base = [np.linalg.pinv(X) @ signs, signs @ X / len(X), rng.normal(size=X.shape[1])]
    for scale in (0.3, 1.0, 3.0, 10.0):
        for u in base:
            yield scale * u


def hinge(u, X, signs):
    """Return the hinge loss of the comparator on each row."""
    return np.maximum(0.0, 1.0 - signs * (X @ u))


def within(observed, guarantee):
    """Whether a sure bound holds, up to rounding: several of them are attained."""
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))
