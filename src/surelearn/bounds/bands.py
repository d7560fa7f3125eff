"""Rates at all thresholds at once: Clopper-Pearson at a smaller level, the same everywhere.

`level` is that level; `upper` and `lower` are the bands, for arrays of counts. A theorem here says
what holds at one point of a band. It holds at all others too, so the point may be chosen last.
"""

from functools import partial

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _crossings, _rounding, inversions, sharing
from surelearn.bounds._band_levels import MOST_EXACT, band_level
from surelearn.bounds._fresh_rows import IN_CLASS, MIX, ROWS, claim
from surelearn.bounds._guarantee import Guarantee, theorem

_MOST_ROWS = 10**8
_MANY = 20_000  # distinct counts, from which on a band is found at knots
_FINE = 0.1  # their distance in standard deviations
_ULPS = 1e-15  # more than the rounding errors of a line
_SCORE = {"fixed_score": "the score was fixed before these rows were seen, whatever the threshold"}
_DEFINED = {"fixed_errors": "the model and what counts as its error were fixed before looking"}
_EVERYWHERE = "at every threshold t at once"
_claim = partial(claim, reference="surelearn theory pages; Berk and Jones, ZW 47 (1979)")


def level(*, n: int, delta: float, sides: int = 1) -> float:
    """Return the level at which Clopper-Pearson holds at all thresholds at once, 7 digits of it.

    One side of a band has the level for `sides=1`, both together that for `sides=2`. It is exact up
    to 10,000 rows, and at most 16% too small for more: what is smaller is valid, and costs 1% of
    the width. Levels are remembered.

    Examples
    --------
    >>> level(n=100, delta=0.05), level(n=100, delta=0.05, sides=2)
    (0.002460934, 0.001097636)
    """
    rows = _arguments.count("n", n, at_least=1, at_most=_MOST_ROWS)
    both = _arguments.count("sides", sides, at_least=1, at_most=2) == 2
    return band_level(rows, _arguments.open_fraction("delta", delta), both)


def upper(counts: ArrayLike, n: int, delta: float, *, sides: int = 1) -> Vector:
    """Return bounds on P(S <= t) at all thresholds t at once, from the counts of scores there.

    From millions of rows they are found at some counts, and between them on lines that are surely
    not below the band, about 0.1/n above it.

    Examples
    --------
    >>> upper([0, 20, 100], 200, 0.05).round(4)
    array([0.0308, 0.1759, 0.6035])
    """
    below, rows = _counts_within(counts, n)
    if rows == 0:
        return np.ones(below.shape)
    return _upper(below, rows, level(n=rows, delta=delta, sides=sides))


def lower(counts: ArrayLike, n: int, delta: float, *, sides: int = 1) -> Vector:
    """Return lower bounds on P(S <= t) at all thresholds t at once.

    Examples
    --------
    >>> lower([100, 180, 200], 200, 0.05).round(4)
    array([0.3965, 0.8241, 0.9692])
    """
    below, rows = _counts_within(counts, n)
    if rows == 0:
        return np.zeros(below.shape)
    found = level(n=rows, delta=delta, sides=sides)
    if rows <= MOST_EXACT or below.size <= _MANY:
        return inversions.binomial_lower(below, rows, found)
    return np.maximum(0.0, 1.0 - _upper(rows - below, rows, found) - _ULPS)


def _upper(counts: Vector, n: int, found: float) -> Vector:
    if n <= MOST_EXACT or counts.size <= _MANY:
        return inversions.binomial_upper(counts, n, found)
    k = np.append(_crossings.knots(n, _FINE), float(n))
    u = inversions.binomial_upper(k, n, found)
    blocks = np.flatnonzero(np.diff(k) > 1.0)
    starts, inner = k[blocks], np.diff(k)[blocks] - 1.0
    if not np.all(_crossings.sure_rise(starts, n * u[blocks] - starts, inner, n)[1]):
        return inversions.binomial_upper(counts, n, found)
    after = np.searchsorted(k, counts)
    before = np.maximum(after - 1, 0)
    with np.errstate(all="ignore"):
        from_left = u[before] * counts / k[before]
        from_right = 1.0 - (1.0 - u[after]) * (n - 1.0 - counts) / (n - 1.0 - k[after])
    line = np.minimum(1.0, np.minimum(from_left, from_right) * (1.0 + _ULPS))
    return np.where(k[after] == counts, u[after], line)


