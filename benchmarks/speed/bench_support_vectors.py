"""Support vector machines against scikit-learn's (LIBSVM) and scikit-learn-intelex's.

Contenders take turns in one process. Beside wall time stands processor time, over all threads, and
by how much our dual objective, recomputed in double precision, is above the peer's.
"""

import argparse
import time
from importlib.util import find_spec

import numpy as np
from _timing import machine
from scipy import sparse
from sklearn.svm import SVC, SVR

from surelearn import SupportVectorClassifier, SupportVectorRegressor
from surelearn.kernels import Gaussian, Linear, Polynomial
from surelearn.learners.kernelized._dual_solver import gaussian_tiles


def blobs(n, d, seed=0, flips=0.05, classes=2):
    """Return rows with a curved border between classes, and some wrong labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, classes)) / np.sqrt(d) * 2.0
    scores[:, 0] += X[:, 0] * X[:, 1]
    y = scores.argmax(axis=1)
    wrong = rng.random(n) < flips
    y[wrong] = rng.integers(0, classes, size=wrong.sum())
    return X, y


def waves(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)


def texts(n, d, per_row, seed=0):
    """Return sparse rows like those of short texts: a few words each, the common ones often."""
    rng = np.random.default_rng(seed)
    words = (d * rng.random((n, per_row)) ** 3).astype(np.int32)
    starts = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_array((np.ones(n * per_row), words.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1)), np.diff(X.indptr))
    return X, (X @ rng.normal(size=d) > 0.0).astype(int)


def intelex(kind, settings):
    if find_spec("sklearnex") is None:
        return {}
    from sklearnex import svm  # noqa: PLC0415

    return {"scikit-learn-intelex": getattr(svm, kind)(**settings)}


def timed(run):
    time.sleep(0.05)
    start, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - start, time.process_time() - cpu


def compare(title, contenders, ours, *, repeats=2):
    """Print the best times of each contender, and how many times longer each takes than ours."""
    times = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            times[name].append(timed(run))
    best = {name: np.min(found, axis=0) for name, found in times.items()}
    print(f"\n{title}")
    for name, (wall, cpu) in best.items():
        ratios = best[name] / best[ours]
        mark = "*" if name == ours else " "
        print(
            f" {mark} {name:<24} {wall:8.3f} s wall {cpu:8.3f} s cpu   "
            f"{ratios[0]:6.2f} x {ratios[1]:6.2f} x"
        )


def above(model, peer, X, kernel):
    """Return by how much, relatively, our dual objective is above the peer's (two classes)."""
    coef = peer.dual_coef_
    coef = np.ravel(coef.toarray() if sparse.issparse(coef) else coef)
    support = peer.support_
    square = 0.0
    for part in np.array_split(np.arange(len(support)), max(1, len(support) // 1000)):
        square += coef[part] @ (kernel(X[support[part]], X[support]) @ coef)
    value = np.abs(coef).sum() - 0.5 * square
    return (model.dual_values_[0] - value) / value


def classify(title, X, y, kernel, settings, *, C=1.0, libsvm=True, repeats=2):
    ours = SupportVectorClassifier(kernel=kernel, C=C)
    peers = intelex("SVC", {"C": C, **settings})
    if libsvm:
        peers["scikit-learn"] = SVC(C=C, cache_size=500, **settings)
    everyone = {"surelearn": ours, **peers}
    SupportVectorClassifier(kernel=kernel).fit(X[:2100], y[:2100])  # compiled before
    compare(
        title,
        {name: lambda m=model: m.fit(X, y) for name, model in everyone.items()},
        "surelearn",
        repeats=repeats,
    )
    print(f"   {len(ours.support_)} support vectors, duality gap {ours.duality_gap_.max():.1e}")
    if len(ours.classes_) == 2:
        for name, peer in peers.items():
            print(f"   dual objective above {name}'s by {above(ours, peer, X, kernel):+.1e}")
    return ours, peers


def gaussian(gamma):
    return Gaussian(gamma=gamma), {"kernel": "rbf", "gamma": gamma}


def row_a(n):
    X, y = blobs(n, 40)
    ours, peers = classify(f"A {n} x 40, C = 1", X, y, *gaussian(1 / 40), repeats=5)
    new = blobs(10 * n, 40, seed=1)[0]
    runs = {"surelearn": lambda: ours.predict(new)}
    if "scikit-learn-intelex" in peers:
        runs["scikit-learn-intelex"] = lambda: peers["scikit-learn-intelex"].predict(new)
    compare(f"prediction of {len(new)} rows", runs, "surelearn")
    fast = gaussian_tiles.is_fast
    gaussian_tiles.is_fast = lambda: False
    classify(f"A without AVX-512 of our own, {n} x 40", X, y, *gaussian(1 / 40), libsvm=False)
    gaussian_tiles.is_fast = fast


def row_b(n):
    X, y = blobs(5 * n, 20)
    classify(f"B {5 * n} x 20", X, y, *gaussian(1 / 20), libsvm=False, repeats=1)


def row_c(n):
    X, y = blobs(n, 40)
    for number, share in enumerate((0.1, 0.01, 1.0), 1):
        title = f"C{number} {n} x 40, C = 100, gamma {share}/40"
        classify(title, X, y, *gaussian(share / 40), C=100.0, repeats=1)


def row_d(n):
    X, y = waves(n // 2, 20)
    ours = SupportVectorRegressor(kernel=Gaussian(gamma=1 / 20))
    everyone = {"surelearn": ours, **intelex("SVR", {"gamma": 1 / 20})}
    everyone["scikit-learn"] = SVR(gamma=1 / 20, cache_size=500)
    ours.fit(X, y)
    runs = {name: lambda m=model: m.fit(X, y) for name, model in everyone.items()}
    compare(f"D regression {n // 2} x 20, epsilon 0.1", runs, "surelearn")


def row_e(n):
    X, y = blobs(n, 40, classes=10)
    classify(f"E ten classes one against one, {n} x 40", X, y, *gaussian(1 / 40))


def others(n):
    X, y = blobs(n, 500)
    classify(f"{n} x 500", X, y, *gaussian(1 / 500), libsvm=False, repeats=1)
    X, y = blobs(n // 2, 40)
    cubic = {"kernel": "poly", "degree": 3, "gamma": 1.0, "coef0": 40.0}
    classify(f"polynomial, {n // 2} x 40", X, y, Polynomial(degree=3, offset=40.0), cubic, C=1e-6)
    classify(f"linear, {n // 2} x 40", X, y, Linear(), {"kernel": "linear"}, repeats=1)
    X, y = texts(n // 2, 20_000, 60)
    classify(f"texts, {n // 2} x 20000, 60 words each", X, y, *gaussian(1.0), repeats=1)


def growth(n):
    print("\ngrowth over rows, 20 features:")
    for size in (n // 4, n // 2, n, 2 * n):
        X, y = blobs(size, 20)
        model = SupportVectorClassifier(kernel=Gaussian(gamma=1 / 20))
        wall, cpu = timed(lambda m=model, X=X, y=y: m.fit(X, y))
        print(f"   n = {size:>6}: {wall:.3f} s wall, {cpu:.3f} s cpu")


ROWS = {
    "A": row_a,
    "B": row_b,
    "C": row_c,
    "D": row_d,
    "E": row_e,
    "others": others,
    "growth": growth,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS))
    chosen = parser.parse_args()
    machine("scikit-learn")
    if find_spec("sklearnex") is None:
        print("   scikit-learn-intelex is not installed: left out")
    for name in chosen.rows:
        ROWS[name](2000 if chosen.quick else 10_000)


if __name__ == "__main__":
    main()
