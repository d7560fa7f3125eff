"""Jackknife+ covers the next outcome where training residuals fail."""

import math
from pathlib import Path

import numpy as np

from surelearn.bounds import jackknife
from surelearn.plots import style

N, ALPHA, RUNS = 30, 0.1, 100


def coverage(dimension, rng):
    """Return how often the interval of jackknife+ and that of training residuals cover."""
    hits = np.zeros(2)
    others = np.array([np.delete(np.arange(N), i) for i in range(N)])
    rank = math.ceil((1 - ALPHA) * (N + 1))
    for _ in range(RUNS):
        X = rng.normal(size=(N + 1, dimension))
        y = X.sum(axis=1) + rng.normal(size=N + 1)
        weights = np.einsum("ijk,ik->ij", np.linalg.pinv(X[others]), y[others])
        residuals = np.abs(y[:N] - np.sum(X[:N] * weights, axis=1))
        new = weights @ X[N]
        low, high = np.sort(new - residuals)[N - rank], np.sort(new + residuals)[rank - 1]
        hits[0] += low <= y[N] <= high
        fitted = np.linalg.pinv(X[:N]) @ y[:N]
        radius = np.sort(np.abs(y[:N] - X[:N] @ fitted))[rank - 1]
        hits[1] += abs(y[N] - X[N] @ fitted) <= radius
    return hits / RUNS


def figure():
    """Draw the coverage of least-squares intervals over the number of features."""
    drawing, (ax,) = style.new_figure(
        "Jackknife+ covers the next outcome where training residuals fail"
    )
    rng = np.random.default_rng(0)
    dimensions = np.array([2, 7, 12, 17, 22, 27])
    rates = np.array([coverage(dimension, rng) for dimension in dimensions])
    promised = jackknife.jackknife_plus(n=N, alpha=ALPHA).bound
    ax.plot(dimensions, rates[:, 0], "o-", color=style.OBSERVED, label="jackknife+")
    ax.plot(dimensions, rates[:, 1], "s-", color=style.BROKEN, label="training residuals")
    ax.axhline(promised, color=style.GUARANTEED, label="guaranteed for jackknife+")
    ax.set(xlabel=f"features (of {N} examples)", ylabel="coverage", ylim=(0.0, 1.05))
    ax.legend(loc="lower left")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "jackknife_plus_covers_where_training_residuals_do_not.svg")
