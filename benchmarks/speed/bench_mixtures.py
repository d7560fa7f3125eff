"""Mixtures by EM against scikit-learn: the same start, the same iterations, the same likelihood."""

import argparse
import warnings

import numpy as np
from _timing import best_of, machine, report
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Peer

from surelearn import BernoulliMixture, GaussianMixture

ITERATIONS = 50


def overlapping(n, d, k, rng):
    """Return rows of k Gaussians that overlap, so that EM goes on climbing."""
    factors, means = np.eye(d) + 0.2 * rng.normal(size=(k, d, d)), 0.7 * rng.normal(size=(k, d))
    labels = rng.integers(0, k, n)
    return means[labels] + np.einsum("nij,nj->ni", factors[labels], rng.normal(size=(n, d)))


def starting_point(X, k, covariance_type):
    """Return what scikit-learn starts from, for both."""
    peer = Peer(k, covariance_type=covariance_type, max_iter=0, random_state=0, reg_covar=0).fit(X)
    return peer.weights_, peer.means_, peer.covariances_, peer.precisions_


def compare(n, d, k, covariance_type, rng, repeats):
    X = overlapping(n, d, k, rng)
    weights, means, covariances, precisions = starting_point(X, k, covariance_type)
    common = {"n_components": k, "covariance_type": covariance_type, "tol": 0.0}
    ours = GaussianMixture(**common, max_iter=ITERATIONS, start=(weights, means, covariances))
    peer = Peer(
        **common,
        max_iter=ITERATIONS,
        reg_covar=0.0,
        weights_init=weights,
        means_init=means,
        precisions_init=precisions,
    )
    times = {
        "surelearn": best_of(lambda: ours.fit(X), repeats=repeats) / ours.n_iter_,
        "scikit-learn": best_of(lambda: peer.fit(X), repeats=repeats) / peer.n_iter_,
    }
    title = f"{covariance_type}, {n:,} x {d}, {k} components, up to {ITERATIONS} iterations"
    report(f"{title}: seconds per iteration", times, ours="surelearn")
    print(f"   {ours.n_iter_} and {peer.n_iter_} iterations; mean log-likelihood ", end="")
    print(f"{ours.score(X):.10f} and {peer.score(X):.10f}")
    assert np.isclose(ours.score(X), peer.score(X), rtol=1e-9)


def missing(n, d, k, rng):
    X = overlapping(n, d, k, rng)
    holes = np.where(rng.random(X.shape) < 0.02, np.nan, X)
    model = GaussianMixture(n_components=k, max_iter=10, tol=0.0, random_state=0)
    patterns = len(np.unique(np.isnan(holes), axis=0))
    print(f"\nfull, {n:,} x {d}, {k} components, 10 iterations with k-means")
    print(f"   complete {best_of(lambda: model.fit(X), repeats=3):.3f} s")
    seconds = best_of(lambda: model.fit(holes), repeats=3)
    print(f"   2 % missing, {patterns} patterns {seconds:.3f} s")


def bits(n, d, k, rng):
    X = (rng.random((n, d)) < rng.random((k, d))[rng.integers(0, k, n)]).astype(float)
    model = BernoulliMixture(n_components=k, max_iter=20, tol=0.0, random_state=0)
    seconds = best_of(lambda: model.fit(X), repeats=3)
    print(f"\nBernoulli, {n:,} x {d}, {k} components, 20 iterations with k-means {seconds:.3f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    quick = parser.parse_args().quick
    scale, repeats = (10, 1) if quick else (1, 3)
    warnings.simplefilter("ignore", ConvergenceWarning)
    rng = np.random.default_rng(0)
    machine("scikit-learn")
    for covariance_type in ("full", "tied", "diag", "spherical"):
        compare(50_000 // scale, 10, 10, covariance_type, rng, repeats)
    compare(20_000 // scale, 100, 5, "full", rng, repeats)
    missing(20_000 // scale, 10, 5, rng)
    bits(50_000 // scale, 50, 10, rng)
    for n in (25_000 // scale, 50_000 // scale, 100_000 // scale, 200_000 // scale):
        X = overlapping(n, 10, 10, rng)
        model = GaussianMixture(n_components=10, start=starting_point(X, 10, "full")[:3], tol=0.0)
        model.set_params(max_iter=20)
        seconds = best_of(lambda X=X, model=model: model.fit(X), repeats=repeats) / 20
        print(f"   n = {n:>7}: {seconds / n * 1e9:6.1f} ns per row and iteration")


if __name__ == "__main__":
    main()
