"""C4.5 on mixed tables with missing cells: adult, and synthetic ones of growing size.

The peer is scikit-learn's tree on one-hot columns, which does not branch by category. Weka's J48 is
another process: `benchmarks/science/c45_against_j48.py` prints the time of both.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import best_of, machine, report
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from surelearn import C45Classifier


def synthetic(n, rng):
    """Return ten numeric and five categorical columns, one cell in fifty missing, noisy labels."""
    X = pd.DataFrame(rng.normal(size=(n, 10)), columns=[f"x{j}" for j in range(10)])
    for j in range(5):
        X[f"c{j}"] = rng.choice(list("abcdefgh"), size=n)
    score = X["x0"] + X["x1"] * (X["c0"] < "d") + rng.normal(size=n)
    return X.mask(rng.random(X.shape) < 0.02), np.where(score > 0, "yes", "no")


def adult(folder):
    """Return the census table and its labels."""
    X = pd.read_csv(folder / "adult.csv", na_values="?", skipinitialspace=True)
    return X, X.pop("income").to_numpy()


def one_hot_tree():
    """Return scikit-learn's nearest equivalent."""
    words = make_column_selector(dtype_exclude="number")
    encoder = (OneHotEncoder(handle_unknown="ignore"), words)
    columns = make_column_transformer(encoder, remainder="passthrough", sparse_threshold=0.0)
    return make_pipeline(columns, DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2))


def compare(title, X, y, *, repeats):
    """Print the time to grow and prune a tree, and those of the peers."""
    model = C45Classifier()
    times = {
        "surelearn C45Classifier fit": best_of(lambda: model.fit(X, y), repeats=repeats),
        "surelearn, unpruned": best_of(
            lambda: C45Classifier(confidence=None).fit(X, y), repeats=repeats
        ),
        "scikit-learn tree on one-hot columns, unpruned": best_of(
            lambda: one_hot_tree().fit(X, y), repeats=repeats
        ),
    }
    report(title, times, ours="surelearn C45Classifier fit")
    seconds = best_of(lambda: model.predict(X), repeats=repeats)
    print(f"   {model.n_nodes_} nodes; predict {seconds:.4f} s, error {1 - model.score(X, y):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--folder", type=Path, help="where adult.csv is")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    machine("scikit-learn", "pandas")
    if given.folder is not None:
        compare("adult, 32,561 x 14", *adult(given.folder), repeats=2 if given.quick else 5)
    for n in (2_000, 4_000, 8_000) if given.quick else (25_000, 50_000, 100_000, 200_000):
        X, y = synthetic(n, rng)
        seconds = best_of(lambda X=X, y=y: C45Classifier().fit(X, y), repeats=2)
        print(
            f"   n = {n:>7}: {seconds:8.3f} s, {seconds / n / np.log2(n) * 1e9:6.1f} ns / n log2 n"
        )


if __name__ == "__main__":
    main()
