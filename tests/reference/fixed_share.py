"""Fixed share as Herbster and Warmuth (1998) have it, and the best path of experts by Viterbi."""

from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    weights: np.ndarray
    learner: np.ndarray
    gaps: np.ndarray


def fixed_share(losses, rate, switch_rates):
    """Play a table; `switch_rates` is one number or one for each step from a round to the next."""
    losses, (n_rounds, n_experts) = np.asarray(losses, dtype=float), np.shape(losses)
    switch_rates = np.broadcast_to(switch_rates, max(n_rounds - 1, 0))
    weights, gaps = [np.full(n_experts, 1.0 / n_experts)], np.zeros(n_rounds)
    for t in range(n_rounds):
        scaled = weights[t] * np.exp(-rate * (losses[t] - losses[t].min()))
        gaps[t] = weights[t] @ losses[t] - losses[t].min() + np.log(scaled.sum()) / rate
        posterior = scaled / scaled.sum()
        if t < n_rounds - 1:
            share = switch_rates[t]
            weights.append((1 - share) * posterior + share / (n_experts - 1) * (1 - posterior))
    weights = np.array(weights)
    return Run(weights, (weights * losses).sum(axis=1), gaps)


def best_path_losses(losses):
    """Return the least loss of a path with exactly s switches, for s = 0 .. T-1."""
    losses, (n_rounds, n_experts) = np.asarray(losses, dtype=float), np.shape(losses)
    table = np.full((n_rounds, n_experts), np.inf)  # by number of switches and last expert
    table[0] = losses[0]
    for row in losses[1:]:
        others = np.array([np.delete(table, i, axis=1).min(axis=1) for i in range(n_experts)]).T
        moved = np.vstack([np.full(n_experts, np.inf), others[:-1]])
        table = np.minimum(table, moved) + row
    return table.min(axis=1)
