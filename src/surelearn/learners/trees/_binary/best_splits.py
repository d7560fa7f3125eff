"""The search of a node: the best split of each of its columns, and the best of those."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing
from surelearn._typing import Indices, Matrix, Vector
from surelearn.impurities.compiled import GINI
from surelearn.learners.trees._binary.categories import Workspace, search_categories
from surelearn.learners.trees._binary.cuts import NO_GAIN, ROUNDING, search_numbers
from surelearn.learners.trees._binary.gains import (
    COUNTS,
    DISTANCES,
    IN_ORDER,
    MOMENT,
    RANK,
    TARGET,
    WEIGHT,
    WHOLE,
    WHOLE_MOMENT,
    WHOLE_WEIGHT,
    GrowthRules,
)
from surelearn.learners.trees._binary.packed_cells import key_of, row_of


class BestSplits(NamedTuple):
    """The best split of each column of a node.

    Attributes
    ----------
    gains
        What it gains; negative if there is none.
    keys
        Of a numeric column, the last key on the left.
    missing_left
        Whether missing cells go left.
    routes
        Of a categorical column, the child of each category, -1 if the node does not have it.
    """

    gains: Vector
    keys: Indices
    missing_left: Indices
    routes: NDArray[np.int8]


@borrowing
def sum_up(
    column: Indices,
    weight: float,
    value: Vector,
    row_values: Matrix,
    rules: GrowthRules,
    workspace: Workspace,
) -> None:
    """Sum up a node; the column is sorted by target if the criterion is the absolute error."""
    sums = workspace.sums
    sums[WHOLE, -1] = weight
    if rules.statistic == COUNTS:
        for k in range(sums.shape[1] - 1):
            sums[WHOLE, k] = value[k]
    elif rules.criterion == GINI:  # of two classes, which are the targets 0 and 1
        sums[WHOLE, 0] = value[1]
    else:
        sums[WHOLE, 0] = _centre(column, value[0], row_values, rules)
    if rules.statistic == DISTANCES:
        _sum_by_rank(column, value[0], row_values, workspace.rank_sums)


@borrowing
def _centre(column: Indices, centre: float, row_values: Matrix, rules: GrowthRules) -> float:
    """Write the moments of a node's rows about its centre; return their sum."""
    total = 0.0
    for i in range(len(column)):
        row = row_of(column[i])
        weight = row_values[WEIGHT, row] if rules.weighted else 1.0
        row_values[MOMENT, row] = weight * (row_values[TARGET, row] - centre)
        total += row_values[MOMENT, row]
    return total


@borrowing
def _sum_by_rank(column: Indices, centre: float, row_values: Matrix, rank_sums: Matrix) -> None:
    """Make the Fenwick trees of all rows of a node, and the list of their targets in order."""
    n = len(column)
    rank_sums[WHOLE_WEIGHT:, : n + 1] = 0.0
    for i in range(n):
        row, place = row_of(column[i]), i + 1
        above = place + (place & -place)  # the parent comes later: it is complete when its turn is
        row_values[RANK, row] = i
        rank_sums[IN_ORDER, i] = row_values[TARGET, row] - centre
        rank_sums[WHOLE_WEIGHT, place] += row_values[WEIGHT, row]
        rank_sums[WHOLE_MOMENT, place] += row_values[MOMENT, row]
        if above <= n:
            rank_sums[WHOLE_WEIGHT, above] += rank_sums[WHOLE_WEIGHT, place]
            rank_sums[WHOLE_MOMENT, above] += rank_sums[WHOLE_MOMENT, place]


@borrowing
def n_categories_of(feature: int, n_categories: Indices | None) -> int:
    """Return the number of categories of a column, 0 for numbers."""
    if n_categories is None:
        return 0
    return int(n_categories[feature])


@borrowing
def search_column(
    column: Indices,
    feature: int,
    n_categories: Indices | None,
    row_values: Matrix,
    rules: GrowthRules,
    lost: float,
    workspace: Workspace,
    best: BestSplits,
) -> None:
    """Write the best split of one column of a node that is summed up and loses so much now."""
    best.gains[feature] = NO_GAIN
    if key_of(column[0]) == key_of(column[-1]):  # sorted: then all cells are equal
        return
    if n_categories is not None and n_categories[feature] > 0:
        route = best.routes[feature, : n_categories[feature]]
        best.gains[feature], best.missing_left[feature] = search_categories(
            column, row_values, rules, lost, workspace, route
        )
    else:
        best.gains[feature], best.keys[feature], best.missing_left[feature] = search_numbers(
            column,
            row_values,
            rules,
            lost,
            workspace.count_terms,
            workspace.sums,
            workspace.rank_sums,
        )


@borrowing
def choose(features: Indices, gains: Vector, lost: float, min_gain: float) -> int:
    """Return the one of some features whose split gains most, -1 if none gains enough."""
    best, feature, tie = NO_GAIN, -1, ROUNDING * lost
    for f in features:  # of gains that differ by rounding alone, the first wins
        if gains[f] > best + tie:
            best, feature = gains[f], f
    return -1 if best + tie < min_gain else feature
