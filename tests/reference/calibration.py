"""Calibration errors from their definition: every choice of signs and every cut."""

import itertools

import numpy as np

STAKES = np.geomspace(0.003, 0.97, 12)


def betting_root(x, delta):
    """Return the mean at which the average wealth of twelve stakes is 1/delta, by bisection."""
    low, high = 0.0, 1.0 - 1e-9
    for _ in range(50):
        m = (low + high) / 2.0
        wealth = np.mean([np.prod(1.0 + s * (m - x) / (1.0 - m)) for s in STAKES])
        low, high = (m, high) if wealth < 1.0 / delta else (low, m)
    return high


def binned_error_by_signs(stated, outcomes, places, n_bins, delta):
    """Return the largest bound over all signs of the bins: what the worst case licenses."""
    gaps, found = np.asarray(outcomes) - np.asarray(stated), []
    for signs in itertools.product((1.0, -1.0), repeat=n_bins):
        x = (1.0 + np.array(signs)[places] * gaps) / 2.0
        found.append(2.0 * betting_root(x, delta) - 1.0)
    return max(found)


def cumulative_error_by_cuts(stated, outcomes, delta):
    """Return the largest bound over all cuts and both signs."""
    stated, gaps, found = np.asarray(stated), np.asarray(outcomes) - np.asarray(stated), []
    for cut in [-1.0, *np.unique(stated)]:
        for sign in (1.0, -1.0):
            x = (1.0 + sign * gaps * (stated <= cut)) / 2.0
            found.append(2.0 * betting_root(x, delta) - 1.0)
    return max(found)
