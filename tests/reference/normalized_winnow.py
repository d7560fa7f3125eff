"""Normalised Winnow: weights of sum 1, multiplied by exp(rate y x) on mistakes only."""

import math

import numpy as np


def normalised(log_weights):
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def learn(X, signs, rate, prior=None):
    """Return the score of every row before learning from it, and the final weights."""
    log_weights, scores = np.zeros(X.shape[1]) if prior is None else np.log(prior), []
    for row, sign in zip(X, signs, strict=True):
        scores.append(math.fsum(normalised(log_weights) * row))  # so that a tie is exactly 0
        if sign * scores[-1] <= 0.0:
            log_weights = log_weights + rate * sign * row
    return np.array(scores), normalised(log_weights)


def learn_self_tuned(X, signs, radius):
    """Run on (x, -x) with the rate sqrt(ln(2n) / m) / radius before the m-th mistake."""
    doubled = np.hstack([X, -X])
    total, scores, m = np.zeros(doubled.shape[1]), [], 1
    for row, sign in zip(doubled, signs, strict=True):
        rate = np.sqrt(np.log(doubled.shape[1]) / m) / radius
        scores.append(math.fsum(normalised(rate * total) * row))
        if sign * scores[-1] <= 0.0:
            total, m = total + sign * row, m + 1
    return np.array(scores)
