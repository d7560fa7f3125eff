"""Conditional maximum entropy as Berger and the Della Pietras state it, in loops over x and y."""

import numpy as np
from scipy.optimize import brentq


def probabilities(features, weights):
    """P(y|x) proportional to exp(sum of w_i f_i(x, y)); features[i][x][y]."""
    scores = np.tensordot(weights, features, axes=1)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def log_likelihood(counts, features, weights):
    """The mean of ln P(y|x) over what was counted."""
    return float((counts * np.log(probabilities(features, weights))).sum() / counts.sum())


def improved_iterative_scaling(counts, features, n_sweeps):
    """Solve for every delta_i with P frozen, then move all weights; yield them, the start first."""
    joint = counts / counts.sum()
    rows, total = joint.sum(axis=1), features.sum(axis=0)
    weights = np.zeros(len(features))
    yield weights
    for _ in range(n_sweeps):
        P = probabilities(features, weights)
        changes = []
        for f in features:

            def excess(delta, f=f, P=P):
                return (rows[:, None] * P * f * np.exp(delta * total)).sum() - (joint * f).sum()

            changes.append(brentq(excess, -50.0, 50.0, xtol=1e-14))
        weights = weights + changes
        yield weights
