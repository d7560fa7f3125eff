"""AdaHedge and Squint: experts without a learning rate to tune.

AdaHedge needs no range and no horizon; its realised bound is the one to print. Squint keeps a prior
over a grid of rates and competes with every expert by the variance of the regret to it.
"""

import math

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._online import REGRET, UNIT_LOSSES, log_experts, prior_weight, rounds, within

_ADAHEDGE = "de Rooij, van Erven, Grünwald and Koolen, JMLR 15 (2014)"
_SQUINT = "Koolen and van Erven, COLT (2015)"
_UNIT_RANGE = within(1.0)
_ONE_EXPERT = "regret to one expert: the learner's losses minus the expert's"
_GRID = "the grid of rates and its weights were fixed before the run"


@theorem
def adahedge(*, n_experts: int, n_rounds: int, loss_range: float = 1.0) -> Guarantee:
    """Bound the regret of AdaHedge before the run: range (1 + sqrt(1 + T ln K)).

    The algorithm knows neither the range nor the horizon.

    Examples
    --------
    >>> round(adahedge(n_experts=10, n_rounds=1500).bound, 1)
    59.8
    """
    log_k, horizon = log_experts(n_experts), rounds(n_rounds)
    scale = _arguments.positive("loss_range", loss_range)
    return _adahedge_apriori(log_k, scale, float(horizon), trivial=scale * horizon)


@theorem(realised=("ranges",))
def adahedge_ranges(*, n_experts: int, ranges: ArrayLike) -> Guarantee:
    """Bound the regret of AdaHedge by S + sqrt(S^2 + ln K x sum of squared ranges), S the largest.

    Examples
    --------
    >>> round(adahedge_ranges(n_experts=2, ranges=[1, 1, 1, 1]).bound, 10)
    2.9423152994
    """
    widths = _arguments.vector("ranges", ranges, low=0.0)
    largest, total = float(widths.max()), float(widths.sum())
    shares = widths / largest if largest > 0.0 else widths  # squares of widths may vanish
    squares = float(shares @ shares)
    return _adahedge_apriori(log_experts(n_experts), largest, squares, trivial=total)


@theorem(realised=("sum_mixability_gaps", "previous_sum_mixability_gaps"))
def adahedge_realised(
    *, sum_mixability_gaps: float, previous_sum_mixability_gaps: float
) -> Guarantee:
    """Bound the regret of AdaHedge by its mixability gaps up to the last round and the one before.

    Examples
    --------
    >>> adahedge_realised(sum_mixability_gaps=2.0, previous_sum_mixability_gaps=1.5).allows(3.5)
    True
    """
    gaps = _arguments.non_negative("sum_mixability_gaps", sum_mixability_gaps)
    previous = _arguments.non_negative("previous_sum_mixability_gaps", previous_sum_mixability_gaps)
    if previous > gaps:
        domain = f"at most sum_mixability_gaps={gaps:g}"
        raise _arguments.refuse("previous_sum_mixability_gaps", previous, domain)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(gaps + previous),
        assumes={"measured": "the gaps are those of the run of AdaHedge"},
        reference=_ADAHEDGE,
    )


@theorem(realised=("variance",))
def adahedge_second_order(*, n_experts: int, variance: float, loss_range: float = 1.0) -> Guarantee:
    """Bound the regret of AdaHedge by the summed variances of the losses under its weights.

    Examples
    --------
    >>> round(adahedge_second_order(n_experts=10, variance=40.0).bound, 4)
    24.2642
    """
    log_k = log_experts(n_experts)
    scale = _arguments.positive("loss_range", loss_range)
    spread = 2.0 * math.sqrt(_arguments.non_negative("variance", variance) * log_k)
    value = spread + (4.0 / 3.0 * log_k + 2.0) * scale
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(value if log_k > 0.0 else 0.0),
        assumes={
            "range": within(scale),
            "measured": "variance sums Var(loss) under the weights of every round",
        },
        reference=_ADAHEDGE,
    )


