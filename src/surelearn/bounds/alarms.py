"""Alarms that ring when a risk has risen: how rarely they ring while it has not.

A detector multiplies e-values, non-negative numbers whose expectation given the past is at most 1
while no loss is expected to exceed what is tolerated: 1 + bet (loss - tolerated). It starts again
after each alarm, so it can be left on for ever. Nothing is assumed of the losses but their range.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem

_DETECTOR = "Roberts, Technometrics 8 (1966); Shin, Ramdas and Rinaldo, NEJSDS 2 (2024)"
_ASSUMES = {
    "range": "every loss lies in [0, 1]",
    "quiet": "given the losses before it, no loss is expected to exceed what is tolerated",
    "fixed_before": "what is tolerated, bets and threshold were fixed before the first loss",
}
_ABOVE = 1.0 + 1e-9  # more than products of a million factors are rounded up
_N_BETS, _SMALLEST_BET, _LARGEST_BET = 8, 0.2, 0.9


@theorem
def mean_time_to_false_alarm(*, threshold: float) -> Guarantee:
    """Bound from below how many rows pass on average until a first false alarm.

    Examples
    --------
    >>> mean_time_to_false_alarm(threshold=1000.0).bound
    1000.0
    """
    return Guarantee(
        quantity="the expected number of rows until the first alarm",
        bound=_threshold(threshold),
        assumes=_ASSUMES,
        reference=_DETECTOR,
        confidence=None,
        direction="lower",
        validity="in-expectation",
        trivial=1.0,
    )


@theorem(realised=("n_rows",))
def false_alarms(*, threshold: float, n_rows: int) -> Guarantee:
    """Bound how many false alarms a restarting detector raises on average within n_rows rows.

    Examples
    --------
    >>> false_alarms(threshold=1000.0, n_rows=200).bound < 0.2000001
    True
    """
    rows = _arguments.count("n_rows", n_rows, at_least=1)
    return Guarantee(
        quantity=f"the expected number of alarms within {rows} rows",
        bound=_rounding.up(rows / _threshold(threshold)),
        assumes=_ASSUMES,
        reference=_DETECTOR,
        confidence=None,
        validity="in-expectation",
        trivial=float(rows),
    )


@theorem
def false_alarm_within(*, threshold: float, n_rows: int) -> Guarantee:
    """Bound the probability of a false alarm within a number of rows, fixed beforehand.

    Examples
    --------
    >>> false_alarm_within(threshold=1000.0, n_rows=200).bound < 0.2000001
    True
    """
    rows = _arguments.count("n_rows", n_rows, at_least=1)
    return Guarantee(
        quantity=f"the probability of an alarm within {rows} rows",
        bound=_rounding.up(rows / _threshold(threshold)),
        assumes=_ASSUMES,
        reference=_DETECTOR,
        trivial=1.0,
    )


def bets_for(tolerated: float, n_bets: int = _N_BETS) -> list[float]:
    """Return bets for a detector, geometric from 0.2 to 0.9 / tolerated.

    A bold bet sees a large rise within a few rows, a small one sees a small rise at all.

    Examples
    --------
    >>> [round(bet, 2) for bet in bets_for(0.05)]
    [0.2, 0.38, 0.72, 1.38, 2.62, 4.98, 9.46, 18.0]
    """
    risk = _arguments.open_fraction("tolerated", tolerated)
    number = _arguments.count("n_bets", n_bets, at_least=1)
    return np.geomspace(_SMALLEST_BET, _LARGEST_BET / risk, number).tolist()


def shiryaev_roberts(
    losses: ArrayLike,
    *,
    tolerated: float,
    bets: ArrayLike,
    threshold: float = math.inf,
    start: Sequence[float] | None = None,
) -> tuple[list[float], list[float]]:
    """Return the detector's statistic after each loss, and its state: one number for each bet.

    The statistic is the mean over bets of M = (1 + M) (1 + bet (loss - tolerated)), M = 0 at first
    and after each alarm: a value of `threshold`, and a part in 10^9 for rounding. It goes on from
    `start`.

    Examples
    --------
    >>> losses = ([0] * 19 + [1]) * 10
    >>> path, _ = shiryaev_roberts(losses, tolerated=0.05, bets=[1, 5, 15])
    >>> round(path[-1], 6)
    44.711777
    """

    def step(state: list[float], stakes: list[float], excess: float) -> list[float]:
        pairs = zip(state, stakes, strict=True)
        return [(1.0 + m) * (1.0 + stake * excess) for m, stake in pairs]

    return _run(losses, tolerated, bets, threshold, start, step)


def cumulative_sum(
    losses: ArrayLike,
    *,
    tolerated: float,
    bets: ArrayLike,
    threshold: float = math.inf,
    start: Sequence[float] | None = None,
) -> tuple[list[float], list[float]]:
    """Return the path and state of Page's detector: C = max(1, C) (1 + bet (loss - tolerated)).

    Never above the statistic of Shiryaev and Roberts, so the same theorems hold; it is slower.

    Examples
    --------
    >>> losses = ([0] * 19 + [1]) * 10 + [0, 1, 0, 1]
    >>> path, _ = cumulative_sum(losses, tolerated=0.05, bets=[1, 5, 15])
    >>> round(path[-1], 4)
    111.7632
    """

    def step(state: list[float], stakes: list[float], excess: float) -> list[float]:
        pairs = zip(state, stakes, strict=True)
        return [max(1.0, c) * (1.0 + stake * excess) for c, stake in pairs]

    return _run(losses, tolerated, bets, threshold, start, step)


def _run(
    losses: ArrayLike,
    tolerated: float,
    bets: ArrayLike,
    threshold: float,
    start: Sequence[float] | None,
    step: Callable[[list[float], list[float], float], list[float]],
) -> tuple[list[float], list[float]]:
    """Go on row by row, so that blocks of any size give the same numbers."""
    stakes = sound_bets(bets, tolerated).tolist()
    state = _started(start, len(stakes))
    limit = math.inf if threshold == math.inf else _threshold(threshold)
    path: list[float] = []
    for loss in _arguments.vector("losses", losses, low=0.0, high=1.0).tolist():
        state = step(state, stakes, loss - tolerated)
        path.append(sum(state) / len(state))
        if path[-1] >= limit * _ABOVE:
            state = [0.0] * len(state)
    return path, state


def sound_bets(bets: ArrayLike, tolerated: float) -> Vector:
    """Return the bets, or refuse one of 1 / tolerated or more: it could lose all there is.

    Examples
    --------
    >>> sound_bets([1, 5, 15], 0.05)
    array([ 1.,  5., 15.])
    """
    risk = _arguments.open_fraction("tolerated", tolerated)
    found = _arguments.vector("bets", bets, low=0.0)
    inside = found * risk < 1.0
    if not inside.all():
        bold = int(np.argmin(inside))
        domain = f"below 1 / tolerated = {1.0 / risk:g}"
        raise _arguments.refuse(f"bets[{bold}]", float(found[bold]), domain)
    return found


def rings(value: float, threshold: float) -> bool:
    """Return whether a detector's statistic is an alarm: its threshold, and a part in 10^9.

    Examples
    --------
    >>> rings(1000.0, 1000.0), rings(1000.1, 1000.0)
    (False, True)
    """
    return _arguments.real("value", value) >= _threshold(threshold) * _ABOVE


def _started(start: Sequence[float] | None, n_bets: int) -> list[float]:
    """Return the state that a detector goes on from: one number of 0 or more for each bet."""
    if start is None:
        return [0.0] * n_bets
    state = _arguments.vector("start", start, low=0.0).tolist()
    if len(state) != n_bets:
        raise _arguments.refuse("start", start, f"as long as the list of bets, {n_bets}")
    return state


def _threshold(threshold: float) -> float:
    if not _arguments.real("threshold", threshold) > 1.0:
        raise _arguments.refuse("threshold", threshold, "a number above 1")
    return float(threshold)
