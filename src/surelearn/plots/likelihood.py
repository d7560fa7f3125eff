"""The likelihood over the iterations of EM."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.learners.mixtures._mixture import Mixture
from surelearn.plots import style


def plot_likelihood(
    model: Mixture,
    *,
    label: str | None = None,
    colour: str = style.OBSERVED,
    ax: Axes | None = None,
) -> Axes:
    """Draw how the log-likelihood rose from the start of the best run to its end.

    Parameters
    ----------
    model
        A fitted mixture.
    label, colour
        How to draw its curve, if several share the axes.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.learners.mixtures.gaussian_mixture import GaussianMixture
    >>> model = GaussianMixture(n_components=2, random_state=0).fit([[0.0], [0.1], [5.0], [5.3]])
    >>> len(plot_likelihood(model).lines[0].get_xdata()) == model.n_iter_ + 1
    True
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"Likelihood of {type(model).__name__}")
    path = model.log_likelihoods_
    ax.plot(np.arange(len(path)), path, color=colour, label=label)
    end = "o" if model.converged_ else "x"
    ax.plot(len(path) - 1, path[-1], end, color=colour)
    ax.set(xlabel="iterations of EM", ylabel="log-likelihood")
    if label is not None:
        ax.legend(loc="lower right", fontsize=8)
    return ax
