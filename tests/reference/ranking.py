"""The bound on an area under the ROC curve, one block and one bet after the other."""

import math

import numpy as np


def block_areas(positive, negative, rng):
    """Return the area in each block after one permutation, pair by pair."""
    above, below = list(rng.permutation(positive)), list(rng.permutation(negative))
    blocks = min(len(above), len(below))
    p, q = len(above) // blocks, len(below) // blocks
    areas = []
    for i in range(blocks):
        pairs = [
            1.0 if a > b else 0.5 if a == b else 0.0
            for a in above[i * p : (i + 1) * p]
            for b in below[i * q : (i + 1) * q]
        ]
        areas.append(sum(pairs) / len(pairs))
    return areas


def final_wealth(losses, m, delta):
    """Return what one unit becomes that is bet on losses below m, bet by bet."""
    n, wealth, total, squares = len(losses), 1.0, 0.5, 0.25
    for i, x in enumerate(losses, start=1):
        bet = min(math.sqrt(2.0 * math.log(1.0 / delta) * i / (n * squares)), 0.75 / (1.0 - m))
        wealth *= 1.0 + bet * (m - x)
        total += x
        squares += (x - total / (i + 1)) ** 2
    return wealth


def auc_bound(positive, negative, delta, seed, n_permutations):
    """Return 1 minus the root of the average final wealth, by bisection."""
    rng = np.random.default_rng(seed)
    runs = [
        [1.0 - area for area in block_areas(positive, negative, rng)] for _ in range(n_permutations)
    ]
    low, high = 0.0, 1.0 - 1e-9
    for _ in range(50):
        middle = (low + high) / 2.0
        mean = sum(final_wealth(run, middle, delta) for run in runs) / n_permutations
        low, high = (middle, high) if mean < 1.0 / delta else (low, middle)
    return 1.0 - high
