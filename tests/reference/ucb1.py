"""UCB1 (Auer, Cesa-Bianchi and Fischer, 2002), for rewards; the last axis is the arms."""

import numpy as np


def choose(totals, pulls, t):
    """Return the arm of largest mean + sqrt(2 ln t / pulls) at round t; unplayed arms first."""
    safe = np.maximum(pulls, 1)
    index = totals / safe + np.sqrt(2.0 * np.log(t) / safe)
    return np.argmax(np.where(pulls == 0, np.inf, index), axis=-1)
