"""One pass of the online linear learners against scikit-learn's SGD and against dot products alone.

Each learner is timed through its door, checks included; the last line of a table is a compiled loop
that only reads the rows and multiplies them with fixed weights: what memory allows at best.
"""

import argparse
import warnings

import numpy as np
from _timing import best_of, machine, report
from scipy import sparse
from sklearn.linear_model import PassiveAggressiveClassifier, SGDClassifier

from surelearn._jit import jit, rows
from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
from surelearn.learners.linear.online_gradient_descent import OnlineGradientDescent
from surelearn.learners.linear.passive_aggressive import PassiveAggressive, PassiveAggressiveSquared
from surelearn.learners.linear.perceptron import Perceptron

OURS = {
    "Perceptron": Perceptron,
    "AveragedPerceptron": AveragedPerceptron,
    "PassiveAggressive": PassiveAggressive,
    "PassiveAggressiveSquared": PassiveAggressiveSquared,
    "OnlineGradientDescent (hinge)": OnlineGradientDescent,
}
SGD = {"max_iter": 1, "tol": None, "penalty": None, "shuffle": False}
PEERS = {
    "SGDClassifier perceptron": lambda: SGDClassifier(
        loss="perceptron", learning_rate="constant", eta0=1.0, **SGD
    ),
    "SGDClassifier perceptron, average": lambda: SGDClassifier(
        loss="perceptron", learning_rate="constant", eta0=1.0, average=True, **SGD
    ),
    "SGDClassifier hinge, pa1": lambda: SGDClassifier(
        loss="hinge", learning_rate="pa1", eta0=1.0, **SGD
    ),
    "SGDClassifier hinge, pa2": lambda: SGDClassifier(
        loss="hinge", learning_rate="pa2", eta0=1.0, **SGD
    ),
    "SGDClassifier hinge, invscaling": lambda: SGDClassifier(
        loss="hinge", learning_rate="invscaling", eta0=1.0, **SGD
    ),
    "PassiveAggressiveClassifier": lambda: PassiveAggressiveClassifier(
        max_iter=1, tol=None, shuffle=False
    ),
}


@jit
def dot_products(X, weights, scores):
    for t in range(len(scores)):
        scores[t] = rows.dot(X, t, weights)


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


def compare(title, X, y):
    weights, scores = np.ones(X.shape[1]), np.empty(X.shape[0])
    times = {"dot products only": best_of(lambda: dot_products(rows.of(X), weights, scores))}
    for name, learner in OURS.items():
        times[f"surelearn {name}"] = best_of(lambda learner=learner: learner().learn(X, y))
    for name, peer in PEERS.items():
        times[f"scikit-learn {name}"] = best_of(lambda peer=peer: peer().fit(X, y))
    report(title, times, ours="surelearn PassiveAggressive")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    scale = 10 if parser.parse_args().quick else 1
    warnings.simplefilter("ignore")  # scikit-learn: a single pass does not converge
    rng = np.random.default_rng(0)
    machine("scikit-learn")
    compare("sparse, 200,000 x 50,000, 40 per row", *thin(200_000 // scale, 50_000, 40, rng))
    compare("dense, 10^6 x 20", *dense(10**6 // scale, 20, rng))


if __name__ == "__main__":
    main()
