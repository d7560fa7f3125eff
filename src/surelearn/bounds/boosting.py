"""AdaBoost and weighted votes of base classifiers: the training error surely, the risk likely.

The training error falls with the edges of the rounds, on every sequence of rounds. The risk of the
vote is certified by the growth of the class (`vote_growth_stumps`, the sharpest for few rounds) or
by the margins, which do not mention the number of rounds.
"""

import functools
import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.bounds import _margins, _pac_bayes, vc
from surelearn.bounds._guarantee import Guarantee, theorem, with_confidence
from surelearn.bounds._planner import exact, least, log, log_survival, planner
from surelearn.bounds._special import binomial_cdf
from surelearn.bounds._tail import exp_up

_SAMPLE = "the examples are independent draws of one law"
_VOTE = "the vote has weights >= 0 that sum to 1 and members that answer -1 or +1; ties are errors"
_BEFORE = "the base class and the largest number of rounds were fixed before the data were seen"
_ROUNDS = {
    "algorithm": (
        "the rounds are those of AdaBoost: each error is measured under its current weights"
    ),
    "members": "members answer -1 or +1",
}
_VACUOUS = 700.0  # no error exceeds 1, so e^700 is a bound as good as any above it
_FAR_FROM_HALF = 0.25  # on either side of it another form keeps its digits
_DRAWS = tuple(sorted({math.ceil(2.0 ** (i / 2.0)) for i in range(25)}))
_PERCENT_MARGINS = (0, 5, 10, 20, 30, 40)


@theorem(realised=("weighted_errors",))
def adaboost_training_error(*, weighted_errors: ArrayLike) -> Guarantee:
    """Bound the training error of AdaBoost by the product of 2 sqrt(e (1 - e)) over its rounds.

    Examples
    --------
    >>> round(adaboost_training_error(weighted_errors=[0.3, 3 / 14, 2 / 11]).bound, 6)
    0.580193
    """
    errors = _arguments.vector("weighted_errors", weighted_errors, low=0.0, high=1.0)
    return _training_error(exp_up(math.fsum(map(_log_factor, errors.tolist()))), {})


@theorem(realised=("edges",))
def adaboost_training_error_exponential(*, edges: ArrayLike) -> Guarantee:
    """Bound the training error of AdaBoost by exp(-2 sum edge^2), edge = 1/2 - weighted error.

    Examples
    --------
    >>> round(adaboost_training_error_exponential(edges=[0.2, 0.2, 0.2]).bound, 6)
    0.786628
    """
    values = _arguments.vector("edges", edges, low=-0.5, high=0.5)
    return _training_error(exp_up(-2.0 * math.fsum(values * values)), {})


@theorem
def adaboost_fixed_edge(*, edge: float, n_rounds: int) -> Guarantee:
    """Bound the training error by (1 - 4 edge^2)^(T/2) if every round has at least this edge.

    It also covers the boosting with one factor for all rounds and an unweighted vote.

    Examples
    --------
    >>> round(adaboost_fixed_edge(edge=1 / 6, n_rounds=3).bound, 6)
    0.838052
    """
    n_rounds = _arguments.count("n_rounds", n_rounds)
    exponent = n_rounds * _log_factor_of_edge(_edge(edge)) if n_rounds > 0 else 0.0
    return _training_error(
        exp_up(exponent), {"weak_learner": "every round has at least the edge named"}
    )


@theorem(realised=("weighted_errors", "vote_weights"))
def plurality_training_error(*, weighted_errors: ArrayLike, vote_weights: ArrayLike) -> Guarantee:
    """Bound the training error of a boosted vote by the product of (1 - e) exp(-a) + e exp(a).

    For any number of classes and any weights a of the votes; shrunken ones and SAMME's, halved.

    Examples
    --------
    >>> round(plurality_training_error(weighted_errors=[0.3], vote_weights=[0.4]).bound, 6)
    0.916771
    """
    errors = _arguments.vector("weighted_errors", weighted_errors, low=0.0, high=1.0)
    votes = _arguments.vector("vote_weights", vote_weights, low=0.0)
    if len(errors) != len(votes):
        raise ValueError(f"weighted_errors has {len(errors)} rounds, vote_weights {len(votes)}")
    with np.errstate(divide="ignore"):
        logs = np.logaddexp(np.log1p(-errors) - votes, np.log(errors) + votes)
    lost = 4.0 * np.finfo(float).eps * (1.0 + np.abs(logs) + votes)  # of digits, in each round
    members = {"algorithm": _ROUNDS["algorithm"], "one_class": "each member names one class"}
    exponent = min(math.fsum(logs + lost), _VACUOUS)
    return replace(_training_error(exp_up(exponent), {}), assumes=members)


