"""What a split gains: W I(node) - W_left I(left) - W_right I(right), for each criterion.

A side of a split is a vector: the sum of its moments, or the weight of each class, and, last, its
weight. `sums` holds that of the left side and that of the whole node.
"""

from typing import NamedTuple

from surelearn._jit import borrowing
from surelearn._typing import Indices, Matrix
from surelearn.impurities.compiled import GINI, ClassSum, add_class, weighted_impurity

SQUARED_ERROR, ABSOLUTE_ERROR = 4, 5
"""The criteria of a regression; the integers below them are the `code` of an impurity."""
MOMENTS, COUNTS, DISTANCES = range(3)
"""What a side keeps: a sum and a weight, the weight of each class, or sums by rank of target."""
TARGET, MOMENT, WEIGHT, RANK = range(4)
"""Rows of `row_values`: what is known of each row of a table besides its cells.

A moment is weight times target, in a regression taken from the centre of the node; the rank is by
target within the node. Weights are left out if all are 1, ranks if no distances are kept.
"""
LEFT, WHOLE = range(2)
"""Rows of `sums`."""
LEFT_WEIGHT, LEFT_MOMENT, WHOLE_WEIGHT, WHOLE_MOMENT, IN_ORDER = range(5)
"""Rows of `rank_sums`: Fenwick trees over the ranks of the targets, and the centred targets.

Place p of a Fenwick tree, from 1 on, sums the ranks p - (p & -p) to p - 1.
"""
_DUST = 1e-10  # of a class's weight: what rounding leaves when all of its rows have gone


class GrowthRules(NamedTuple):
    """What is optimised, and when to stop.

    Attributes
    ----------
    criterion, statistic
        The criterion, and what a side of a split keeps for it.
    weighted
        Whether rows have weights other than 1.
    asks_if_known
        Whether a question may divide missing cells from all others.
    max_depth, min_samples_split, min_samples_leaf
        The limits of the learner.
    min_weight_leaf, min_gain
        The least weight of a child; the least gain, in units of weight times impurity.
    unit
        That of the table of c log2 c, which holds whole numbers so that sums of it do not depend on
        their order.
    """

    criterion: int
    statistic: int
    weighted: bool
    asks_if_known: bool
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    min_gain: float
    unit: float


@borrowing
def gain_of_moments(criterion: int, sums: Matrix) -> float:
    """Return the gain of a squared error; the Gini impurity of two classes is twice that."""
    moment, weight, total, whole = sums[LEFT, 0], sums[LEFT, 1], sums[WHOLE, 0], sums[WHOLE, 1]
    # gap = W W_left (mean of the left - mean): the gain is a square, so no two sums cancel.
    gap = moment * whole - weight * total
    scale = 2.0 if criterion == GINI else 1.0
    return scale * gap * gap / (weight * (whole - weight) * whole)


@borrowing
def loss_of_counts(rules: GrowthRules, sums: Matrix, count_terms: Indices) -> float:
    """Return the weighted impurity that both sides of a split have, from the weights of classes."""
    left, right = ClassSum(0.0, 0.0), ClassSum(0.0, 0.0)
    code, unit, left_weight = rules.criterion, rules.unit, sums[LEFT, -1]
    right_weight = sums[WHOLE, -1] - left_weight
    for k in range(sums.shape[1] - 1):
        whole, here = sums[WHOLE, k], sums[LEFT, k]
        there = whole - here if whole - here > _DUST * whole else 0.0
        here = here if here > _DUST * whole else 0.0
        left = add_class(code, left, here, left_weight, unit, count_terms)
        right = add_class(code, right, there, right_weight, unit, count_terms)
    return weighted_impurity(code, left, left_weight, unit, count_terms) + weighted_impurity(
        code, right, right_weight, unit, count_terms
    )


@borrowing
def enter_ranks(row_values: Matrix, row: int, sign: float, rank_sums: Matrix, n: int) -> None:
    """Let a row of a node of n enter the rank sums of the left side, or leave them."""
    weight = sign * row_values[WEIGHT, row]
    moment, place = sign * row_values[MOMENT, row], int(row_values[RANK, row]) + 1
    while place <= n:
        rank_sums[LEFT_WEIGHT, place] += weight
        rank_sums[LEFT_MOMENT, place] += moment
        place += place & -place  # the next wider sum that covers this rank


@borrowing
def loss_of_distances(sums: Matrix, rank_sums: Matrix, n: int) -> float:
    """Return the sum of the weighted distances of n rows to the median of their side."""
    moment, weight = sums[LEFT, 0], sums[LEFT, 1]
    return _distances(rank_sums, 0.0, moment, weight, n) + _distances(
        rank_sums, 1.0, sums[WHOLE, 0] - moment, sums[WHOLE, 1] - weight, n
    )


@borrowing
def _distances(rank_sums: Matrix, right: float, moment: float, weight: float, n: int) -> float:
    """Return the sum of distances to the median of the left side, or of the right if right is 1.

    The median is found by descending the Fenwick trees to the first rank with half the weight.
    """
    # The right side is the whole less the left: right * whole + sign * left is either side.
    sign, rank, weight_below, moment_below, step = 1.0 - 2.0 * right, 0, 0.0, 0.0, 1
    while 2 * step <= n:
        step *= 2
    while step > 0:
        if rank + step <= n:
            place = rank + step
            more = right * rank_sums[WHOLE_WEIGHT, place] + sign * rank_sums[LEFT_WEIGHT, place]
            if weight_below + more < 0.5 * weight:
                moment_below += (
                    right * rank_sums[WHOLE_MOMENT, place] + sign * rank_sums[LEFT_MOMENT, place]
                )
                weight_below, rank = weight_below + more, place
        step //= 2
    median = rank_sums[IN_ORDER, min(rank, n - 1)]
    above = (moment - moment_below) - median * (weight - weight_below)
    return above + median * weight_below - moment_below
