"""An observed value and the bounds that theorems put on what it estimates."""

from collections.abc import Mapping

from matplotlib.axes import Axes

from surelearn._wording import percent_outward
from surelearn.bounds import Guarantee
from surelearn.plots import style


def plot_guarantees(
    observed: float,
    guarantees: Mapping[str, Guarantee],
    *,
    certified: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the observed value and, one line each, how far above it the theorems reach.

    Parameters
    ----------
    observed
        The value seen, such as the error rate on a hold-out.
    guarantees
        Upper bounds by name, drawn from top to bottom in this order.
    certified
        The name of the one that was printed as a certificate; the others are for comparison.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.bounds import concentration
    >>> exact = concentration.clopper_pearson(errors=5, n=100, delta=0.05)
    >>> ax = plot_guarantees(0.05, {"Clopper-Pearson": exact}, certified="Clopper-Pearson")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Clopper-Pearson']
    """
    if ax is None:
        _, (ax,) = style.new_figure("Observed value and bounds")
    for row, (name, guarantee) in enumerate(guarantees.items()):
        colour = style.GUARANTEED if name == certified else style.MUTED
        ax.plot([observed, guarantee.bound], [row, row], color=colour, linewidth=5, alpha=0.55)
        ax.plot([guarantee.bound], [row], "|", color=colour, markersize=18, markeredgewidth=3)
        ax.annotate(
            percent_outward(guarantee.bound, guarantee.direction),
            (guarantee.bound, row),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
        )
    ax.axvline(observed, color=style.OBSERVED, linestyle="--", label=f"observed {observed:.2%}")
    style.in_percent(ax.xaxis)
    ax.set_yticks(range(len(guarantees)), list(guarantees))
    ax.set_ylim(len(guarantees) - 0.4, -0.6)
    ax.set_xlim(0.0, 1.2 * max(guarantee.bound for guarantee in guarantees.values()))
    ax.grid(visible=False, axis="y")
    style.put_legend_above(ax)
    return ax
