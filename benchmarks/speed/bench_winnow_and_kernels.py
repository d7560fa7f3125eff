"""Winnow on wide sparse bits, elimination, and the kernel Perceptron, against their peers."""

import argparse

import numpy as np
from _timing import best_of, machine, report
from scipy import sparse
from sklearn.linear_model import Perceptron as Peer

from surelearn.kernels import Gaussian
from surelearn.learners.concepts.conjunction import Conjunction
from surelearn.learners.concepts.disjunction import Disjunction
from surelearn.learners.concepts.k_cnf import KCNF
from surelearn.learners.concepts.k_dnf import KDNF
from surelearn.learners.kernelized.kernel_perceptron import KernelPerceptron
from surelearn.learners.linear.normalized_winnow import NormalizedWinnow
from surelearn.learners.linear.winnow import Winnow


def sparse_bits(n, d, per_row, rng):
    indices = rng.integers(0, d, size=(n, per_row), dtype=np.int32)
    starts = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_array((np.ones(n * per_row), indices.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    X.data[:] = 1.0
    return X, (X[:, : d // 50].sum(axis=1) > 0).astype(int)


def row_by_row(X, signs, gamma):
    """Run the kernel Perceptron as it is written in textbooks, one NumPy product per row."""
    support, coef = np.empty_like(X), np.empty(len(X))
    m = 0
    for x, sign in zip(X, signs, strict=True):
        values = np.exp(-gamma * ((support[:m] - x) ** 2).sum(axis=1))
        if sign * (coef[:m] @ values) <= 0:
            support[m], coef[m], m = x, sign, m + 1


def eliminate(X, y, n_literals):
    """Cross out products of literals as they would be written in NumPy, row by row."""
    both = np.hstack([X, 1.0 - X])
    kept = np.ones((both.shape[1],) * n_literals)
    for row, label in zip(both, y, strict=True):
        terms = row if n_literals == 1 else np.outer(row, row)
        if label == 0 and (kept * terms).any():
            kept[terms > 0.0] = 0.0


def formulas(n, rng):
    """Time learners that cross out literals and terms, on bits and labels of a formula."""
    X = rng.integers(0, 2, size=(n, 50)).astype(float)
    y = (X[:, 0] * X[:, 1]).astype(int)
    for n_literals, learners in ((1, (Disjunction, Conjunction)), (2, (KDNF, KCNF))):
        times = {
            f"surelearn {learner.__name__}, one pass": best_of(lambda m=learner: m().learn(X, y))
            for learner in learners
        }
        ours = next(iter(times))
        times["row by row in NumPy"] = best_of(lambda k=n_literals: eliminate(X, y, k), repeats=1)
        report(f"bits, {n} x 50, parts of {n_literals} literals", times, ours=ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    scale = 10 if parser.parse_args().quick else 1
    rng = np.random.default_rng(0)
    machine("scikit-learn")
    X, y = sparse_bits(200_000 // scale, 50_000, 40, rng)
    times = {
        "surelearn Winnow, one pass": best_of(lambda: Winnow().learn(X, y)),
        "surelearn Winnow fit(max_iter=1), with certificates": best_of(
            lambda: Winnow(max_iter=1).fit(X, y)
        ),
        "scikit-learn Perceptron(max_iter=1)": best_of(
            lambda: Peer(max_iter=1, tol=None).fit(X, y)
        ),
    }
    report("sparse bits, 200,000 x 50,000, 40 per row", times, ours="surelearn Winnow, one pass")
    X = rng.choice([-1.0, 1.0], size=(200_000 // scale, 100))
    seconds = best_of(lambda: NormalizedWinnow().learn(X, X[:, 0]))
    print(f"\nNormalizedWinnow, dense {X.shape}: {len(X) / seconds:.3g} rows per second")
    formulas(20_000 // scale, rng)
    X = rng.normal(size=(10_000 // scale, 20))
    signs = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=len(X)) > 0, 1.0, -1.0)
    kernel = Gaussian(gamma=0.05)
    times = {
        "surelearn KernelPerceptron, one pass": best_of(
            lambda: KernelPerceptron(kernel=kernel).learn(X, signs), repeats=3
        ),
        "surelearn KernelPerceptron fit(max_iter=5)": best_of(
            lambda: KernelPerceptron(kernel=kernel, max_iter=5).fit(X, signs), repeats=1
        ),
        "row by row in NumPy, one pass": best_of(lambda: row_by_row(X, signs, 0.05), repeats=1),
    }
    title = f"Gaussian kernel, {len(X)} x 20, noisy"
    report(title, times, ours="surelearn KernelPerceptron, one pass")


if __name__ == "__main__":
    main()
