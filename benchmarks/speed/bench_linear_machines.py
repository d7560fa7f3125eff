"""Linear support vector machines against scikit-learn's LinearSVC, at the same duality gap.

LinearSVC says nothing of its gap: its tolerance is lowered until its primal value is as near our
dual one as asked for, or its iterations end. No intercept on either side.
"""

import sys
import time
import warnings

import numpy as np
from _timing import machine
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from surelearn.optimizers.linear_machines import solve_linear_classification

QUICK = "--quick" in sys.argv
GAP = 1e-3


def dense(n, d=50, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0.0, 1.0, -1.0)
    y[rng.random(n) < 0.05] *= -1.0
    return X, y


def thin(n, d, per_row=60, seed=0):
    rng = np.random.default_rng(seed)
    columns = np.minimum((d * rng.random((n, per_row)) ** 2.5).astype(np.int32), d - 1)
    starts = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    cells = np.abs(rng.normal(size=n * per_row))
    X = sparse.csr_array((cells, columns.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data /= np.repeat(norms, np.diff(X.indptr))
    scores = X @ rng.normal(size=d)
    y = np.where(scores + 0.3 * scores.std() * rng.normal(size=n) > 0.0, 1.0, -1.0)
    y[rng.random(n) < 0.02] *= -1.0
    return X, y


def timed(run):
    wall, cpu = time.perf_counter(), time.process_time()
    found = run()
    return found, time.perf_counter() - wall, time.process_time() - cpu


def liblinear(X, y, C, dual):
    """Return the first fit that is near enough, with its times."""
    for tol in (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3):
        limit = 300 if QUICK else 1000
        model = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=tol, max_iter=limit)
        found, wall, cpu = timed(lambda model=model: model.fit(X, y))
        w = found.coef_[0]
        value = 0.5 * w @ w + C * np.maximum(0.0, 1.0 - y * (X @ w)).sum()
        excess = (value - dual) / value
        if excess <= GAP or found.n_iter_ >= limit:
            break
    return wall, cpu, excess


def compare(title, X, y, costs):
    print(f"\n{title}: seconds wall / CPU; gap of ours, excess of LinearSVC over our dual value")
    for C in costs:
        weights = np.full(len(y), C)
        runs = [
            timed(
                lambda weights=weights: solve_linear_classification(
                    X, y, costs=weights, intercept="none", tolerance=GAP, max_iter=5000
                )
            )
            for _ in range(3)
        ]
        found, wall, cpu = min(runs[1:], key=lambda run: run[2])
        others = liblinear(X, y, C, found.dual)
        print(
            f"   C = {C:<6} {wall:7.3f} / {cpu:7.3f}  {found.gap / found.primal:.1e}   LinearSVC "
            f"{others[0]:7.3f} / {others[1]:7.3f}  {others[2]:.1e}   "
            f"{others[0] / wall:6.2f} x wall, {others[1] / cpu:6.2f} x CPU"
        )


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    machine("scikit-learn")
    scale = 10 if QUICK else 1
    compare("dense, 100,000 x 50", *dense(100_000 // scale), (0.001, 0.01, 0.1, 1.0, 10.0, 100.0))
    rows = thin(200_000 // scale, 50_000 // scale)
    compare("sparse, 200,000 x 50,000", *rows, (0.001, 0.1, 1.0, 10.0, 100.0))
    if not QUICK:
        X, y = dense(10**6, 20)
        found, wall, cpu = timed(
            lambda: solve_linear_classification(X, y, costs=np.ones(len(y)), tolerance=GAP)
        )
        gap = found.gap / found.primal
        print(f"\n10^6 x 20, free intercept: {wall:.2f} s wall, {cpu:.2f} s CPU, gap {gap:.1e}")


if __name__ == "__main__":
    main()
