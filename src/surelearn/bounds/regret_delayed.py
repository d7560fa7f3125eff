"""Feedback that arrives late: the price of a delay is twice the feedback outstanding.

The feedback of round s can be used from round s + delay + 1 on. `total_delay` is D, the sum over
the rounds of the number of earlier rounds whose feedback is still outstanding when the round is
played; without delay it is 0 and the bounds are those without delay.
"""

import math

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._online import REGRET, log_experts, rounds, within

_OURS = "surelearn theory pages; sharpens Joulani, György and Szepesvári, ICML (2013)"
_COMPARATOR = "regret to every comparator within `norm` of the start"
_CONVEX = "the losses are convex and their gradients are at most gradient_norm long"
_OUTSTANDING_RATE = (
    "the rate of round t is 2 sqrt(ln K / s) / range, s = sum of 1 + 2 outstanding so far"
)


@theorem(realised=("total_delay",))
def delayed_hedge(
    *, n_experts: int, n_rounds: int, total_delay: int, loss_range: float = 1.0
) -> Guarantee:
    """Bound the regret of Hedge on late losses at the rate sqrt(8 ln K / (T + 2 D)) / range.

    Examples
    --------
    >>> round(delayed_hedge(n_experts=10, n_rounds=1000, total_delay=5000).bound, 4)
    112.5354
    """
    scale = _arguments.positive("loss_range", loss_range)
    effective = _effective_rounds(n_rounds, total_delay)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(scale * math.sqrt(0.5 * effective * log_experts(n_experts))),
        assumes={
            "range": within(scale),
            "learning_rate": "the rate is sqrt(8 ln K / (T + 2 D)) / range, D known beforehand",
        },
        reference=_OURS,
        trivial=scale * n_rounds,
    )


@theorem(realised=("total_delay",))
def delayed_hedge_anytime(
    *, n_experts: int, n_rounds: int, total_delay: int, loss_range: float = 1.0
) -> Guarantee:
    """Bound the regret of Hedge on late losses at rates that know neither delays nor horizon.

    Examples
    --------
    >>> round(delayed_hedge_anytime(n_experts=10, n_rounds=1000, total_delay=5000).bound, 4)
    159.1491
    """
    scale = _arguments.positive("loss_range", loss_range)
    effective = _effective_rounds(n_rounds, total_delay)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(scale * math.sqrt(effective * log_experts(n_experts))),
        assumes={
            "range": within(scale),
            "learning_rate": _OUTSTANDING_RATE,
        },
        reference=_OURS,
        trivial=scale * n_rounds,
    )


@theorem(realised=("sum_excess",))
def delayed_hedge_realised(*, n_experts: int, learning_rate: float, sum_excess: float) -> Guarantee:
    """Bound the regret of Hedge on late losses from the run, once all feedback is in.

    `sum_excess` is the sum of the learner's loss minus the mix loss of the weights that would have
    been held without delay; it may be negative.

    Examples
    --------
    >>> round(delayed_hedge_realised(n_experts=4, learning_rate=0.5, sum_excess=2.0).bound, 4)
    4.7726
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    excess = _arguments.real("sum_excess", sum_excess)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(log_experts(n_experts) / rate) + _rounding.up(excess),
        assumes={
            "learning_rate": "learning rates never increase; learning_rate is the last of them",
            "measured": "sum_excess is the learner's loss minus the mix loss without delay, summed",
        },
        reference=_OURS,
    )


@theorem(realised=("total_delay",))
def delayed_gradient_descent(
    *, norm: float, gradient_norm: float, n_rounds: int, total_delay: int
) -> Guarantee:
    """Bound the regret of gradient descent on late gradients by U G sqrt(T + 2 D).

    Examples
    --------
    >>> guarantee = delayed_gradient_descent(
    ...     norm=2.0, gradient_norm=1.0, n_rounds=100, total_delay=150
    ... )
    >>> round(guarantee.bound, 6)
    40.0
    """
    return Guarantee(
        quantity=_COMPARATOR,
        bound=_rounding.up(_delayed_scale(norm, gradient_norm, n_rounds, total_delay)),
        assumes={
            "convex": _CONVEX,
            "algorithm": "dual averaging at the rate U / (G sqrt(T + 2 D)), D known beforehand",
        },
        reference=_OURS,
    )


@theorem(realised=("total_delay",))
def delayed_gradient_descent_anytime(
    *, norm: float, gradient_norm: float, n_rounds: int, total_delay: int
) -> Guarantee:
    """Bound the regret of gradient descent on late gradients when no delay is known beforehand.

    Examples
    --------
    >>> guarantee = delayed_gradient_descent_anytime(
    ...     norm=2.0, gradient_norm=1.0, n_rounds=100, total_delay=150
    ... )
    >>> round(guarantee.bound, 4)
    56.5685
    """
    scale = _delayed_scale(norm, gradient_norm, n_rounds, total_delay)
    return Guarantee(
        quantity=_COMPARATOR,
        bound=_rounding.up(math.sqrt(2.0) * scale),
        assumes={
            "convex": _CONVEX,
            "algorithm": (
                "dual averaging at rates U / (G sqrt(2 s)), s = sum of 1 + 2 outstanding so far"
            ),
        },
        reference=_OURS,
    )


@theorem(realised=("sum_costs",))
def delayed_gradient_descent_realised(
    *, norm: float, learning_rate: float, sum_costs: float
) -> Guarantee:
    """Bound the regret of gradient descent on late gradients from the gradients of the run.

    `sum_costs` sums rate x |g| x (|g| / 2 + |sum of the outstanding gradients|).

    Examples
    --------
    >>> round(
    ...     delayed_gradient_descent_realised(norm=2.0, learning_rate=0.1, sum_costs=12.5).bound, 6
    ... )
    32.5
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    costs = _arguments.non_negative("sum_costs", sum_costs)
    length = _arguments.non_negative("norm", norm)
    return Guarantee(
        quantity=_COMPARATOR,
        bound=_rounding.up(length * (length / (2.0 * rate)) + costs),
        assumes={
            "convex": "the losses are convex",
            "algorithm": (
                "dual averaging at rates that never increase; learning_rate is the last of them"
            ),
        },
        reference=_OURS,
    )


def _effective_rounds(n_rounds: int, total_delay: int) -> int:
    horizon = rounds(n_rounds)
    most = horizon * (horizon - 1) // 2
    return horizon + 2 * _arguments.count("total_delay", total_delay, at_most=most)


def _delayed_scale(norm: float, gradient_norm: float, n_rounds: int, total_delay: int) -> float:
    length = _arguments.positive("norm", norm)
    steepness = _arguments.positive("gradient_norm", gradient_norm)
    return length * steepness * math.sqrt(_effective_rounds(n_rounds, total_delay))
