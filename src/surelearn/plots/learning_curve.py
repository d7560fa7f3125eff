"""Losses over the number of training rows."""

from matplotlib.axes import Axes

from surelearn._typing import Indices, Matrix
from surelearn.evaluate._mean_losses import ERRORS, named
from surelearn.evaluate.learning_curve import LearningCurve
from surelearn.plots import style


def plot_learning_curve(result: LearningCurve, *, ax: Axes | None = None) -> Axes:
    """Draw the loss on seen and unseen rows over the number of rows learnt from.

    The bands reach from the smallest to the largest fold.

    Parameters
    ----------
    result
        What `learning_curve` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.evaluate.learning_curve import learning_curve
    >>> curve = learning_curve(DummyClassifier(), np.zeros((100, 1)), [0, 0, 1, 1] * 25)
    >>> [line.get_label() for line in plot_learning_curve(curve).lines]
    ['unseen rows', 'rows learnt from']
    >>> plot_learning_curve(curve).yaxis.get_major_formatter()(0.25)
    '25%'
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"{type(result.model).__name__} learning from more rows")
    _draw(ax, result.sizes, result.validation, style.OBSERVED, "unseen rows")
    _draw(ax, result.sizes, result.training, style.MUTED, "rows learnt from")
    ax.set(xlabel="rows learnt from", ylabel=named(result.loss))
    ax.set_ylim(bottom=0.0)
    if result.loss == ERRORS:
        style.in_percent(ax.yaxis)
    style.put_legend_above(ax)
    return ax


def _draw(ax: Axes, sizes: Indices, losses: Matrix, colour: str, label: str) -> None:
    ax.fill_between(
        sizes, losses.min(axis=0), losses.max(axis=0), color=colour, alpha=0.15, linewidth=0
    )
    ax.plot(sizes, losses.mean(axis=0), "-o", ms=4, color=colour, label=label)