@planner
def plan_rounds(*, edge: float, n: int) -> int:
    """Return a number of rounds after which AdaBoost makes no error on n training examples.

    The smallest T above ln(n) / (2 edge^2): the training error is then below 1/n, hence 0.

    Examples
    --------
    >>> plan_rounds(edge=0.2, n=10)
    29
    """
    n = _arguments.count("n", n, at_least=1)
    return math.floor(log(n) / (2 * Decimal(_edge(edge)) ** 2)) + 1


@planner
def plan_rounds_exact(*, edge: float, n: int) -> int:
    """Return the smallest T with (1 - 4 edge^2)^(T/2) < 1/n: never more than `plan_rounds`.

    With b bits for each base classifier the vote is described by b T bits: once that is below n,
    something has been learnt.

    Examples
    --------
    >>> plan_rounds_exact(edge=0.1, n=1000)
    339
    """
    n, edge = _arguments.count("n", n, at_least=1), _edge(edge)
    if edge == 0.5:
        return 1
    return math.floor(2 * log(n) / -log_survival(4 * Decimal(edge) ** 2)) + 1


@planner
def plan_rounds_to_error(*, edge: float, training_error: float) -> int:
    """Return the number of rounds ceil(ln(1/error) / (2 edge^2)) that reaches a training error.

    Examples
    --------
    >>> plan_rounds_to_error(edge=0.1, training_error=0.01)
    231
    """
    log_error = exact("training_error", training_error).ln()
    return least(-log_error / (2 * Decimal(_edge(edge)) ** 2))


