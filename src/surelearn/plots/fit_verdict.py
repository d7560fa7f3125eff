"""Losses on seen and unseen rows, beside what a constant guess costs."""

from matplotlib.axes import Axes

from surelearn.evaluate.fit_verdict import FitVerdict
from surelearn.plots import style


def plot_fit_verdict(result: FitVerdict, *, ax: Axes | None = None) -> Axes:
    """Draw the mean loss on rows learnt from and on unseen ones, each with its interval.

    Parameters
    ----------
    result
        What `judge_fit` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.evaluate.fit_verdict import judge_fit
    >>> rows, labels = [[0.0]] * 20, [0] * 15 + [1] * 5
    >>> found = judge_fit(DummyClassifier().fit(rows, labels), rows, labels, rows, labels)
    >>> [label.get_text() for label in plot_fit_verdict(found).get_yticklabels()]
    ['rows learnt from', 'unseen rows']
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"Seen and unseen rows: {result.kind} (an estimate)")
    for place, one in enumerate((result.training, result.unseen)):
        ax.plot([one.low, one.high], [place, place], lw=4, alpha=0.4, color=style.OBSERVED)
        ax.plot(one.mean, place, "o", color=style.OBSERVED)
    ax.axvline(result.baseline, color=style.MUTED, linestyle="--", label="a constant guess")
    ax.set_yticks([0, 1], ["rows learnt from", "unseen rows"])
    ax.set_ylim(1.6, -0.6)
    ax.set_xlabel("mean loss")
    ax.grid(visible=False, axis="y")
    style.put_legend_above(ax)
    return ax
