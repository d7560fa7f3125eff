"""Claims at all thresholds: levels, a ROC band, areas and calibration errors, growing with rows."""

import time

import numpy as np
from _timing import machine

from surelearn.bounds import _band_levels, bands, calibration, ranking, sharing


def cpu(function):
    """Return the processor time of one call, with no level remembered."""
    _band_levels.band_level.cache_clear()
    start = time.process_time()
    function()
    return time.process_time() - start


def roc_band(positive, scores):
    """Return the lower curve of a ROC band at every row: bounds on both rates, joint at 0.05."""
    order = np.argsort(-scores)
    hits, false = np.cumsum(positive[order]), np.cumsum(~positive[order])
    half, n_positive = sharing.sidak(0.05, 2), int(positive.sum())
    low = bands.lower(hits, n_positive, half)
    return low, bands.upper(false, len(positive) - n_positive, half)


def main():
    machine()
    rng = np.random.default_rng(0)
    print("      rows     level  ROC band       AUC      bins      cuts   CPU seconds")
    for n in (10**3, 10**4, 10**5, 10**6):
        stated = rng.random(n)
        positive = rng.random(n) < stated
        given = {"stated": stated, "outcomes": positive, "delta": 0.05}
        edges = np.arange(1, 10) / 10
        parts = {"positive": stated[positive], "negative": stated[~positive], "delta": 0.05}
        times = [
            cpu(lambda n=n: bands.level(n=n, delta=0.05)),
            cpu(lambda p=positive, s=stated: roc_band(p, s)),
            cpu(lambda parts=parts: ranking.auc(**parts)),
            cpu(lambda given=given, edges=edges: calibration.binned_error(**given, edges=edges)),
            cpu(lambda given=given: calibration.cumulative_error(**given)),
        ]
        print(f"{n:>10,} " + " ".join(f"{seconds:9.3f}" for seconds in times))


if __name__ == "__main__":
    main()
