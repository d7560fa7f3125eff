"""A threshold read off the rows, with one guaranteed rate: no price, unlike that of a band.

The sensitivity of a threshold of a rank fixed beforehand, the coverage of prediction sets, and the
last threshold of a fixed sequence that passes a test.
"""

import math
from fractions import Fraction
from functools import partial

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _counts, _rounding, inversions, sharing
from surelearn.bounds._fresh_rows import IN_CLASS, MIX, ROWS, claim
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._special import binomial_cdf, binomial_sf

_SAFE = 1.0 - 1e-12  # a tail so near to delta counts as larger
_RANK = {"fixed_rank": "the rank was fixed before the scores were seen, and the score before that"}
_DEPLOYED = {"deployed": 'the rule is "score >= threshold", with the threshold in all its digits'}
_SETS = {"deployed": 'a set holds all answers with "score <= threshold", in all its digits'}
_DISTINCT = {
    "distinct": "no two scores are equal, or a rule that is deployed too breaks ties at random"
}
LADDER = {
    "fixed_thresholds": "thresholds, their order and the target were fixed without these rows, "
    "not even by their scores"
}
_WILKS = "Wilks, Annals of Mathematical Statistics 12 (1941); Vovk, ACML (2012)"
_UMBRELLA = "Tong, Feng and Li, Science Advances 4 (2018)"
_SEQUENCE = "Maurer, Hothorn and Lehmacher (1995); Angelopoulos et al., Learn then test (2021)"
_at_least = partial(claim, direction="lower")


def threshold_index(*, n_positive: int, sensitivity: float, delta: float) -> int:
    """Return the rank, from the smallest, of the positive score to take as threshold.

    "Score >= threshold" then finds a share `sensitivity` of positive cases, with probability at
    least 1 - delta: the rank is k + 1 for the largest k with P(Bin(n, 1 - sensitivity) <= k) <=
    delta.

    Examples
    --------
    >>> threshold_index(n_positive=100, sensitivity=0.9, delta=0.05)
    5
    """
    n = _arguments.count("n_positive", n_positive, at_least=1)
    target = _arguments.open_fraction("sensitivity", sensitivity)
    level = _arguments.open_fraction("delta", delta) * _SAFE

    def too_many(k: int) -> bool:
        return bool(binomial_cdf(k, n, 1.0 - target) > level)

    if too_many(0):
        needed = max(n + 1, math.ceil(math.log(level) / math.log(target)))
        domain = f"at least {needed} for sensitivity={target:g} and delta={delta:g}"
        raise _arguments.refuse("n_positive", n_positive, domain)
    return _rounding.smallest_integer(too_many, 1, n)


@theorem(realised=("n_positive",))
def sensitivity_at_rank(*, rank: int, n_positive: int, delta: float) -> Guarantee:
    """Bound the sensitivity of "score >= t", t the positive score of a rank fixed beforehand.

    The rank counts from the smallest; `threshold_index` finds it for a target.

    Examples
    --------
    >>> round(sensitivity_at_rank(rank=5, n_positive=100, delta=0.05).bound, 4)
    0.9108
    """
    n = _arguments.count("n_positive", n_positive, at_least=1)
    kept = n - _arguments.count("rank", rank, at_least=1, at_most=n) + 1
    bound = float(inversions.binomial_lower(kept, n, _level_of(delta)))
    quantity = "the sensitivity at the positive score of this rank"
    assumes = {**IN_CLASS, **_RANK, **_DEPLOYED}
    return _at_least(quantity, bound, delta, assumes, reference=_UMBRELLA)


