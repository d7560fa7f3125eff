"""The regions in which a classifier gives each label, with the points it was asked about."""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.tables.number_table import NumberTable
from surelearn.plots import style

_COLOURS = (style.OBSERVED, style.GUARANTEED, style.BROKEN, style.MUTED, "#5b8e7d", "#6d597a")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_CELLS = 240  # along each side of the picture


def plot_decision_boundary(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    features: tuple[int | str, int | str] = (0, 1),
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
    if not hasattr(model, "classes_"):
        raise ValueError("a border belongs to a fitted classifier: this model has no classes_")
    points = _Points.read(X, features)
    labels, classes = np.asarray(y), np.asarray(model.classes_)
    if len(labels) != len(points.table):
        raise ValueError(f"X has {len(points.table)} rows and y has {len(labels)}; one label each")
    if ax is None:
        _, (ax,) = style.new_figure(f"Regions of {type(model).__name__}")
    across, up, grid = points.grid()
    answers = _places(classes, model.predict(points.like(grid))).reshape(len(up), len(across))
    levels = np.arange(len(classes) + 1) - 0.5
    colours = [_COLOURS[i % len(_COLOURS)] for i in range(len(classes))]
    ax.contourf(across, up, answers, levels=levels, colors=colours, alpha=0.18)
    _draw_points(ax, points, labels, model, classes)
    if len(classes) == 2 and hasattr(model, "decision_function"):
        scores = np.ravel(model.decision_function(points.like(grid))).reshape(answers.shape)
        _draw_border(ax, (across, up, scores), _margin(model, points, labels, classes))
    ax.set(xlabel=points.names[0], ylabel=points.names[1])
    ax.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))
    ax.grid(visible=False)
    ax.legend(loc="upper right", fontsize=8, frameon=True)
    return ax


class _Points(NamedTuple):
    """A table of numbers, two of whose columns are drawn."""

    source: NumberTable
    drawn: tuple[int, int]

    @classmethod
    def read(cls, X: Any, features: tuple[int | str, int | str]) -> "_Points":
        source = NumberTable.read(X)
        if len(source.names) < 2:
            raise ValueError("two features are drawn: X must be a table with two columns or more")
        first, second = (_column(feature, source.names) for feature in features)
        if first == second:
            raise ValueError(f"features={features!r} name one column twice; give two")
        return cls(source, (first, second))

    @property
    def table(self) -> Matrix:
        """The numbers."""
        return self.source.values

    def like(self, rows: Matrix) -> Any:
        """Return rows in the kind in which the points came."""
        return self.source.like(rows)

    @property
    def names(self) -> list[str]:
        """The names of the two columns, and what became of the others."""
        first, second = (self.source.names[place] for place in self.drawn)
        rest = "" if len(self.source.names) == 2 else " (other features at their medians)"
        return [first + rest, second]

    def grid(self) -> tuple[Vector, Vector, Matrix]:
        """Return the two axes and a row for each point of the grid."""
        shown = self.table[:, list(self.drawn)]
        low, high = shown.min(axis=0), shown.max(axis=0)
        rim = 0.08 * np.where(high > low, high - low, 1.0)
        across, up = (np.linspace(low[i] - rim[i], high[i] + rim[i], _CELLS) for i in (0, 1))
        rows = np.tile(np.median(self.table, axis=0), (_CELLS**2, 1))
        rows[:, self.drawn[0]], rows[:, self.drawn[1]] = np.tile(across, _CELLS), up.repeat(_CELLS)
        return across, up, rows


def _column(feature: int | str, columns: list[str]) -> int:
    if isinstance(feature, str) and feature in columns:
        return columns.index(feature)
    if isinstance(feature, int) and 0 <= feature < len(columns):
        return feature
    raise ValueError(f"features name {feature!r}, which is no column; there are {columns}")


def _places(classes: NDArray[Any], labels: Any) -> Indices:
    """Return the place of each label among the classes."""
    order = np.argsort(classes)
    return order[np.searchsorted(classes, np.asarray(labels), sorter=order)]


def _draw_points(
    ax: Axes, points: _Points, labels: NDArray[Any], model: Any, classes: NDArray[Any]
) -> None:
    wrong = np.asarray(model.predict(points.like(points.table))) != labels
    for i, label in enumerate(classes.tolist()):
        own = labels == label
        edges = np.where(wrong[own], "black", "white")
        ax.scatter(
            *points.table[own][:, list(points.drawn)].T,
            s=26,
            c=_COLOURS[i % len(_COLOURS)],
            marker=_MARKERS[i % len(_MARKERS)],
            edgecolors=edges.tolist(),
            linewidths=np.where(wrong[own], 1.4, 0.5).tolist(),
            label=str(label),
        )


def _margin(model: Any, points: _Points, labels: NDArray[Any], classes: NDArray[Any]) -> float:
    """Return the least score of a point towards its own label; not positive if one is wrong."""
    scores = np.ravel(model.decision_function(points.like(points.table)))
    return float(np.where(labels == classes[1], scores, -scores).min())


def _draw_border(ax: Axes, field: tuple[Vector, Vector, Matrix], margin: float) -> None:
    across, up, scores = field
    if not scores.min() < 0.0 < scores.max():
        return  # the border lies outside the picture
    ax.contour(across, up, scores, levels=[0.0], colors="black", linewidths=1.4)
    ax.plot([], [], color="black", linewidth=1.4, label="border")
    if margin > 0.0:
        ax.contour(
            across, up, scores, levels=[-margin, margin], colors="black", linewidths=0.9,
            linestyles="--",
        )  # fmt: skip
        ax.plot([], [], "--", color="black", linewidth=0.9, label="margin")
