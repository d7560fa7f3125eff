"""Bounds from regions of two rates, from a hundred rows to a hundred million."""

import time

from _timing import machine

from surelearn.bounds import regions
from surelearn.bounds._region_orders import linear


def seconds(run, *, repeats=3):
    """Return the shortest processor time; what is remembered is forgotten first."""
    found = []
    for _ in range(repeats):
        linear.cache_clear()
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def two_classes(theorem, n):
    counts = {"false_negatives": n // 100, "n_positive": n // 10}
    others = {"false_positives": n // 25, "n_negative": n - n // 10}
    return theorem(**counts, **others, delta=0.05)


CLAIMS = {
    "difference, 1% against 4%": lambda n: regions.error_difference(
        only_first_wrong=n // 100, only_second_wrong=n // 25, n=n, delta=0.05
    ),
    "difference, 25% against 33%": lambda n: regions.error_difference(
        only_first_wrong=n // 4, only_second_wrong=n // 3, n=n, delta=0.05
    ),
    "cost, 10 to 1": lambda n: regions.cost(
        false_negatives=n // 100,
        false_positives=n // 25,
        n=n,
        cost_false_negative=10.0,
        cost_false_positive=1.0,
        delta=0.05,
    ),
    "balanced accuracy": lambda n: two_classes(regions.balanced_accuracy, n),
    "positive likelihood ratio": lambda n: two_classes(regions.positive_likelihood_ratio, n),
    "Matthews' correlation": lambda n: two_classes(regions.matthews_correlation, n),
    "three strata": lambda n: regions.strata(
        errors=[n // 100] * 3, sizes=[n // 3] * 3, shares=[0.5, 0.3, 0.2], delta=0.05
    ),
}


def main():
    machine()
    sizes = [10**k for k in (2, 3, 4, 5, 6, 8)]
    print(f"\n{'seconds of the processor at n =':<32}" + "".join(f"{n:>14,}" for n in sizes))
    for name, claim in CLAIMS.items():
        times = [seconds(lambda n=n, claim=claim: claim(n), repeats=2) for n in sizes]
        print(f"  {name:<30}" + "".join(f"{t:14.3f}" for t in times))


if __name__ == "__main__":
    main()
