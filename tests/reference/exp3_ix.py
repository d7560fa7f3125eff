"""EXP3-IX (Neu, 2015): EXP3 whose estimates are biased downward by implicit exploration."""

import numpy as np

from reference.exp3 import probabilities

__all__ = ["estimate", "probabilities"]


def estimate(losses, played, chances, exploration):
    """Return loss / (probability + exploration) for the arm played, 0 for the other arms."""
    return np.where(played, losses / (chances + exploration), 0.0)
