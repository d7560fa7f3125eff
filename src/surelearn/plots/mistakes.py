"""Mistakes over time against what the theorems allow."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.mistakes import Mistakes
from surelearn.plots import style
from surelearn.plots._curves import draw_bounds


def plot_mistakes(result: Mistakes, *, ax: Axes | None = None) -> Axes:
    """Draw the number of mistakes over time beside its bounds, from the run and before it.

    A bound above the number of rounds says nothing and may lie outside the picture.

    Parameters
    ----------
    result
        What `mistakes_curve` or `play_against` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.mistakes import mistakes_curve
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> ax = plot_mistakes(mistakes_curve(Perceptron(), np.eye(4), [1, 0, 1, 0], margin=0.5))
    >>> [line.get_label() for line in ax.lines][-1]
    'mistakes of Perceptron'
    """
    name = type(result.learner).__name__
    if ax is None:
        _, (ax,) = style.new_figure(f"Mistakes of {name}")
    draw_bounds(ax, result.bounds)
    rounds = np.arange(1, len(result.counts) + 1)
    ax.plot(rounds, result.counts, color=style.OBSERVED, label=f"mistakes of {name}")
    telling = [curve.bounds[curve.bounds < curve.rounds] for curve in result.bounds]
    top = np.concatenate([result.counts[-1:], *telling]).max()
    ax.set(xlabel="rounds", ylabel="mistakes", ylim=(-0.02 * top, 1.05 * top + 1.0))
    ax.legend(loc="upper left", fontsize=8)
    return ax
