"""One pass of the Perceptron against scikit-learn and River, dense and sparse, over sizes."""

import argparse

import numpy as np
from _timing import best_of, machine, report
from scipy import sparse
from sklearn.linear_model import Perceptron as Peer

from surelearn import Perceptron


def dense(n, d, rng):
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) > 0, 1, 0)


def thin(n, d, per_row, rng):
    indices = rng.integers(0, d, size=(n, per_row), dtype=np.int32)
    data = rng.normal(size=n * per_row)
    starts = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_array((data, indices.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    return X, np.where(X @ rng.normal(size=d) > 0, 1, 0)


def one_pass(X, y):
    model = Perceptron()
    model.learn(X, y)


def compare(title, X, y):
    n = X.shape[0]
    times = {
        "surelearn learn (one pass)": best_of(lambda: one_pass(X, y)),
        "surelearn fit(max_iter=1), with certificates": best_of(
            lambda: Perceptron(max_iter=1).fit(X, y)
        ),
        "scikit-learn Perceptron(max_iter=1)": best_of(
            lambda: Peer(max_iter=1, tol=None).fit(X, y)
        ),
    }
    report(title, times, ours="surelearn learn (one pass)")
    print(f"   {n / times['surelearn learn (one pass)']:.3g} rows per second on one core")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    scale = 10 if parser.parse_args().quick else 1
    rng = np.random.default_rng(0)
    machine("scikit-learn")
    compare("dense, 10^6 x 20", *dense(10**6 // scale, 20, rng))
    compare("sparse, 200,000 x 50,000, 40 per row", *thin(200_000 // scale, 50_000, 40, rng))
    for n in (10**5 // scale, 2 * 10**5 // scale, 4 * 10**5 // scale, 8 * 10**5 // scale):
        X, y = dense(n, 20, rng)
        seconds = best_of(lambda X=X, y=y: one_pass(X, y))
        print(f"   n = {n:>7}: {seconds / n * 1e9:6.1f} ns per row")


if __name__ == "__main__":
    main()
