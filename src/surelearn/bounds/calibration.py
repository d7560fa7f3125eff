"""How far stated probabilities are from frequencies: in bins, at all cuts, and by their scores.

The errors of all bins together cost no more than that of one: only the worst signs are printed.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.bounds import _rounding, _wealth, inversions, sharing
from surelearn.bounds._fresh_rows import MIX, ROWS, claim
from surelearn.bounds._guarantee import Guarantee, theorem

_MANY, _GRID = 2**16, 2**15  # rows from which on probabilities are rounded, at a stated cost
_CUT = {"fixed_cut": "the cut was fixed without these rows"}
_BINS = {
    "fixed_bins": "the bins were fixed without these rows, not even by their stated probabilities"
}
_CALIBRATOR = {"fixed_calibrator": "nothing that makes the probabilities was fitted to these rows"}
_RANGE = {"range": "every loss lies in [0, 1]"}
_CLIPPED = {"clipped": "the probabilities are used as they are judged, none below the floor"}
_by_betting = partial(claim, reference="Waudby-Smith and Ramdas, JRSS B 86 (2024)")
_WORST = "surelearn theory pages; Berger, Technometrics 24 (1982)"


@theorem(realised=("n_right", "n_confident"))
def confident(*, n_right: int, n_confident: int, delta: float) -> Guarantee:
    """Bound from below how often a model is right when it states a cut or more.

    Examples
    --------
    >>> round(confident(n_right=380, n_confident=400, delta=0.05).bound, 6)
    0.928171
    """
    rows = _arguments.count("n_confident", n_confident)
    right = _arguments.count("n_right", n_right, at_most=rows)
    bound = float(inversions.binomial_lower(right, rows, _level_of(delta)))
    assumes = {**ROWS, **MIX, **_CALIBRATOR, **_CUT}
    quantity = "P(right | stated probability at or above the cut)"
    return claim(quantity, bound, delta, assumes, direction="lower")


@theorem(realised=("n_events", "n_in_bin"))
def bin_upper(*, n_events: int, n_in_bin: int, n_bins: int, delta: float) -> Guarantee:
    """Bound the frequency of events in one of several bins; both sides of all bins hold at once.

    Examples
    --------
    >>> round(bin_upper(n_events=40, n_in_bin=50, n_bins=10, delta=0.05).bound, 6)
    0.928381
    """
    events, rows, level = _in_bin(n_events, n_in_bin, n_bins, delta)
    bound = float(inversions.binomial_upper(events, rows, level))
    return claim(_IN_BIN, bound, delta, _IN_BINS)


@theorem(realised=("n_events", "n_in_bin"))
def bin_lower(*, n_events: int, n_in_bin: int, n_bins: int, delta: float) -> Guarantee:
    """Bound from below the frequency of events in one of several bins, all of them at once.

    Examples
    --------
    >>> round(bin_lower(n_events=40, n_in_bin=50, n_bins=10, delta=0.05).bound, 6)
    0.603504
    """
    events, rows, level = _in_bin(n_events, n_in_bin, n_bins, delta)
    bound = float(inversions.binomial_lower(events, rows, level))
    return claim(_IN_BIN, bound, delta, _IN_BINS, direction="lower")


@theorem(realised=("stated", "outcomes"))
def binned_error(
    *, stated: ArrayLike, outcomes: ArrayLike, edges: ArrayLike, delta: float
) -> Guarantee:
    """Bound the calibration error over bins, each weighted by its share of cases.

    The edges are those between bins, none for a single bin; a probability at an edge is in the
    upper bin.

    Examples
    --------
    >>> guarantee = binned_error(
    ...     stated=[0.2, 0.8] * 200, outcomes=[0, 1, 0, 1, 0, 1, 0, 1, 1, 0] * 40,
    ...     edges=[0.5], delta=0.05,
    ... )
    >>> round(guarantee.bound, 4)
    0.0675
    """
    happened, probabilities = _pairs(stated, outcomes)
    one = _arguments.numbers("edges", edges).size == 0
    cuts = np.empty(0) if one else _arguments.vector("edges", edges, low=0.0, high=1.0)
    if np.any(np.diff(cuts) <= 0.0):
        raise _arguments.refuse("edges", edges, "increasing")
    places = np.searchsorted(cuts, probabilities, side="right")
    rounded, error = _rounded(probabilities)
    wealth = _worst_bins(happened - rounded, places)
    bound = min(1.0, _rounding.up(_signed_root(wealth, len(places), delta) + error))
    quantity = "the sum over bins of |E[(outcome - stated probability) in the bin]|"
    return claim(quantity, bound, delta, {**_FIXED, **_BINS}, reference=_WORST)


@theorem(realised=("stated", "outcomes"))
def cumulative_error(*, stated: ArrayLike, outcomes: ArrayLike, delta: float) -> Guarantee:
    """Bound the calibration error below any cut, without bins.

    Examples
    --------
    >>> guarantee = cumulative_error(
    ...     stated=[0.2, 0.8] * 200, outcomes=[0, 1, 0, 1, 0, 1, 0, 1, 1, 0] * 40, delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    0.0634
    """
    happened, probabilities = _pairs(stated, outcomes)
    rounded, error = _rounded(probabilities)
    wealth = _worst_cuts(happened - rounded, probabilities)
    bound = min(1.0, _rounding.up(_signed_root(wealth, len(happened), delta) + error))
    quantity = "the largest |E[(outcome - stated probability) below t]|, over all cuts t"
    return claim(quantity, bound, delta, _FIXED, reference=_WORST)


@theorem(realised=("losses",))
def brier(*, losses: ArrayLike, delta: float) -> Guarantee:
    """Bound the expected Brier score: squared errors, or half their sum over many classes.

    Examples
    --------
    >>> round(brier(losses=[0.04, 0.09, 0.01, 0.64] * 100, delta=0.05).bound, 4)
    0.2378
    """
    scores = _arguments.vector("losses", losses, low=0.0, high=1.0)
    bound = _mean_root(scores, delta)
    return _by_betting("the expected Brier score", bound, delta, {**_FIXED, **_RANGE})


@theorem(realised=("stated_of_truth",))
def log_loss(*, stated_of_truth: ArrayLike, floor: float, delta: float) -> Guarantee:
    """Bound the expected log loss from the probabilities that were given to what then happened.

    The floor is the least probability that the model as used gives to anything.

    Examples
    --------
    >>> guarantee = log_loss(stated_of_truth=[0.8, 0.7, 0.9, 0.3] * 100, floor=0.01, delta=0.05)
    >>> round(guarantee.bound, 4)
    0.5503
    """
    least = _arguments.open_fraction("floor", floor)
    given = _arguments.vector("stated_of_truth", stated_of_truth, low=least, high=1.0)
    worst = -math.log(least)
    losses = np.minimum(1.0, -np.log(given) / worst)
    bound = _rounding.up(worst * _mean_root(losses, delta))
    assumes = {**_FIXED, **_CLIPPED}
    return _by_betting("the expected log loss", bound, delta, assumes, trivial=worst)


_FIXED = {**ROWS, **MIX, **_CALIBRATOR}
_IN_BINS = {**_FIXED, **_BINS}
_IN_BIN = "P(event | stated probability in the bin), in every bin at once"


def _in_bin(n_events: int, n_in_bin: int, n_bins: int, delta: float) -> tuple[int, int, float]:
    """Return counts and the level of each side, which both sides of a bin share."""
    rows = _arguments.count("n_in_bin", n_in_bin)
    events = _arguments.count("n_events", n_events, at_most=rows)
    bins = _arguments.count("n_bins", n_bins, at_least=1)
    return events, rows, sharing.sidak(_level_of(delta), bins) / 2.0


def _pairs(stated: ArrayLike, outcomes: ArrayLike) -> tuple[Vector, Vector]:
    """Return what happened and the probabilities that were stated for it."""
    probabilities = _arguments.vector("stated", stated, low=0.0, high=1.0)
    happened = _arguments.vector("outcomes", outcomes, low=0.0, high=1.0)
    if len(happened) != len(probabilities):
        raise _arguments.refuse("outcomes", outcomes, f"{len(probabilities)} numbers, as stated")
    if not np.all((happened == 0.0) | (happened == 1.0)):
        raise _arguments.refuse("outcomes", outcomes, "0 or 1 everywhere")
    return happened, probabilities


def _rounded(probabilities: Vector) -> tuple[Vector, float]:
    """Return fewer values than there are rows, and how far off they may be."""
    if len(probabilities) <= _MANY:
        return probabilities, 0.0
    return np.rint(probabilities * _GRID) / _GRID, 0.5 / _GRID


def _log_factors(gaps: Vector, m: float, stake: float) -> tuple[Vector, Vector]:
    """Return ln(1 + stake (m - x)/(1 - m)) for x = (1 + gap)/2 and for x = (1 - gap)/2."""
    centre = m - 0.5
    scale = stake / (1.0 - m)
    return np.log1p(scale * (centre - gaps / 2.0)), np.log1p(scale * (centre + gaps / 2.0))


def _worst_bins(gaps: Vector, places: Indices) -> Callable[[float], float]:
    """Return m -> ln of the mean over stakes of the product over bins of the smaller wealth."""
    values, which = np.unique(gaps, return_inverse=True)
    codes, counts = np.unique(places * len(values) + which, return_counts=True)
    bins, distinct = codes // len(values), values[codes % len(values)]

    def log_wealth(m: float) -> float:
        logs: list[float] = []
        for stake in _wealth.STAKES:
            above, below = _log_factors(distinct, m, float(stake))
            sums = [np.bincount(bins, weights=counts * part) for part in (above, below)]
            logs.append(float(np.sum(np.minimum(*sums))))
        return _wealth.log_mean_exp(np.array(logs))

    return log_wealth


def _worst_cuts(gaps: Vector, probabilities: Vector) -> Callable[[float], float]:
    """Return m -> ln of the least wealth among all cuts and both signs, mixed over stakes."""
    order = np.argsort(probabilities, kind="stable")
    values, which = np.unique(gaps[order], return_inverse=True)
    last = np.append(np.flatnonzero(np.diff(probabilities[order])), len(gaps) - 1)

    def log_wealth(m: float) -> float:
        logs = np.empty((len(_wealth.STAKES), 2 * len(last) + 2))
        for stake, sums in zip(_wealth.STAKES, logs, strict=True):
            idle = math.log1p(float(stake) * (m - 0.5) / (1.0 - m))  # of a row beyond the cut
            for side, part in enumerate(_log_factors(values, m, float(stake))):
                ends = sums[side * (len(last) + 1) :][: len(last) + 1]
                ends[0], ends[1:] = 0.0, np.cumsum((part - idle)[which])[last]
            sums[:] += len(gaps) * idle
        # A mean of twelve is at most by ln 12 below their largest: few cuts can be the least.
        top = logs.max(axis=0)
        least = logs[:, top <= top.min() + math.log(len(logs))]
        return float(np.min(np.logaddexp.reduce(least, axis=0))) - math.log(len(logs))

    return log_wealth


def _signed_root(log_wealth: Callable[[float], float], n: int, delta: float) -> float:
    """Return 2 m - 1 at the root, which is not below 1/2; differences of sums cost digits."""
    level = _wealth.log_level(_level_of(delta), n) + 1e-13 * n
    return min(1.0, _rounding.up(2.0 * _wealth.refuted_from(log_wealth, level) - 1.0))


def _mean_root(losses: Vector, delta: float) -> float:
    values, counts = np.unique(losses, return_counts=True)
    level = _wealth.log_level(_level_of(delta), len(losses))
    return _wealth.refuted_from(_wealth.stake_mixture(values, counts), level)


def _level_of(delta: float) -> float:
    return _arguments.open_fraction("delta", delta)
