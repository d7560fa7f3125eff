"""How often gates let a model pass that misses its target: methods in use, and exact ones.

Each line is a world whose truth is known, and one-sided lower bounds at a nominal 5%. The lines of
rates are exact sums over all counts; those of F1 and of the AUC are simulated, with the same draws
for each method. A method whose share is above 5% proves less than it says.
"""

import argparse
from functools import cache

import numpy as np
from scipy import special, stats

from surelearn.bounds import ranking, rates

DELTA = 0.05
Z = stats.norm.isf(DELTA)


def wald(k, n):
    """Return the lower bound of the normal approximation."""
    p = k / n
    return p - Z * np.sqrt(p * (1 - p) / n)


def wilson(k, n):
    """Return the lower end of Wilson's score interval."""
    p, z2 = k / n, Z * Z
    spread = Z * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return (p + z2 / (2 * n) - spread) / (1 + z2 / n)


def agresti_coull(k, n):
    """Return the lower bound of Agresti and Coull."""
    m = n + Z * Z
    p = (k + Z * Z / 2) / m
    return p - Z * np.sqrt(p * (1 - p) / m)


def bootstrap(k, n):
    """Return the percentile of infinitely many bootstrap samples: that of a binomial."""
    return stats.binom.ppf(DELTA, n, k / n) / n


def exact(k, n):
    """Return the bound of surelearn."""
    return np.array([rates.accuracy(correct=int(one), n=n, delta=DELTA).bound for one in k])


METHODS = {
    "Wald": wald,
    "Wilson": wilson,
    "Agresti-Coull": agresti_coull,
    "percentile bootstrap": bootstrap,
    "surelearn": exact,
}


def false_rate(method, n, p):
    """Return how often the lower bound of a rate p lies above it, summed over all counts."""
    k = np.arange(n + 1)
    bound = METHODS[method](k, n)
    return float(stats.binom.pmf(k, n, p)[bound > p + 1e-12].sum())


def gate_passes(method, n, target):
    """Return how often a gate "at least target" passes a model that is a hair below it."""
    k = np.arange(n + 1)
    return float(stats.binom.pmf(k, n, target)[METHODS[method](k, n) >= target].sum())


@cache
def exact_f1(hits, alarms, missed):
    """Return the bound of surelearn on F1."""
    counts = {"true_positives": hits, "false_positives": alarms, "false_negatives": missed}
    return rates.f1(**counts, delta=DELTA).bound


def f1_gates(n, prevalence, sensitivity, specificity, n_draws, seed=0):
    """Return how often the bootstrap and surelearn state an F1 above the true one."""
    rng = np.random.default_rng(seed)
    cells = [prevalence * sensitivity, prevalence * (1 - sensitivity),
             (1 - prevalence) * (1 - specificity), (1 - prevalence) * specificity]  # fmt: skip
    truth = 2 * cells[0] / (2 * cells[0] + cells[1] + cells[2])
    missed = {"percentile bootstrap": 0, "surelearn": 0}
    for hits, lost, alarms, rest in rng.multinomial(n, cells, size=n_draws):
        if hits + lost + alarms == 0:
            continue
        again = rng.multinomial(n, np.array([hits, lost, alarms, rest]) / n, size=1000)
        total = 2 * again[:, 0] + again[:, 1] + again[:, 2]
        scores = 2 * again[:, 0] / np.maximum(total, 1)
        missed["percentile bootstrap"] += np.quantile(scores, DELTA) > truth
        missed["surelearn"] += exact_f1(int(hits), int(alarms), int(lost)) > truth
    return truth, {name: count / n_draws for name, count in missed.items()}


def delong(positive, negative):
    """Return the lower bound by DeLong's variance."""
    wins = (positive[:, None] > negative).astype(float)
    mine, theirs = wins.mean(axis=1), wins.mean(axis=0)
    spread = mine.var(ddof=1) / len(positive) + theirs.var(ddof=1) / len(negative)
    return wins.mean() - Z * np.sqrt(spread)


def auc_gates(n_positive, n_negative, area, n_draws, seed=0):
    """Return how often DeLong and surelearn state an area above the true one."""
    rng = np.random.default_rng(seed)
    shift = np.sqrt(2.0) * special.ndtri(area)
    missed = {"DeLong": 0, "surelearn": 0}
    for _ in range(n_draws):
        positive, negative = rng.normal(shift, size=n_positive), rng.normal(size=n_negative)
        missed["DeLong"] += delong(positive, negative) > area
        found = ranking.auc(positive=positive, negative=negative, delta=DELTA)
        missed["surelearn"] += found.bound > area
    return {name: count / n_draws for name, count in missed.items()}


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    n_draws = parser.parse_args().draws
    print("| world | method | stated falsely, nominal 5% |\n|---|---|---|")
    for method in METHODS:
        share = gate_passes(method, 25, 0.9)
        print(f"| gate: accuracy at least 90%, 25 rows | {method} | {share:.1%} |")
    for n, p in ((25, 0.99), (100, 0.99)):
        for method in METHODS:
            print(f"| a rate of {p:.0%}, {n} rows | {method} | {false_rate(method, n, p):.1%} |")
    for n, world in ((100, (0.05, 0.9, 0.99)), (50, (0.1, 0.9, 0.98))):
        truth, missed = f1_gates(n, *world, n_draws)
        for method, share in missed.items():
            print(
                f"| F1 of {truth:.2f}, {n} rows, {world[0]:.0%} positive | {method} | {share:.1%} |"
            )
    for n_positive, n_negative, area in ((100, 100, 0.9), (30, 300, 0.9), (20, 20, 0.95)):
        missed = auc_gates(n_positive, n_negative, area, n_draws)
        for method, share in missed.items():
            world = f"AUC of {area}, {n_positive} positive and {n_negative} negative rows"
            print(f"| {world} | {method} | {share:.1%} |")


if __name__ == "__main__":
    main()
