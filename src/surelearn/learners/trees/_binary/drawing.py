"""Columns drawn at a node, for trees that look at a few of them only."""

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing
from surelearn._typing import Indices

RandomState = NDArray[np.uint64]
"""One word, from which random numbers follow."""


@borrowing
def next_random(state: RandomState) -> np.uint64:
    """Return 64 random bits (splitmix64, Steele, Lea and Flood 2014); the state moves on."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@borrowing
def draw_feature(features: Indices, n_drawn: int, state: RandomState) -> int:
    """Draw one of the columns behind the first `n_drawn`, and put it at their end."""
    n_left = np.uint64(len(features) - n_drawn)
    place = n_drawn + np.int64(((next_random(state) >> np.uint64(32)) * n_left) >> np.uint64(32))
    feature = features[place]
    features[place] = features[n_drawn]
    features[n_drawn] = feature
    return feature
