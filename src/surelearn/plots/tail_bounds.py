"""Bounds on the tail of a mean side by side."""

from matplotlib.axes import Axes

from surelearn.evaluate.tail_bounds import TailBounds
from surelearn.plots import style


def plot_tail_bounds(result: TailBounds, *, ax: Axes | None = None) -> Axes:
    """Draw each theorem's bound over the threshold, on a logarithmic scale, and the tail itself.

    Parameters
    ----------
    result
        What `surelearn.tail_bounds` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import numpy as np
    >>> from surelearn.evaluate.tail_bounds import tail_bounds
    >>> result = tail_bounds(n=50, mean=0.5, thresholds=np.linspace(0.55, 0.9, 8), bits=True)
    >>> ax = plot_tail_bounds(result)
    >>> ax.get_yscale(), ax.lines[-1].get_label()
    ('log', 'exact')
    """
    if ax is None:
        _, (ax,) = style.new_figure("Stronger assumptions buy smaller tails")
    for place, (name, said) in enumerate(result.guarantees.items()):
        bounds = [guarantee.bound for guarantee in said]
        dashes = ("-", "--", "-.", ":")[place // 4]
        colour = (style.MUTED, style.BROKEN, style.GUARANTEED, "#5b3a6b")[place % 4]
        ax.plot(result.thresholds, bounds, color=colour, linestyle=dashes, label=name)
    if result.exact is not None:
        ax.plot(result.thresholds, result.exact, color=style.OBSERVED, linewidth=3, label="exact")
    ax.set(yscale="log", xlabel="threshold", ylabel="P(mean >= threshold)")
    ax.legend()
    return ax
