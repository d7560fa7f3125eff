"""Losses that hurt: adversaries who see the weights before they set the losses of the round."""

import numpy as np


def hit_the_leader(_t, weights):
    """Give loss 1 to the expert with the largest weight, 0 to the others."""
    return (np.arange(len(weights)) == np.argmax(weights)).astype(float)


def half_mass(_t, weights):
    """Give loss 1 to the heaviest experts that hold half of the weight together."""
    order = np.argsort(-weights, kind="stable")
    losses = np.zeros(len(weights))
    losses[order[: 1 + int(np.searchsorted(np.cumsum(weights[order]), 0.5 - 1e-12))]] = 1.0
    return losses


def rotating(t, weights):
    """Give loss 1 to one expert after the other."""
    return (np.arange(len(weights)) == t % len(weights)).astype(float)


def coins(rng, n_experts, low=0.0, high=1.0):
    """Return an adversary that tosses independent losses, blind to the weights."""
    return lambda _t, _weights: low + (high - low) * rng.integers(0, 2, n_experts)


def uniform(rng, n_experts):
    """Return an adversary that draws the losses uniformly, one expert better than the others."""
    scale = np.append(0.7, np.ones(n_experts - 1))
    return lambda _t, _weights: scale * rng.random(n_experts)


def family(n_experts, seed=0):
    """Return the adversaries on which every sure bound is tried."""
    rng = np.random.default_rng(seed)
    return [
        hit_the_leader,
        half_mass,
        rotating,
        coins(rng, n_experts),
        uniform(rng, n_experts),
    ]
