"""Other forms of the Perceptron's mistake bound: older ones, late labels, and a memory budget.

The theorems hold for kernels as they stand: radius is then the largest sqrt(K(x, x)) and norm that
of a function in the kernel's space. `mistakes.perceptron` is the sharpest of its kind; the older
forms are here to be cited and compared with.
"""

import math

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._mistakes import (
    LOSS,
    MARGIN,
    MISTAKES,
    PERCEPTRON,
    RADIUS,
    UNIT_STEP,
    largest_count,
    realised,
    slope,
)

_DELAYED = "a mistake is judged by the score given then; its update is applied when its label comes"
_DECAY = "on a mistake f becomes (1 - decay) f + y K(x, .); beyond the budget the oldest term goes"


@theorem(realised=("radius", "margin", "start_norm"))
def novikoff_any_start(*, radius: float, margin: float, start_norm: float) -> Guarantee:
    """Bound the updates of a Perceptron on separable rows when its first weights are not zero.

    The bound is (radius^2 + 2 margin start_norm) / margin^2.

    Examples
    --------
    >>> round(novikoff_any_start(radius=1.0, margin=1.0, start_norm=1.0).bound, 10)
    3.0
    """
    margin = _arguments.positive("margin", margin)
    ratio = _arguments.non_negative("radius", radius) / margin
    start = _arguments.non_negative("start_norm", start_norm) / margin
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(ratio * ratio + 2.0 * start),
        assumes={
            "algorithm": "the Perceptron updates exactly when the signed score is <= 0",
            "step": UNIT_STEP,
            "radius": RADIUS,
            "separable": MARGIN,
        },
        reference="surelearn theory pages; extends Novikoff (1962)",
    )


@theorem(realised=("radius", "hinge_loss"))
def perceptron_l1(*, radius: float, norm: float, hinge_loss: float) -> Guarantee:
    """Bound the mistakes of the Perceptron by (radius norm + sqrt(hinge_loss))^2.

    Looser than `mistakes.perceptron`, at most by the factor 25/16.

    Examples
    --------
    >>> round(perceptron_l1(radius=1.0, norm=2.0, hinge_loss=4.0).bound, 10)
    16.0
    """
    root = slope(radius, norm) + math.sqrt(_arguments.non_negative("hinge_loss", hinge_loss))
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(root * root),
        assumes={"start": PERCEPTRON, "radius": RADIUS, "loss": LOSS},
        reference="Mohri and Rostamizadeh, Perceptron mistake bounds (2013)",
    )


@theorem(realised=("radius", "hinge_loss"))
def perceptron_expanded(*, radius: float, norm: float, hinge_loss: float) -> Guarantee:
    """Bound the mistakes of the Perceptron by H + a^2 + a sqrt(H), a = radius norm.

    Between `mistakes.perceptron` and `perceptron_l1`.

    Examples
    --------
    >>> round(perceptron_expanded(radius=1.0, norm=2.0, hinge_loss=4.0).bound, 10)
    12.0
    """
    a, loss = slope(radius, norm), _arguments.non_negative("hinge_loss", hinge_loss)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(loss + a * (a + math.sqrt(loss))),
        assumes={"start": PERCEPTRON, "radius": RADIUS, "loss": LOSS},
        reference="Cesa-Bianchi, Conconi and Gentile, SIAM Journal on Computing 34 (2005)",
    )


@theorem(realised=("radius", "hinge_norm"))
def perceptron_l2(*, radius: float, norm: float, hinge_norm: float) -> Guarantee:
    """Bound the mistakes of the Perceptron by (radius norm + |hinge losses|_2)^2.

    Examples
    --------
    >>> round(perceptron_l2(radius=1.0, norm=2.0, hinge_norm=1.5).bound, 10)
    12.25
    """
    root = slope(radius, norm) + _arguments.non_negative("hinge_norm", hinge_norm)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(root * root),
        assumes={
            "start": PERCEPTRON,
            "radius": RADIUS,
            "loss": LOSS,
            "measured": "hinge_norm is their Euclidean norm",
        },
        reference="Freund and Schapire, Machine Learning 37 (1999)",
    )


@theorem(realised=("hinge_norm", "sum_squared_norms"))
def perceptron_l2_squared_norms(
    *, norm: float, hinge_norm: float, sum_squared_norms: float
) -> Guarantee:
    """Bound a Perceptron's mistakes by the norm of its hinge losses and of the rows it erred on.

    Examples
    --------
    >>> g = perceptron_l2_squared_norms(norm=2.0, hinge_norm=1.5, sum_squared_norms=9.0)
    >>> round(g.bound, 4)
    10.9676
    """
    length = math.sqrt(_arguments.non_negative("sum_squared_norms", sum_squared_norms))
    # M <= c + b sqrt(M) with c the product of the norms: the same root as with a loss of c.
    product = _arguments.non_negative("norm", norm) * length
    root = largest_count(_arguments.non_negative("hinge_norm", hinge_norm), product)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(root),
        assumes={
            "start": PERCEPTRON,
            "loss": LOSS,
            "measured": "norms of losses and rows are taken over the mistakes",
        },
        reference="Mohri and Rostamizadeh, Perceptron mistake bounds (2013)",
    )


