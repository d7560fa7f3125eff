"""Two models on the same rows: how often one is better, and by how much at most."""

from matplotlib.axes import Axes

from surelearn._wording import confidence, exactly
from surelearn.evaluate.comparison import Comparison
from surelearn.plots import style


def plot_comparison(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the observed difference of two risks and its upper bound, beside zero.

    Parameters
    ----------
    result
        What `compare` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.evaluate.comparison import compare
    >>> zero, one = (DummyClassifier().fit([[0.0]], [k]) for k in (0, 1))
    >>> ax = plot_comparison(compare(zero, one, np.zeros((50, 1)), [0] * 50))
    >>> ax.get_xlabel()
    'error rate of the first DummyClassifier minus that of the second DummyClassifier'
    """
    first, second = (style.label(name) for name in result.names)
    if ax is None:
        shown = "is better than" if result.better else "is not shown to be better than"
        level, p_value = exactly(result.delta), f"{result.p_value:.2g}"
        title = f"At level {level}, {first} {shown} {second} (p = {p_value})"
        _, (ax,) = style.new_figure(title)
    bound = result.guarantee.bound
    label = f"at most this, with confidence {confidence(result.delta)}"
    ax.plot([-1.0, bound], [0, 0], "-", lw=4, color=style.GUARANTEED, alpha=0.4, label="_")
    ax.plot(bound, 0, "|", ms=24, mew=3, color=style.GUARANTEED, label=label)
    ax.plot(result.difference, 0, "o", color=style.OBSERVED, label=f"observed on {result.n:,} rows")
    ax.axvline(0.0, color=style.MUTED, ls="--", label="equally good")
    reach = 1.5 * max(abs(bound), abs(result.difference), 0.01)
    of_errors = result.only_first_wrong is not None
    risk = "error rate" if of_errors else "risk"
    ax.set(xlabel=f"{risk} of {first} minus that of {second}", xlim=(-reach, reach), ylim=(-1, 2))
    if of_errors:
        style.in_percent(ax.xaxis)
    ax.set_yticks([])
    style.put_legend_above(ax, columns=3)
    return ax
