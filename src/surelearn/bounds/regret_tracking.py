"""Fixed share: regret to the best sequence of experts, not only to the best expert.

After every round each expert gives a share of its weight, `switch_rate`, to the others in equal
parts. The cost of a comparator is the length of its description: where it switches, and to whom.
"""

import math

from scipy import special

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._online import GAPS, rounds, within

_PATHS = "regret to every sequence of experts with at most n_switches switches"
_PATHS_EXACTLY = "regret to every sequence of experts with n_switches switches"
_HERBSTER = "Herbster and Warmuth, Machine Learning 32 (1998)"


def fixed_share_switch_rate(*, n_experts: int, n_rounds: int, n_switches: int) -> float:
    """Return the switch rate S / (T - 1), never above (K - 1) / K, of `fixed_share`.

    Examples
    --------
    >>> round(fixed_share_switch_rate(n_experts=3, n_rounds=100, n_switches=3), 10)
    0.0303030303
    """
    experts, horizon, switches = _counts(n_experts, n_rounds, n_switches)
    return min(switches / max(horizon - 1, 1), (experts - 1) / experts)


def fixed_share_learning_rate(
    *, n_experts: int, n_rounds: int, n_switches: int, loss_range: float = 1.0
) -> float:
    """Return sqrt(8 C / T) / range, C the code length of a path: the rate of `fixed_share`.

    Examples
    --------
    >>> round(fixed_share_learning_rate(n_experts=3, n_rounds=100, n_switches=3), 10)
    1.1531402602
    """
    cost = path_code_length(n_experts=n_experts, n_rounds=n_rounds, n_switches=n_switches)
    return math.sqrt(8.0 * cost / n_rounds) / _arguments.positive("loss_range", loss_range)


def path_code_length(*, n_experts: int, n_rounds: int, n_switches: int) -> float:
    """Return the nats that describe a path of experts with at most `n_switches` switches.

    Examples
    --------
    >>> round(path_code_length(n_experts=3, n_rounds=100, n_switches=3), 10)
    16.6216557468
    """
    experts, horizon, switches = _counts(n_experts, n_rounds, n_switches)
    if switches * experts > (horizon - 1) * (experts - 1):  # the prior is uniform on all paths
        return horizon * math.log(experts)
    share = fixed_share_switch_rate(n_experts=experts, n_rounds=horizon, n_switches=switches)
    return _code_length(experts, horizon, switches, share)


@theorem
def fixed_share(
    *, n_experts: int, n_rounds: int, n_switches: int, loss_range: float = 1.0
) -> Guarantee:
    """Bound the regret to all paths with few switches, both rates tuned to their number.

    Examples
    --------
    >>> round(fixed_share(n_experts=3, n_rounds=100, n_switches=3).bound, 10)
    28.8285065055
    """
    cost = path_code_length(n_experts=n_experts, n_rounds=n_rounds, n_switches=n_switches)
    scale = _arguments.positive("loss_range", loss_range)
    return Guarantee(
        quantity=_PATHS,
        bound=_rounding.up(scale * math.sqrt(0.5 * n_rounds * cost)),
        assumes={
            "range": within(scale),
            "rates": (
                "both rates are those of fixed_share_switch_rate and fixed_share_learning_rate"
            ),
        },
        reference=f"surelearn theory pages; sharpens {_HERBSTER}",
        trivial=scale * n_rounds,
    )


