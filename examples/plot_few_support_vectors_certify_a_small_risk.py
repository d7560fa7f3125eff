"""Few support vectors certify a small risk."""

from pathlib import Path

import numpy as np

from surelearn.kernels import Gaussian
from surelearn.learners.kernelized.support_vector_classifier import SupportVectorClassifier
from surelearn.plots import style
from surelearn.plots.margin import plot_margin

MACHINE = {"kernel": Gaussian(gamma=0.5), "penalize_intercept": True, "C": 10.0, "tol": 1e-5}


def draw(rng, n):
    """Return points of a square and on which side of a wave they lie, wrong for one in fifty."""
    X = rng.uniform(-2.0, 2.0, size=(n, 2))
    above = X[:, 1] > np.sin(2.0 * X[:, 0])
    return X, np.where(above ^ (rng.random(n) < 0.02), "above", "below")


def figure():
    """Draw a machine with its margins, and what is certified and true over the number of rows."""
    title = "Few support vectors certify a small risk"
    drawing, (plane, ax) = style.new_figure(title, columns=2)
    rng = np.random.default_rng(1)
    X, y = draw(rng, 150)
    plot_margin(SupportVectorClassifier(**MACHINE).fit(X, y), X, y, ax=plane)
    plane.set(title="150 rows", xlabel="first feature", ylabel="second feature")
    new = draw(rng, 20_000)
    sizes = [100, 200, 400, 800, 1600, 3200, 6400]
    machines = [SupportVectorClassifier(**MACHINE).fit(*draw(rng, n)) for n in sizes]
    stated = [model.certificates() for model in machines]
    for place, name, colour in (
        (0, "support vectors", style.GUARANTEED),
        (1, "margins", style.MUTED),
    ):
        bounds = [certificates[place].bound for certificates in stated]
        ax.plot(sizes, bounds, marker="o", markersize=3, color=colour, label=f"bound by {name}")
    shares = [len(model.support_) / n for model, n in zip(machines, sizes, strict=True)]
    ax.plot(sizes, shares, "--", color=style.BROKEN, label="share of support vectors")
    errors = [1.0 - model.score(*new) for model in machines]
    ax.plot(sizes, errors, color=style.OBSERVED, label="true risk")
    ax.set(xscale="log", yscale="log", xlabel="training rows", ylabel="risk", ylim=(None, 6.0))
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "few_support_vectors_certify_a_small_risk.svg")
