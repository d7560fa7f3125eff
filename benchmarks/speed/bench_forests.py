"""Random forests against scikit-learn-intelex and scikit-learn: fit, prediction, growth, memory.

scikit-learn-intelex takes part if it is installed. Contenders take turns in one process; on a
machine that others use, processor time over all threads says more than wall time, so both are told.
"""

import argparse
import pathlib
import sys
import time

import numpy as np
import pandas as pd
from _timing import machine
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.ensemble import RandomForestRegressor as TheirRegressor
from sklearn.tree import DecisionTreeClassifier

from surelearn import CARTClassifier, RandomForestClassifier, RandomForestRegressor

try:
    from sklearnex.ensemble import RandomForestClassifier as IntelForest
except ImportError:
    IntelForest = None


def noisy(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    w = np.random.default_rng(1).normal(size=d)
    score = X @ w + 2.0 * np.sin(2.0 * X[:, 0]) * X[:, 1] + rng.normal(size=n)
    return X, (score > 0.0).astype(int)


def adult(path):
    """Return the census table with words as codes; None without the file."""
    file = pathlib.Path(path) / "adult.csv"
    if not file.exists():
        return None
    frame = pd.read_csv(file)
    y = frame.pop(frame.columns[-1]).astype("category").cat.codes.to_numpy()
    coded = frame.apply(
        lambda c: c if c.dtype.kind in "if" else c.astype("category").cat.codes.astype(float)
    )
    return coded.to_numpy(dtype=float), y


def turns(contenders, repeats):
    """Return the least wall and processor seconds of each contender; they take turns."""
    found = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            wall, cpu = time.perf_counter(), time.process_time()
            run()
            found[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return {
        name: (min(w for w, _ in all_), min(c for _, c in all_)) for name, all_ in found.items()
    }


def tell(title, times):
    print(f"\n{title}")
    wall, cpu = times["surelearn"]
    for name, (w, c) in times.items():
        print(
            f"   {name:<14} wall {w:7.3f} s ({w / wall:5.2f} x), CPU {c:7.3f} s ({c / cpu:5.2f} x)"
        )


def forests(n_trees):
    made = {"surelearn": RandomForestClassifier(n_trees, n_jobs=2, random_state=0)}
    if IntelForest is not None:
        made["intelex"] = IntelForest(n_trees, n_jobs=2, random_state=0)
    made["scikit-learn"] = TheirForest(n_trees, n_jobs=2, random_state=0)
    return made


def fit_and_predict(title, X, y, new, n_trees=100, repeats=3):
    made = forests(n_trees)
    slow = made.pop("scikit-learn") if len(X) > 20_000 else None
    tell(
        f"{title}: fit of {n_trees} trees, {X.shape[0]:,} x {X.shape[1]}",
        turns({name: lambda m=m: m.fit(X, y) for name, m in made.items()}, repeats)
        | ({} if slow is None else turns({"scikit-learn": lambda: slow.fit(X, y)}, 1)),
    )
    if slow is not None:
        made["scikit-learn"] = slow
    tell(
        f"   prediction of {len(new[0]):,} rows",
        turns({name: lambda m=m: m.predict(new[0]) for name, m in made.items()}, repeats),
    )
    scores = {name: round(float(m.score(*new)), 4) for name, m in made.items()}
    print(f"   accuracy {scores}")


def accuracy_over_splits(title, X, y, n_splits=5, n_trees=100):
    print(f"\n{title}: accuracy over {n_splits} splits, mean and standard deviation")
    found = {}
    for seed in range(n_splits):
        test = np.random.default_rng(seed).random(len(X)) < 0.3
        for name, model in forests(n_trees).items():
            model.fit(X[~test], y[~test])
            found.setdefault(name, []).append(model.score(X[test], y[test]))
    for name, scores in found.items():
        print(f"   {name:<14} {np.mean(scores):.4f} +- {np.std(scores):.4f}")


def growth(sizes, d=20, n_trees=20):
    print(f"\n{n_trees} trees, {d} columns: processor time over n log2 n")
    for n in sizes:
        X, y = noisy(n, d)
        model = RandomForestClassifier(n_trees, n_jobs=2)
        _, cpu = turns({"surelearn": lambda m=model, X=X, y=y: m.fit(X, y)}, 2)["surelearn"]
        print(f"   n = {n:>9,}: {cpu:8.3f} s, {cpu / (n_trees * n * np.log2(n)) * 1e9:6.2f} ns")


def memory(n, d, n_trees=2):
    """Report the peak of resident memory above a table in single precision."""
    X, y = noisy(20_000, d)
    RandomForestClassifier(2, max_depth=8).fit(X.astype(np.float32), y)
    X, y = np.empty((n, d), dtype=np.float32), np.empty(n, dtype=np.int64)
    for block in np.array_split(np.arange(n), 50):
        X[block], y[block] = noisy(len(block), d, seed=int(block[0]))
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    before = next(1024 * int(x.split()[1]) for x in lines if x.startswith("VmRSS"))
    RandomForestClassifier(n_trees, n_jobs=2, max_depth=12).fit(X, y)
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    extra = next(1024 * int(x.split()[1]) for x in lines if x.startswith("VmHWM")) - before
    print(f"\n{n_trees} trees of depth 12, {n:,} x {d} float32 of {X.nbytes / 1e6:.0f} MB")
    print(f"   peak {extra / 1e6:.0f} MB above the table, {extra / n / d:.2f} bytes a cell")


def single_tree(n):
    X, y = noisy(n, 20)
    new, _ = noisy(100_000, 20, seed=7)
    for depth in (None, 10):
        ours = CARTClassifier(max_depth=depth).fit(X, y)
        theirs = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
        tell(
            f"a single tree, max_depth={depth}: prediction of 100,000 rows",
            turns(
                {
                    "surelearn": lambda m=ours: m.predict(new),
                    "scikit-learn": lambda m=theirs: m.predict(new),
                },
                7,
            ),
        )


def regression(n):
    X, _ = noisy(n, 20)
    y = X[:, 0] * X[:, 1] + X[:, 2] + np.random.default_rng(3).normal(size=n)
    made = {
        "surelearn": RandomForestRegressor(30, max_features=6, n_jobs=2),
        "scikit-learn": TheirRegressor(30, max_features=6, n_jobs=2, random_state=0),
    }
    half = n // 2
    tell(
        f"regression, 30 trees, {half:,} x 20",
        turns({k: lambda m=m: m.fit(X[:half], y[:half]) for k, m in made.items()}, 1),
    )
    print("   R²", {k: round(float(m.score(X[half:], y[half:])), 4) for k, m in made.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--tables", default="data", help="the folder with adult.csv")
    asked = parser.parse_args()
    scale = 10 if asked.quick else 1
    machine("scikit-learn")
    if IntelForest is None:
        print("scikit-learn-intelex is not installed: it takes no part", file=sys.stderr)
    X, y = noisy(50_000 // scale, 20)
    fit_and_predict("noisy", X, y, noisy(100_000 // scale, 20, seed=7))
    table = adult(asked.tables)
    if table is not None:
        fit_and_predict("adult", *table, table)
        accuracy_over_splits("adult", *table)
    accuracy_over_splits("noisy", X[: 10_000 // scale], y[: 10_000 // scale])
    regression(20_000 // scale)
    single_tree(100_000 // scale)
    growth([n // scale for n in (25_000, 50_000, 100_000, 200_000)])
    memory(10**6 // scale, 50)


if __name__ == "__main__":
    main()
