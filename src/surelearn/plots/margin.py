"""The score of a classifier as a surface, its margins, and the points that lie on or in them."""

from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray
from scipy import sparse

from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.plots import style
from surelearn.plots._labelled_points import (
    Features,
    LabelledPoints,
    colour,
    describe,
    draw_level,
    draw_points,
)

_RINGS = {  # by how a point lies
    "on the margin": ("black", 1.3),
    "slack": (style.BROKEN, 1.6),
    "misclassified": ("#6d597a", 1.9),
}
_NEAR = 1e-2  # solvers stop at a violation of a thousandth


def plot_margin(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    features: Features = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw the score as a surface, its border, its margins at ±1, and rings around points.

    A ring says what keeps a point from being idle: it lies on the margin, inside it (slack), or on
    the other side of the border (misclassified). Of a support vector machine and its training rows
    the support vectors have rings; otherwise all points whose score towards their own label is at
    most 1. If there are more than two features, the others stand at their medians.

    Parameters
    ----------
    model
        A fitted classifier of two classes with a `decision_function`, scikit-learn's too.
    X, y
        The points, an array or a data frame of numbers, and their labels.
    features
        The two columns to draw, by place or by name.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.learners.linear.logistic_regression import LogisticRegression
    >>> X, y = [[0.0, 0.0], [1.0, 0.5], [3.0, 3.0], [4.0, 3.5]], ["no", "no", "yes", "yes"]
    >>> ax = plot_margin(LogisticRegression(C=0.3).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['no', 'yes', 'border', 'margin', 'slack']
    """
    points = LabelledPoints.read(model, X, y, features)
    if len(points.classes) != 2 or not hasattr(model, "decision_function"):
        raise ValueError(
            "a margin is drawn for a classifier of two classes that has a decision_function; "
            "plot_decision_boundary draws the regions of any other one"
        )
    if ax is None:
        _, (ax,) = style.new_figure(f"Score and margins of {type(model).__name__}")
    across, up, grid = points.grid()
    scores = np.ravel(model.decision_function(grid)).reshape(len(up), len(across))
    _draw_surface(ax, (across, up, scores))
    draw_points(ax, points, model)
    for name, levels, line in (("border", [0.0], "-"), ("margin", [-1.0, 1.0], "--")):
        if draw_level(ax, (across, up, scores), levels, line):
            ax.plot([], [], line, color="black", linewidth=1.4 if line == "-" else 0.9, label=name)
    _draw_rings(ax, points, _lying(model, points))
    describe(ax, points, across, up)
    return ax


def _draw_surface(ax: Axes, field: tuple[Vector, Vector, Matrix]) -> None:
    """Shade the score from one class's colour to the other's; 0 is white."""
    across, up, scores = field
    most = max(1.0, float(np.quantile(np.abs(scores), 0.98)))  # a peak would hide the rest
    shades = LinearSegmentedColormap.from_list("score", [colour(0), "white", colour(1)])
    limits = {"vmin": -most, "vmax": most, "extent": (across[0], across[-1], up[0], up[-1])}
    look: dict[str, Any] = {"cmap": shades, "alpha": 0.6, "aspect": "auto", "origin": "lower"}
    surface = ax.imshow(scores, **limits, **look, interpolation="bilinear")
    bar = ax.figure.colorbar(surface, ax=ax, label="score", extend="both", pad=0.02)
    bar.locator = MaxNLocator(nbins=4, symmetric=True)
    bar.update_ticks()


def _draw_rings(ax: Axes, points: LabelledPoints, lying: NDArray[Any]) -> None:
    for name, (edge, width) in _RINGS.items():
        own = lying == name
        if own.any():
            ring: dict[str, Any] = {"s": 85, "facecolors": "none", "linewidths": width}
            ax.scatter(*points.shown[own].T, **ring, edgecolors=edge, label=name)


def _lying(model: Any, points: LabelledPoints) -> NDArray[Any]:
    """Return how each point lies; a machine that knows it of its training rows is believed."""
    margins = points.margins(model.decision_function(points.own))
    support = _support(model, points)
    if support is not None and hasattr(model, "kkt_classes"):
        return model.kkt_classes()
    ringed = margins <= 1.0 + _NEAR if support is None else support
    words = np.where(margins <= 0.0, "misclassified", "slack")
    return np.where(ringed, np.where(margins < 1.0 - _NEAR, words, "on the margin"), "inside")


def _support(model: Any, points: LabelledPoints) -> NDArray[np.bool_] | None:
    """Return which points are the support vectors of a machine; None if it has learnt others."""
    places, vectors = getattr(model, "support_", None), getattr(model, "support_vectors_", None)
    n = getattr(model, "n_training_rows_", len(points.labels))
    table = points.source.values
    if places is None or vectors is None or n != len(table) or np.max(places, initial=0) >= n:
        return None
    kept = cast("Any", vectors).toarray() if sparse.issparse(vectors) else np.asarray(vectors)
    if kept.shape != (len(places), table.shape[1]) or not np.array_equal(table[places], kept):
        return None
    return np.isin(np.arange(n), places)
