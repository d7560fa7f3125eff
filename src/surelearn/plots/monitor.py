"""What a monitor showed over time: the bound and the mean, or the statistic of an alarm."""

import math

import numpy as np
from matplotlib.axes import Axes

from surelearn._wording import exactly, outward, percent_outward
from surelearn.evaluate._monitoring import HOWEVER_OFTEN, MonitorHistory
from surelearn.evaluate.drift_alarm import DriftAlarm
from surelearn.plots import style

_SMALLEST = 1e-3  # of a statistic that is drawn as a logarithm


def plot_monitor(history: MonitorHistory, *, ax: Axes | None = None) -> Axes:
    """Draw the mean so far and the bound on its expectation over the rows that counted.

    Parameters
    ----------
    history
        What `history()` of a monitor returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.risk_monitor import RiskMonitor
    >>> history = RiskMonitor().update([0, 1, 0]).update([0] * 97).history()
    >>> [line.get_label() for line in plot_monitor(history).lines]
    ['observed: 1%', 'at most 7.40%, however often one looks']
    """
    if ax is None:
        _, (ax,) = style.new_figure("The bound may be looked at whenever one likes")
    side = "at most" if history.direction == "upper" else "at least"
    unit, sign = (100.0, "%") if history.share else (1.0, "")
    seen, bounds = unit * history.observed, unit * history.bounds
    last = percent_outward if history.share else outward
    bound = f"{side} {last(history.bounds[-1], history.direction)}, {HOWEVER_OFTEN}"
    mark = "o" if len(history.rows) == 1 else None
    observed = f"observed: {seen[-1]:.3g}{sign}"
    ax.plot(history.rows, seen, color=style.OBSERVED, label=observed, marker=mark)
    ax.plot(history.rows, bounds, color=style.GUARANTEED, label=bound, marker=mark)
    told = f"{history.quantity}, percent" if history.share else history.quantity
    ax.set(xlabel="rows that count", ylabel=told)
    ax.yaxis.label.set_wrap(True)
    style.put_legend_above(ax)
    return ax


def plot_alarm(alarm: DriftAlarm, *, ax: Axes | None = None) -> Axes:
    """Draw the logarithm of an alarm's statistic, the height at which it rings, and where it rang.

    Parameters
    ----------
    alarm
        A `DriftAlarm` that has seen rows.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.drift_alarm import DriftAlarm
    >>> alarm = DriftAlarm(tolerated=0.05).update([0] * 50 + [1, 0, 1, 1, 1])
    >>> [line.get_label() for line in plot_alarm(alarm).lines]
    ['ln of the statistic', 'alarm at ln 1000', 'alarm']
    """
    if alarm.n_rows == 0:
        raise ValueError("this alarm has seen no rows: call update(losses) before drawing it")
    if ax is None:
        _, (ax,) = style.new_figure(
            f"A false alarm comes after {exactly(alarm.rows_between)} rows or more on average"
        )
    values = np.log(np.maximum(np.frombuffer(alarm.path), _SMALLEST))
    rows = np.arange(1, len(values) + 1)
    height = math.log(alarm.rows_between)
    ax.plot(rows, values, color=style.OBSERVED, label="ln of the statistic", linewidth=1.0)
    label = f"alarm at ln {alarm.rows_between:g}"
    ax.axhline(height, color=style.GUARANTEED, linestyle="--", label=label)
    if alarm.alarms:
        places = np.array(alarm.alarms)
        ax.plot(places, values[places - 1], "v", color=style.BROKEN, label="alarm")
    ax.set(xlabel="rows", ylabel="ln of the statistic")
    ax.legend(loc="upper left", fontsize=8)
    return ax