@theorem(realised=("best_loss",))
def adahedge_small_loss(*, n_experts: int, best_loss: float) -> Guarantee:
    """Bound the regret of AdaHedge by the cumulative loss of the best expert.

    Examples
    --------
    >>> round(adahedge_small_loss(n_experts=10, best_loss=0.0).bound, 4)
    17.9157
    """
    log_k = log_experts(n_experts)
    constant = 4.0 / 3.0 * log_k + 2.0
    best = _arguments.non_negative("best_loss", best_loss)
    root = math.sqrt(log_k**2 + log_k * (best + constant))
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(constant + 2.0 * log_k + 2.0 * root if log_k > 0.0 else 0.0),
        assumes={
            "range": UNIT_LOSSES,
            "measured": "best_loss is the cumulative loss of the best expert",
        },
        reference=_ADAHEDGE,
    )


def squint_rates(*, n_rounds: int) -> Vector:
    """Return the rates 1/2, 1/4, ..., about 1/sqrt(T), to be weighted equally, of `squint`.

    Examples
    --------
    >>> squint_rates(n_rounds=100).tolist()
    [0.5, 0.25, 0.125, 0.0625]
    """
    return 0.5 ** np.arange(1.0, _squint_grid_size(n_rounds) + 1.0)


@theorem(realised=("variance",))
def squint(*, variance: float, prior: float, n_rounds: int) -> Guarantee:
    """Bound the regret of Squint in closed form: max(3 C, 3 sqrt(C V / 2)).

    C = ln(number of rates / prior) for the grid of `squint_rates`, V the summed squares of the
    regret to the expert; V <= n_rounds makes it an a-priori bound.

    Examples
    --------
    >>> round(squint(variance=100.0, prior=0.1, n_rounds=1000).bound, 4)
    41.9572
    """
    weight = prior_weight(prior)
    if weight > 0.5:
        raise _arguments.refuse("prior", prior, "in (0, 1/2]")
    squares = _arguments.non_negative("variance", variance)
    if squares > rounds(n_rounds):
        raise _arguments.refuse("variance", variance, f"at most n_rounds={n_rounds}")
    cost = math.log(_squint_grid_size(n_rounds) / weight)
    return Guarantee(
        quantity=_ONE_EXPERT,
        bound=_rounding.up(max(3.0 * cost, 3.0 * math.sqrt(cost * squares / 2.0))),
        assumes={
            "range": _UNIT_RANGE,
            "learning_rate": "the rates are those of squint_rates for n_rounds, equally weighted",
        },
        reference=f"surelearn theory pages; sharpens {_SQUINT}",
        trivial=float(n_rounds),
    )


@theorem(realised=("variance", "learning_rates", "rate_weights"))
def squint_realised(
    *, variance: float, prior: float, learning_rates: ArrayLike, rate_weights: ArrayLike
) -> Guarantee:
    """Bound the regret to one expert by the best rate of Squint's grid, found after the run.

    `variance` is the sum of squares of the regret to the expert. `squint_root` is never larger.

    Examples
    --------
    >>> bound = squint_realised(
    ...     variance=0.8005497, prior=0.5, learning_rates=[0.5, 0.25], rate_weights=[0.5, 0.5]
    ... ).bound
    >>> round(bound, 6)
    3.172864
    """
    log_prior = math.log(prior_weight(prior))
    return Guarantee(
        quantity=_ONE_EXPERT,
        bound=_squint_best_rate(log_prior, variance, learning_rates, rate_weights),
        assumes={"range": _UNIT_RANGE, "learning_rate": _GRID},
        reference=_SQUINT,
    )


