"""KL-UCB (Garivier and Cappé, 2011), for rewards; the last axis is the arms."""

import numpy as np
from scipy import special


def choose(totals, pulls, budget):
    """Return the arm of largest q with pulls * kl(mean, q) <= budget; unplayed arms first."""
    safe = np.maximum(pulls, 1)
    mean = totals / safe
    low, high = mean, np.ones_like(mean)
    for _ in range(40):
        q = (low + high) / 2.0
        inside = safe * (special.rel_entr(mean, q) + special.rel_entr(1 - mean, 1 - q)) <= budget
        low, high = np.where(inside, q, low), np.where(inside, high, q)
    return np.argmax(np.where(pulls == 0, np.inf, low), axis=-1)
