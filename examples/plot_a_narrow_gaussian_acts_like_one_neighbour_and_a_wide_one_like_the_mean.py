"""A narrow Gaussian acts like one neighbour, and a wide one like the mean."""

from pathlib import Path

import numpy as np

from surelearn.kernels import Gaussian
from surelearn.learners.kernelized.support_vector_classifier import SupportVectorClassifier
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.plots import style


def draw(rng, n):
    """Return points of a square; four of ten lie above a wave, and one label in ten is wrong."""
    X = rng.uniform(-1.0, 1.0, size=(n, 2))
    above = X[:, 1] > 0.2 + 0.4 * np.sin(4.0 * X[:, 0])
    return X, above ^ (rng.random(n) < 0.1)


def figure():
    """Draw how often machines of all widths answer as three others do."""
    title = "A narrow Gaussian acts like one neighbour, and a wide one like the mean"
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    X, y = draw(rng, 300)
    new, truth = draw(rng, 4000)
    nearest = NearestNeighborsClassifier(n_neighbors=1).fit(X, y).predict(new)
    gammas = np.geomspace(1e-4, 1e4, 33)
    kernels = [Gaussian(gamma=gamma) for gamma in gammas]
    machines = [SupportVectorClassifier(kernel=k, fit_intercept=False).fit(X, y) for k in kernels]
    answers = [machine.predict(new) for machine in machines]
    mean = np.full(len(new), y.mean() > 0.5)
    for name, other, colour in (
        ("as the nearest neighbour", nearest, style.OBSERVED),
        ("as the mean label", mean, style.GUARANTEED),
        ("right", truth, style.MUTED),
    ):
        shares = [float(np.mean(answer == other)) for answer in answers]
        ax.plot(gammas, shares, label=name, color=colour)
    ax.set(xscale="log", xlabel="gamma: wide on the left, narrow on the right")
    ax.set(ylabel="share of new points labelled so", ylim=(None, 1.01))
    ax.legend(loc="upper center")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    name = "a_narrow_gaussian_acts_like_one_neighbour_and_a_wide_one_like_the_mean.svg"
    style.save(figure(), target / name)