@theorem(realised=("variance", "learning_rates", "rate_weights"))
def squint_root(
    *, variance: float, prior: float, learning_rates: ArrayLike, rate_weights: ArrayLike
) -> Guarantee:
    """Bound the regret to one expert by the largest R the potential of Squint allows.

    Examples
    --------
    >>> bound = squint_root(
    ...     variance=0.8005497, prior=0.5, learning_rates=[0.5, 0.25], rate_weights=[0.5, 0.5]
    ... ).bound
    >>> round(bound, 4)
    2.1333
    """
    log_prior = math.log(prior_weight(prior))
    highest = _squint_best_rate(log_prior, variance, learning_rates, rate_weights)
    rates, log_weights = _squint_grid(learning_rates, rate_weights)

    def is_allowed(regret: float) -> bool:
        potential = special.logsumexp(rates * regret - rates**2 * variance + log_weights)
        return float(potential) <= 1e-14 - log_prior

    return Guarantee(
        quantity=_ONE_EXPERT,
        bound=_rounding.up(_rounding.last_true(is_allowed, 0.0, highest)),
        assumes={"range": _UNIT_RANGE, "learning_rate": _GRID},
        reference=f"surelearn theory pages; sharpens {_SQUINT}",
    )


@theorem(realised=("variance", "learning_rates", "rate_weights"))
def squint_quantile(
    *, variance: float, prior: float, learning_rates: ArrayLike, rate_weights: ArrayLike
) -> Guarantee:
    """Bound the average regret to a set of experts by the prior weight of the whole set.

    `prior` and `variance` are the sum of the prior weights and their average of the squares; the
    set may be chosen after the run, so this bounds the regret to the worst of the best experts.

    Examples
    --------
    >>> bound = squint_quantile(
    ...     variance=1.0, prior=0.25, learning_rates=[0.5, 0.25], rate_weights=[0.5, 0.5]
    ... ).bound
    >>> round(bound, 4)
    4.6589
    """
    log_prior = math.log(prior_weight(prior))
    return Guarantee(
        quantity="regret to the average loss of a set of experts, weighted by the prior",
        bound=_squint_best_rate(log_prior, variance, learning_rates, rate_weights),
        assumes={"range": _UNIT_RANGE, "learning_rate": _GRID},
        reference=_SQUINT,
    )


def _adahedge_apriori(log_k: float, largest: float, squares: float, trivial: float) -> Guarantee:
    """Return the bound; `squares` sums those of the ranges as shares of the largest."""
    value = largest * (1.0 + math.sqrt(1.0 + log_k * squares))
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(value if log_k > 0.0 else 0.0),
        assumes={"range": "the losses of every round lie within the range given for it"},
        reference=f"surelearn theory pages; sharpens {_ADAHEDGE}",
        trivial=trivial,
    )


def _squint_grid_size(n_rounds: int) -> int:
    """Return max(1, ceil(log2(T) / 2)), in integers: the logarithm of 4^k must not round up."""
    return max(1, ((rounds(n_rounds) - 1).bit_length() + 1) // 2)


def _squint_grid(learning_rates: ArrayLike, rate_weights: ArrayLike) -> tuple[Vector, Vector]:
    """Return the rates and the logarithms of their weights, the weights made to sum to 1."""
    rates = _arguments.vector("learning_rates", learning_rates, low=0.0, high=0.5)
    weights = _arguments.vector("rate_weights", rate_weights, low=0.0, high=1.0)
    if rates.min() == 0.0:
        raise _arguments.refuse("learning_rates", 0.0, "in (0, 1/2]")
    if weights.size != rates.size or weights.min() == 0.0 or abs(weights.sum() - 1.0) > 1e-9:
        domain = f"{rates.size} positive numbers with sum 1"
        raise _arguments.refuse("rate_weights", weights.tolist(), domain)
    return rates, np.log(weights / weights.sum())


def _squint_best_rate(
    log_prior: float, variance: float, learning_rates: ArrayLike, rate_weights: ArrayLike
) -> float:
    rates, log_weights = _squint_grid(learning_rates, rate_weights)
    squares = _arguments.non_negative("variance", variance)
    return _rounding.up(float(np.min(rates * squares - (log_prior + log_weights) / rates)))
