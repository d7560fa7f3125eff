"""Squint with a discrete prior on learning rates, as in Koolen and van Erven (2015)."""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp


class Run(NamedTuple):
    weights: np.ndarray
    learner: np.ndarray
    regrets: np.ndarray  # R, one per expert
    variances: np.ndarray  # V, sums of the squared regrets of the rounds
    log_potential: float


def squint(losses, prior, rates, rate_weights):
    losses = np.asarray(losses, dtype=float)
    return play(lambda t, _: losses[t], len(losses), prior, rates, rate_weights)


def play(adversary, n_rounds, prior, rates, rate_weights, confidences=None):
    """Play against `adversary(t, weights)`; with confidences, experts sleep and dream."""
    prior, rates, rate_weights = (np.asarray(a, float) for a in (prior, rates, rate_weights))
    regrets, variances, weights, learner = np.zeros(len(prior)), np.zeros(len(prior)), [], []
    for t in range(n_rounds):
        exponents = np.outer(regrets, rates) - np.outer(variances, rates**2)
        logs = np.log(prior) + logsumexp(exponents, axis=1, b=rate_weights * rates)
        played = np.exp(logs - logs.max())
        played /= played.sum()
        losses = np.asarray(adversary(t, played), dtype=float)
        awake = np.ones(len(prior)) if confidences is None else np.asarray(confidences[t])
        shares = played * awake / (played @ awake)
        instant = awake * (shares @ losses - losses)
        regrets, variances = regrets + instant, variances + instant**2
        weights.append(played)
        learner.append(shares @ losses)
    exponents = np.outer(regrets, rates) - np.outer(variances, rates**2)
    potential = logsumexp(exponents, b=np.outer(prior, rate_weights))
    return Run(np.array(weights), np.array(learner), regrets, variances, float(potential))
