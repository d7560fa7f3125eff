"""The losses of the models of one pass, and what they certify."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.online_to_batch import OnlineToBatch
from surelearn.plots import style
from surelearn.plots._curves import draw_certificate


def plot_online_to_batch(result: OnlineToBatch, *, ax: Axes | None = None) -> Axes:
    """Draw the mean loss of the models held before each row, and the bound on what was certified.

    Parameters
    ----------
    result
        What `online_to_batch` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.online_to_batch import online_to_batch
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> ax = plot_online_to_batch(online_to_batch(Perceptron(), np.eye(4), [1, 0, 1, 0]))
    >>> ax.get_xlabel()
    'rows judged, then learnt'
    """
    if ax is None:
        _, (ax,) = style.new_figure("From an online run to one model")
    rounds = np.arange(1, len(result.losses) + 1)
    label = "mean loss of the models so far, each on the row after it"
    ax.plot(rounds, np.cumsum(result.losses) / rounds, color=style.OBSERVED, label=label)
    draw_certificate(ax, result.certificate, n=len(result.losses))
    ax.set(xlabel="rows judged, then learnt", ylabel="loss")
    ax.set_ylim(bottom=0.0)
    ax.legend(loc="upper right", fontsize=8)
    return ax
