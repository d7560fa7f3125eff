"""Thompson sampling (1933) for rewards in {0, 1} with uniform priors; the last axis is the arms."""

import numpy as np


def choose(totals, pulls, rng):
    """Return the arm whose draw from its Beta posterior is largest."""
    return np.argmax(rng.beta(1.0 + totals, 1.0 + pulls - totals), axis=-1)
