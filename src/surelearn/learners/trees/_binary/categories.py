"""The best division of the categories of one sorted column.

On two classes, and for the squared error, the best division stands along the order of the
categories by their mean (Fisher 1958; Breiman et al. 1984, theorem 4.5). Otherwise all subsets are
tried if there are few categories, and else the divisions along their order by the share of each
class in turn, or by their mean. Missing cells count as one more category, the last.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing
from surelearn._typing import Indices, Matrix
from surelearn.learners.trees._binary.cuts import (
    NO_GAIN,
    ROUNDING,
    clear_left,
    enter_row,
    leaves_enough,
)
from surelearn.learners.trees._binary.gains import (
    COUNTS,
    DISTANCES,
    LEFT,
    MOMENTS,
    WHOLE,
    GrowthRules,
    enter_ranks,
    gain_of_moments,
    loss_of_counts,
    loss_of_distances,
)
from surelearn.learners.trees._binary.packed_cells import MISSING, key_of, row_of

MOST_SUBSETS_OF = 10
"""The number of categories at a node up to which all their subsets are tried."""

Route = NDArray[np.int8]
"""The child of each category, -1 if the node does not have it."""


class NodeCategories(NamedTuple):
    """The categories that a node has, in the order of their codes; missing cells are the last.

    Attributes
    ----------
    codes
        Their codes.
    starts
        Where each begins in the sorted column, and, one further, where the last one ends.
    sums
        The sums of each, as one side of a split keeps them.
    order
        The categories by some mean, while the divisions along it are tried.
    on_left
        Whether each is on the left side now.
    """

    codes: Indices
    starts: Indices
    sums: Matrix
    order: Indices
    on_left: Indices


class Workspace(NamedTuple):
    """What the search of one column works on.

    Attributes
    ----------
    count_terms
        For each number of rows c its part in the impurity, c² or c log2 c, if weights are all 1
        and classes are counted; else empty.
    sums, rank_sums
        The two sides; see `surelearn.learners.trees._binary.gains`.
    categories
        The categories.
    """

    count_terms: Indices
    sums: Matrix
    rank_sums: Matrix
    categories: NodeCategories


@borrowing
def search_categories(
    column: Indices,
    row_values: Matrix,
    rules: GrowthRules,
    lost: float,
    workspace: Workspace,
    route: Route,
) -> tuple[float, int]:
    """Return the gain of the best division, and whether missing cells go left; write the route."""
    n_present = _sum_up_categories(column, row_values, rules, workspace.categories)
    route[:] = -1
    n_orders = workspace.sums.shape[1] - 1
    optimal = rules.statistic == MOMENTS or n_orders == 2
    if not optimal and n_present <= MOST_SUBSETS_OF:
        return _try_subsets(column, row_values, rules, lost, workspace, n_present, route)
    best, missing_left = NO_GAIN, 0
    # Of two classes one order is the other reversed: the share of the last class is enough.
    for k in range(1 if optimal and rules.statistic == COUNTS else 0, n_orders):
        n_left = _clear(rules, workspace, len(column))
        _sort(workspace.categories.order, workspace.categories.sums, k, n_present)
        for j in range(n_present - 1):
            n_left += _flip(column, workspace.categories.order[j], row_values, rules, workspace)
            found = _gain(n_left, len(column), rules, lost, workspace)
            if found > best + ROUNDING * lost:
                best, missing_left = found, _write_route(workspace.categories, n_present, route)
    return best, missing_left


@borrowing
def _try_subsets(
    column: Indices,
    row_values: Matrix,
    rules: GrowthRules,
    lost: float,
    workspace: Workspace,
    n_present: int,
    route: Route,
) -> tuple[float, int]:
    """Try every set of categories on the left, counting in binary; the last one stays right."""
    best, missing_left, n_left = NO_GAIN, 0, _clear(rules, workspace, len(column))
    for chosen in range(1, 2 ** (n_present - 1)):
        # Counting up by one changes the lowest bits only: as many categories change sides.
        for b in range(n_present):
            if ((chosen ^ (chosen - 1)) >> b) & 1:
                n_left += _flip(column, b, row_values, rules, workspace)
        found = _gain(n_left, len(column), rules, lost, workspace)
        if found > best + ROUNDING * lost:
            best, missing_left = found, _write_route(workspace.categories, n_present, route)
    return best, missing_left


@borrowing
def _clear(rules: GrowthRules, workspace: Workspace, n: int) -> int:
    """Empty the left side of a node of n rows; return how many are left there: none."""
    clear_left(rules, workspace.sums, workspace.rank_sums, n)
    workspace.categories.on_left[:] = 0
    return 0


@borrowing
def _sort(order: Indices, sums: Matrix, k: int, n_present: int) -> None:
    """Sort the categories by the mean of component k, by insertion; equals stay by their code."""
    for b in range(n_present):
        mean, j = sums[b, k] / sums[b, -1], b
        while j > 0 and sums[order[j - 1], k] / sums[order[j - 1], -1] > mean:
            order[j] = order[j - 1]
            j -= 1
        order[j] = b


@borrowing
def _gain(n_left: int, n: int, rules: GrowthRules, lost: float, workspace: Workspace) -> float:
    """Return the gain, or a negative number if a side has too few rows or weighs too little."""
    if not leaves_enough(n_left, n, workspace.sums[LEFT, -1], workspace.sums[WHOLE, -1], rules):
        return NO_GAIN
    if rules.statistic == MOMENTS:
        return gain_of_moments(rules.criterion, workspace.sums)
    if rules.statistic == COUNTS:
        return lost - loss_of_counts(rules, workspace.sums, workspace.count_terms)
    return lost - loss_of_distances(workspace.sums, workspace.rank_sums, n)


@borrowing
def _sum_up_categories(
    column: Indices, row_values: Matrix, rules: GrowthRules, categories: NodeCategories
) -> int:
    """Sum up each category that is there; return how many there are."""
    codes, starts, sums = categories.codes, categories.starts, categories.sums
    n_present = 0
    for i in range(len(column)):
        key = key_of(column[i])
        if n_present == 0 or key != codes[n_present - 1]:
            sums[n_present] = 0.0
            starts[n_present], codes[n_present] = i, key
            n_present += 1
        enter_row(row_of(column[i]), row_values, rules, sums[n_present - 1])
    starts[n_present] = len(column)  # the end of the last one
    return n_present


@borrowing
def _flip(
    column: Indices, b: int, row_values: Matrix, rules: GrowthRules, workspace: Workspace
) -> int:
    """Move a category to the other side; return by how many rows the left side grows."""
    on_left, starts, rank_sums = (
        workspace.categories.on_left,
        workspace.categories.starts,
        workspace.rank_sums,
    )
    sign = 1 - 2 * on_left[b]  # 1 to the left, -1 back to the right
    on_left[b] += sign
    for j in range(workspace.sums.shape[1]):
        workspace.sums[LEFT, j] += sign * workspace.categories.sums[b, j]
    if rules.statistic == DISTANCES:
        for i in range(starts[b], starts[b + 1]):
            enter_ranks(row_values, row_of(column[i]), float(sign), rank_sums, len(column))
    return sign * (starts[b + 1] - starts[b])


@borrowing
def _write_route(categories: NodeCategories, n_present: int, route: Route) -> int:
    """Write where each category goes; return whether missing cells go left."""
    missing_left = 0
    for b in range(n_present):
        if categories.codes[b] == MISSING:
            missing_left = categories.on_left[b]
        else:
            route[categories.codes[b]] = 1 - categories.on_left[b]  # child 0 is the left one
    return missing_left
