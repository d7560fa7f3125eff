"""Monitors, alarms and online conformal over long streams: time per row, and how it grows."""

import argparse

import numpy as np
from _timing import best_of, machine, report

from surelearn import DriftAlarm, OnlineConformal, RateMonitor, RiskMonitor
from surelearn.bounds import finite_population, ratios


class Zero:
    """A model that costs nothing."""

    def predict(self, X):
        """Return zeros."""
        return np.zeros(len(X))


def streams(n, rng):
    losses = rng.random(n) < 0.05
    X, y = np.zeros((n, 1)), rng.normal(size=n)
    times = {
        "RiskMonitor.update": best_of(lambda: RiskMonitor().update(losses), repeats=3),
        "RateMonitor.update": best_of(
            lambda: RateMonitor().update(losses.astype(int), losses.astype(int)), repeats=3
        ),
        "DriftAlarm.update": best_of(lambda: DriftAlarm(tolerated=0.05).update(losses), repeats=3),
        "OnlineConformal.learn": best_of(lambda: OnlineConformal(Zero()).learn(X, y), repeats=3),
    }
    report(f"{n} rows at once", times, ours="DriftAlarm.update")


def bounds(n, rng):
    values, sizes = rng.random(n), rng.integers(1, 20, n)
    wrong = rng.binomial(sizes, 0.1)
    pairs, counts = np.unique(np.column_stack([wrong, sizes]), axis=0, return_counts=True)
    times = {
        "ratios.rows_in_clusters": best_of(
            lambda: ratios.rows_in_clusters(
                errors=pairs[:, 0], sizes=pairs[:, 1], counts=counts, largest=20, delta=0.05
            ),
            repeats=3,
        ),
        "finite_population.wrong_rows": best_of(
            lambda: finite_population.wrong_rows(errors=n // 100, n=n, n_table=20 * n, delta=0.05),
            repeats=3,
        ),
        "finite_population.mean_without_replacement": best_of(
            lambda: finite_population.mean_without_replacement(
                values=values, n_table=20 * n, delta=0.05
            ),
            repeats=3,
        ),
    }
    report(f"bounds from {n} rows", times, ours="ratios.rows_in_clusters")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    machine()
    for rows in parser.parse_args().rows:
        streams(rows, np.random.default_rng(0))
        bounds(rows, np.random.default_rng(0))
