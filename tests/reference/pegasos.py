"""Pegasos (Shalev-Shwartz et al., 2011): stochastic subgradients of the regularised hinge loss."""

import numpy as np


def objective(w, X, signs, regularization):
    """Return mean hinge loss plus regularization / 2 times the squared norm."""
    hinge = np.maximum(0.0, 1.0 - signs * (X @ w))
    return hinge.mean() + regularization / 2.0 * (w @ w)


def pegasos(X, signs, regularization, draws):
    """Return w_1 .. w_{T+1}, with w_1 = 0 and learning rate 1 / (lambda t)."""
    return _descend(X, signs, regularization, draws, lambda t: 1.0 / t)


def pegasos_weighted(X, signs, regularization, draws):
    """Return w_1 .. w_{T+1} at learning rate 2 / (lambda (t + 1))."""
    return _descend(X, signs, regularization, draws, lambda t: 2.0 / (t + 1))


def _descend(X, signs, regularization, draws, shrink):
    points = np.zeros((len(draws) + 1, X.shape[1]))
    for t, i in enumerate(draws, start=1):
        w = points[t - 1]
        points[t] = (1.0 - shrink(t)) * w
        if signs[i] * (w @ X[i]) < 1.0:
            points[t] += shrink(t) / regularization * signs[i] * X[i]
    return points


def mini_batches(X, signs, regularization, size, *, project):
    """Return w_1 .. w_{T+1} of batches in order; the last rows wait if they are too few."""
    points = [np.zeros(X.shape[1])]
    for t, first in enumerate(range(0, len(X) - size + 1, size), start=1):
        w, batch = points[-1], slice(first, first + size)
        missed = signs[batch] * (X[batch] @ w) < 1.0
        pull = (signs[batch] * missed) @ X[batch] / size
        new = (1.0 - 1.0 / t) * w + pull / (regularization * t)
        length = np.linalg.norm(new) * np.sqrt(regularization)
        points.append(new / length if project and length > 1.0 else new)
    return np.array(points)