def _counts_within(counts: ArrayLike, n: int) -> tuple[Vector, int]:
    """Return counts as numbers from 0 to n, of any shape."""
    rows = _arguments.count("n", n, at_most=_MOST_ROWS)
    found = _arguments.numbers("counts", counts)
    inside = (found >= 0.0) & (found <= rows) & (np.floor(found) == found)
    if not np.all(inside):
        wrong = float(np.ravel(found)[~np.ravel(inside)][0])
        raise _arguments.refuse("counts", wrong, f"whole numbers from 0 to n={rows}")
    return found, rows


@theorem(realised=("count",))
def rate_upper(*, count: int, n: int, delta: float) -> Guarantee:
    """Bound how often a score is at most a threshold; any threshold may be read off the rows.

    Examples
    --------
    >>> round(rate_upper(count=20, n=200, delta=0.05).bound, 4)
    0.1759
    """
    bound = _highest(_part("count", count, n), n, delta)
    return _claim(f"P(score <= t), {_EVERYWHERE}", bound, delta, {**ROWS, **_SCORE})


@theorem(realised=("count",))
def rate_lower(*, count: int, n: int, delta: float) -> Guarantee:
    """Bound from below how often a score is at most a threshold, whatever the threshold.

    Examples
    --------
    >>> round(rate_lower(count=180, n=200, delta=0.05).bound, 4)
    0.8241
    """
    bound = _lowest(_part("count", count, n), n, delta)
    quantity = f"P(score <= t), {_EVERYWHERE}"
    return _claim(quantity, bound, delta, {**ROWS, **_SCORE}, direction="lower")


@theorem(realised=("n_hits", "n_positive"))
def sensitivity(*, n_hits: int, n_positive: int, delta: float) -> Guarantee:
    """Bound the sensitivity of "score >= t" from below, at all t together with `false_alarms`.

    Both curves of a ROC band hold at once, so a threshold may be chosen by looking at both.

    Examples
    --------
    >>> round(sensitivity(n_hits=90, n_positive=100, delta=0.05).bound, 4)
    0.7767
    """
    rows = _arguments.count("n_positive", n_positive, at_most=_MOST_ROWS)
    hits = _arguments.count("n_hits", n_hits, at_most=rows)
    bound = _lowest(hits, rows, sharing.sidak(delta, 2))
    quantity = f"P(score >= t | positive), {_EVERYWHERE}"
    return _claim(quantity, bound, delta, {**IN_CLASS, **_SCORE}, direction="lower")


@theorem(realised=("n_false", "n_negative"))
def false_alarms(*, n_false: int, n_negative: int, delta: float) -> Guarantee:
    """Bound the false positive rate of "score >= t", at all t together with `sensitivity`.

    Examples
    --------
    >>> round(false_alarms(n_false=40, n_negative=900, delta=0.05).bound, 4)
    0.0714
    """
    rows = _arguments.count("n_negative", n_negative, at_most=_MOST_ROWS)
    wrong = _arguments.count("n_false", n_false, at_most=rows)
    bound = _highest(wrong, rows, sharing.sidak(delta, 2))
    quantity = f"P(score >= t | negative), {_EVERYWHERE}"
    return _claim(quantity, bound, delta, {**IN_CLASS, **_SCORE})


@theorem(realised=("n_hits", "n_false"))
def precision(*, n_hits: int, n_false: int, n: int, delta: float) -> Guarantee:
    """Bound the precision of "score >= t" from below, at all t at once.

    Examples
    --------
    >>> round(precision(n_hits=90, n_false=40, n=1000, delta=0.05).bound, 4)
    0.4945
    """
    hits, wrong = _two_parts(n_hits, n_false, n, delta)
    bound = _rounding.down(hits / (hits + wrong))
    quantity = f"P(positive | score >= t), {_EVERYWHERE}"
    return _claim(quantity, bound, delta, {**ROWS, **MIX, **_SCORE}, direction="lower")


