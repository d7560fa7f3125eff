"""Ridge and least squares against scikit-learn, its Intel extension and the bare product."""

import sys

import numpy as np
from _timing import best_of_each, machine, report
from scipy import sparse
from scipy.linalg.blas import dsyrk
from sklearn import linear_model

from surelearn import LinearRegression, RidgeRegression

QUICK = "--quick" in sys.argv
N, D = (20_000, 50) if QUICK else (200_000, 200)


def intel():
    try:
        from sklearnex.linear_model import Ridge  # noqa: PLC0415
    except ImportError:
        print("scikit-learn-intelex is not installed: left out")
        return {}
    return {"scikit-learn-intelex Ridge": lambda: Ridge().fit(X, y)}


def sparse_table(n, d, per_row=40, seed=1):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, d, size=n * per_row)
    shape, starts = (n, d), np.arange(0, n * per_row + 1, per_row)
    return sparse.csr_array((rng.normal(size=n * per_row), columns, starts), shape=shape)


rng = np.random.default_rng(0)
X = rng.normal(size=(N, D))
y = X @ rng.normal(size=D) + rng.normal(size=N)

machine("scikit-learn")
contenders = {
    "surelearn RidgeRegression": lambda: RidgeRegression().fit(X, y),
    "scikit-learn Ridge": lambda: linear_model.Ridge().fit(X, y),
    "bare symmetric product (the limit)": lambda: dsyrk(1.0, X.T, lower=1),
    **intel(),
}
times = best_of_each(contenders, repeats=9)
report(f"ridge, {N:,} x {D}", times, ours="surelearn RidgeRegression")

contenders = {
    "surelearn LinearRegression": lambda: LinearRegression().fit(X, y),
    "scikit-learn LinearRegression": lambda: linear_model.LinearRegression().fit(X, y),
}
times = best_of_each(contenders, repeats=3)
report(f"least squares, {N:,} x {D}", times, ours="surelearn LinearRegression")

table = sparse_table(N, 5_000 if QUICK else 50_000)
contenders = {
    "surelearn RidgeRegression": lambda: RidgeRegression(tolerance=1e-6).fit(table, y),
    "scikit-learn Ridge(sparse_cg)": lambda: linear_model.Ridge(solver="sparse_cg", tol=1e-6).fit(
        table, y
    ),
}
times = best_of_each(contenders, repeats=3)
report(f"ridge, sparse {table.shape}", times, ours="surelearn RidgeRegression")
