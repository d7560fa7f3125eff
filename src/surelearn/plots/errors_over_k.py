"""The error of nearest neighbours over their number k."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from surelearn._typing import Vector
from surelearn.plots import style

_COLOURS = (style.MUTED, style.OBSERVED, style.GUARANTEED, style.BROKEN)


def plot_errors_over_k(
    n_neighbors: Sequence[int], errors: Mapping[str, Vector], *, ax: Axes | None = None
) -> Axes:
    """Draw curves of errors over k, each with a mark at its smallest value.

    Parameters
    ----------
    n_neighbors
        The numbers of neighbours.
    errors
        For each curve its name and what `errors_over_k` of a classifier returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> ax = plot_errors_over_k([1, 3, 5], {"test": np.array([0.3, 0.1, 0.2])})
    >>> ax.lines[0].get_label()
    'test error, least at k = 3'
    """
    if ax is None:
        _, (ax,) = style.new_figure("Error of nearest neighbours over their number")
    for i, (name, curve) in enumerate(errors.items()):
        best = int(np.argmin(curve))
        label = f"{name} error, least at k = {n_neighbors[best]}"
        colour = _COLOURS[i % len(_COLOURS)]
        ax.plot(n_neighbors, curve, "-o", ms=3, color=colour, label=label)
        ax.plot(n_neighbors[best], curve[best], "D", ms=7, color=colour, label="_")
    ax.set(xscale="log", xlabel="neighbours that vote, k", ylabel="wrong labels")
    style.in_percent(ax.yaxis)
    ax.set_ylim(bottom=-0.01)
    ax.legend(loc="upper left", fontsize=8)
    return ax
