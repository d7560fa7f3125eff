"""Points of two columns of a table with their labels, and a grid of points around them."""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.base.tables.number_table import NumberTable
from surelearn.plots import style

_COLOURS = (style.OBSERVED, style.GUARANTEED, style.BROKEN, style.MUTED, "#5b8e7d", "#6d597a")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_CELLS = 240  # along each side of the picture

Features = tuple[int | str, int | str]


class LabelledPoints(NamedTuple):
    """A table of numbers, two of whose columns are drawn, with a label for each row."""

    source: NumberTable
    drawn: tuple[int, int]
    labels: NDArray[Any]
    classes: NDArray[Any]

    @classmethod
    def read(cls, model: Any, X: Any, y: ArrayLike, features: Features) -> "LabelledPoints":
        """Read the points that a fitted classifier is asked about."""
        if not hasattr(model, "classes_"):
            raise ValueError("a border belongs to a fitted classifier: this model has no classes_")
        source, labels = NumberTable.read(X), np.asarray(y)
        if len(source.names) < 2:
            raise ValueError("two features are drawn: X must be a table with two columns or more")
        first, second = (_column(feature, source.names) for feature in features)
        if first == second:
            raise ValueError(f"features={features!r} name one column twice; give two")
        if len(labels) != len(source.values):
            n = len(source.values)
            raise ValueError(f"X has {n} rows and y has {len(labels)}; one label each")
        return cls(source, (first, second), labels, np.asarray(model.classes_))

    @property
    def own(self) -> Any:
        """The points, in the kind in which they came."""
        return self.source.like(self.source.values)

    @property
    def shown(self) -> Matrix:
        """The two columns that are drawn."""
        return self.source.values[:, list(self.drawn)]

    def grid(self) -> tuple[Vector, Vector, Any]:
        """Return the two axes and a row for each point of the grid."""
        low, high = self.shown.min(axis=0), self.shown.max(axis=0)
        rim = 0.08 * np.where(high > low, high - low, 1.0)
        across, up = (np.linspace(low[i] - rim[i], high[i] + rim[i], _CELLS) for i in (0, 1))
        rows = np.tile(np.median(self.source.values, axis=0), (_CELLS**2, 1))
        rows[:, self.drawn[0]], rows[:, self.drawn[1]] = np.tile(across, _CELLS), up.repeat(_CELLS)
        return across, up, self.source.like(rows)

    def margins(self, scores: Any) -> Vector:
        """Return the score of each point towards its own label, of two labels."""
        return np.where(self.labels == self.classes[1], np.ravel(scores), -np.ravel(scores))


def colour(place: int) -> str:
    """Return the colour of a class; there may be more classes than colours."""
    return _COLOURS[place % len(_COLOURS)]


def places(classes: NDArray[Any], labels: Any) -> Indices:
    """Return the place of each label among the classes."""
    order = np.argsort(classes)
    return order[np.searchsorted(classes, np.asarray(labels), sorter=order)]


def draw_points(ax: Axes, points: LabelledPoints, model: Any) -> None:
    """Draw the points; one that gets another label has a black edge."""
    wrong = np.asarray(model.predict(points.own)) != points.labels
    for i, label in enumerate(points.classes.tolist()):
        own = points.labels == label
        ax.scatter(
            *points.shown[own].T,
            s=26,
            c=colour(i),
            marker=_MARKERS[i % len(_MARKERS)],
            edgecolors=np.where(wrong[own], "black", "white").tolist(),
            linewidths=np.where(wrong[own], 1.4, 0.5).tolist(),
            label=style.label(label),
        )


def draw_level(
    ax: Axes, field: tuple[Vector, Vector, Matrix], levels: list[float], style_of_line: str
) -> bool:
    """Draw where a score has one of some values; say whether there is such a place."""
    across, up, scores = field
    levels = [level for level in levels if scores.min() < level < scores.max()]
    if levels:
        width = 1.4 if style_of_line == "-" else 0.9
        lines: dict[str, Any] = {"linewidths": width, "linestyles": style_of_line}
        ax.contour(across, up, scores, levels=levels, colors="black", **lines)
    return bool(levels)


def describe(ax: Axes, points: LabelledPoints, across: Vector, up: Vector) -> None:
    """Name the axes, and say what became of the other columns."""
    first, second = (style.label(points.source.names[place]) for place in points.drawn)
    rest = "" if len(points.source.names) == 2 else " (other features at their medians)"
    ax.set(xlabel=first + rest, ylabel=second)
    ax.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))
    ax.grid(visible=False)
    # Points are everywhere: a legend inside would cover some.
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncols": 4}
    ax.legend(**below, fontsize=8, columnspacing=1.0, handletextpad=0.3)


def _column(feature: int | str, columns: list[str]) -> int:
    if isinstance(feature, str) and feature in columns:
        return columns.index(feature)
    if isinstance(feature, int) and 0 <= feature < len(columns):
        return feature
    raise ValueError(f"features name {feature!r}, which is no column; there are {columns}")
