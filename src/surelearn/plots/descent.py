"""How a gradient method went: the norm of the gradient over its steps."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.optimizers._trace import Trace
from surelearn.optimizers.stochastic_gradient_descent import StochasticTrace
from surelearn.plots import style


def plot_descent(trace: Trace | StochasticTrace, *, ax: Axes | None = None) -> Axes:
    """Draw the norm of the gradient over the steps of a method.

    Parameters
    ----------
    trace
        What a function of `surelearn.optimizers` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn import gradient_descent
    >>> trace = gradient_descent(lambda w: (float(w @ w), 2.0 * w), [1.0], learning_rate=0.2)
    >>> plot_descent(trace).get_yscale()
    'log'
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"{trace.n_steps:,} steps; {trace.reason}")
    norms = np.asarray(trace.gradient_norms)
    ax.plot(np.arange(len(norms)), norms, color=style.OBSERVED)
    if (norms > 0.0).any():
        ax.set_yscale("log")
    ax.set(xlabel="steps", ylabel="norm of the gradient")
    return ax
