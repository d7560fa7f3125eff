"""Predicted numbers against true ones."""

import numpy as np
from matplotlib.axes import Axes

from surelearn._typing import ArrayLike
from surelearn.plots import style


def plot_predictions(
    y: ArrayLike, predicted: ArrayLike, *, limit: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw true values over predicted ones, and the band that a certificate allows.

    Parameters
    ----------
    y, predicted
        The true values, and what a model predicted.
    limit
        The absolute error that is certified for most rows.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> ax = plot_predictions([1.0, 2.0], [1.5, 1.8], limit=0.6)
    >>> ax.get_xlabel(), len(ax.collections)
    ('predicted', 1)
    """
    if ax is None:
        _, (ax,) = style.new_figure("Predicted and true values")
    y, predicted = np.asarray(y, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    ends = np.array([min(y.min(), predicted.min()), max(y.max(), predicted.max())])
    if limit is not None and np.isfinite(limit):
        ax.fill_between(
            ends, ends - limit, ends + limit, color=style.GUARANTEED, alpha=0.15, linewidth=0,
            label="within the certified error",
        )  # fmt: skip
    ax.plot(ends, ends, color=style.MUTED, linewidth=1.0)
    size = 3.0 if len(y) > 500 else 5.0
    ax.plot(predicted, y, ".", ms=size, alpha=0.5, color=style.OBSERVED, label="rows held out")
    ax.set(xlabel="predicted", ylabel="true")
    ax.locator_params(axis="x", nbins=6)  # long numbers must not run into each other
    style.put_legend_above(ax)
    return ax
