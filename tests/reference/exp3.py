"""EXP3 (Auer, Cesa-Bianchi, Freund and Schapire, 2002), for losses; the last axis is the arms."""

import numpy as np


def probabilities(estimated_losses, learning_rate):
    """Return weights proportional to exp(-learning_rate * total estimated loss)."""
    least = estimated_losses.min(axis=-1, keepdims=True)
    weights = np.exp(-learning_rate * (estimated_losses - least))
    return weights / weights.sum(axis=-1, keepdims=True)


def estimate(losses, played, chances):
    """Return the loss of the arm played divided by its probability, 0 for the other arms."""
    return np.divide(losses, chances, out=np.zeros_like(chances), where=played)
