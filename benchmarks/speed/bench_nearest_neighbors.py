"""Nearest neighbours against scikit-learn, scikit-learn-intelex, faiss and SciPy, on two cores.

The search alone is timed, and the whole with building the index; a peer that is not installed is
skipped. Before timing, every exact peer must return the same neighbours.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np
from _timing import best_of, machine, report
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier

K = 5
OURS = "surelearn kneighbors"


def intelex(X, Q):
    from sklearnex.neighbors import NearestNeighbors as Patched  # noqa: PLC0415 - may be absent

    model = Patched(n_neighbors=K, algorithm="brute").fit(X)
    return lambda: model.kneighbors(Q)[1]


def faiss_flat(X, Q):
    import faiss  # noqa: PLC0415 - may be absent

    faiss.omp_set_num_threads(2)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X.astype(np.float32))
    queries = Q.astype(np.float32)
    return lambda: index.search(queries, K)[1]


def ours(X, Q):
    model = NearestNeighborsClassifier(n_neighbors=K, n_jobs=2).fit(X, np.zeros(len(X)))
    return lambda: model.kneighbors(Q)[1]


def scikit(X, Q, algorithm):
    model = NearestNeighbors(n_neighbors=K, algorithm=algorithm, n_jobs=2).fit(X)
    return lambda: model.kneighbors(Q)[1]


def scipy_tree(X, Q):
    tree = cKDTree(X)
    return lambda: tree.query(Q, K, workers=2)[1]


def compare(title, peers, X, Q, repeats):
    """Check that the neighbours agree, then time the searches."""
    searches, expected = {}, ours(X, Q)()
    for name, make in peers.items():
        try:
            searches[name] = make(X, Q)
        except ImportError as error:
            print(f"   {name} is skipped: {error}")
            continue
        same = float(np.mean(np.sort(searches[name](), axis=1) == np.sort(expected, axis=1)))
        print(f"   {name}: {same:.4%} of the neighbours are ours")
    times = {name: best_of(search, repeats=repeats) for name, search in searches.items()}
    report(title, times, ours=OURS)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    quick = parser.parse_args().quick
    scale, repeats = (10, 3) if quick else (1, 15)
    rng = np.random.default_rng(0)
    machine("scikit-learn")
    X, Q = (rng.normal(size=(n // scale, 50)) for n in (20_000, 5_000))
    brute = {
        OURS: ours,
        "scikit-learn brute": lambda X, Q: scikit(X, Q, "brute"),
        "scikit-learn-intelex brute": intelex,
        "faiss IndexFlatL2 (float32, not rechecked)": faiss_flat,
    }
    compare(f"{len(X)} rows, {len(Q)} queries, 50 features", brute, X, Q, repeats)
    X, Q = (rng.normal(size=(n // scale, 3)) for n in (200_000, 50_000))
    trees = {
        OURS: ours,
        "SciPy cKDTree(workers=2)": scipy_tree,
        "scikit-learn kd_tree": lambda X, Q: scikit(X, Q, "kd_tree"),
    }
    compare(f"{len(X)} rows, {len(Q)} queries, 3 features", trees, X, Q, repeats)
    makers = {"surelearn fit + kneighbors": ours, "SciPy build + query": scipy_tree}
    whole = {
        name: best_of(lambda make=make: make(X, Q)(), repeats=repeats)
        for name, make in makers.items()
    }
    report("the same with building the tree", whole, ours="surelearn fit + kneighbors")
    for n in (25_000, 50_000, 100_000, 200_000, 400_000):
        rows = rng.normal(size=(n // scale, 3))
        search = ours(rows, Q)
        print(f"   n = {len(rows):>7}: {best_of(search) / len(Q) * 1e6:6.2f} us per query")


if __name__ == "__main__":
    main()
