"""The regions in which a classifier gives each label, with the points it was asked about."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.plots import style
from surelearn.plots._labelled_points import (
    Features,
    LabelledPoints,
    colour,
    describe,
    draw_level,
    draw_points,
    places,
)


def plot_decision_boundary(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    features: Features = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw points, the region of each label, and the border and margin of a score of two classes.

    If there are more than two features, the others stand at their medians: the picture is one cut
    through the regions. A point that gets another label has a black edge. The dashed lines are
    where the score is as large as that of the point nearest to the border, if none is wrong.

    Parameters
    ----------
    model
        A fitted classifier.
    X, y
        The points, an array or a data frame of numbers, and their labels.
    features
        The two columns to draw, by place or by name.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> X, y = [[0.0, 0.0], [1.0, 0.5], [3.0, 3.0], [4.0, 3.5]], ["no", "no", "yes", "yes"]
    >>> ax = plot_decision_boundary(Perceptron().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['no', 'yes', 'border', 'margin']
    """
    points = LabelledPoints.read(model, X, y, features)
    if ax is None:
        _, (ax,) = style.new_figure(f"Regions of {type(model).__name__}")
    across, up, grid = points.grid()
    n = len(points.classes)
    answers = places(points.classes, model.predict(grid)).reshape(len(up), len(across))
    levels, colours = np.arange(n + 1) - 0.5, [colour(i) for i in range(n)]
    ax.contourf(across, up, answers, levels=levels, colors=colours, alpha=0.18)
    draw_points(ax, points, model)
    if n == 2 and hasattr(model, "decision_function"):
        scores = np.ravel(model.decision_function(grid)).reshape(answers.shape)
        least = float(points.margins(model.decision_function(points.own)).min())
        _draw_border(ax, (across, up, scores), least)
    describe(ax, points, across, up)
    return ax


def _draw_border(ax: Axes, field: tuple[Vector, Vector, Matrix], margin: float) -> None:
    if not draw_level(ax, field, [0.0], "-"):
        return  # the border lies outside the picture
    ax.plot([], [], color="black", linewidth=1.4, label="border")
    if margin > 0.0 and draw_level(ax, field, [-margin, margin], "--"):
        ax.plot([], [], "--", color="black", linewidth=0.9, label="margin")
