"""Shares of rows, as they were seen and as they are certified: a line each."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from surelearn._wording import percent_outward
from surelearn.plots import style


class Rate(NamedTuple):
    """A share of rows: what it is of, what was seen, and its upper bound, if it has one."""

    name: str
    observed: float
    bound: float | None = None


def plot_rates(rates: Sequence[Rate], *, ax: Axes | None = None) -> Axes:
    """Draw shares of wrong answers: a bar for what was seen, a line up to what is certified.

    Parameters
    ----------
    rates
        The shares, from top to bottom.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> ax = plot_rates([Rate("this model", 0.02, 0.03), Rate("always no", 0.1)])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['this model', 'always no']
    """
    if ax is None:
        _, (ax,) = style.new_figure("What was seen and what is certified")
    seen = [100.0 * rate.observed for rate in rates]
    colours = [style.MUTED if rate.bound is None else style.OBSERVED for rate in rates]
    ax.barh(range(len(rates)), seen, height=0.5, color=colours)
    for row, rate in enumerate(rates):
        _mark(ax, row, rate)
    ends = [max(rate.observed, rate.bound or 0.0) for rate in rates]
    ax.set_yticks(range(len(rates)), [style.label(rate.name) for rate in rates])
    ax.set_ylim(len(rates) - 0.4, -0.6)
    # Room for both numbers beside the longest bar, more where long names leave less of it.
    names = max((len(rate.name) for rate in rates), default=0)
    room = 210.0 + 90.0 * min(1.0, max(0.0, (names - 14) / 12.0))
    ax.set_xlim(0.0, room * max([*ends, 1e-3]))
    ax.set_xticks([tick for tick in ax.get_xticks() if 0.0 <= tick <= min(100.0, ax.get_xlim()[1])])
    ax.set_xlabel("percent of rows answered wrongly")
    ax.grid(visible=False, axis="y")
    return ax


def _mark(ax: Axes, row: int, rate: Rate) -> None:
    """Draw how far a share may reach in truth, and write both numbers."""
    seen, told = 100.0 * rate.observed, f"{100.0 * rate.observed:.3g}% seen"
    end = seen
    if rate.bound is not None:
        end = 100.0 * max(rate.bound, rate.observed)
        ax.plot([seen, end], [row, row], color=style.GUARANTEED, linewidth=2)
        ax.plot([end], [row], "|", color=style.GUARANTEED, markersize=16, markeredgewidth=2.5)
        if rate.bound < 1.0:  # "at most 100%" says nothing
            told = f"{told}, ≤ {percent_outward(rate.bound, 'upper')}"
    ax.annotate(
        told, (end, row), xytext=(7, 0), textcoords="offset points", va="center", fontsize=8.5
    )
