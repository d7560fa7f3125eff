"""Which variables to work on next: those that were free, and those that violate most."""

import numpy as np

from surelearn._typing import Indices, Mask, Vector
from surelearn.learners.kernelized._dual_solver.problem import Problem


def choose(
    problem: Problem, beta: Vector, f: Vector, previous: Indices, *, size: int, keep: float
) -> Indices:
    """Return about so many variables, sorted: some of the last ones, then the worst violators."""
    rising, falling = problem.can_rise(beta), problem.can_fall(beta)
    lowest, highest = problem.extremes(beta, f)
    too_low, too_high = rising & (f < highest), falling & (f > lowest)
    taken = np.zeros(len(f), dtype=np.bool_)
    taken[_kept(previous, rising & falling, too_low | too_high, int(keep * size))] = True
    room = size - int(taken.sum())
    taken[_smallest(f, too_low & ~taken, room // 2)] = True
    taken[_smallest(-f, too_high & ~taken, room - room // 2)] = True
    return np.flatnonzero(taken)


def _kept(previous: Indices, free: Mask, violating: Mask, most: int) -> Indices:
    """Return some of the last variables: the free ones, then others that violate."""
    first = previous[free[previous]]
    second = previous[violating[previous] & ~free[previous]]
    return np.concatenate([first, second])[:most]


def _smallest(values: Vector, among: Mask, most: int) -> Indices:
    """Return the places of the smallest values among some."""
    places = np.flatnonzero(among)
    if len(places) <= most:
        return places
    return places[np.argpartition(values[places], most)[:most]]
