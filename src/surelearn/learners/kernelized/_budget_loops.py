"""The compiled loop of the kernel Perceptron on a budget."""

import math

import numpy as np

from surelearn._jit import inner, jit
from surelearn._typing import Indices, Matrix, Vector

_CONSTANTS = 5  # of a rule, before the draws


def draws(seed: int, first: int, n: int, budget: int) -> Vector:
    """Return n draws, uniform on 0 .. budget - 1, of a sequence that the seed determines.

    Examples
    --------
    >>> later = draws(7, first=2, n=3, budget=10)
    >>> bool((draws(7, first=0, n=5, budget=10)[2:] == later).all())
    True
    """
    bits = np.random.Philox(key=seed, counter=first).random_raw(4 * n)[::4]  # 4 a counter
    return (bits % np.uint64(budget)).astype(np.float64)


@inner
def _freed_slot(rule: Vector, coef: Vector, counts: Indices, sums: Vector) -> int:
    """Return the slot for a new term; if all are taken, drop the oldest or one drawn by lot."""
    if counts[0] < len(coef):
        counts[0] += 1
        return counts[0] - 1
    place = counts[1]
    if len(rule) > _CONSTANTS:
        place = int(rule[_CONSTANTS + counts[2] - int(rule[4])])
    else:
        counts[1] = (counts[1] + 1) % len(coef)
    length = abs(coef[place]) * rule[3]  # at most: no row is longer than the radius
    sums[0] += length
    sums[1] += length
    counts[2] += 1
    return place


@jit
def learn_block(
    values: Matrix,
    signs: Vector,
    rule: Vector,
    slots: Indices,
    coef: Vector,
    counts: Indices,
    sums: Vector,
    scores: Vector,
) -> None:
    """Score each row of a block, then learn from it; all but the first three change in place.

    `rule` is the decay, the number of slots in use before the block, the number of its first row,
    the radius, the terms dropped before, and then for random removal a draw for each row. `slots`
    has for each slot the number of its row and the column of `values` that belongs to it; columns
    of the block follow those slots.
    """
    keep, n_known = 1.0 - rule[0], int(rule[1])
    for t in range(len(signs)):
        score = 0.0
        for k in range(counts[0]):
            score += coef[k] * values[t, slots[1, k]]
        scores[t] = score
        if signs[t] * score <= 0.0:  # a tie counts, or f = 0 would never move
            sums[1] += rule[0] * sums[0]
            grown = keep * keep * sums[0] * sums[0] + 2.0 * keep * signs[t] * score
            sums[0] = math.sqrt(max(0.0, grown + values[t, n_known + t]))
            for k in range(counts[0]):
                coef[k] *= keep
            place = _freed_slot(rule, coef, counts, sums)
            coef[place] = signs[t]
            slots[0, place], slots[1, place] = int(rule[2]) + t, n_known + t
