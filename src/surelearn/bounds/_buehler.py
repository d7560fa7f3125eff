"""The largest value of a functional of two rates over Buehler's confidence region.

The region of an order T holds the rates (p, q) under which T is not unusually small:
P(T <= T observed) > delta. It covers the truth with probability 1 - delta, so whatever the
functional is at most there, it is at most in truth.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surelearn._typing import Vector
from surelearn.bounds import inversions
from surelearn.bounds._buehler_tails import Counts, Order, Tails

Functional = Callable[[Vector, Vector], Vector]

_SPREAD = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0, 15.0])
_FEW = 2000  # trials of the second count up to which its rate is not confined first
_ASIDE = 1e-3  # of delta, for the interval that confines it
_ROUNDS = 200
_MOST_SPLIT = 128  # cells at once: a table has a row for each
_NO_FINER = 1e-9  # relative: differences that no reader will ever see
_WIDER = 1.0 + 4.0 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Accuracy:
    """The level of a region, and how far above its largest value a bound may be.

    The tolerance is a share of the distance from the estimate to the bound.
    """

    delta: float
    tolerance: float = 0.01


@dataclass(frozen=True)
class Problem:
    """A functional of two rates, and the order by which counts speak for a small value of it.

    Neither falls in its first argument; in the second both rise, or both fall. `estimate` is the
    value at the frequencies, `most` the largest value of all.
    """

    counts: Counts
    order: Order
    value: Functional
    rising: bool
    estimate: float
    most: float

    def attained(self, q: Vector, r: Vector) -> Vector:
        """Return the value at the end of the region for each second rate q."""
        return self._evaluated(self._first_rate(r, q), q, r)

    def above(self, q: Vector, r: Vector) -> Vector:
        """Return a number for each cell between two of the q that no value in it exceeds.

        Rising: a pair (p, q) of the region has F(p, q_0) >= F(p, q) >= delta. Falling: F(p, q_1) is
        at least delta if (p, q_1) is possible, and otherwise p is at most 1 - q_0.
        """
        if self.rising:
            return self._evaluated(self._first_rate(r[:-1], q[:-1]), q[1:], r[:-1])
        p = self._first_rate(r[1:], np.where(r[1:] >= 1.0, q[:-1], q[1:]))
        return self._evaluated(p, q[:-1], r[1:])

    def _first_rate(self, r: Vector, q: Vector) -> Vector:
        share: Any = 1.0 - q if self.counts.shared else 1.0
        return np.clip(r * share * _WIDER, 0.0, share)

    def _evaluated(self, p: Vector, q: Vector, r: Vector) -> Vector:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.minimum(self.value(p, q), self.most)
        return np.where(r < 0.0, -np.inf, found)


def largest(problem: Problem, how: Accuracy, *, enough: float = -math.inf) -> float:
    """Return a number above all values over the region, by branch and bound.

    It exceeds one that is attained by no more than the tolerance. One that is at most `enough` need
    not be accurate.
    """
    counts = problem.counts
    many = counts.n_y > _FEW
    low, high, left = confine(counts, how.delta)
    tails = Tails(counts, problem.order, left, how.tolerance, problem.rising, in_blocks=many)
    q = _first_nodes(counts, low, high)
    r = tails.reach(q, np.full_like(q, (counts.x + 1.0) / (counts.n_x + 2.0)))
    split = _open_cells(problem, how, enough, q, r)
    for _ in range(_ROUNDS):
        if not len(split):
            break
        middle = (q[split] + q[split + 1]) / 2.0
        found = tails.reach(middle, (r[split] + r[split + 1]) / 2.0)
        q, r = np.insert(q, split + 1, middle), np.insert(r, split + 1, found)
        split = _open_cells(problem, how, enough, q, r)
    return float(problem.above(q, r).max())


def _open_cells(problem: Problem, how: Accuracy, enough: float, q: Vector, r: Vector) -> Any:
    """Return the cells to split: none if the bound is near enough to a value that is attained."""
    above, best = problem.above(q, r), float(problem.attained(q, r).max())
    top = float(above.max())
    # The ends of the region may lie outside by a hundredth of the tolerance.
    allowed = max(
        0.98 * how.tolerance * (top - problem.estimate), _NO_FINER * max(abs(top), abs(best))
    )
    if not top - best > allowed or top <= enough:
        return np.empty(0, dtype=np.intp)
    middle = (q[:-1] + q[1:]) / 2.0
    wide = (q[:-1] < middle) & (middle < q[1:])
    found = np.flatnonzero(wide & (above > max(best + 0.999 * allowed, enough)))
    if len(found) > _MOST_SPLIT:
        found = np.sort(found[np.argsort(-above[found], kind="stable")[:_MOST_SPLIT]])
    return found


def confine(counts: Counts, delta: float) -> tuple[float, float, float]:
    """Return between what the second rate is confined, and what is left of delta for the region.

    Of many rows by Clopper and Pearson, with a small part of delta; of few it may be anything.
    """
    if counts.n_y <= _FEW:
        return 0.0, 1.0, delta
    aside = _ASIDE * delta
    low = float(inversions.binomial_lower(counts.y, counts.n_y, aside / 2.0))
    high = float(inversions.binomial_upper(counts.y, counts.n_y, aside / 2.0))
    return low, high, delta - aside


def _first_nodes(counts: Counts, low: float, high: float) -> Vector:
    """Return second rates around the one observed, closer where the largest value may be."""
    rate = (counts.y + 0.5) / (counts.n_y + 1.0)
    spread = math.sqrt(rate * (1.0 - rate) / counts.n_y) + 1.0 / counts.n_y
    nodes = np.concatenate([[low, high], rate - spread * _SPREAD, rate + spread * _SPREAD])
    return np.unique(np.clip(nodes, low, high))
