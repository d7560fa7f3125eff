"""How many rows are enough: what is certified over their number."""

from matplotlib.axes import Axes

from surelearn._wording import confidence, percent_exactly
from surelearn.evaluate.claim_planning import ClaimPlan
from surelearn.evaluate.planning import Curve, HoldoutPlan, SamplePlan
from surelearn.plots import style


def plot_holdout_plan(plan: HoldoutPlan, *, ax: Axes | None = None) -> Axes:
    """Draw what a hold-out will certify over its size, if the expected fraction is wrong.

    Parameters
    ----------
    plan
        What `plan_holdout` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.planning import plan_holdout
    >>> ax = plot_holdout_plan(plan_holdout(target=0.05))
    >>> [line.get_label() for line in ax.lines][-1]
    '59 rows are enough'
    """
    if ax is None:
        _, (ax,) = style.new_figure("What a hold-out certifies over its size")
    label = f"certified with confidence {confidence(plan.delta)}"
    if plan.n_models > 1:
        label += f", {plan.n_models} models together"
    if plan.error > 0.0:
        percent = 100.0 * plan.error
        told = f"expected: {percent:.3g}%"
        ax.axhline(percent, color=style.OBSERVED, linestyle=":", label=told)
    _draw(ax, plan.curve, plan.n, plan.target, label)
    ax.set(xlabel="test rows", ylabel="error rate, percent")
    return ax


def plot_sample_plan(plan: SamplePlan, *, ax: Axes | None = None) -> Axes:
    """Draw what a theorem promises over the number of training rows, whatever their law.

    Parameters
    ----------
    plan
        What `plan_sample` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.planning import plan_sample
    >>> ax = plot_sample_plan(plan_sample(error=0.1, n_hypotheses=1000))
    >>> [line.get_label() for line in ax.lines][-1]
    '94 rows are enough'
    """
    if ax is None:
        _, (ax,) = style.new_figure("What a theorem promises over the number of training rows")
    if plan.too_few > 1:
        ax.axvspan(
            0.0, plan.too_few, color=style.MUTED, alpha=0.25, linewidth=0, label="never enough"
        )
    label = f"promised with confidence {confidence(plan.delta)}"
    _draw(ax, plan.curve, plan.n, plan.error, label)
    beyond = " above the best rule's" if plan.agnostic else ""
    ax.set(xlabel="training rows", ylabel=f"risk{beyond}, percent")
    return ax


def plot_claim_plan(plan: ClaimPlan, *, ax: Axes | None = None) -> Axes:
    """Draw what an audit proves over the number of rows, if what is expected is seen.

    Parameters
    ----------
    plan
        What `plan_claim` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.claim_planning import plan_claim
    >>> ax = plot_claim_plan(plan_claim("sensitivity>=0.9", expect=0.95))
    >>> [line.get_label() for line in ax.lines][-1]
    '116 rows are enough'
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"What rows prove about {plan.target}")
    percent = 100.0 * plan.expect
    told = f"expected: {percent:.3g}%"
    ax.axhline(percent, color=style.OBSERVED, linestyle=":", label=told)
    label = f"proved with confidence {confidence(plan.delta)}"
    _draw(ax, plan.curve, plan.n, plan.target.value, label)
    if plan.target.direction == "lower":
        ax.set_ylim(min(100.0 * float(plan.curve.bounds.min()), 100.0 * plan.target.value), 101.0)
    ax.set(xlabel="rows that count", ylabel=f"{plan.target.claim.title.lower()}, percent")
    return ax


def _draw(ax: Axes, curve: Curve, n: int, target: float, label: str) -> None:
    """Draw the curve, the target, and where they meet."""
    bounds, wanted = 100.0 * curve.bounds, 100.0 * target
    ax.plot(curve.sizes, bounds, color=style.GUARANTEED, label=label)
    aim = percent_exactly(target)
    ax.axhline(wanted, color="black", linestyle="--", linewidth=1.0, label=f"wanted: {aim}")
    enough = f"{n:,} rows are enough" if n > 1 else "1 row is enough"
    ax.plot([n], [wanted], "o", ms=7, color=style.GUARANTEED, label=enough)
    ax.set_xlim(left=0.0)
    ax.set_ylim(0.0, min(max(100.0, 1.1 * wanted), 1.05 * max(float(bounds.max()), wanted)))
    style.put_legend_above(ax)
