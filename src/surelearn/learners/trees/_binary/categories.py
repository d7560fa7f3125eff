"""The best division of the categories of one sorted column.

On two classes, and for the squared error, the best division stands along the order of the
categories by their mean (Fisher 1958; Breiman et al. 1984, theorem 4.5). Otherwise all subsets are
tried if there are few categories, and else the divisions along their order by the share of each
class in turn, or by their mean. Missing cells count as one more category, the last.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix
from surelearn.learners.trees._binary.columns import MISSING, key_of, row_of
from surelearn.learners.trees._binary.cuts import NO_GAIN, ROUNDING, clear, enough, enter
from surelearn.learners.trees._binary.gains import (
    COUNTS,
    DISTANCES,
    LEFT,
    MOMENTS,
    WHOLE,
    Rules,
    counts_lost,
    distances_lost,
    enter_tree,
    moments_gain,
)

MOST_SUBSETS_OF = 10
"""The number of categories at a node up to which all their subsets are tried."""

Route = NDArray[np.int8]
"""The child of each category, -1 if the node does not have it."""


class Blocks(NamedTuple):
    """The categories that a node has: codes, first places, sums; order; whether on the left."""

    codes: Indices
    starts: Indices
    sums: Matrix
    order: Indices
    inside: Indices


class Desk(NamedTuple):
    """What the search of one column works on.

    Attributes
    ----------
    table
        For each number of rows c its part in the impurity, c² or c log2 c, if weights are all 1
        and classes are counted; else empty.
    sums, trees
        The two sides; see `surelearn.learners.trees._binary.gains`.
    blocks
        The categories.
    """

    table: Indices
    sums: Matrix
    trees: Matrix
    blocks: Blocks


@jit
def search_categories(
    column: Indices, facts: Matrix, rules: Rules, lost: float, desk: Desk, route: Route
) -> tuple[float, int]:
    """Return the gain of the best division, and whether missing cells go left; write the route."""
    n_blocks = _find_blocks(column, facts, rules, desk.blocks)
    route[:] = -1
    n_orders = desk.sums.shape[1] - 1
    optimal = rules.keeps == MOMENTS or n_orders == 2
    if not optimal and n_blocks <= MOST_SUBSETS_OF:
        return _try_subsets(column, facts, rules, lost, desk, n_blocks, route)
    best, missing_left = NO_GAIN, 0
    for k in range(1 if optimal and rules.keeps == COUNTS else 0, n_orders):
        n_left = _clear(rules, desk, len(column))
        _sort(desk.blocks.order, desk.blocks.sums, k, n_blocks)
        for j in range(n_blocks - 1):
            n_left += _flip(column, desk.blocks.order[j], facts, rules, desk)
            found = _gain(n_left, len(column), rules, lost, desk)
            if found > best + ROUNDING * lost:
                best, missing_left = found, _write_route(desk.blocks, n_blocks, route)
    return best, missing_left


@jit
def _try_subsets(
    column: Indices,
    facts: Matrix,
    rules: Rules,
    lost: float,
    desk: Desk,
    n_blocks: int,
    route: Route,
) -> tuple[float, int]:
    """Try every set of categories on the left, counting in binary; the last one stays right."""
    best, missing_left, n_left = NO_GAIN, 0, _clear(rules, desk, len(column))
    for chosen in range(1, 2 ** (n_blocks - 1)):
        for b in range(n_blocks):
            if ((chosen ^ (chosen - 1)) >> b) & 1:
                n_left += _flip(column, b, facts, rules, desk)
        found = _gain(n_left, len(column), rules, lost, desk)
        if found > best + ROUNDING * lost:
            best, missing_left = found, _write_route(desk.blocks, n_blocks, route)
    return best, missing_left


@jit
def _clear(rules: Rules, desk: Desk, n: int) -> int:
    """Empty the left side of a node of n rows; return how many are left there: none."""
    clear(rules, desk.sums, desk.trees, n)
    desk.blocks.inside[:] = 0
    return 0


@jit
def _sort(order: Indices, sums: Matrix, k: int, n_blocks: int) -> None:
    """Sort the categories by the mean of component k, by insertion; equals stay by their code."""
    for b in range(n_blocks):
        mean, j = sums[b, k] / sums[b, -1], b
        while j > 0 and sums[order[j - 1], k] / sums[order[j - 1], -1] > mean:
            order[j] = order[j - 1]
            j -= 1
        order[j] = b


@jit
def _gain(n_left: int, n: int, rules: Rules, lost: float, desk: Desk) -> float:
    """Return the gain, or a negative number if a side has too few rows or weighs too little."""
    if not enough(n_left, n, desk.sums[LEFT, -1], desk.sums[WHOLE, -1], rules):
        return NO_GAIN
    if rules.keeps == MOMENTS:
        return moments_gain(rules.criterion, desk.sums)
    if rules.keeps == COUNTS:
        return lost - counts_lost(rules, desk.sums, desk.table)
    return lost - distances_lost(desk.sums, desk.trees, n)


@jit
def _find_blocks(column: Indices, facts: Matrix, rules: Rules, blocks: Blocks) -> int:
    """Sum up each category that is there; return how many there are."""
    codes, starts, sums = blocks.codes, blocks.starts, blocks.sums
    n_blocks = 0
    for i in range(len(column)):
        key = key_of(column[i])
        if n_blocks == 0 or key != codes[n_blocks - 1]:
            sums[n_blocks] = 0.0
            starts[n_blocks], codes[n_blocks] = i, key
            n_blocks += 1
        enter(row_of(column[i]), facts, rules, sums[n_blocks - 1])
    starts[n_blocks] = len(column)
    return n_blocks


@jit
def _flip(column: Indices, b: int, facts: Matrix, rules: Rules, desk: Desk) -> int:
    """Move a category to the other side; return by how many rows the left side grows."""
    inside, starts, trees = desk.blocks.inside, desk.blocks.starts, desk.trees
    sign = 1 - 2 * inside[b]
    inside[b] += sign
    for j in range(desk.sums.shape[1]):
        desk.sums[LEFT, j] += sign * desk.blocks.sums[b, j]
    if rules.keeps == DISTANCES:
        for i in range(starts[b], starts[b + 1]):
            enter_tree(facts, row_of(column[i]), float(sign), trees, len(column))
    return sign * (starts[b + 1] - starts[b])


@jit
def _write_route(blocks: Blocks, n_blocks: int, route: Route) -> int:
    """Write where each category goes; return whether missing cells go left."""
    missing_left = 0
    for b in range(n_blocks):
        if blocks.codes[b] == MISSING:
            missing_left = blocks.inside[b]
        else:
            route[blocks.codes[b]] = 1 - blocks.inside[b]
    return missing_left
