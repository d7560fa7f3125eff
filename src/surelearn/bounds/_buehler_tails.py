"""How far one of two rates may reach, given the other, before what was seen becomes too rare.

Two counts (x, y) are ordered by a statistic T. For a second rate q and a first rate p,
F(p, q) = P(T <= T observed) is a sum over y of its probability times a binomial tail of x. All
that is dropped or rounded here makes F larger, and so the rates that are allowed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from surelearn._typing import Mask, Vector

Order = Callable[[Any, Any], Any]

_DROPPED = 1e-6  # share of delta for counts y too far from their mean to be summed
_SHRINK = 1.0 - 1e-9  # of delta, more than the rounding errors of a sum of tails
_AIM, _NEAR = 0.01, 0.03  # shares of the tolerance: F so close to delta is near enough
_TIES = 1e-13  # a hundred times the error of a statistic of size 1: ties are let in
_TRIES = 100
_FINENESS = 100.0  # blocks of counts y per standard deviation, where there are more counts


@dataclass(frozen=True)
class Counts:
    """Two counts and their numbers of trials; `shared` trials give an x, a y or neither."""

    x: int
    y: int
    n_x: int
    n_y: int
    shared: bool


@dataclass(frozen=True)
class Tails:
    """The tails F(p, q) of one order at what was observed, and where they fall below delta.

    With shared trials x given y is binomial with the rate r = p / (1 - q) among n - y rows;
    otherwise r = p. Rates are given and found as r, which is in [0, 1] for every q.
    """

    counts: Counts
    order: Order
    delta: float
    tolerance: float
    rising: bool
    in_blocks: bool

    @cached_property
    def _level(self) -> float:
        seen = float(self.order(np.float64(self.counts.x), np.float64(self.counts.y)))
        return seen + _TIES * max(1.0, abs(seen))

    def reach(self, q: Vector, guess: Vector) -> Vector:
        """Return for each q a rate r above all those with F >= delta; -1 where there are none."""
        table = _Table.of(self, q)
        low, high, r = np.zeros_like(q), np.ones_like(q), np.clip(guess, 1e-12, 1.0 - 1e-12)
        least = self.delta * _SHRINK
        aim, near_enough = (self.delta * (1.0 - part * self.tolerance) for part in (_AIM, _NEAR))
        none, all_of_them = table.tail_at_0() < least, table.tail_at_1() >= least
        open_ = np.flatnonzero(~none & ~all_of_them)
        for _ in range(_TRIES):
            if not len(open_):
                break
            at = r[open_]
            tail, slope = table.tail(open_, at)
            rare = tail < least
            high[open_], low[open_] = (
                np.where(rare, at, high[open_]),
                np.where(rare, low[open_], at),
            )
            r[open_] = _next(at, tail, slope, aim, (low[open_], high[open_]))
            near = rare & (tail >= near_enough)
            open_ = open_[~near & (high[open_] - low[open_] > 1e-15 * high[open_])]
        return np.where(none, -1.0, high)

    def steps(self, y: Vector, top: Vector) -> Vector:
        """Return for each y the largest x <= top with T(x, y) <= T observed; -1 if there is none.

        T does not fall in x, so that bisection of integers finds it.
        """
        low, high = np.full_like(y, -1.0), top + 1.0
        while (wide := high - low > 1.0).any():
            middle = np.floor((low + high) / 2.0)
            inside = self.order(np.maximum(middle, 0.0), y) <= self._level
            low = np.where(wide & inside, middle, low)
            high = np.where(wide & ~inside, middle, high)
        return low


@dataclass(frozen=True)
class _Table:
    """For each q: the probabilities of the counts y near its mean, and the largest x for each."""

    weights: Vector
    x: Vector
    trials: Vector
    log_beta: Vector
    dropped: float

    @classmethod
    def of(cls, tails: Tails, q: Vector) -> "_Table":
        counts, dropped = tails.counts, _DROPPED * tails.delta
        y, inside = _window(counts.n_y, q, math.log(2.0 / dropped))
        weights = _probabilities(counts.n_y, q, y, inside)
        size = _block_size(counts.n_y, q) if tails.in_blocks else 1
        first, last, weights = _blocks(y, weights, size)
        trials = _trials(counts, last)
        # Within a block the largest x is taken, and the fewest trials: both only raise the tail.
        x = _at_distinct(
            first if tails.rising else last,
            lambda some: tails.steps(some, _trials(counts, some)),
        )
        x = np.minimum(x, trials)
        ends = np.clip(x, 0.0, np.maximum(trials - 1.0, 0.0))
        log_beta = special.betaln(ends + 1.0, np.maximum(trials - ends, 1.0))
        return cls(weights, x, trials, log_beta, dropped)

    def tail_at_0(self) -> Vector:
        return (self.weights * (self.x >= 0.0)).sum(axis=1) + self.dropped

    def tail_at_1(self) -> Vector:
        return (self.weights * (self.x >= self.trials)).sum(axis=1) + self.dropped

    def tail(self, rows: Any, r: Vector) -> tuple[Vector, Vector]:
        """Return F at r for some of the q, and how fast it falls, which need not be exact."""
        x, trials, weights = self.x[rows], self.trials[rows], self.weights[rows]
        rate = np.broadcast_to(r[:, np.newaxis], x.shape)
        between = (x >= 0.0) & (x < trials) & (weights > 0.0)
        small, large = _chernoff(x, trials, rate, self.dropped)
        between &= ~(small | large)
        new = between & _differs(x, trials, between)
        a, b = x[new] + 1.0, trials[new] - x[new]
        below, fall = np.where((x >= trials) | large, 1.0, 0.0), np.zeros_like(x)
        below[new] = special.betaincc(a, b, rate[new])
        logs = special.xlogy(a - 1.0, rate[new]) + special.xlog1py(b - 1.0, -rate[new])
        fall[new] = np.exp(logs - self.log_beta[rows][new])
        last = np.maximum.accumulate(np.where(new | ~between, np.arange(x.shape[1]), 0), axis=1)
        below, fall = (np.take_along_axis(found, last, axis=1) for found in (below, fall))
        return (weights * below).sum(axis=1) + 2.0 * self.dropped, (weights * fall).sum(axis=1)


def _chernoff(x: Vector, trials: Vector, rate: Vector, rare: float) -> tuple[Mask, Mask]:
    """Return where P(Bin(trials, rate) <= x) is below `rare` for sure, and where above 1 - rare."""
    n = np.maximum(trials, 1.0)
    seen = np.clip(np.where(x < n * rate, x, x + 1.0) / n, 0.0, 1.0)
    distance = special.rel_entr(seen, rate) + special.rel_entr(1.0 - seen, 1.0 - rate)
    far = n * distance > 1.0 - math.log(rare)
    return far & (seen < rate), far & (seen > rate)


def _differs(x: Vector, trials: Vector, known: Mask) -> Mask:
    """Return where a tail is not that of the y before: independent trials often repeat it."""
    new = np.ones(x.shape, dtype=np.bool_)
    new[:, 1:] = (x[:, 1:] != x[:, :-1]) | (trials[:, 1:] != trials[:, :-1]) | ~known[:, :-1]
    return new


def _trials(counts: Counts, y: Vector) -> Vector:
    return counts.n_x - y if counts.shared else np.full_like(y, float(counts.n_x))


def _at_distinct(y: Vector, function: Callable[[Vector], Vector]) -> Vector:
    """Return the function at every y, evaluated once for each value: windows overlap."""
    first, last = float(y.min()), float(y.max())
    if last - first <= 8.0 * y.shape[1]:
        return function(np.arange(first, last + 1.0))[(y - first).astype(np.intp)]
    values, places = np.unique(y, return_inverse=True)
    return function(values)[places.reshape(y.shape)]


def _window(n: int, q: Vector, log_rare: float) -> tuple[Vector, Mask]:
    """Return a row of counts y for each q, and which of them may not be dropped (Bernstein)."""
    mean, variance = n * q, n * q * (1.0 - q)
    far = log_rare / 3.0 + np.sqrt(log_rare**2 / 9.0 + 2.0 * log_rare * variance)
    start = np.where(q >= 1.0, n, np.floor(np.maximum(mean - far, 0.0)))
    stop = np.where(q <= 0.0, 0.0, np.ceil(np.minimum(mean + far, n)))
    y = start[:, np.newaxis] + np.arange(int((stop - start).max()) + 1)
    inside = y <= stop[:, np.newaxis]
    return np.minimum(y, float(n)), inside


def _probabilities(n: int, q: Vector, y: Vector, inside: Mask) -> Vector:
    """Return P(Bin(n, q) = y) over the window, from ratios, divided by their sum.

    Ratios of neighbours keep their digits where logarithms of factorials lose them; the sum over
    the window is less than 1, so that the quotient is never too small.
    """
    with np.errstate(all="ignore"):
        odds = np.log(q) - np.log1p(-q)
        ratios = np.log((n - y[:, :-1]) / (y[:, :-1] + 1.0)) + odds[:, np.newaxis]
    logs = np.zeros_like(y)
    np.cumsum(np.where(inside[:, 1:], ratios, -np.inf), axis=1, out=logs[:, 1:])
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def _block_size(n: int, q: Vector) -> int:
    return max(1, int(np.sqrt(n * q * (1.0 - q)).max() / _FINENESS))


def _blocks(y: Vector, weights: Vector, size: int) -> tuple[Vector, Vector, Vector]:
    """Return the first and the last count of each block, and the probability of the block."""
    starts = np.arange(0, y.shape[1], size)
    ends = np.minimum(starts + size, y.shape[1]) - 1
    return y[:, starts], y[:, ends], np.add.reduceat(weights, starts, axis=1)


def _next(
    r: Vector, tail: Vector, slope: Vector, target: float, bracket: tuple[Vector, Vector]
) -> Vector:
    """Return Newton's step on normal quantiles, which are nearly straight in r, or the middle."""
    low, high = bracket
    with np.errstate(all="ignore"):
        here = special.ndtri(tail)
        density = np.exp(-0.5 * here**2) / math.sqrt(2.0 * math.pi)
        step = r + (here - special.ndtri(target)) * density / slope
    return np.where((low < step) & (step < high), step, (low + high) / 2.0)
