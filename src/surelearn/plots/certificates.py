"""Certificates beside each other: what was seen as a dot, what is certified as a tick."""

from collections.abc import Mapping

from matplotlib.axes import Axes

from surelearn._wording import outward, percent_outward
from surelearn.certificate import Certificate
from surelearn.plots import style


def plot_certificates(certificates: Mapping[str, Certificate], *, ax: Axes | None = None) -> Axes:
    """Draw certificates by name: what was seen as a dot, what is certified as a tick.

    Parameters
    ----------
    certificates
        Certificates by name, drawn from top to bottom. A void one has no bound to draw.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import numpy as np
    >>> from surelearn import Holdout
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0.0]], [0])
    >>> certificate = Holdout(np.zeros((90, 1)), [0] * 88 + [1] * 2).certify(model)
    >>> ax = plot_certificates({"this model": certificate})
    >>> ax.get_xlabel(), ax.get_yticklabels()[0].get_text()
    ('percent', 'this model')
    """
    if ax is None:
        _, (ax,) = style.new_figure("What was seen and what is certified")
    shares = all(found.is_share for found in certificates.values())
    for row, found in enumerate(certificates.values()):
        _draw(ax, row, found, percent=shares)
    ax.set_yticks(range(len(certificates)), [style.label(name) for name in certificates])
    ax.set_ylim(len(certificates) - 0.4, -0.6)
    ax.set_xlabel("percent" if shares else "value")
    ax.margins(x=0.3)
    ax.grid(visible=False, axis="y")
    if any(not found.violated for found in certificates.values()):
        style.put_legend_above(ax)
    return ax


def _draw(ax: Axes, row: int, found: Certificate, *, percent: bool) -> None:
    """Draw one certificate; labels are given once, so that the legend is short."""
    unit = 100.0 if percent else 1.0
    if found.violated:
        ax.text(0.01, row, "void: an assumption is violated", va="center", fontsize=8.5,
                color=style.GUARANTEED, transform=ax.get_yaxis_transform())  # fmt: skip
        return
    seen, bound = unit * found.observed, unit * found.bound
    drawn = ax.get_legend_handles_labels()[1]
    first = "certified" not in drawn
    ax.plot([seen, bound], [row, row], color=style.GUARANTEED, linewidth=5, alpha=0.4)
    ax.plot([seen], [row], "o", color=style.OBSERVED, label="observed" if first else None)
    name = "certified" if first else None
    ax.plot([bound], [row], "|", color=style.GUARANTEED, ms=18, mew=3, ls="none", label=name)
    limit = percent_outward(found.bound, found.direction) if percent else ""
    side = -1 if found.direction == "lower" else 1
    ax.annotate(
        limit or outward(found.bound, found.direction),
        (bound, row),
        xytext=(8 * side, 0),
        textcoords="offset points",
        va="center",
        ha="right" if side < 0 else "left",
    )
