"""Logistic regression against scikit-learn's solvers and scikit-learn-intelex, to one accuracy.

Every model is fitted to the accuracy asked for; the norm of the mean objective's gradient that each
reached is printed beside its time, because solvers mean different things by their tolerance.
"""

import argparse
import warnings
from importlib.util import find_spec

import numpy as np
from _timing import best_of, machine, report
from scipy import sparse, special
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer

from surelearn.learners.linear._softmax.objective import SoftmaxObjective
from surelearn.learners.linear.logistic_regression import LogisticRegression

OURS = "surelearn LogisticRegression"
SHAPES = (  # rows, features, the largest scale of a feature; the smallest is 1
    (100_000, 100, 1.0),
    (100_000, 100, 10.0),
    (20_000, 20, 1.0),
    (400_000, 50, 1.0),
    (10_000, 500, 1.0),
)


def dense(n, d, rng, spread=1.0):
    X = rng.normal(size=(n, d)) * np.geomspace(1.0, spread, d)
    truth = 2.0 * rng.normal(size=d) / np.sqrt(d) / X.std(axis=0)
    return X, (rng.random(n) < special.expit(X @ truth + 0.3)).astype(int)


def thin(n, d, per_row, rng):
    indices = rng.integers(0, d, size=(n, per_row), dtype=np.int32)
    starts = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_array((rng.normal(size=n * per_row), indices.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    X.sort_indices()
    chances = special.expit(X @ rng.normal(size=d) / np.sqrt(per_row) * 3.0)
    return X, (rng.random(n) < chances).astype(int)


def gradient_norm(model, X, y):
    n, classes = len(y), len(model.classes_)
    scores = 1 if classes == 2 else classes
    objective = SoftmaxObjective(X, y, np.full(n, 1 / n), scores, 1 / n, True)  # noqa: FBT003
    theta = np.column_stack([model.coef_, np.broadcast_to(model.intercept_, scores)])
    return np.linalg.norm(objective(theta.ravel())[1])


def intelex():
    if find_spec("sklearnex") is None:
        print("   scikit-learn-intelex is not installed: left out")
        return {}
    from sklearnex.linear_model import LogisticRegression as Intel  # noqa: PLC0415

    return {"scikit-learn-intelex": Intel(tol=1e-6, max_iter=1000)}


def compare(title, X, y, models, *, repeats=3):
    times = {}
    for name, model in models.items():
        seconds = best_of(lambda model=model: model.fit(X, y), repeats=repeats)
        times[f"{name}, gradient {gradient_norm(model, X, y):.0e}"] = seconds
    report(title, times, ours=next(name for name in times if name.startswith(OURS)))


def peers(*solvers):
    return {f"scikit-learn {s}": Peer(solver=s, tol=1e-6, max_iter=1000) for s in solvers}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    scale = 10 if parser.parse_args().quick else 1
    rng, ours = np.random.default_rng(0), {OURS: LogisticRegression()}
    machine("scikit-learn")
    warnings.simplefilter("ignore", ConvergenceWarning)  # the gradient reached is printed
    solvers = ("lbfgs", "newton-cholesky", "newton-cg")
    for n, d, spread in SHAPES:
        X, y = dense(n // scale, d, rng, spread)
        everyone = ours | peers(*solvers) | intelex()
        title = f"two classes, {len(y)} x {d}, features' scales from 1 to {spread:g}"
        compare(title, X, y, everyone, repeats=5)
    digits = load_digits()
    everyone = ours | peers(*solvers) | intelex()
    compare("digits, 10 classes, 1797 x 64", digits.data / 16.0, digits.target, everyone)
    X, y = thin(200_000 // scale, 50_000 // scale, 40, rng)
    compare(
        f"sparse, {X.shape[0]} x {X.shape[1]}, 40 a row", X, y, ours | peers("lbfgs", "newton-cg")
    )
    print("\ngrowth, two classes, 50 features:")
    for n in (25_000, 50_000, 100_000, 200_000):
        X, y = dense(n // scale, 50, rng)
        seconds = best_of(lambda X=X, y=y: LogisticRegression().fit(X, y), repeats=3)
        print(f"   n = {len(y):>7}: {seconds:.4f} s, {seconds / len(y) * 1e6:.3f} µs a row")


if __name__ == "__main__":
    main()
