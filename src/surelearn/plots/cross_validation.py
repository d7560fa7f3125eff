"""The folds of a cross-validation and the mean of their means; intervals beside each other."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate._mean_losses import ERRORS, named, told
from surelearn.evaluate.cross_validation import CrossValidation
from surelearn.evaluate.intervals import Interval
from surelearn.evaluate.nested_cross_validation import NestedCrossValidation
from surelearn.evaluate.selection import Selection
from surelearn.plots import style


def plot_cross_validation(
    result: CrossValidation | NestedCrossValidation, *, ax: Axes | None = None
) -> Axes:
    """Draw the mean loss of each fold, and the mean of these means.

    Parameters
    ----------
    result
        What `cross_validate` or `nested_cross_validate` returned; a nested one also names the model
        that was chosen without each fold.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.evaluate.cross_validation import cross_validate
    >>> result = cross_validate(DummyClassifier(), np.zeros((20, 1)), [0, 1] * 10)
    >>> plot_cross_validation(result).get_xlabel()
    'fold'
    """
    nested = isinstance(result, NestedCrossValidation)
    folds = result.outer if nested else result
    if ax is None:
        what = "Choosing a model" if nested else type(folds.model).__name__
        _, (ax,) = style.new_figure(f"{what} in {len(folds.folds)} {folds.scheme}: no certificate")
    places = np.arange(1, len(folds.folds) + 1)
    ax.plot(places, folds.fold_means, "o", color=style.OBSERVED, label="mean of a fold")
    label = f"mean of the folds' means, {told(folds.estimate, folds.loss)}"
    ax.axhline(folds.estimate, color=style.MUTED, ls="--", label=label)
    if nested:
        for place, mean, name in zip(places, folds.fold_means, result.chosen, strict=True):
            ax.annotate(
                name, (place, mean), (0, 6), textcoords="offset points", ha="center", fontsize=7
            )
    ax.set(xlabel="fold", ylabel=named(folds.loss))
    if folds.loss == ERRORS:
        style.in_percent(ax.yaxis)
    ax.set_xticks(places) if len(places) <= 20 else None
    ax.set_ylim(bottom=0.0, top=1.2 * max(float(folds.fold_means.max()), 1e-9))
    ax.legend(loc="lower right", fontsize=8)
    return ax


def plot_selection(result: Selection, *, ax: Axes | None = None) -> Axes:
    """Draw what each model seems to cost, the folds as dots, and mark the one chosen.

    Parameters
    ----------
    result
        What `select_by_cross_validation` or `select_on_dev_set` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.evaluate.selection import select_by_cross_validation
    >>> models = {"majority": DummyClassifier(), "guess": DummyClassifier(strategy="uniform")}
    >>> rows, labels = np.zeros((20, 1)), [0] * 15 + [1] * 5
    >>> ax = plot_selection(select_by_cross_validation(models, rows, labels))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['majority', 'guess']
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"{result.chosen} looks best, and better than it is")
    for place, evaluation in enumerate(result.evaluations.values()):
        means = evaluation.fold_means
        ax.plot(means, np.full(len(means), place), "|", color=style.MUTED)
    places = np.arange(len(result.names))
    ax.plot(result.estimates, places, "o", color=style.OBSERVED, label="mean of the folds' means")
    best = result.names.index(result.chosen)
    label = f"chosen: {style.label(result.chosen)}"
    ax.plot(result.estimates[best], best, "D", ms=8, color=style.GUARANTEED, label=label)
    ax.set_yticks(places, [style.label(name) for name in result.names])
    ax.invert_yaxis()
    loss = next(iter(result.evaluations.values())).loss
    ax.set_xlabel(named(loss))
    if loss == ERRORS:
        style.in_percent(ax.xaxis)
    ax.legend(loc="lower right", fontsize=8)
    return ax


def plot_intervals(
    intervals: Sequence[Interval], *, truth: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw intervals below each other; exact ones in the colour of guarantees.

    Parameters
    ----------
    intervals
        What the functions of `surelearn.evaluate.intervals` returned.
    truth
        The risk itself, where it is known.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.evaluate.intervals import holdout_interval
    >>> model = DummyClassifier().fit([[0.0]], [0])
    >>> ax = plot_intervals([holdout_interval(model, np.zeros((9, 1)), [0] * 8 + [1])])
    >>> ax.get_xlabel()
    'risk'
    """
    if ax is None:
        _, (ax,) = style.new_figure("Intervals around an estimated risk")
    for place, one in enumerate(intervals):
        colour = style.GUARANTEED if one.validity == "exact" else style.OBSERVED
        ax.plot([one.low, one.high], [place, place], "-", lw=3, color=colour, alpha=0.6)
        ax.plot(one.estimate, place, "o", color=colour)
    if truth is not None:
        ax.axvline(truth, color=style.MUTED, ls="--", label=f"true risk {truth:.3g}")
        ax.legend(loc="lower right", fontsize=8)
    ax.set_yticks(
        range(len(intervals)),
        [f"{style.label(i.method, longest=60)} ({i.validity})" for i in intervals],
    )
    ax.invert_yaxis()
    ax.set_xlabel("risk")
    return ax
