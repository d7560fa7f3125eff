"""Tsallis-INF (Zimmert and Seldin, 2021) with importance weighting; the last axis is the arms."""

import numpy as np


def probabilities(estimated_losses, learning_rate):
    """Minimise <w, L> - (2 / learning_rate) sum of sqrt(w_i) over the simplex, by bisection."""
    least = estimated_losses.min(axis=-1, keepdims=True)
    n_arms = estimated_losses.shape[-1]
    low = least - np.sqrt(n_arms) / learning_rate
    high = least - 1.0 / learning_rate
    for _ in range(60):
        middle = (low + high) / 2.0
        total = np.sum((learning_rate * (estimated_losses - middle)) ** -2.0, -1, keepdims=True)
        low, high = np.where(total < 1.0, middle, low), np.where(total < 1.0, high, middle)
    weights = (learning_rate * (estimated_losses - low)) ** -2.0
    return weights / weights.sum(axis=-1, keepdims=True)
