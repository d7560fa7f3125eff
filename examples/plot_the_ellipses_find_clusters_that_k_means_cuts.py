"""A mixture finds long clusters that k-means cuts across."""

from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from surelearn.learners.mixtures.gaussian_mixture import GaussianMixture
from surelearn.plots import style
from surelearn.plots.mixture_ellipses import plot_mixture_ellipses


def rows(rng):
    """Draw three long clusters side by side; return the rows and the cluster of each."""
    labels = rng.integers(0, 3, 900)
    flat = rng.normal(size=(900, 2)) * (3.0, 0.35)
    flat[:, 1] += 2.2 * labels
    angle = 0.5
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return flat @ turn, labels


def right(found, labels):
    """Return the share of rows in the cluster most of whose rows they belong with."""
    return sum(np.bincount(labels[found == k]).max() for k in range(3)) / len(labels)


def figure():
    """Draw the clusters of k-means beside the ellipses of the mixture."""
    title = "A mixture finds long clusters that k-means cuts across"
    drawing, (left, ax) = style.new_figure(title, columns=2)
    X, labels = rows(np.random.default_rng(0))
    cut = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    shades = np.array([style.OBSERVED, style.GUARANTEED, style.BROKEN])
    left.scatter(*X.T, s=6, c=shades[cut], alpha=0.5, linewidths=0)
    left.set_title(f"k-means: {right(cut, labels):.0%} of the rows with their own kind")
    left.set(xlabel="x0", ylabel="x1")
    model = GaussianMixture(n_components=3, n_init=10, random_state=0).fit(X)
    plot_mixture_ellipses(model, X, ax=ax)
    ax.set_title(f"mixture: {right(model.predict(X), labels):.0%}; ellipses hold 50% and 90%")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "the_ellipses_find_clusters_that_k_means_cuts.svg")
