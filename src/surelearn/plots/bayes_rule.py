"""The rule of least risk: what its decisions cost at each point."""

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.bayes_rule import BayesRule
from surelearn.plots import style


def plot_bayes_rule(result: BayesRule, *, ax: Axes | None = None) -> Axes:
    """Draw the expected loss of the best decision at each point, beside those of the others.

    Parameters
    ----------
    result
        What `bayes_rule` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.bayes_rule import bayes_rule
    >>> ax = plot_bayes_rule(bayes_rule([[0.4, 0.1], [0.05, 0.45]], labels=["no", "yes"]))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['0: no', '1: yes']
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"No rule has less risk than {result.risk:.4g}")
    places = np.arange(len(result.conditional_risks))
    label = "expected loss of the best decision"
    ax.bar(places, result.conditional_risks, width=0.6, color=style.OBSERVED, label=label)
    if result.candidate_risks is not None:
        every = result.candidate_risks
        at = np.repeat(places, every.shape[1])
        ax.plot(at, every.ravel(), "_", ms=18, color=style.MUTED, label="of every decision")
    decided = "Bayes risk, the mean over the points"
    ax.axhline(result.risk, color=style.GUARANTEED, linestyle="--", label=decided)
    if len(places) <= 12:
        names = [style.label(f"{i}: {d}") for i, d in enumerate(result.decisions.tolist())]
        ax.set_xticks(places, names)
    ax.set(xlabel="point and decision", ylabel="expected loss")
    style.put_legend_above(ax)
    return ax
