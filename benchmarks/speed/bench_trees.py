"""CART against scikit-learn: fully grown, depth 10, other criteria, growth over n, memory."""

import argparse
import pathlib
import time

import numpy as np
from _timing import best_of, machine, report
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surelearn.learners.trees._binary import growth
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.learners.trees.cart_regressor import CARTRegressor


def noisy(n, d, seed=0, *, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X @ np.random.default_rng(1).normal(size=d) + 2.0 * rng.normal(size=n)
    edges = np.quantile(score, np.arange(1, classes) / classes)
    return X, np.digitize(score, edges), score


def compare(title, ours, theirs, X, y, test):
    times = {
        "surelearn": best_of(lambda: ours.fit(X, y), repeats=3),
        "scikit-learn": best_of(lambda: theirs.fit(X, y), repeats=2),
    }
    report(title, times, ours="surelearn")
    for name, model in (("surelearn", ours), ("scikit-learn", theirs)):
        train, held_out = model.score(X, y), model.score(*test)
        print(f"   {name:<14} score: training {train:.4f}, test {held_out:.4f}")
    rows = test[0]
    times = {
        "surelearn": best_of(lambda: ours.predict(rows)),
        "scikit-learn": best_of(lambda: theirs.predict(rows)),
    }
    report(f"   prediction of {len(rows):,} rows", times, ours="surelearn")


def growth_over_sizes(sizes):
    print("\nfully grown, 20 features: time over n log2 n, in ns per feature")
    for n in sizes:
        X, y, _ = noisy(n, 20)
        seconds = best_of(lambda X=X, y=y: CARTClassifier().fit(X, y), repeats=2)
        print(f"   n = {n:>8,}: {seconds:8.3f} s, {seconds / (20 * n * np.log2(n)) * 1e9:6.3f} ns")


def status(field):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def memory(n, d):
    """Report the peak of resident memory above a table in single precision."""
    room, growth._LEAST_ROOM = growth._LEAST_ROOM, 1000  # noqa: SLF001 - load all code before
    X, y, _ = noisy(20_000, d)
    CARTClassifier(max_depth=4).fit(X.astype(np.float32), y)
    growth._LEAST_ROOM = room  # noqa: SLF001
    X, y = np.empty((n, d), dtype=np.float32), np.empty(n, dtype=np.int64)
    for block in np.array_split(np.arange(n), 50):
        X[block], y[block], _ = noisy(len(block), d, seed=int(block[0]))
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # forget earlier peaks
    before, start = status("VmRSS"), time.perf_counter()
    model = CARTClassifier(max_depth=8).fit(X, y)
    seconds, extra = time.perf_counter() - start, status("VmHWM") - before
    print(f"\ndepth 8 from {n:,} x {d} float32, {X.nbytes / 1e6:.0f} MB: {model.n_nodes_} nodes")
    print(
        f"   {seconds:.2f} s, peak {extra / 1e6:.0f} MB above the table: "
        f"{1 + extra / X.nbytes:.2f} times its own memory"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    scale = 10 if parser.parse_args().quick else 1
    machine("scikit-learn")
    memory(10**6 // scale, 50)
    X, y, score = noisy(100_000 // scale, 20)
    new, labels, scores = noisy(100_000 // scale, 20, seed=7)
    for depth in (None, 10):
        compare(
            f"gini, {len(X):,} x 20, max_depth={depth}",
            CARTClassifier(max_depth=depth),
            DecisionTreeClassifier(max_depth=depth, random_state=0),
            X,
            y,
            (new, labels),
        )
    compare(
        f"entropy, {len(X):,} x 20, fully grown",
        CARTClassifier(criterion="entropy"),
        DecisionTreeClassifier(criterion="entropy", random_state=0),
        X,
        y,
        (new, labels),
    )
    small = len(X) // 5
    _, tenths, _ = noisy(len(X), 20, classes=10)
    _, new_tenths, _ = noisy(len(X), 20, seed=7, classes=10)
    compare(
        f"gini, ten classes, {len(X):,} x 20, fully grown",
        CARTClassifier(),
        DecisionTreeClassifier(random_state=0),
        X,
        tenths,
        (new, new_tenths),
    )
    for criterion, n in (("squared_error", len(X)), ("absolute_error", small)):
        compare(
            f"{criterion}, {n:,} x 20, depth 10",
            CARTRegressor(criterion=criterion, max_depth=10),
            DecisionTreeRegressor(criterion=criterion, max_depth=10, random_state=0),
            X[:n],
            score[:n],
            (new, scores),
        )
    growth_over_sizes([n // scale for n in (12_500, 25_000, 50_000, 100_000, 200_000, 400_000)])


if __name__ == "__main__":
    main()