@theorem(realised=("margins", "divergence"))
def vote_pac_bayes(*, margins: ArrayLike, divergence: float, delta: float) -> Guarantee:
    """Bound the risk of a weighted vote by that of small unweighted votes drawn from it.

    `divergence` is sum_t w_t ln(w_t / prior_t), equal members merged: for a prior uniform on K
    base classifiers at most ln K. The best of 144 pairs of a size and a margin is taken.

    Examples
    --------
    >>> guarantee = vote_pac_bayes(margins=[0.3] * 10_000, divergence=math.log(1000), delta=0.05)
    >>> round(guarantee.bound, 6)
    0.124752
    """
    values, counts = _margins.tally(_margins.normalised(margins))
    right = (1.0 + values.clip(-1.0, 1.0)) / 2.0
    divergence = _arguments.non_negative("divergence", divergence)
    n = int(counts.sum())

    def mean_loss(draws: int, most: int) -> float:
        return float(counts @ binomial_cdf(most, draws, right)) / n

    candidates = [
        _pac_bayes.Candidate(
            divergence=draws * divergence,
            share=float(binomial_cdf(most, draws, 0.5)),
            mean_loss=functools.partial(mean_loss, draws, most),
        )
        for draws in _DRAWS
        for most in (draws * (100 + percent) // 200 for percent in _PERCENT_MARGINS)
    ]
    return _risk(
        _pac_bayes.smallest_fixed_risk(candidates, n, delta),
        delta,
        {
            "independent": _SAMPLE,
            "vote": _VOTE,
            "prior": "the prior on the base classifiers was fixed before the data were seen",
        },
        "surelearn theory pages; sharpens Langford, Seeger and Megiddo, ICML (2001)",
    )


@theorem(realised=("margins",))
def vote_rademacher(*, margins: ArrayLike, log_growth_base: float, delta: float) -> Guarantee:
    """Bound the risk of a weighted vote by its mean ramp loss plus the growth of its base class.

    `log_growth_base` is ln of the number of patterns of the base class on the n examples, such
    as `vc.log_growth_stumps`; the number of rounds does not enter.

    Examples
    --------
    >>> guarantee = vote_rademacher(
    ...     margins=[0.3] * 10_000, log_growth_base=math.log(1000), delta=0.05
    ... )
    >>> round(guarantee.bound, 3)
    0.268
    """
    values = _margins.normalised(margins)
    n = len(values)
    growth = _arguments.non_negative("log_growth_base", log_growth_base)
    complexity = 2.0 * math.sqrt(2.0 * growth / n)
    return _risk(
        _margins.smallest_ramp(values, complexity, _margins.deviation(n, delta)),
        delta,
        {
            "independent": _SAMPLE,
            "vote": _VOTE,
            "fixed_before": "the base class was fixed before the data were seen",
        },
        "Schapire et al. (1998); Koltchinskii and Panchenko (2002)",
    )


@theorem(realised=("errors",))
def vote_growth(
    *, errors: int, n: int, n_rounds: int, vc_dimension: int, delta: float
) -> Guarantee:
    """Bound the risk of a vote of at most n_rounds members of a class of known VC dimension.

    Any real weights; the largest number of rounds is fixed beforehand.

    Examples
    --------
    >>> round(vote_growth(errors=27, n=569, n_rounds=5, vc_dimension=3, delta=0.05).bound, 4)
    0.3186
    """
    vc_dimension = _arguments.count("vc_dimension", vc_dimension)
    return _growth(
        lambda m: vc.log_sauer(n=m, vc_dimension=vc_dimension), errors, n, n_rounds, delta
    )


@theorem(realised=("errors",))
def vote_growth_stumps(
    *, errors: int, n: int, n_rounds: int, n_features: int, delta: float
) -> Guarantee:
    """Bound the risk of a vote of at most n_rounds stumps on n_features numeric features.

    Thresholds may be learnt, at midpoints of the sample too, and weights are free.

    Examples
    --------
    >>> round(vote_growth_stumps(errors=27, n=569, n_rounds=5, n_features=30, delta=0.05).bound, 3)
    0.262
    """
    n_features = _arguments.count("n_features", n_features, at_least=1)
    return _growth(
        lambda m: vc.log_growth_stumps(n=m, dimension=n_features), errors, n, n_rounds, delta
    )


def _log_factor(error: float) -> float:
    """Return ln(2 sqrt(error (1 - error))); a product of many factors would lose digits or vanish.

    Examples
    --------
    >>> _log_factor(0.0), round(math.exp(_log_factor(0.1)), 12)
    (-inf, 0.6)
    """
    least_side = min(error, 1.0 - error)
    if least_side > _FAR_FROM_HALF:
        return _log_factor_of_edge(0.5 - least_side)
    if least_side == 0.0:
        return -math.inf
    return 0.5 * (math.log(4.0 * least_side) + math.log1p(-least_side))


def _log_factor_of_edge(edge: float) -> float:
    """Return ln(sqrt(1 - 4 edge^2)) for 0 <= edge <= 1/2."""
    if edge == 0.5:
        return -math.inf
    if edge <= _FAR_FROM_HALF:
        return 0.5 * math.log1p(-4.0 * edge**2)
    return 0.5 * (math.log1p(-2.0 * edge) + math.log1p(2.0 * edge))


def _edge(edge: float) -> float:
    value = _arguments.positive("edge", edge)
    if value > 0.5:
        raise _arguments.refuse("edge", edge, "in (0, 1/2]")
    return value


def _training_error(bound: float, further: Mapping[str, str]) -> Guarantee:
    return Guarantee(
        quantity="the training error, a score of 0 counted as an error",
        bound=bound,
        assumes={**_ROUNDS, **further},
        reference="Freund and Schapire, JCSS 55 (1997)",
        trivial=1.0,
    )


def _growth(
    log_growth_base: vc.LogGrowth, errors: int, n: int, n_rounds: int, delta: float
) -> Guarantee:
    n = _arguments.count("n", n, at_least=1)
    errors = _arguments.count("errors", errors, at_most=n)
    rounds = _arguments.count("n_rounds", n_rounds, at_least=1)

    def log_growth(m: int) -> float:
        return vc.log_growth_votes(n=m, n_members=rounds, log_growth_member=log_growth_base(m))

    return _risk(
        vc.moment_root(log_growth, n, errors, math.log(_arguments.open_fraction("delta", delta))),
        delta,
        {"independent": _SAMPLE, "fixed_before": _BEFORE, "two_classes": "two classes"},
        "surelearn theory pages; sharpens Freund and Schapire, JCSS 55 (1997)",
    )


def _risk(bound: float, delta: float, assumes: Mapping[str, str], reference: str) -> Guarantee:
    quantity = "the probability that the vote is wrong"
    return with_confidence(quantity, bound, delta, assumes, reference=reference)