@theorem
def coverage(*, rank: int, n: int, delta: float) -> Guarantee:
    """Bound the coverage of prediction sets up to the score of a rank fixed beforehand.

    `holdout.quantile_index` finds the rank for a target. A rank of n + 1 stands for the threshold
    infinity, whose sets hold everything.

    Examples
    --------
    >>> round(coverage(rank=462, n=500, delta=0.05).bound, 6)
    0.901572
    """
    rows = _arguments.count("n", n)
    place = _arguments.count("rank", rank, at_least=1, at_most=rows + 1)
    bound = 1.0
    if place <= rows:
        bound = float(inversions.binomial_lower(place, rows, _level_of(delta)))
    quantity = "the probability that a set contains the truth, given these rows"
    return _at_least(quantity, bound, delta, {**ROWS, **_RANK, **_SETS}, reference=_WILKS)


@theorem(realised=("n_in_class",))
def coverage_by_class(*, ranks: ArrayLike, n_in_class: ArrayLike, delta: float) -> Guarantee:
    """Bound the smallest coverage among classes, each with the threshold of its own rank.

    Examples
    --------
    >>> guarantee = coverage_by_class(ranks=[97, 96, 190], n_in_class=[100, 100, 200], delta=0.1)
    >>> round(guarantee.bound, 4)
    0.9053
    """
    sizes = _counts.counts("n_in_class", n_in_class)
    found = _counts.counts("ranks", ranks, at_least=1.0)
    _counts.same_length(n_in_class=sizes, ranks=found)
    _counts.at_most("ranks", found, sizes + 1.0, "1 + n_in_class")
    level = sharing.sidak(delta, len(found))
    covered = inversions.binomial_lower(np.minimum(found, sizes), sizes, level)
    bound = float(np.min(np.where(found > sizes, 1.0, covered)))
    quantity = "the smallest probability among classes that a set contains the truth"
    return _at_least(quantity, bound, delta, {**IN_CLASS, **_RANK, **_SETS}, reference=_WILKS)


def marginal_index(*, n: int, alpha: float) -> int:
    """Return ceil((1 - alpha)(n + 1)), the rank of split conformal sets; n + 1 is infinity.

    Examples
    --------
    >>> marginal_index(n=500, alpha=0.1), marginal_index(n=5, alpha=0.1)
    (451, 6)
    """
    rows = _arguments.count("n", n, at_least=1)
    rate = Fraction(str(_arguments.open_fraction("alpha", alpha)))
    return math.ceil((1 - rate) * (rows + 1))


@theorem
def marginal_coverage(*, rank: int, n: int) -> Guarantee:
    """Bound the coverage of split conformal sets on average over test sets and the next row.

    Examples
    --------
    >>> round(marginal_coverage(rank=451, n=500).bound, 4)
    0.9002
    """
    rows = _arguments.count("n", n)
    share = _arguments.count("rank", rank, at_least=1, at_most=rows + 1) / (rows + 1)
    exchangeable = {"exchangeable": "these rows and the next are exchangeable"}
    return Guarantee(
        quantity="the probability, over these rows and the next, that a set contains the truth",
        bound=1.0 if share >= 1.0 else _rounding.down(share),
        assumes={**exchangeable, **_RANK, **_SETS},
        reference="Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World (2005)",
        confidence=None,
        direction="lower",
        validity="in-expectation",
        trivial=0.0,
    )


def n_passed_risk(*, errors: ArrayLike, n_kept: ArrayLike, target: float, delta: float) -> int:
    """Return how many thresholds, in their order, pass the test of "risk <= target".

    Examples
    --------
    >>> n_passed_risk(errors=[0, 2, 9, 9], n_kept=[80, 160, 170, 400], target=0.05, delta=0.05)
    2
    """
    wrong, kept = _ladder(errors, n_kept, "errors", "n_kept")
    tails = binomial_cdf(wrong, kept, _arguments.open_fraction("target", target))
    return _passed(tails, delta)


