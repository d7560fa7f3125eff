"""An interval for each row, and what was true of it."""

import numpy as np
from matplotlib.axes import Axes

from surelearn._typing import ArrayLike
from surelearn.plots import style


def plot_intervals(
    y: ArrayLike, ends: ArrayLike, *, limit: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw an interval for each row, by its middle, and the true values inside and outside.

    Parameters
    ----------
    y
        The true values.
    ends
        The lower and the upper end of each interval: a row of two numbers each.
    limit
        Half the width of the intervals that would be alike for all rows, to compare with.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> ax = plot_intervals([1.0, 2.0], [[0.5, 1.2], [2.1, 3.0]], limit=0.6)
    >>> [line.get_label() for line in ax.get_lines()][-2:]
    ['true, inside', 'true, outside']
    """
    if ax is None:
        _, (ax,) = style.new_figure("An interval for each row")
    given = np.asarray(ends, dtype=np.float64)
    order = np.argsort(given.mean(axis=1), kind="stable")
    (low, high), true = given[order].T, np.asarray(y, dtype=np.float64)[order]
    places = np.arange(1, len(true) + 1)
    if limit is not None and np.isfinite(limit):
        middle = (low + high) / 2.0
        for end, label in ((middle - limit, "one width for all"), (middle + limit, "_")):
            ax.plot(places, end, color=style.MUTED, linestyle="--", linewidth=1.0, label=label)
    ax.vlines(
        places, low, high, color=style.GUARANTEED, alpha=0.45, linewidth=2.5, label="interval"
    )
    inside = (low <= true) & (true <= high)
    for shown, mark, label in ((inside, "o", "true, inside"), (~inside, "x", "true, outside")):
        ax.plot(places[shown], true[shown], mark, ms=3.5, color=style.OBSERVED, label=label)
    ax.set(xlabel="rows held out, by what is predicted", ylabel="value")
    style.put_legend_above(ax)
    return ax
