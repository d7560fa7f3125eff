"""Hedge, Freund and Schapire (1997): weights proportional to exp(-rate x cumulative loss)."""

from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    weights: np.ndarray  # one row per round, held before its losses were seen
    learner: np.ndarray  # weighted loss of the learner, per round
    gaps: np.ndarray  # weighted loss minus mix loss, per round
    losses: np.ndarray

    @property
    def regret(self):
        return self.learner.sum() - self.losses.sum(axis=0).min()


def mix(cumulative, rate):
    """Return -(1/rate) ln mean exp(-rate x cumulative), the potential of a uniform prior."""
    least = cumulative.min()
    return least - np.log(np.mean(np.exp(-rate * (cumulative - least)))) / rate


def softmax(cumulative, rate):
    weights = np.exp(-rate * (cumulative - cumulative.min()))
    return weights / weights.sum()


def hedge(losses, rates):
    """Play a table of losses; `rates` is one number, or one per round that never increases."""
    losses = np.asarray(losses, dtype=float)
    return play(lambda t, _: losses[t], *losses.shape, rates)


def play(adversary, n_rounds, n_experts, rates):
    """Play against `adversary(t, weights)`, which sees the weights before it sets the losses."""
    rates = np.broadcast_to(rates, n_rounds)
    cumulative, weights, losses = np.zeros(n_experts), [], []
    gaps = np.zeros(n_rounds)
    for t in range(n_rounds):
        weights.append(softmax(cumulative, rates[t]))
        losses.append(np.asarray(adversary(t, weights[-1]), dtype=float))
        before = mix(cumulative, rates[t])
        cumulative = cumulative + losses[-1]
        gaps[t] = weights[-1] @ losses[-1] - (mix(cumulative, rates[t]) - before)
    weights, losses = np.array(weights), np.array(losses)
    return Run(weights, (weights * losses).sum(axis=1), gaps, losses)


def hedge_doubling(losses):
    """Restart at rounds 1, 2, 4, ..., each epoch with the rate tuned to its own length."""
    losses = np.asarray(losses, dtype=float)
    parts, start, length = [], 0, 1
    while start < len(losses):
        rate = np.sqrt(8.0 * np.log(losses.shape[1]) / length)
        parts.append(hedge(losses[start : start + length], rate))
        start, length = start + length, 2 * length
    return Run(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def delayed_hedge(losses, delays, rates):
    """Play a table whose round s is heard of from round s + delays[s] + 1 on.

    The gaps are those against the mix loss of the undelayed cumulative losses.
    """
    losses, (n_rounds, n_experts) = np.asarray(losses, dtype=float), np.shape(losses)
    rates, arrival = np.broadcast_to(rates, n_rounds), np.arange(n_rounds) + np.asarray(delays)
    weights, gaps, total = [], np.zeros(n_rounds), np.zeros(n_experts)
    for t in range(n_rounds):
        heard = losses[:t][arrival[:t] < t].sum(axis=0)
        weights.append(softmax(heard, rates[t]))
        before = mix(total, rates[t])
        total = total + losses[t]
        gaps[t] = weights[t] @ losses[t] - (mix(total, rates[t]) - before)
    weights = np.array(weights)
    return Run(weights, (weights * losses).sum(axis=1), gaps, losses)


def outstanding(delays):
    """Return how much feedback is outstanding before each round."""
    arrival = np.arange(len(delays)) + np.asarray(delays)
    return np.array([int(np.sum(arrival[:t] >= t)) for t in range(len(delays))])


def worst_case(n_rounds, rates):
    """Return the largest regret of Hedge on two experts over corner losses, by dynamic programming.

    The state is the difference of the cumulative losses; equal losses of both never hurt.
    """
    rates = np.broadcast_to(rates, n_rounds)
    difference = np.arange(-n_rounds, n_rounds + 1)
    # min(L1, L2) = (sum - |L1 - L2|) / 2 and every round adds 1 to the sum of the losses.
    value = (np.abs(difference) - n_rounds) / 2.0
    for t in reversed(range(n_rounds)):
        first = 1.0 / (1.0 + np.exp(np.clip(rates[t] * difference, -700, 700)))
        up, down = np.append(value[1:], -np.inf), np.append(-np.inf, value[:-1])
        value = np.maximum(first + up, (1.0 - first) + down)
    return value[n_rounds]
