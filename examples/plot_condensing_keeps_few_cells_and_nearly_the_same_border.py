"""Condensing keeps few cells and nearly the same border."""

from pathlib import Path

import numpy as np

from surelearn.learners.neighbors.condensed_nearest_neighbor import CondensedNearestNeighbor
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.plots import style
from surelearn.plots.voronoi import plot_voronoi


def draw(rng, n):
    """Return points of a square and on which side of a wave they lie."""
    X = rng.uniform(-1.0, 1.0, size=(n, 2))
    return X, np.where(X[:, 1] > 0.5 * np.sin(4.0 * X[:, 0]), "above", "below")


def figure():
    """Draw the Voronoi cells of all rows and of those that Hart's rule stores."""
    drawing, axes = style.new_figure(
        "Condensing keeps few cells and nearly the same border", columns=2
    )
    rng = np.random.default_rng(0)
    X, y = draw(rng, 400)
    new = draw(rng, 20_000)
    all_rows = NearestNeighborsClassifier(n_neighbors=1).fit(X, y)
    condensed = CondensedNearestNeighbor().fit(X, y)
    for ax, model, n in zip(
        axes, (all_rows, condensed), (400, len(condensed.prototypes_)), strict=True
    ):
        plot_voronoi(model, ax=ax)
        error = 1.0 - model.score(*new)
        ax.set(title=f"{n} cells, {error:.1%} of new points wrong", xlim=(-1, 1), ylim=(-1, 1))
        ax.set(xlabel="first feature", ylabel="second feature")
    (certificate,) = condensed.certificates()
    axes[1].set_xlabel(
        f"first feature; certified with confidence 95%: at most {certificate.bound:.0%}"
    )
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "condensing_keeps_few_cells_and_nearly_the_same_border.svg")
