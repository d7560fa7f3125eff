"""What each row costs a model that did not see it."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.leave_one_out import LeaveOneOut
from surelearn.plots import style


def plot_leave_one_out(result: LeaveOneOut, *, ax: Axes | None = None) -> Axes:
    """Draw the losses of the rows, largest first, and their mean.

    A few rows that cost far more than all others carry the estimate.

    Parameters
    ----------
    result
        What `leave_one_out` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.leave_one_out import leave_one_out
    >>> from surelearn.learners.linear.linear_regression import LinearRegression
    >>> result = leave_one_out(LinearRegression(), [[1.0], [2.0], [3.0], [4.0]], [2, 3, 5, 4])
    >>> [line.get_label() for line in plot_leave_one_out(result).lines]
    ['a row, left out', 'mean: 2.23']
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"{type(result.model).__name__}, rows left out one by one")
    ranks = np.arange(1, len(result.losses) + 1)
    drawn = np.sort(result.losses)[::-1]
    size = 2.5 if len(ranks) > 200 else 4.0
    ax.plot(ranks, drawn, "o", ms=size, color=style.OBSERVED, label="a row, left out")
    mean = "mean" if result.weights is None else "weighted mean"
    ax.axhline(
        result.estimate, color="black", linewidth=1.2, label=f"{mean}: {result.estimate:.3g}"
    )
    ax.set(xlabel="rows, the dearest first", ylabel=result.loss)
    ax.set_ylim(bottom=min(0.0, float(drawn[-1])))
    ax.legend(loc="upper right", fontsize=8)
    return ax
