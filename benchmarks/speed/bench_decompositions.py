"""Principal components and matrix completion against peers, the bare product and dense passes."""

import sys

import numpy as np
from _timing import best_of, machine, report
from scipy.linalg.blas import dsyrk
from sklearn import decomposition

from surelearn import AlternatingLeastSquares, MatrixCompletion, PrincipalComponents
from surelearn.learners.decompositions._completion import KnownEntries, known_entries

QUICK = "--quick" in sys.argv
N, D = (20_000, 50) if QUICK else (200_000, 200)


def intel():
    try:
        from sklearnex.decomposition import PCA  # noqa: PLC0415
    except ImportError:
        print("scikit-learn-intelex is not installed: left out")
        return {}
    return {"scikit-learn-intelex PCA": lambda: PCA(n_components=10).fit(X)}


rng = np.random.default_rng(0)
X = rng.normal(size=(N, D)) * np.geomspace(1.0, 0.1, D)

machine("scikit-learn")
contenders = {
    "surelearn PrincipalComponents": lambda: PrincipalComponents(n_components=10).fit(X),
    "scikit-learn PCA": lambda: decomposition.PCA(n_components=10).fit(X),
    "bare symmetric product (the limit)": lambda: dsyrk(1.0, X.T, lower=1),
    **intel(),
}
times = {name: best_of(run, repeats=7) for name, run in contenders.items()}
report(f"ten principal components, {N:,} x {D}", times, ours="surelearn PrincipalComponents")


def ratings(m, n, rank, share, seed=1):
    rng = np.random.default_rng(seed)
    full = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    return np.where(rng.random((m, n)) < share, full, np.nan)


def one_pass(table, rank):
    known = KnownEntries(known_entries(MatrixCompletion(rank=rank), table, reset=True))
    guess = known.start("global-mean")
    known.fill(guess)
    guess = known.decompose(rank, 0)

    def run():
        known.fill(guess)
        known.decompose(rank, 0)

    return run


def dense_pass(table, rank):
    filled = np.nan_to_num(table)

    def run():
        left, values, right = np.linalg.svd(filled, full_matrices=False)
        return (left[:, :rank] * values[:rank]) @ right[:rank]

    return run


m, n, rank = (1_000, 400, 5) if QUICK else (5_000, 2_000, 10)
table = ratings(m, n, rank, 0.05)
passes = {
    "surelearn, one pass": best_of(one_pass(table, rank), repeats=3),
    "dense singular value decomposition": best_of(dense_pass(table, rank), repeats=1),
}
report(f"completion, {m:,} x {n:,}, rank {rank}, 5% known", passes, ours="surelearn, one pass")
growth = {
    f"{share:.1%} known": best_of(one_pass(ratings(m, n, rank, share), rank), repeats=3)
    for share in (0.05, 0.1, 0.2)
}
report("one pass over the share of entries known", growth, ours="5.0% known")
model = MatrixCompletion(rank=rank, tolerance=1e-6).fit(table)
print(f"whole completion: {model.n_iter_} passes, residual {model.residual_:.2e}")
solver = AlternatingLeastSquares(rank=rank, tolerance=1e-4, regularization=0.1)
seconds = best_of(lambda: solver.fit(table), repeats=1)
print(f"{solver}: {seconds:.2f} s, {solver.n_iter_} sweeps, residual {solver.residual_:.2e}")
