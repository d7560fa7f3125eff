"""How a model's answers depend on one feature."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.dependence import AccumulatedEffects, PartialDependence
from surelearn.plots import style

_MOST_LINES = 50


def plot_partial_dependence(result: PartialDependence, *, ax: Axes | None = None) -> Axes:
    """Draw the mean answer over the values of a feature, and thin lines for some single rows.

    Parameters
    ----------
    result
        What `partial_dependence` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.dependence import partial_dependence
    >>> from surelearn.learners.linear.linear_regression import LinearRegression
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 1.0]])
    >>> model = LinearRegression().fit(X, X @ [2.0, 1.0])
    >>> plot_partial_dependence(partial_dependence(model, X, 0)).get_xlabel()
    'x0'
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"Partial dependence on {result.feature}")
    numeric = result.grid.dtype.kind in "biuf"
    across = result.grid if numeric else np.arange(len(result.grid))
    ax.plot(across, result.individual[:_MOST_LINES].T, color=style.MUTED, linewidth=0.5, alpha=0.5)
    look = "-" if numeric and len(across) > 12 else "-o"
    ax.plot(across, result.mean, look, ms=4, color=style.OBSERVED, linewidth=2.0, label="mean")
    if not numeric:
        ax.set_xticks(across, [str(value) for value in result.grid])
    elif result.values.dtype.kind in "biuf":
        shown = result.values[:500].astype(np.float64)
        floor = ax.get_ylim()[0]
        ax.plot(shown, np.full(len(shown), floor), "|", color="black", ms=6, alpha=0.4)
    ax.set(xlabel=style.label(result.feature), ylabel=style.label(result.response))
    ax.legend(fontsize=8)
    return ax


def plot_accumulated_effects(result: AccumulatedEffects, *, ax: Axes | None = None) -> Axes:
    """Draw what small changes of a feature add up to.

    Parameters
    ----------
    result
        What `accumulated_effects` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.dependence import accumulated_effects
    >>> from surelearn.learners.linear.linear_regression import LinearRegression
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 1.0]])
    >>> model = LinearRegression().fit(X, X @ [2.0, 1.0])
    >>> plot_accumulated_effects(accumulated_effects(model, X, 0)).get_ylabel()
    'effect on the prediction'
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"Accumulated effects of {result.feature}")
    ax.axhline(0.0, color=style.MUTED, linewidth=0.8)
    look = "-" if len(result.edges) > 12 else "-o"
    ax.plot(result.edges, result.effects, look, ms=4, color=style.OBSERVED, linewidth=2.0)
    ax.plot(result.edges, np.full(len(result.edges), ax.get_ylim()[0]), "|", color="black", ms=6)
    ax.set(
        xlabel=style.label(result.feature),
        ylabel=style.label(f"effect on the {result.response}", longest=60),
    )
    return ax
