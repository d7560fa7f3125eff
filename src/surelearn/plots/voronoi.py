"""Voronoi cells in two dimensions: the regions in which one row is the nearest of all."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from scipy.spatial import Voronoi

from surelearn._typing import Matrix
from surelearn.learners.neighbors.condensed_nearest_neighbor import CondensedNearestNeighbor
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.plots import style

_COLOURS = (style.OBSERVED, style.GUARANTEED, style.BROKEN, style.MUTED, "#5b8e7d", "#6d597a")


def plot_voronoi(
    model: NearestNeighborsClassifier | CondensedNearestNeighbor, *, ax: Axes | None = None
) -> Axes:
    """Draw the cells of the rows of a nearest neighbour rule, in the colours of their labels.

    Parameters
    ----------
    model
        A fitted rule of one Euclidean neighbour and two features.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> model = NearestNeighborsClassifier(n_neighbors=1)
    >>> ax = plot_voronoi(model.fit([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], ["a", "b", "b"]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    if getattr(model, "n_neighbors_", 1) != 1 or model.space_.name != "euclidean":
        raise ValueError("cells belong to one Euclidean neighbour: fit with n_neighbors=1")
    if model.n_features_in_ != 2:
        raise ValueError(f"cells are drawn of two features, and there are {model.n_features_in_}")
    if ax is None:
        _, (ax,) = style.new_figure("Cells of the nearest neighbour rule")
    points = np.unique(model.index_.admit(model.index_.rows()), axis=0)
    labels = model.predict(points)
    cells = _cells(points)
    for i, label in enumerate(model.classes_):
        colour, own = _COLOURS[i % len(_COLOURS)], np.flatnonzero(labels == label)
        polygons = [cells[j] for j in own]
        ax.add_collection(
            PolyCollection(polygons, facecolor=colour, edgecolor="white", alpha=0.35, linewidth=0.7)
        )
        ax.plot(*points[own].T, "o", ms=3, color=colour, label=str(label))
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.05 * np.where(high > low, high - low, 1.0)
    ax.set(xlim=(low[0] - margin[0], high[0] + margin[0]))
    ax.set(ylim=(low[1] - margin[1], high[1] + margin[1]))
    ax.grid(visible=False)
    ax.legend(loc="upper right", fontsize=8, frameon=True)
    return ax


def _cells(points: Matrix) -> list[Matrix]:
    """Return the corners of each cell; four far points make all of them finite."""
    middle, reach = points.mean(axis=0), 1e3 * (1.0 + float(np.ptp(points, axis=0).max()))
    far = middle + reach * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    diagram = Voronoi(np.concatenate([points, far]))
    regions = diagram.point_region[: len(points)]
    return [diagram.vertices[diagram.regions[region]] for region in regions]
