"""AdaBoost with stumps against scikit-learn's: fit, prediction, growth over the rows.

Run `python benchmarks/speed/bench_adaboost.py`; `--quick` takes a few seconds. Contenders take
turns in one process; CPU time is printed beside wall time, since other programs take cores.
Scikit-learn's stumps are chosen by the Gini index, ours by the weighted error.
"""

import argparse
import time

import numpy as np
from _timing import machine
from sklearn.ensemble import AdaBoostClassifier as PeerAdaBoost
from sklearn.tree import DecisionTreeClassifier

from surelearn import AdaBoostClassifier

ROUNDS = 100


def draw(n, d=20, seed=0):
    """Return rows with two classes that take many stumps."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6] + rng.normal(size=n) > 0.0).astype(int)


def measure(work):
    """Return the wall time and the processor time of a piece of work."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def contest(title, contenders, repeats):
    """Let contenders take turns; print the least times and the ratios to the first."""
    best = dict.fromkeys(contenders, (np.inf, np.inf))
    for _ in range(repeats):
        for name, work in contenders.items():
            best[name] = tuple(map(min, best[name], measure(work)))
    first = next(iter(best.values()))
    for name, (wall, cpu) in best.items():
        ratio = f"{wall / first[0]:6.1f} x wall, {cpu / first[1]:6.1f} x CPU"
        print(f"{title}: {name:14} {wall:8.4f} s wall {cpu:8.4f} s CPU {ratio}")


def main():
    """Run the contests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    quick = parser.parse_args().quick
    machine("scikit-learn")
    n_rows = 2_000 if quick else 20_000
    X, y = draw(n_rows)
    fresh, fresh_y = draw(20_000, seed=1)
    ours = AdaBoostClassifier(n_estimators=ROUNDS)
    started = time.perf_counter()
    ours.fit(X[:1000], y[:1000])
    print(f"first fit, compilation or its cache included: {time.perf_counter() - started:.2f} s")
    peer = PeerAdaBoost(DecisionTreeClassifier(max_depth=1), n_estimators=ROUNDS)
    fits = {"surelearn": lambda: ours.fit(X, y), "scikit-learn": lambda: peer.fit(X, y)}
    contest(f"fit, {ROUNDS} stumps, {n_rows} x 20", fits, 3)
    predictions = {
        "surelearn": lambda: ours.predict(fresh),
        "scikit-learn": lambda: peer.predict(fresh),
    }
    contest("predict 20,000 rows", predictions, 5)
    for name, model in (("surelearn", ours), ("scikit-learn", peer)):
        error = np.mean(model.predict(fresh) != fresh_y)
        print(f"{name}: test error {error:.4f}")
    for n in (1_000, 2_000, 4_000) if quick else (10_000, 20_000, 40_000, 80_000, 160_000):
        X, y = draw(n)
        wall, cpu = min(measure(lambda: ours.fit(X, y)) for _ in range(2))  # noqa: B023
        print(f"{n:7} rows: {wall:.3f} s wall {cpu:.3f} s CPU, {1e9 * cpu / n / 20:.0f} ns a cell")


if __name__ == "__main__":
    main()
