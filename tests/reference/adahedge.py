"""AdaHedge as de Rooij et al. (2014) have it: rate = ln K / sum of the mixability gaps so far."""

from typing import NamedTuple

import numpy as np

from reference.hedge import mix, softmax


class Run(NamedTuple):
    weights: np.ndarray
    learner: np.ndarray
    gap_sums: np.ndarray  # cumulative mixability gaps, 0 before the first round
    rates: np.ndarray
    losses: np.ndarray

    @property
    def regret(self):
        return self.learner.sum() - self.losses.sum(axis=0).min()

    @property
    def variance(self):
        spread = (self.losses - self.learner[:, None]) ** 2
        return float((self.weights * spread).sum())


def adahedge(losses):
    losses = np.asarray(losses, dtype=float)
    return play(lambda t, _: losses[t], *losses.shape)


def play(adversary, n_rounds, n_experts):
    """Play against `adversary(t, weights)`, which sees the weights before it sets the losses."""
    cumulative, gap_sums = np.zeros(n_experts), np.zeros(n_rounds + 1)
    weights, losses, rates = [], [], np.full(n_rounds, np.inf)
    for t in range(n_rounds):
        if gap_sums[t] > 0:
            rates[t] = np.log(n_experts) / gap_sums[t]
        weights.append(_weights(cumulative, rates[t]))
        losses.append(np.asarray(adversary(t, weights[t]), dtype=float))
        shifted = losses[t] - losses[t].min()
        before = _potential(cumulative, rates[t])
        gap = weights[t] @ shifted - (_potential(cumulative + shifted, rates[t]) - before)
        gap_sums[t + 1] = gap_sums[t] + np.clip(gap, 0.0, shifted.max())
        cumulative = cumulative + shifted
        cumulative -= cumulative.min()
    weights, losses = np.array(weights), np.array(losses)
    return Run(weights, (weights * losses).sum(axis=1), gap_sums, rates, losses)


def sleeping(losses, confidences):
    """Run AdaHedge on sleeping experts; return (regrets on awake rounds, run on the losses fed)."""
    losses, confidences = np.asarray(losses, float), np.asarray(confidences, float)
    regrets = np.zeros(losses.shape[1])

    def feed(t, weights):
        awake = weights * confidences[t]
        if awake.sum() == 0.0:
            awake = confidences[t]
        learner = awake @ losses[t] / awake.sum()
        regrets[:] += confidences[t] * (learner - losses[t])
        return confidences[t] * losses[t] + (1 - confidences[t]) * learner

    run = play(feed, *losses.shape)
    return regrets, run


def _weights(cumulative, rate):
    if np.isfinite(rate):
        return softmax(cumulative, rate)
    leaders = cumulative == cumulative.min()
    return leaders / leaders.sum()


def _potential(cumulative, rate):
    return mix(cumulative, rate) if np.isfinite(rate) else cumulative.min()
