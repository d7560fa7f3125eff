"""Coin betting: unconstrained online learning without a learning rate.

The learner bets the fraction -(sum of g) / t of its wealth on the next gradient, which is the
estimator of Krichevsky and Trofimov for the bias of a coin. It starts with
`initial_wealth`, all it can ever lose to the comparator 0, and pays only the root of a logarithm
for not knowing the norm of the comparator.
"""

import math

from scipy import special

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._online import rounds

_REGRET = "regret to every point of the given norm"
_ORABONA = "Orabona and Pál, NeurIPS (2016)"
_ASSUMES = {
    "convex": "the losses are convex and each bet uses a subgradient at the point played",
    "gradient": (
        "no gradient is longer than gradient_norm, and the bets are on gradients divided by it"
    ),
}


@theorem
def coin_betting(
    *, norm: float, n_rounds: int, initial_wealth: float = 1.0, gradient_norm: float = 1.0
) -> Guarantee:
    """Bound the regret of the bettor by the conjugate of its least possible wealth.

    No smaller bound holds: coins attain it.

    Examples
    --------
    >>> round(coin_betting(norm=1.0, n_rounds=1000).bound, 1)
    100.3
    """
    length, horizon, wealth, scale = _inputs(norm, n_rounds, initial_wealth, gradient_norm)
    outcome = _best_outcome(length, horizon, wealth)
    least = math.exp(_log_least_wealth(outcome, horizon, wealth))
    return Guarantee(
        quantity=_REGRET,
        bound=_rounding.up(scale * (wealth + _rounding.up(length * outcome) - least)),
        assumes=_ASSUMES,
        reference=f"surelearn theory pages; sharpens {_ORABONA}",
    )


@theorem
def coin_betting_closed(
    *, norm: float, n_rounds: int, initial_wealth: float = 1.0, gradient_norm: float = 1.0
) -> Guarantee:
    """Bound the regret of the bettor in closed form: about |u| sqrt(T ln(1 + 1.6 T^2 |u|^2)).

    Examples
    --------
    >>> round(coin_betting_closed(norm=1.0, n_rounds=1000).bound, 1)
    120.5
    """
    length, t, wealth, scale = _inputs(norm, n_rounds, initial_wealth, gradient_norm)
    ratio = 0.5 * math.pi * (length / wealth) ** 2
    first = length * math.sqrt((t + 1) * math.log1p(ratio * (t + 1) ** 2))
    first -= wealth * math.sqrt(2.0 / (math.pi * (t + 1)))
    widened = ratio * t * (t + 1) * math.exp(t / (t + 1) ** 2)
    second = length * math.sqrt(t * math.log1p(widened))
    return Guarantee(
        quantity=_REGRET,
        bound=_rounding.up(scale * (wealth + min(first, second))),
        assumes=_ASSUMES,
        reference=f"surelearn theory pages; sharpens {_ORABONA}",
    )


@theorem(realised=("gradient_sum_norm", "wealth"))
def coin_betting_realised(
    *,
    norm: float,
    gradient_sum_norm: float,
    wealth: float,
    initial_wealth: float = 1.0,
    gradient_norm: float = 1.0,
) -> Guarantee:
    """Bound the regret by the wealth lost and |u| times the length of the sum of the gradients.

    For linear losses and the comparator that points against the sum it is an equality.

    Examples
    --------
    >>> round(coin_betting_realised(norm=2.0, gradient_sum_norm=2.0, wealth=0.625).bound, 6)
    4.375
    """
    length = _arguments.non_negative("norm", norm)
    total = _arguments.non_negative("gradient_sum_norm", gradient_sum_norm)
    start = _arguments.positive("initial_wealth", initial_wealth)
    end = _arguments.non_negative("wealth", wealth)
    scale = _arguments.positive("gradient_norm", gradient_norm)
    return Guarantee(
        quantity=_REGRET,
        bound=_rounding.up(scale * start + length * total) - _rounding.down(scale * end),
        assumes=_ASSUMES,
        reference=_ORABONA,
    )


def _log_least_wealth(outcome: float, n_rounds: int, initial_wealth: float) -> float:
    """Return ln of the least wealth after T rounds whose coins sum to `outcome`, rounded down.

    This is ln(2^T B((T+1+x)/2, (T+1-x)/2) / pi) + ln(initial wealth), B the beta function.
    """
    terms = (
        float(special.gammaln(0.5 * (n_rounds + 1 + outcome))),
        float(special.gammaln(0.5 * (n_rounds + 1 - outcome))),
        n_rounds * math.log(2.0),
        -float(special.gammaln(n_rounds + 1.0)),
        math.log(initial_wealth / math.pi),
    )
    return math.fsum(terms) - 1e-15 * math.fsum(abs(term) for term in terms)


def _best_outcome(length: float, n_rounds: int, wealth: float) -> float:
    """Return the sum of coins x in [0, T] that maximises |u| x - least wealth(x)."""

    def wealth_grows_slower(outcome: float) -> bool:
        high, low = 0.5 * (n_rounds + 1 + outcome), 0.5 * (n_rounds + 1 - outcome)
        slope = 0.5 * float(special.digamma(high) - special.digamma(low))
        if slope <= 0.0:
            return True
        return _log_least_wealth(outcome, n_rounds, wealth) + math.log(slope) <= math.log(length)

    if length == 0.0:
        return 0.0
    return _rounding.last_true(wealth_grows_slower, 0.0, float(n_rounds))


def _inputs(
    norm: float, n_rounds: int, initial_wealth: float, gradient_norm: float
) -> tuple[float, int, float, float]:
    return (
        _arguments.non_negative("norm", norm),
        rounds(n_rounds),
        _arguments.positive("initial_wealth", initial_wealth),
        _arguments.positive("gradient_norm", gradient_norm),
    )
