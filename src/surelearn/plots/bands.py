"""Curves over all thresholds, with the line that the true one is not below."""

from typing import Any

from matplotlib.axes import Axes

from surelearn._wording import confidence
from surelearn.evaluate.curves import CurveBand
from surelearn.plots import style


def plot_roc_band(band: CurveBand, *, ax: Axes | None = None) -> Axes:
    """Draw a ROC curve as it was seen, and the line that the true one is not below.

    Parameters
    ----------
    band
        From `surelearn.evaluate.curves.roc_band`.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn import claims
    >>> from surelearn.evaluate.curves import roc_band
    >>> rows = claims.record([1, 1, 0, 0], [1, 1, 0, 0], score=[0.9, 0.4, 0.6, 0.1])
    >>> plot_roc_band(roc_band(rows)).get_xlabel()
    'false alarms, percent of negative cases'
    """
    if ax is None:
        _, (ax,) = style.new_figure("The true ROC curve lies nowhere below the line")
    _draw(ax, band, drawstyle="steps-post", label="true curve not below")
    ax.plot([0, 100], [0, 100], color=style.MUTED, linestyle=":", linewidth=1)
    ax.set_xlabel("false alarms, percent of negative cases")
    ax.set_ylabel("found, percent of positive cases")
    ax.legend(loc="lower right")
    return ax


def plot_precision_band(band: CurveBand, *, ax: Axes | None = None) -> Axes:
    """Draw precision over the share found, and the line that the true one is not below.

    A point of the line is a threshold, placed at the share of positive rows that it found here.

    Parameters
    ----------
    band
        From `surelearn.evaluate.curves.precision_band`.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn import claims
    >>> from surelearn.evaluate.curves import precision_band
    >>> rows = claims.record([1, 1, 0, 0], [1, 1, 0, 0], score=[0.9, 0.4, 0.6, 0.1])
    >>> plot_precision_band(precision_band(rows)).get_ylabel()
    'right, percent of alarms'
    """
    if ax is None:
        _, (ax,) = style.new_figure("The true precision is nowhere below the line")
    # By thresholds, not by shares found: which share a threshold finds in truth is another claim.
    _draw(ax, band, drawstyle="steps-pre", label="true precision of that threshold not below")
    ax.set_xlabel("found in these rows by a threshold, percent of the positive ones")
    ax.set_ylabel("right, percent of alarms")
    ax.legend(loc="lower left")
    return ax


def _draw(ax: Axes, band: CurveBand, *, drawstyle: Any, label: str) -> None:
    """Draw both lines; between two thresholds the lower one stays at the lower of its values."""
    ax.plot(100 * band.x, 100 * band.y, color=style.OBSERVED, label="observed")
    level = confidence(band.delta)
    ax.plot(
        100 * band.low_x,
        100 * band.low_y,
        color=style.GUARANTEED,
        label=f"{label} ({level})",
        drawstyle=drawstyle,
    )
    ax.set_xlim(-2, 102)
    ax.set_ylim(-2, 104)
