"""How often a bound misses, where the truth is known."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.coverage import Coverage
from surelearn.plots import style


def plot_coverage(result: Coverage, *, ax: Axes | None = None) -> Axes:
    """Draw how far each bound lies from the truth, from the smallest distance to the largest.

    Parameters
    ----------
    result
        What `simulate_coverage` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> result = Coverage(truths=np.full(100, 0.5), bounds=np.linspace(0.49, 0.6, 100), delta=0.05)
    >>> plot_coverage(result).get_legend().get_texts()[0].get_text()
    'missed: 9% of 100 repetitions, 5% allowed'
    """
    if ax is None:
        _, (ax,) = style.new_figure("How far the bound lies from the truth")
    sign = 1.0 if result.direction == "upper" else -1.0
    room = np.sort(sign * (result.bounds - result.truths))
    share = 100.0 * np.arange(1, len(room) + 1) / len(room)
    told = f"{100.0 * result.miss_rate:.3g}% of {len(room):,} repetitions"
    missed = room < 0.0
    label = f"missed: {told}, {100.0 * result.delta:.3g}% allowed"
    ax.plot(share[missed], room[missed], ".", color=style.BROKEN, label=label)
    ax.plot(share[~missed], room[~missed], ".", color=style.OBSERVED, label="held")
    ax.axhline(0.0, color=style.MUTED, linewidth=1.0)
    ax.axvline(100.0 * result.delta, color=style.GUARANTEED, linestyle="--", label="allowed misses")
    ax.set(xlabel="percent of the repetitions", ylabel="bound beyond the truth")
    style.put_legend_above(ax)
    return ax