@theorem(realised=("radius", "hinge_loss", "threshold"))
def perceptron_margin(
    *, radius: float, threshold: float, norm: float, hinge_loss: float
) -> Guarantee:
    """Bound the updates of a Perceptron that also learns from scores just above 0.

    It updates when the signed score is at most `threshold`; with 0 this is `mistakes.perceptron`.

    Examples
    --------
    >>> round(perceptron_margin(radius=1.0, threshold=1.5, norm=2.0, hinge_loss=0.0).bound, 10)
    16.0
    """
    level = _arguments.non_negative("threshold", threshold)
    # The same number twice; the first way is within floats for any level, the second for tiny ones.
    room = 2.0 * math.sqrt(level / 2.0) if level > 1.0 else math.sqrt(2.0 * level)
    reach = math.hypot(_arguments.non_negative("radius", radius), room)
    loss = _arguments.non_negative("hinge_loss", hinge_loss)
    return Guarantee(
        quantity="the number of updates, every mistake among them",
        bound=_rounding.up(largest_count(slope(reach, norm), loss)),
        assumes={
            "start_margin": (
                "the Perceptron starts at 0 and updates exactly when the signed score is at most "
                "the threshold"
            ),
            "radius": RADIUS,
            "loss_updates": "the hinge losses are those of one comparator on the rows of updates",
        },
        reference="surelearn theory pages; extends Novikoff (1962)",
    )


@theorem(realised=("radius", "hinge_loss", "staleness"))
def perceptron_delayed(
    *, radius: float, norm: float, hinge_loss: float, staleness: int
) -> Guarantee:
    """Bound the mistakes of the Perceptron when labels come late.

    `staleness` is the largest number of updates applied between a prediction and its own update.

    Examples
    --------
    >>> round(perceptron_delayed(radius=1.0, norm=2.0, hinge_loss=0.0, staleness=3).bound, 10)
    28.0
    """
    late = math.sqrt(1.0 + 2.0 * _arguments.count("staleness", staleness))
    loss = _arguments.non_negative("hinge_loss", hinge_loss)
    return Guarantee(
        quantity="the number of mistakes whose update has been applied",
        bound=_rounding.up(largest_count(slope(radius, norm) * late, loss)),
        assumes={
            "start": PERCEPTRON,
            "delay": _DELAYED,
            "step": UNIT_STEP,
            "radius": RADIUS,
            "loss": LOSS,
        },
        reference="surelearn theory pages; extends Novikoff (1962)",
    )


@theorem(realised=("radius", "hinge_loss", "total_staleness"))
def perceptron_delayed_total(
    *, radius: float, norm: float, hinge_loss: float, total_staleness: int
) -> Guarantee:
    """Bound the mistakes of the Perceptron by the total of the delays, counted in updates.

    Examples
    --------
    >>> g = perceptron_delayed_total(radius=1.0, norm=2.0, hinge_loss=0.0, total_staleness=10)
    >>> round(g.bound, 4)
    11.1652
    """
    a, loss = slope(radius, norm), _arguments.non_negative("hinge_loss", hinge_loss)
    # z = M - loss solves z^2 <= a^2 z + a^2 (loss + 2 Q).
    total = loss + 2.0 * _arguments.count("total_staleness", total_staleness)
    excess = a * (a / 2.0 + math.hypot(a / 2.0, math.sqrt(total)))
    return Guarantee(
        quantity="the number of mistakes whose update has been applied",
        bound=_rounding.up(loss + excess),
        assumes={
            "start": PERCEPTRON,
            "delay": _DELAYED,
            "step": UNIT_STEP,
            "radius": RADIUS,
            "loss": LOSS,
        },
        reference="surelearn theory pages; extends Novikoff (1962)",
    )


@theorem(realised=("hinge_loss", "weight_norm", "sum_removed_norms"))
def budget_realised(
    *, hinge_loss: float, norm: float, weight_norm: float, sum_removed_norms: float
) -> Guarantee:
    """Bound the mistakes of any budgeted Perceptron's run by what it kept and what it removed.

    Whatever is subtracted beside the update counts: shrinking, removal, a projection's residual.

    Examples
    --------
    >>> g = budget_realised(hinge_loss=3.0, norm=2.0, weight_norm=2.5, sum_removed_norms=1.0)
    >>> round(g.bound, 10)
    10.0
    """
    length = _arguments.non_negative("weight_norm", weight_norm)
    length += _arguments.non_negative("sum_removed_norms", sum_removed_norms)
    return Guarantee(
        quantity=MISTAKES,
        bound=realised(hinge_loss, norm, length),
        assumes={
            "start": PERCEPTRON,
            "step": "f changes on mistakes only, by y K(x, .) minus what is removed",
            "loss": LOSS,
        },
        reference="surelearn theory pages; extends Novikoff (1962)",
    )


