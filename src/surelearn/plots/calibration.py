"""Predicted probabilities against what happened: the reliability diagram."""

import numpy as np
from matplotlib.axes import Axes

from surelearn._wording import confidence
from surelearn.evaluate.calibration import Calibration
from surelearn.plots import style


def plot_calibration(result: Calibration, *, ax: Axes | None = None) -> Axes:
    """Draw how often the event happened in each bin of predicted probability.

    Bars hold for all bins together. A bin whose bar misses the shaded steps is refuted: whatever
    the predictions in it were, their mean is not the frequency.

    Parameters
    ----------
    result
        What `calibration_curve` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.calibration import calibration_curve
    >>> ax = plot_calibration(calibration_curve([0.1, 0.6, 0.8], [0, 1, 1], n_bins=2))
    >>> ax.get_xlabel()
    'predicted probability'
    """
    if ax is None:
        _, (ax,) = style.new_figure("Predicted probabilities and what happened")
    low, high = result.edges[:-1], result.edges[1:]
    ax.bar(
        low, high - low, high - low, low, align="edge", color=style.MUTED, alpha=0.25,
        label="where a calibrated bin may lie",
    )  # fmt: skip
    ax.plot([0.0, 1.0], [0.0, 1.0], color=style.MUTED, linewidth=1.0)
    level = confidence(result.delta)
    for mask, colour, words in (
        (~result.refuted, style.OBSERVED, f"frequency, all bars {level}"),
        (result.refuted, style.GUARANTEED, "refuted"),
    ):
        shown = mask & (result.counts > 0)
        if not shown.any():
            continue
        heights = result.frequencies[shown]
        reach = np.array([heights - result.lower[shown], result.upper[shown] - heights])
        ax.errorbar(
            result.mean_predicted[shown], heights, reach.clip(min=0.0),
            fmt="o", color=colour, capsize=3, label=words,
        )  # fmt: skip
    ax.set(xlabel="predicted probability", ylabel="frequency", xlim=(0, 1), ylim=(0, 1))
    style.in_percent(ax.xaxis, ax.yaxis)
    style.put_legend_above(ax)
    return ax
