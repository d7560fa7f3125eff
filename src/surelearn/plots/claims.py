"""Claims beside what was seen: a line each, the bound as a tick, the target as a diamond."""

from matplotlib.axes import Axes

from surelearn.certificate import Certificate
from surelearn.evaluate.audit import Audit, Outcome
from surelearn.plots import style


def plot_claims(audit: Audit, *, ax: Axes | None = None) -> Axes:
    """Draw every claim that is a share: what was seen as a dot, what is certified as a tick.

    Parameters
    ----------
    audit
        The audit.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn import claims
    >>> from surelearn.evaluate.audit import audit_predictions
    >>> rows = claims.record([1] * 100 + [0] * 900, [1] * 90 + [0] * 870 + [1] * 40)
    >>> ax = plot_claims(audit_predictions(rows, asked=["sensitivity", "specificity"]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Sensitivity', 'Specificity']
    """
    if ax is None:
        _, (ax,) = style.new_figure("What was seen and what is certified")
    shown = [outcome for outcome in audit.outcomes if is_drawn(outcome)]
    for row, outcome in enumerate(shown):
        _draw(ax, row, outcome)
    ax.set_yticks(range(len(shown)), [style.label(o.claim.full_title) for o in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlabel("percent")
    ax.margins(x=0.25)
    ax.grid(visible=False, axis="y")
    if shown:
        style.put_legend_above(ax, columns=3)
    return ax


def is_drawn(outcome: Outcome) -> bool:
    """Return whether a claim is a share that was certified."""
    found = outcome.certificate
    return found is not None and not found.violated and found.kind in {"rate", "risk"}


def _draw(ax: Axes, row: int, outcome: Outcome) -> None:
    found: Certificate | None = outcome.certificate
    if found is None:
        return
    seen, bound = 100.0 * found.observed, 100.0 * found.bound
    first = row == 0
    ax.plot([seen, bound], [row, row], color=style.GUARANTEED, linewidth=5, alpha=0.4)
    ax.plot([seen], [row], "o", color=style.OBSERVED, label="observed" if first else None)
    certified = "certified" if first else None
    ax.plot([bound], [row], "|", color=style.GUARANTEED, ms=18, mew=3, label=certified, ls="none")
    if outcome.target is not None:
        value, named = 100.0 * outcome.target.value, "target" if first else None
        ax.plot([value], [row], "D", color=style.BROKEN, ms=7, label=named, ls="none")
    side = -1 if bound < seen else 1
    ax.annotate(
        outcome.claim.limit(found.bound),
        (bound, row),
        xytext=(8 * side, 0),
        textcoords="offset points",
        va="center",
        ha="right" if side < 0 else "left",
    )