@theorem(realised=("n_hits", "n_false"))
def net_benefit(
    *, n_hits: int, n_false: int, n: int, threshold_probability: float, delta: float
) -> Guarantee:
    """Bound a net benefit from below, at all cut-offs and threshold probabilities at once.

    Net benefit is P(true positive) - w P(false positive) with w = p/(1 - p).

    Examples
    --------
    >>> guarantee = net_benefit(
    ...     n_hits=90, n_false=40, n=1000, threshold_probability=0.2, delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    0.0469
    """
    p = _arguments.open_fraction("threshold_probability", threshold_probability)
    hits, wrong = _two_parts(n_hits, n_false, n, delta)
    weight = _rounding.up(p / (1.0 - p))
    bound = _rounding.down(hits - _rounding.up(weight * wrong))
    quantity = f"the net benefit of score >= t, {_EVERYWHERE}"
    assumes = {**ROWS, **MIX, **_SCORE}
    return _claim(quantity, bound, delta, assumes, direction="lower", trivial=-weight)


@theorem(realised=("errors", "n_kept"))
def selective_risk(*, errors: int, n_kept: int, n: int, delta: float) -> Guarantee:
    """Bound how often a model errs where its confidence is at least t, at all t at once.

    Examples
    --------
    >>> round(selective_risk(errors=10, n_kept=500, n=1000, delta=0.05).bound, 4)
    0.0557
    """
    kept = _part("n_kept", n_kept, n)
    half = _arguments.open_fraction("delta", delta) / 2.0
    wrong = _highest(_arguments.count("errors", errors, at_most=kept), n, half)
    answered = _lowest(kept, n, half)
    bound = min(1.0, _rounding.up(wrong / answered)) if answered > 0.0 else 1.0
    quantity = f"P(error | confidence >= t), {_EVERYWHERE}"
    return _claim(quantity, bound, delta, {**ROWS, **_SCORE})


@theorem
def share_within(*, rank: int, n: int, delta: float) -> Guarantee:
    """Bound from below the share of errors up to the rank-th smallest seen, at all ranks at once.

    Examples
    --------
    >>> round(share_within(rank=450, n=500, delta=0.05).bound, 4)
    0.854
    """
    bound = _lowest(_part("rank", rank, n, at_least=1), n, delta)
    quantity = "P(an error is at most the one of this rank), at every rank at once"
    return _claim(quantity, bound, delta, {**ROWS, **_DEFINED}, direction="lower")


@theorem(realised=("n_beyond",))
def share_beyond(*, n_beyond: int, n: int, delta: float) -> Guarantee:
    """Bound the share of errors beyond a tolerance, at all tolerances at once.

    Examples
    --------
    >>> round(share_beyond(n_beyond=25, n=500, delta=0.05).bound, 4)
    0.086
    """
    bound = _highest(_part("n_beyond", n_beyond, n), n, delta)
    quantity = "P(an error is beyond the tolerance), at every tolerance at once"
    return _claim(quantity, bound, delta, {**ROWS, **_DEFINED})


def _part(name: str, value: int, n: int, *, at_least: int = 0) -> int:
    rows = _arguments.count("n", n, at_least=1, at_most=_MOST_ROWS)
    return _arguments.count(name, value, at_least=at_least, at_most=rows)


def _two_parts(n_hits: int, n_false: int, n: int, delta: float) -> tuple[float, float]:
    """Return P(true positive) at least, and P(false positive) at most, at half of delta each."""
    hits = _part("n_hits", n_hits, n)
    wrong = _arguments.count("n_false", n_false, at_most=_arguments.count("n", n) - hits)
    half = _arguments.open_fraction("delta", delta) / 2.0
    return _lowest(hits, n, half), _highest(wrong, n, half)


def _highest(count: int, n: int, delta: float) -> float:
    return float(upper(count, n, delta))


def _lowest(count: int, n: int, delta: float) -> float:
    return float(lower(count, n, delta))