@theorem(realised=("errors", "n_kept"))
def selective_risk(
    *, errors: ArrayLike, n_kept: ArrayLike, target: float, delta: float
) -> Guarantee:
    """State that the risk is at most the target at the last threshold that passed its test.

    Counts are those of rows with confidence of at least each threshold, in an order fixed
    beforehand, from the largest threshold to the smallest.

    Examples
    --------
    >>> selective_risk(errors=[0, 2, 9], n_kept=[120, 260, 270], target=0.05, delta=0.05).bound
    0.05
    """
    if not n_passed_risk(errors=errors, n_kept=n_kept, target=target, delta=delta):
        raise _arguments.refuse("errors", errors, "fewer: not even the first threshold passed")
    quantity = "P(error | confidence >= t) at the last threshold that passed"
    assumes = {**ROWS, **LADDER}
    return claim(quantity, float(target), delta, assumes, reference=_SEQUENCE)


def n_passed_precision(
    *, n_hits: ArrayLike, n_flagged: ArrayLike, target: float, delta: float
) -> int:
    """Return how many thresholds, in their order, pass the test of "precision >= target".

    Examples
    --------
    >>> n_passed_precision(n_hits=[40, 78, 90], n_flagged=[40, 80, 120], target=0.9, delta=0.05)
    2
    """
    hits, flagged = _ladder(n_hits, n_flagged, "n_hits", "n_flagged")
    tails = binomial_sf(hits - 1.0, flagged, _arguments.open_fraction("target", target))
    return _passed(tails, delta)


@theorem(realised=("n_hits", "n_flagged"))
def precision(*, n_hits: ArrayLike, n_flagged: ArrayLike, target: float, delta: float) -> Guarantee:
    """State that the precision is at least the target at the last threshold that passed its test.

    Examples
    --------
    >>> guarantee = precision(
    ...     n_hits=[60, 118, 130], n_flagged=[60, 120, 160], target=0.9, delta=0.05
    ... )
    >>> guarantee.bound
    0.9
    """
    if not n_passed_precision(n_hits=n_hits, n_flagged=n_flagged, target=target, delta=delta):
        raise _arguments.refuse("n_hits", n_hits, "larger: not even the first threshold passed")
    quantity = "P(positive | score >= t) at the last threshold that passed"
    return _at_least(quantity, float(target), delta, {**ROWS, **MIX, **LADDER}, reference=_SEQUENCE)


@theorem(realised=("errors",))
def risk_above_rank(*, errors: int, n_kept: int, delta: float, n_ranks: int = 1) -> Guarantee:
    """Bound the risk above the score that follows the n_kept largest, n_kept fixed beforehand.

    The rule is "confidence > t", t the score of rank n_kept + 1 from the largest; several ranks
    share delta.

    Examples
    --------
    >>> round(risk_above_rank(errors=10, n_kept=500, delta=0.05).bound, 6)
    0.033688
    """
    kept = _arguments.count("n_kept", n_kept)
    wrong = _arguments.count("errors", errors, at_most=kept)
    level = sharing.bonferroni(delta, _arguments.count("n_ranks", n_ranks, at_least=1))
    bound = float(inversions.binomial_upper(wrong, kept, level))
    quantity = "P(error | confidence > t), t the score after those kept"
    assumes = {**ROWS, **_RANK, **_DISTINCT}
    return claim(quantity, bound, delta, assumes)


def _passed(tails: Vector, delta: float) -> int:
    """Return how many tests pass before the first that fails; none counts after it."""
    return int(np.sum(np.logical_and.accumulate(tails <= _level_of(delta) * _SAFE)))


def _ladder(parts: ArrayLike, sizes: ArrayLike, part: str, size: str) -> tuple[Vector, Vector]:
    """Return counts at thresholds that let more and more rows pass."""
    found, of = _counts.counts(part, parts), _counts.counts(size, sizes)
    _counts.same_length(**{size: of, part: found})
    _counts.at_most(part, found, of, size)
    for name, values in ((part, found), (size, of), (size, of - found)):
        if np.any(np.diff(values) < 0.0):
            raise _arguments.refuse(name, parts, "counts of rows of which none is lost later on")
    return found, of


def _level_of(delta: float) -> float:
    return _arguments.open_fraction("delta", delta)
