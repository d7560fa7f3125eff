"""Iterative scaling and a quasi-Newton method reach one maximum entropy, at unlike speeds."""

import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surelearn.learners.linear.maximum_entropy import MaximumEntropy
from surelearn.learners.linear.maximum_entropy_quasi_newton import MaximumEntropyQuasiNewton
from surelearn.plots import style

COUNTS = np.array([[3, 1, 1], [1, 4, 2]])
FEATURES = np.array([[[1, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 2, 1]]])
SWEEPS = np.unique(np.geomspace(1, 200, 25).astype(int))
LEAST_COMMITTED = 1.0052271320


def observed():
    """Return one row for each time a pair was counted."""
    x, y = np.nonzero(COUNTS)
    return np.repeat(x, COUNTS[x, y])[:, None].astype(float), np.repeat(y, COUNTS[x, y])


def features(X, y):
    """Return the three features of each row with a label."""
    return FEATURES[:, X[:, 0].astype(int), y].T


def distances(learner, steps):
    """Return how far the likelihood is from its maximum after each number of steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [learner(features=features, tol=1e-12, max_iter=int(k)) for k in steps]
        return [-LEAST_COMMITTED - model.fit(*observed()).log_likelihood_ for model in models]


def figure():
    """Draw the distance to the optimum over the steps of both methods."""
    title = (
        "Iterative scaling and a quasi-Newton method reach one maximum entropy, at unlike speeds"
    )
    drawing, (ax,) = style.new_figure(title)
    for learner, steps, colour, words in (
        (MaximumEntropy, SWEEPS, style.OBSERVED, "improved iterative scaling"),
        (MaximumEntropyQuasiNewton, np.arange(1, 10), style.GUARANTEED, "quasi-Newton"),
    ):
        gaps = np.maximum(np.abs(distances(learner, steps)), 1e-10)
        ax.plot(steps, gaps, ".-", color=colour, label=words)
    ax.set(
        xscale="log", yscale="log", xlabel="steps", ylim=(1e-10, 0.2),
        ylabel="−entropy at the optimum − log-likelihood",
    )  # fmt: skip
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "two_roads_lead_to_maximum_entropy.svg")