@theorem(realised=("radius", "hinge_loss", "budget", "decay"))
def budget_decay(
    *, radius: float, norm: float, hinge_loss: float, budget: int, decay: float | None = None
) -> Guarantee:
    """Bound the mistakes of the kernel Perceptron that fades its terms and drops the oldest.

    `decay` is ln(budget) / budget if not given. Infinite if radius norm is too large.

    Examples
    --------
    >>> round(budget_decay(radius=1.0, norm=2.0, hinge_loss=5.0, budget=100).bound, 4)
    14.1441
    """
    budget = _arguments.count("budget", budget, at_least=1)
    fade = _arguments.open_fraction("decay", math.log(budget) / budget if decay is None else decay)
    keep = 1.0 - fade
    dropped = keep**budget
    # the bound increases with rho, so a tiny comparator may be replaced by a longer one
    rho = max(slope(radius, norm), 1e-9)
    spread = fade * (2.0 - fade)
    curvature = fade * rho * (fade * rho) / spread
    gain = 2.0 * (1.0 - dropped * rho - fade * rho * dropped * keep / spread)
    cost = (1.0 + dropped) ** 2 + (dropped * keep) ** 2 / spread
    loss = _arguments.non_negative("hinge_loss", hinge_loss)
    return Guarantee(
        quantity=MISTAKES,
        bound=_least_ratio(rho * rho, loss, gain, curvature, cost),
        assumes={"start": PERCEPTRON, "budget": _DECAY, "radius": RADIUS, "loss": LOSS},
        reference="surelearn theory pages; sharpens Dekel, Shalev-Shwartz and Singer (2008)",
    )


@theorem(realised=("radius", "hinge_loss", "budget"))
def budget_decay_corollary(
    *, radius: float, norm: float, hinge_loss: float, budget: int
) -> Guarantee:
    """Bound the mistakes of the fading kernel Perceptron by 2 (radius norm)^2 + 2 hinge_loss.

    The decay is ln(budget) / budget, and radius norm at most half of 1 / sqrt(decay).

    Examples
    --------
    >>> g = budget_decay_corollary(radius=1.0, norm=2.0, hinge_loss=5.0, budget=100)
    >>> round(g.bound, 10)
    18.0
    """
    budget = _arguments.count("budget", budget, at_least=23)
    rho, longest = slope(radius, norm), math.sqrt(budget / math.log(budget)) / 2.0
    if rho > longest:
        raise _arguments.refuse("norm", norm, f"at most {longest:g} / radius for budget={budget}")
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(2.0 * (rho * rho + _arguments.non_negative("hinge_loss", hinge_loss))),
        assumes={
            "start": PERCEPTRON,
            "budget": _DECAY,
            "decay": "decay is ln(budget) / budget",
            "radius": RADIUS,
            "loss": LOSS,
        },
        reference="surelearn theory pages; sharpens Dekel, Shalev-Shwartz and Singer (2008)",
    )


@theorem(realised=("radius", "hinge_loss", "budget"))
def budget_random_removal(
    *, radius: float, norm: float, hinge_loss: float, budget: int
) -> Guarantee:
    """Bound the expected mistakes of the kernel Perceptron that removes terms at random.

    At most 2 (rho^2 + hinge_loss) / (1 - rho^2 / budget), rho = radius norm; infinite from
    rho^2 = budget on. From rho^2 = budget + 1 on no learner with that budget has a bound.

    Examples
    --------
    >>> g = budget_random_removal(radius=1.0, norm=5.0, hinge_loss=0.0, budget=100)
    >>> round(g.bound, 4)
    66.6667
    """
    rho = max(slope(radius, norm), 1e-9)
    curvature = rho * rho / (4.0 * _arguments.count("budget", budget, at_least=1))
    loss = _arguments.non_negative("hinge_loss", hinge_loss)
    return Guarantee(
        quantity="the expected number of mistakes",
        bound=_least_ratio(rho * rho, loss, 1.0, curvature, 1.0) / 2.0,
        assumes={
            "start": PERCEPTRON,
            "budget": (
                "before an update beyond the budget one stored term, drawn uniformly, is removed"
            ),
            "oblivious": "rows, labels and comparator do not depend on those draws",
            "radius": RADIUS,
            "loss": "hinge_loss is the comparator's total over all rows",
        },
        reference="surelearn theory pages; sharpens Cavallanti, Cesa-Bianchi and Gentile (2007)",
        confidence=None,
        validity="in-expectation",
    )


def _least_ratio(square: float, loss: float, gain: float, curvature: float, cost: float) -> float:
    """Return the least (square s^2 + 2 loss s) / (gain s - curvature s^2 - cost) over s > 0.

    Every s with a positive denominator gives a valid bound; the best one solves a quadratic
    equation. Infinite if there is none.
    """
    if gain <= 0.0 or gain * gain <= 4.0 * curvature * cost:
        return math.inf
    scale = max(square, loss)
    square, loss = square / scale, loss / scale
    leading = square * gain + 2.0 * loss * curvature
    half = square * cost
    s = (half + math.sqrt(half * half + 2.0 * loss * cost * leading)) / leading
    denominator = _rounding.down(gain * s) - _rounding.up(curvature * s * s + cost)
    if denominator <= 0.0:
        return math.inf
    return _rounding.up(scale * (square * s + 2.0 * loss) * s / denominator)
