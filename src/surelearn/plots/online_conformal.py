"""The last errors of a conformal run, and how wide the next interval will be."""

import math

from matplotlib.axes import Axes

from surelearn.evaluate.online_conformal import OnlineConformal
from surelearn.plots import style


def plot_online_conformal(result: OnlineConformal, *, ax: Axes | None = None) -> Axes:
    """Draw the last errors in their order, and half the width of the next interval.

    Parameters
    ----------
    result
        An `OnlineConformal` that has seen rows.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import numpy as np
    >>> from surelearn.learners.linear.online_ridge import OnlineRidge
    >>> conformal = OnlineConformal(OnlineRidge(), alpha=0.2, learns=True)
    >>> _ = conformal.learn(np.arange(40.0)[:, np.newaxis] / 40, np.arange(40) % 3)
    >>> plot_online_conformal(conformal).get_ylabel()
    'absolute error'
    """
    if result.n_rows == 0:
        raise ValueError("no rows yet: call learn(X, y) before drawing what they showed")
    if ax is None:
        missed = f"{100.0 * result.n_missed / result.n_rows:.3g}% of {result.n_rows:,} rows"
        goal = f"{100.0 * result.alpha:.3g}% in the long run"
        _, (ax,) = style.new_figure(f"Missed so far: {missed}; {goal}")
    errors = result.recent_errors
    rows = range(result.n_rows - len(errors) + 1, result.n_rows + 1)
    ax.plot(rows, errors, ".", color=style.OBSERVED, label="absolute error of a row")
    if math.isfinite(result.half_width):
        label = "half the width of the next interval"
        ax.axhline(result.half_width, color=style.GUARANTEED, linestyle="--", label=label)
    ax.set(xlabel="rows", ylabel="absolute error")
    style.put_legend_above(ax)
    return ax
