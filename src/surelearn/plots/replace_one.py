"""What replacing single training rows did to the losses."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.replace_one import ReplaceOneStability
from surelearn.plots import style


def plot_replace_one(result: ReplaceOneStability, *, ax: Axes | None = None) -> Axes:
    """Draw for each replaced row what it cost on that row, and the largest change anywhere.

    Parameters
    ----------
    result
        What `replace_one_stability` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from surelearn.evaluate.replace_one import replace_one_stability
    >>> X, y = np.zeros((4, 1)), np.array([0.0, 1.0, 0.0, 1.0])
    >>> ax = plot_replace_one(replace_one_stability(DummyRegressor(), X, y, X, 1.0 - y))
    >>> ax.get_ylabel()
    'change of the loss'
    """
    if ax is None:
        _, (ax,) = style.new_figure("What replacing one training row changes (an estimate)")
    order = np.argsort(result.differences)
    places = np.arange(1, len(order) + 1)
    ax.plot(places, result.differences[order], ".", color=style.OBSERVED, label="on that row")
    largest = result.largest_changes[order]
    ax.plot(places, largest, ".", color=style.MUTED, label="the largest on any row")
    mean = f"mean on that row: {result.on_average:.3g}"
    ax.axhline(result.on_average, color=style.GUARANTEED, linestyle="--", label=mean)
    ax.set(xlabel="replaced rows, sorted", ylabel="change of the loss")
    style.put_legend_above(ax)
    return ax
