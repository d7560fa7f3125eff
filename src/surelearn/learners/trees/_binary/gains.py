"""What a split gains: W I(node) - W_left I(left) - W_right I(right), for each criterion.

A side of a split is a vector: the sum of its moments, or the weight of each class, and, last, its
weight. `sums` holds that of the left side and that of the whole node.
"""

from typing import NamedTuple

import numpy as np

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix

GINI, ENTROPY, MISCLASSIFICATION, SQUARE_ROOT, SQUARED_ERROR, ABSOLUTE_ERROR = range(6)
"""The criteria."""
MOMENTS, COUNTS, DISTANCES = range(3)
"""What a side keeps: a sum and a weight, the weight of each class, or trees over the targets."""
TARGET, MOMENT, WEIGHT, RANK = range(4)
"""Rows of `facts`: what is known of each row of a table.

A moment is weight times target, in a regression taken from the centre of the node; the rank is by
target within the node. Weights are left out if all are 1, ranks if no distances are kept.
"""
LEFT, WHOLE = range(2)
"""Rows of `sums`."""
LEFT_WEIGHT, LEFT_MOMENT, WHOLE_WEIGHT, WHOLE_MOMENT, IN_ORDER = range(5)
"""Rows of `trees`: Fenwick trees over the ranks of the targets, and the centred targets."""
_DUST = 1e-10  # of a class's weight: what rounding leaves when all of its rows have gone


class Rules(NamedTuple):
    """What is optimised, and when to stop.

    `asks_known` allows a question that divides missing cells from all others; `min_gain` is in
    units of weight times impurity, `min_weight_leaf` in those of weight. `unit` is that of the
    table of c log2 c, which holds whole numbers so that sums of it do not depend on their order.
    """

    criterion: int
    keeps: int
    weighted: bool
    asks_known: bool
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    min_gain: float
    unit: float


class Tally(NamedTuple):
    """A sum, and something beside it, over the classes of a node."""

    total: float
    beside: float


@jit
def moments_gain(criterion: int, sums: Matrix) -> float:
    """Return the gain of a squared error; the Gini impurity of two classes is twice that."""
    moment, weight, total, whole = sums[LEFT, 0], sums[LEFT, 1], sums[WHOLE, 0], sums[WHOLE, 1]
    gap = moment * whole - weight * total
    scale = 2.0 if criterion == GINI else 1.0
    return scale * gap * gap / (weight * (whole - weight) * whole)


@jit
def counts_lost(rules: Rules, sums: Matrix, table: Indices) -> float:
    """Return the weighted impurity that both sides of a split have, from the weights of classes."""
    left, right = Tally(0.0, 0.0), Tally(0.0, 0.0)
    left_weight = sums[LEFT, -1]
    right_weight = sums[WHOLE, -1] - left_weight
    for k in range(sums.shape[1] - 1):
        whole, here = sums[WHOLE, k], sums[LEFT, k]
        there = whole - here if whole - here > _DUST * whole else 0.0
        here = here if here > _DUST * whole else 0.0
        left = tally(rules, left, here, left_weight, table)
        right = tally(rules, right, there, right_weight, table)
    return lost(rules, left, left_weight, table) + lost(rules, right, right_weight, table)


@jit
def tally(rules: Rules, before: Tally, count: float, weight: float, table: Indices) -> Tally:
    """Return the tally with one more class."""
    if rules.criterion == GINI:
        return Tally(before.total + count * (weight - count), 0.0)
    if rules.criterion == ENTROPY:
        return Tally(before.total + _entropy(count, rules, table), 0.0)
    if rules.criterion == SQUARE_ROOT:
        root = np.sqrt(count)
        return Tally(before.total + before.beside * root, before.beside + root)
    return Tally(max(before.total, count), 0.0)


@jit
def lost(rules: Rules, done: Tally, weight: float, table: Indices) -> float:
    """Return the weighted impurity of a node whose classes are tallied."""
    if rules.criterion == GINI:
        return done.total / weight
    if rules.criterion == ENTROPY:
        return _entropy(weight, rules, table) - done.total
    if rules.criterion == SQUARE_ROOT:
        return done.total
    return weight - done.total


@jit
def _entropy(count: float, rules: Rules, table: Indices) -> float:
    """Return c log2 c, which is 0 at 0; from a table if counts are whole numbers."""
    if len(table) > 0:
        return rules.unit * table[int(count)]
    return count * np.log2(count) if count > 0.0 else 0.0


@jit
def enter_tree(facts: Matrix, row: int, sign: float, trees: Matrix, n: int) -> None:
    """Let a row of a node of n enter the trees of the left side, or leave them."""
    weight = sign * facts[WEIGHT, row]
    moment, place = sign * facts[MOMENT, row], int(facts[RANK, row]) + 1
    while place <= n:
        trees[LEFT_WEIGHT, place] += weight
        trees[LEFT_MOMENT, place] += moment
        place += place & -place


@jit
def distances_lost(sums: Matrix, trees: Matrix, n: int) -> float:
    """Return the sum of the weighted distances of n rows to the median of their side."""
    moment, weight = sums[LEFT, 0], sums[LEFT, 1]
    return _distances(trees, 0.0, moment, weight, n) + _distances(
        trees, 1.0, sums[WHOLE, 0] - moment, sums[WHOLE, 1] - weight, n
    )


@jit
def _distances(trees: Matrix, right: float, moment: float, weight: float, n: int) -> float:
    """Return the sum of distances to the median of the left side, or of the right if right is 1.

    The median is found by descending the trees to the first rank with half the weight.
    """
    sign, rank, weight_below, moment_below, step = 1.0 - 2.0 * right, 0, 0.0, 0.0, 1
    while 2 * step <= n:
        step *= 2
    while step > 0:
        if rank + step <= n:
            place = rank + step
            more = right * trees[WHOLE_WEIGHT, place] + sign * trees[LEFT_WEIGHT, place]
            if weight_below + more < 0.5 * weight:
                moment_below += (
                    right * trees[WHOLE_MOMENT, place] + sign * trees[LEFT_MOMENT, place]
                )
                weight_below, rank = weight_below + more, place
        step //= 2
    median = trees[IN_ORDER, min(rank, n - 1)]
    above = (moment - moment_below) - median * (weight - weight_below)
    return above + median * weight_below - moment_below
