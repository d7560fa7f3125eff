"""Which columns a forest needs: what it loses without them, or how often it asks them."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from surelearn.base.tables.table import column_names
from surelearn.plots import style


def plot_importances(
    result: Any, *, most: int = 20, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the importance of each column as a bar, the largest on top.

    Parameters
    ----------
    result
        What `permutation_importances` of a forest returns, with a line for the spread over the
        trees; or a fitted model with `feature_importances_`.
    most
        How many columns are drawn.
    title
        Another title than what is drawn.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn import RandomForestClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = X[:, 1] > 0.0
    >>> model = RandomForestClassifier(20).fit(X, y)
    >>> ax = plot_importances(model.permutation_importances(X, y))
    >>> [label.get_text() for label in ax.get_yticklabels()][-1]
    'x1'
    """
    by_shuffling = hasattr(result, "means")
    means = np.asarray(result.means if by_shuffling else result.feature_importances_)
    names = result.names if by_shuffling else column_names(result)
    told = "loss added by shuffling, on rows a tree has not seen"
    if not by_shuffling:
        told = "share of the decrease of impurity, on the training rows"
    if ax is None:
        _, (ax,) = style.new_figure(title or "Which columns the forest needs")
    shown = np.argsort(means, kind="stable")[-most:]
    spread = np.asarray(result.deviations)[shown] if by_shuffling else None
    ax.barh(
        np.arange(len(shown)), means[shown], xerr=spread, color=style.MUTED, ecolor=style.OBSERVED
    )
    ax.set_yticks(np.arange(len(shown)), [style.label(names[place]) for place in shown])
    ax.set_xlabel(told)
    ax.axvline(0.0, color=style.OBSERVED, linewidth=0.8)
    return ax
