"""Curves over all thresholds or sizes, with the line that the true one is not beyond."""

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
    style.put_legend_above(ax)
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
    style.put_legend_above(ax)
    return ax


def plot_risk_band(band: CurveBand, *, ax: Axes | None = None) -> Axes:
    """Draw the risk of confident answers over their share, and the line it is not above.

    Parameters
    ----------
    band
        From `surelearn.evaluate.curves.risk_band`.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn import claims
    >>> from surelearn.evaluate.curves import risk_band
    >>> rows = claims.record([1, 1, 0, 0], [1, 1, 0, 1], confidence=[0.9, 0.8, 0.6, 0.5])
    >>> plot_risk_band(risk_band(rows)).get_ylabel()
    'wrong, percent of the answers'
    """
    if ax is None:
        _, (ax,) = style.new_figure("The true risk is nowhere above the line")
    _draw(ax, band, drawstyle="steps-post", label="true risk of that threshold not above")
    top = max(5.0, 130.0 * float(band.y.max()), 100.0 * float(band.low_y[-1]) * 1.5)
    ax.set_ylim(-0.02 * top, min(104.0, top))  # few confident answers prove nothing: up to 100
    ax.set_xlabel("answered in these rows at a threshold of confidence, percent")
    ax.set_ylabel("wrong, percent of the answers")
    style.put_legend_above(ax)
    return ax


def plot_benefit_band(band: CurveBand, *, ax: Axes | None = None) -> Axes:
    """Draw a decision curve as it was seen, and the line that the true one is not below.

    Parameters
    ----------
    band
        From `surelearn.evaluate.curves.benefit_band`.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn import claims
    >>> from surelearn.evaluate.curves import benefit_band
    >>> rows = claims.record([1, 1, 0, 0], [1, 1, 0, 0], score=[0.9, 0.4, 0.6, 0.1])
    >>> plot_benefit_band(benefit_band(rows)).get_ylabel()
    'net benefit per case'
    """
    if ax is None:
        _, (ax,) = style.new_figure("The true net benefit is nowhere below the line")
    percent = 100 * band.x
    ax.plot(percent, band.y, color=style.OBSERVED, label="observed")
    level = f"true net benefit not below ({confidence(band.delta)})"
    ax.plot(percent, band.low_y, color=style.GUARANTEED, label=level)
    if band.beside is not None:
        every = "observed if all are called positive"
        ax.plot(percent, band.beside, color=style.MUTED, linestyle=":", label=every)
    ax.axhline(0.0, color=style.MUTED, linewidth=1)
    most = max(float(band.y.max()), 0.01)
    ax.set_ylim(-0.35 * most, 1.35 * most)
    ax.set_xlim(-2, 102)
    ax.set_xlabel("probability from which on it is acted, percent")
    ax.set_ylabel("net benefit per case")
    style.put_legend_above(ax)
    return ax


def plot_size_band(band: CurveBand, *, ax: Axes | None = None) -> Axes:
    """Draw the share of errors up to each size, and the line that the true one is not below.

    Parameters
    ----------
    band
        From `surelearn.evaluate.curves.size_band`.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn import claims
    >>> from surelearn.evaluate.curves import size_band
    >>> rows = claims.record([0.5, 1.5, 2.25], [0.0, 0.0, 0.0])
    >>> plot_size_band(size_band(rows)).get_ylabel()
    'percent of cases'
    """
    if ax is None:
        _, (ax,) = style.new_figure("The true share is nowhere below the line")
    steps: dict[str, Any] = {"drawstyle": "steps-post"}
    ax.plot(band.x, 100 * band.y, color=style.OBSERVED, label="observed", **steps)
    level = f"true share not below ({confidence(band.delta)})"
    ax.plot(band.low_x, 100 * band.low_y, color=style.GUARANTEED, label=level, **steps)
    ax.set_ylim(-2, 104)
    ax.set_xlabel("absolute error of at most")
    ax.set_ylabel("percent of cases")
    style.put_legend_above(ax)
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
