"""Passive-Aggressive learning, Crammer et al. (2006): the least change that repairs the loss."""

import numpy as np


def learn(X, y, variant, aggressiveness=np.inf, insensitivity=None):
    """Return losses, steps and final weights of PA (0), PA-I (1) or PA-II (2).

    With an `insensitivity` it is regression, else classification of the signs `y`.
    """
    w, losses, steps = np.zeros(X.shape[1]), [], []
    for row, target in zip(X, y, strict=True):
        sign = target if insensitivity is None else np.sign(target - w @ row)
        losses.append(loss_of(w, row, target, insensitivity))
        square, step = row @ row, 0.0
        if variant == 2:
            step = losses[-1] / (square + 0.5 / aggressiveness)
        elif square > 0.0:
            step = min(aggressiveness if variant == 1 else np.inf, losses[-1] / square)
        steps.append(step)
        w = w + step * sign * row
    return np.array(losses), np.array(steps), w


def loss_of(w, X, y, insensitivity=None):
    """Return the hinge loss, or the epsilon-insensitive one, of the weights on each row."""
    if insensitivity is None:
        return np.maximum(0.0, 1.0 - y * (X @ w))
    return np.maximum(0.0, np.abs(y - X @ w) - insensitivity)
