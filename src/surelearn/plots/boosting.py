"""Boosting round by round, and the margins it leaves."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.boosting_trace import BoostingTrace
from surelearn.plots import style


def plot_boosting(result: BoostingTrace, *, ax: Axes | None = None) -> Axes:
    """Draw the training error over the rounds, the bounds it never exceeds, and unseen errors.

    Parameters
    ----------
    result
        What `trace_boosting` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.boosting_trace import trace_boosting
    >>> from surelearn.learners.ensembles.adaboost_classifier import AdaBoostClassifier
    >>> X, y = np.arange(10.0)[:, np.newaxis], [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    >>> trace = trace_boosting(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y)
    >>> [line.get_label() for line in plot_boosting(trace).lines]
    ['exp(-2 Σ edge²)', 'product bound', 'training error']
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"{type(result.model).__name__} round by round")
    curves = (
        ("exp(-2 Σ edge²)", result.exponential_bounds, style.MUTED, "--"),
        ("product bound", result.bounds, style.GUARANTEED, "-"),
        ("unseen rows", result.unseen_error, style.BROKEN, "-"),
        ("training error", result.training_error, style.OBSERVED, "-"),
    )
    for name, curve, colour, line in curves:
        if curve is not None:
            ax.plot(result.rounds, curve, line, color=colour, label=name)
    ax.set(xlabel="rounds", ylabel="wrong labels")
    style.in_percent(ax.yaxis)
    ax.set_ylim(bottom=0.0)
    ax.legend(fontsize=8)
    return ax


def plot_margins(result: BoostingTrace, *, ax: Axes | None = None) -> Axes:
    """Draw the share of rows whose margin is at most each value; left of 0 are the errors.

    Parameters
    ----------
    result
        What `trace_boosting` returned for a model that has margins.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.boosting_trace import trace_boosting
    >>> from surelearn.learners.ensembles.adaboost_classifier import AdaBoostClassifier
    >>> X, y = np.arange(10.0)[:, np.newaxis], [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    >>> trace = trace_boosting(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y)
    >>> plot_margins(trace).get_xlabel()
    'margin: share of votes for the label minus share for the best other'
    """
    if result.margins is None:
        raise ValueError(f"{type(result.model).__name__} has no margins to draw")
    if ax is None:
        _, (ax,) = style.new_figure(f"Margins of {type(result.model).__name__}")
    n = len(result.margins)
    ax.step(
        np.append(-1.0, np.sort(result.margins)),
        np.arange(n + 1) / n,
        where="post",
        color=style.OBSERVED,
        label="rows",
    )
    ax.axvline(0.0, color=style.MUTED, linewidth=0.8)
    ax.set(
        xlabel="margin: share of votes for the label minus share for the best other",
        ylabel="share of rows at most this",
        xlim=(-1.0, 1.0),
        ylim=(0.0, 1.0),
    )
    return ax
