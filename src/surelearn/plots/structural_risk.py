"""Training errors, prices and bounds of nested classes."""

import numpy as np
from matplotlib.axes import Axes

from surelearn._wording import confidence
from surelearn.evaluate.structural_risk import StructuralRisk
from surelearn.plots import style


def plot_structural_risk(result: StructuralRisk, *, ax: Axes | None = None) -> Axes:
    """Draw for each class the training error of its rule and the bound on the rule's risk.

    Parameters
    ----------
    result
        What `minimize_structural_risk` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelearn.evaluate.structural_risk import RuleClass, minimize_structural_risk
    >>> X = np.random.default_rng(0).normal(size=(99, 1))
    >>> classes = {"one": RuleClass(model=GaussianNB(), vc_dimension=2)}
    >>> ax = plot_structural_risk(minimize_structural_risk(classes, X, X[:, 0] > 0))
    >>> [line.get_label() for line in ax.lines]
    ['bound, with confidence 95% for all', 'training error', 'chosen: one']
    """
    if ax is None:
        _, (ax,) = style.new_figure("A larger class fits better and costs more")
    places = np.arange(len(result.names))
    finite = np.isfinite(result.bounds)
    ax.vlines(places[finite], result.training_errors[finite], result.bounds[finite], style.MUTED)
    label = f"bound, with confidence {confidence(result.delta)} for all"
    ax.plot(places[finite], result.bounds[finite], "-o", color=style.GUARANTEED, label=label)
    ax.plot(places, result.training_errors, "-o", color=style.OBSERVED, label="training error")
    best = result.names.index(result.chosen)
    chosen = f"chosen: {style.label(result.chosen)}"
    ax.plot(best, result.bounds[best], "D", ms=10, mfc="none", color=style.GUARANTEED, label=chosen)
    ax.set_xticks(places, [style.label(name) for name in result.names])
    ax.set(ylabel="wrong labels")
    style.in_percent(ax.yaxis)
    ax.set_ylim(bottom=-0.01)
    ax.legend(fontsize=8)
    return ax
