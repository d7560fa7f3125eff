"""One pass of the online linear learners against scikit-learn's SGD and against plain loops.

Each learner is timed through its door, checks included. Its limit is the plain loop of the same
algorithm on the raw arrays, compiled with our flags and tuned by hand, with nothing around it: no
checks, no tallies, no certificates, no new array. A loop that only multiplies the rows with fixed
weights is what memory allows at best. All take turns and the best processor time of each counts,
which other programs disturb least. Learners and plain loops take theirs without the peers: whoever
comes after one of those finds the rows no longer in the cache.
"""

import argparse
import math
import warnings
from time import process_time

import numpy as np
from _timing import machine, report
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
AS_CALLED = "scikit-learn SGDClassifier(max_iter=1)"
UNSHUFFLED = "scikit-learn SGDClassifier(max_iter=1, shuffle=False)"
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


# A signed position would be tested for counting from the end: twice the cost of the loop.


@jit
def plain_perceptron(data, indices, indptr, signs, weights, scores):
    bias = 0.0
    for t in range(len(signs)):
        score = bias
        for i in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
            score += data[i] * weights[np.uint64(indices[i])]
        scores[t] = score
        if signs[t] * score <= 0.0:
            bias += signs[t]
            for i in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
                weights[np.uint64(indices[i])] += signs[t] * data[i]


@jit
def plain_passive_aggressive(data, indices, indptr, signs, weights, scores):
    bias = 0.0
    for t in range(len(signs)):
        score, square = bias, 1.0
        for i in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
            score += data[i] * weights[np.uint64(indices[i])]
            square += data[i] * data[i]
        scores[t] = score
        loss = 1.0 - signs[t] * score
        if loss > 0.0:
            step = signs[t] * min(1.0, loss / square)
            bias += step
            for i in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
                weights[np.uint64(indices[i])] += step * data[i]


@jit
def plain_gradient_descent(data, indices, indptr, signs, weights, scores):
    bias, scale, squares, norm = 0.0, 1.0, 0.0, 0.0
    for t in range(len(signs)):
        score, square = bias, 1.0
        for i in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
            score += data[i] * weights[np.uint64(indices[i])]
            square += data[i] * data[i]
        scores[t] = scale * score
        if signs[t] * scores[t] < 1.0:
            squares += square
            rate = math.sqrt(2.0 / squares)
            step = signs[t] * rate / scale
            norm += rate * (2.0 * signs[t] * scores[t] + rate * square)
            bias += step
            for i in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
                weights[np.uint64(indices[i])] += step * data[i]
            if norm > 1.0:
                scale, norm = scale / math.sqrt(norm), 1.0


PLAIN = {
    "Perceptron": plain_perceptron,
    "PassiveAggressive": plain_passive_aggressive,
    "OnlineGradientDescent (hinge)": plain_gradient_descent,
}


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


def take_turns(cases, *, repeats):
    """Return the best time of each, all run once in turn before any is run again."""
    best = dict.fromkeys(cases, math.inf)
    for turn in range(repeats + 1):
        for name, run in cases.items():
            start = process_time()
            run()
            if turn:  # the first one warms up
                best[name] = min(best[name], process_time() - start)
    return best


def plain(loop, X, y):
    arrays = sparse.csr_array(X)
    signs = np.where(y == 1, 1.0, -1.0)
    weights, scores = np.zeros(X.shape[1]), np.empty(len(y))

    def run():
        weights[:] = 0.0
        loop(arrays.data, arrays.indices, arrays.indptr, signs, weights, scores)

    return run


def compare(title, X, y, *, repeats):
    weights, scores = np.ones(X.shape[1]), np.empty(X.shape[0])
    cases = {"dot products only": lambda: dot_products(rows.of(X), weights, scores)}
    for name, learner in OURS.items():
        cases[f"surelearn {name}"] = lambda learner=learner: learner().learn(X, y)
    for name, peer in PEERS.items():
        cases[f"scikit-learn {name}"] = lambda peer=peer: peer().fit(X, y)
    cases[AS_CALLED] = lambda: SGDClassifier(max_iter=1).fit(X, y)
    cases[UNSHUFFLED] = lambda: SGDClassifier(max_iter=1, shuffle=False).fit(X, y)
    times = take_turns(cases, repeats=repeats)
    report(title, times, ours="surelearn PassiveAggressive")
    if sparse.issparse(X):
        for name, ratio in to_plain_loops(X, y, repeats=2 * repeats).items():
            ours = times[f"surelearn {name}"]
            print(
                f"   {name}: {ratio:.2f} x its plain loop (wanted: at most 1.5); "
                f"SGDClassifier(max_iter=1) takes {times[AS_CALLED] / ours:.2f} x as long "
                f"(wanted: 2), unshuffled {times[UNSHUFFLED] / ours:.2f} x (wanted: more than 1)"
            )


def to_plain_loops(X, y, *, repeats):
    """Return the time of each learner over that of its plain loop, which goes just before it."""
    cases = {}
    for name, loop in PLAIN.items():
        cases[f"plain loop of {name}"] = plain(loop, X, y)
        cases[name] = lambda learner=OURS[name]: learner().learn(X, y)
    times = take_turns(cases, repeats=repeats)
    report("against plain loops", times, ours="PassiveAggressive")
    return {name: times[name] / times[f"plain loop of {name}"] for name in PLAIN}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    scale, repeats = (10, 5) if parser.parse_args().quick else (1, 20)
    warnings.simplefilter("ignore")  # scikit-learn: a single pass does not converge
    rng = np.random.default_rng(0)
    machine("scikit-learn")
    thin_rows, full_rows = thin(200_000 // scale, 50_000, 40, rng), dense(10**6 // scale, 20, rng)
    compare("sparse, 200,000 x 50,000, 40 per row", *thin_rows, repeats=repeats)
    compare("dense, 10^6 x 20", *full_rows, repeats=max(5, repeats // 4))


if __name__ == "__main__":
    main()
