"""How much of the rows' variance the first components explain."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from surelearn.plots import style


def plot_explained_variance(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the share of the variance each component explains, and what the first k do together.

    Parameters
    ----------
    model
        A fitted `PrincipalComponents`, or any model with `explained_variance_ratio_`.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.learners.decompositions.principal_components import PrincipalComponents
    >>> rows = np.random.default_rng(0).normal(size=(20, 3))
    >>> ax = plot_explained_variance(PrincipalComponents().fit(rows))
    >>> [line.get_label() for line in ax.lines]
    ['the first k together']
    """
    shares = np.asarray(model.explained_variance_ratio_)
    if ax is None:
        _, (ax,) = style.new_figure("Variance explained by the first components")
    places = np.arange(1, len(shares) + 1)
    ax.bar(places, shares, color=style.MUTED, label="component k")
    together = np.minimum(np.cumsum(shares), 1.0)
    ax.plot(places, together, "o-", color=style.OBSERVED, ms=3, label="the first k together")
    ax.set(xlabel="component", ylabel="share of the variance", ylim=(0.0, 1.03))
    style.in_percent(ax.yaxis)
    ax.legend(loc="center right", fontsize=8)
    return ax