@theorem(realised=("sum_mixability_gaps",))
def fixed_share_realised(
    *,
    n_experts: int,
    n_rounds: int,
    n_switches: int,
    learning_rate: float,
    switch_rate: float,
    sum_mixability_gaps: float,
) -> Guarantee:
    """Bound the regret to every path with so many switches by the mixability gaps of the run.

    It holds for all numbers of switches at once, so the best path may be sought afterwards.

    Examples
    --------
    >>> guarantee = fixed_share_realised(
    ...     n_experts=3,
    ...     n_rounds=100,
    ...     n_switches=3,
    ...     learning_rate=1.0,
    ...     switch_rate=0.03,
    ...     sum_mixability_gaps=5.0,
    ... )
    >>> round(guarantee.bound, 4)
    21.6218
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    share = _arguments.fraction("switch_rate", switch_rate)
    gaps = _arguments.non_negative("sum_mixability_gaps", sum_mixability_gaps)
    return Guarantee(
        quantity=_PATHS_EXACTLY,
        bound=_rounding.up(_code_length(n_experts, n_rounds, n_switches, share) / rate + gaps),
        assumes={"rates": "both rates were fixed before the run", "measured": GAPS},
        reference=_HERBSTER,
    )


@theorem
def fixed_share_untuned(
    *,
    n_experts: int,
    n_rounds: int,
    n_switches: int,
    learning_rate: float,
    loss_range: float = 1.0,
) -> Guarantee:
    """Bound the regret at switch rate 1/t before round t, which knows neither S nor T.

    Examples
    --------
    >>> guarantee = fixed_share_untuned(
    ...     n_experts=3, n_rounds=100, n_switches=3, learning_rate=1.0
    ... )
    >>> round(guarantee.bound, 4)
    34.0686
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    scale = _arguments.positive("loss_range", loss_range)
    cost = _untuned_code_length(n_experts, n_rounds, n_switches)
    return Guarantee(
        quantity=_PATHS,
        bound=_rounding.up(
            cost / rate + rate * scale * n_rounds / 8.0 * scale if cost > 0.0 else 0.0
        ),
        assumes={
            "range": within(scale),
            "switch_rate": "the switch rate between rounds t-1 and t is 1/t",
        },
        reference=f"surelearn theory pages; sharpens {_HERBSTER}",
        trivial=scale * n_rounds,
    )


@theorem(realised=("sum_mixability_gaps",))
def fixed_share_untuned_realised(
    *,
    n_experts: int,
    n_rounds: int,
    n_switches: int,
    learning_rate: float,
    sum_mixability_gaps: float,
) -> Guarantee:
    """Bound the regret at switch rate 1/t before round t by the mixability gaps of the run.

    Examples
    --------
    >>> guarantee = fixed_share_untuned_realised(
    ...     n_experts=3, n_rounds=100, n_switches=3, learning_rate=1.0, sum_mixability_gaps=5.0
    ... )
    >>> round(guarantee.bound, 4)
    26.5686
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    gaps = _arguments.non_negative("sum_mixability_gaps", sum_mixability_gaps)
    cost = _untuned_code_length(n_experts, n_rounds, n_switches)
    return Guarantee(
        quantity=_PATHS,
        bound=_rounding.up(cost / rate + gaps),
        assumes={
            "switch_rate": "the switch rate between rounds t-1 and t is 1/t",
            "measured": GAPS,
        },
        reference=f"surelearn theory pages; sharpens {_HERBSTER}",
    )


def _counts(n_experts: int, n_rounds: int, n_switches: int) -> tuple[int, int, int]:
    experts, horizon = _arguments.count("n_experts", n_experts, at_least=1), rounds(n_rounds)
    possible = horizon - 1 if experts > 1 else 0
    return experts, horizon, _arguments.count("n_switches", n_switches, at_most=possible)


def _code_length(n_experts: int, n_rounds: int, n_switches: int, share: float) -> float:
    """Return -ln of the prior probability of one path with exactly so many switches."""
    experts, horizon, switches = _counts(n_experts, n_rounds, n_switches)
    moves = special.xlogy(switches, experts - 1) - special.xlogy(switches, share)
    stays = -special.xlog1py(horizon - 1 - switches, -share)
    return math.log(experts) + float(moves) + float(stays)


def _untuned_code_length(n_experts: int, n_rounds: int, n_switches: int) -> float:
    experts, horizon, switches = _counts(n_experts, n_rounds, n_switches)
    if experts == 1:
        return 0.0
    moves = float(special.xlogy(switches, (experts - 1) * (horizon - 1)))
    return math.log(experts) + math.log(horizon) + moves
