"""The mean loss of a stream, each row judged before it was learnt."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.progressive import ProgressiveValidation
from surelearn.plots import style
from surelearn.plots._curves import draw_certificate


def plot_progressive_validation(result: ProgressiveValidation, *, ax: Axes | None = None) -> Axes:
    """Draw the mean loss of the first rows over their number, and what the whole stream certifies.

    Parameters
    ----------
    result
        What `progressive_validate` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.progressive import progressive_validate
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> result = progressive_validate(Perceptron(), [[-1.0], [1.0], [2.0]], [0, 1, 1])
    >>> plot_progressive_validation(result).lines[0].get_label()
    'mean loss of the rows so far: 0.333'
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"Progressive validation of {type(result.learner).__name__}")
    rounds = np.arange(1, len(result.losses) + 1)
    label = f"mean loss of the rows so far: {result.mean_loss:.3g}"
    ax.plot(rounds, result.mean_losses, color=style.OBSERVED, label=label)
    draw_certificate(ax, result.certificate, n=len(result.losses))
    ax.set(xlabel="rows judged, then learnt", ylabel="loss")
    ax.set_ylim(bottom=0.0)
    ax.legend(loc="upper right", fontsize=8)
    return ax
