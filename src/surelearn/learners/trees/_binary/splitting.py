"""A node among sorted columns: search it, split it, keep the columns of its children sorted."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing
from surelearn._typing import Indices, Matrix
from surelearn.learners.trees._binary.best_splits import (
    BestSplits,
    n_categories_of,
    search_column,
    sum_up,
)
from surelearn.learners.trees._binary.categories import Route, Workspace
from surelearn.learners.trees._binary.gains import DISTANCES, GrowthRules
from surelearn.learners.trees._binary.nodes import Nodes, describe
from surelearn.learners.trees._binary.packed_cells import MISSING, key_of, partition, row_of


class Columns(NamedTuple):
    """The sorted columns of some rows, and what else is known of the rows.

    Attributes
    ----------
    cells
        A row of packed cells per column; for the absolute error one more, last: the targets.
    n_categories
        The number of categories of each column, 0 for numbers; None if none has any, so that less
        is compiled.
    row_values
        What is known of each row besides its cells; see `surelearn.learners.trees._binary.gains`.
    goes_left
        Whether each row goes to the first child of its node, while that is split.
    """

    cells: Indices
    n_categories: Indices | None
    row_values: Matrix
    goes_left: NDArray[np.uint8]


@borrowing
def search_node(
    columns: Columns,
    nodes: Nodes,
    node: int,
    features: Indices,
    rules: GrowthRules,
    workspace: Workspace,
    best: BestSplits,
) -> None:
    """Write the best split of some columns of a node."""
    start, end, row_values = nodes.start[node], nodes.end[node], columns.row_values
    # Any column has all rows of the node; the last is the one by target, where that is needed.
    column, weight = columns.cells[-1, start:end], nodes.weight[node]
    sum_up(column, weight, nodes.value[node], row_values, rules, workspace)
    lost = weight * nodes.impurity[node]
    for feature in features:
        column = columns.cells[feature, start:end]
        search_column(
            column, feature, columns.n_categories, row_values, rules, lost, workspace, best
        )


@borrowing
def mark_rows(
    column: Indices, key: int, missing_left: int, route: Route, goes_left: NDArray[np.uint8]
) -> tuple[int, int, int]:
    """Mark which rows of a node go left; return how many, and the rows around the cut.

    A question without a route is numeric; otherwise there is no cut, and the two rows are -1.
    """
    n_left, row_below, row_above = 0, -1, -1
    for i in range(len(column)):
        here, row = key_of(column[i]), row_of(column[i])
        if here == MISSING:
            left = missing_left
        elif len(route) > 0:
            left = 1 - int(route[here])
        else:
            left = 1 if here <= key else 0
            if left:
                row_below = row  # the last on the left: the column is sorted
            elif row_above < 0:
                row_above = row
        goes_left[row] = left
        n_left += left
    return n_left, row_below, row_above


@borrowing
def add_children(
    column: Indices,
    n_left: int,
    row_values: Matrix,
    rules: GrowthRules,
    count_terms: Indices,
    nodes: Nodes,
    node: int,
    child: int,
) -> None:
    """Write the two children of a node, whose rows are the two parts of a column."""
    nodes.first_child[node], middle = child, nodes.start[node] + n_left
    nodes.start[child], nodes.end[child] = nodes.start[node], middle
    nodes.start[child + 1], nodes.end[child + 1] = middle, nodes.end[node]
    nodes.depth[child] = nodes.depth[child + 1] = nodes.depth[node] + 1
    describe(column[:n_left], row_values, rules, count_terms, nodes, child)
    describe(column[n_left:], row_values, rules, count_terms, nodes, child + 1)
    if nodes.default_child[node] < 0:  # no cell was missing: then the heavier child
        left_is_heavier = nodes.weight[child] > nodes.weight[child + 1]
        nodes.default_child[node] = 0 if left_is_heavier else 1


@borrowing
def split_node(
    columns: Columns,
    nodes: Nodes,
    node: int,
    child: int,
    rules: GrowthRules,
    count_terms: Indices,
    best: BestSplits,
    buffer: Indices,
) -> None:
    """Split a node by its feature's best split; only the column of that feature is partitioned."""
    feature, start, end = nodes.feature[node], nodes.start[node], nodes.end[node]
    column, missing_left = columns.cells[feature, start:end], int(best.missing_left[feature])
    route = best.routes[feature, : n_categories_of(feature, columns.n_categories)]
    n_left, nodes.row_below[node], nodes.row_above[node] = mark_rows(
        column, int(best.keys[feature]), missing_left, route, columns.goes_left
    )
    if key_of(column[-1]) == MISSING:
        nodes.default_child[node] = 1 - missing_left
    partition(column, columns.goes_left, buffer)
    if rules.statistic == DISTANCES:
        column = columns.cells[-1, start:end]
        partition(column, columns.goes_left, buffer)
    add_children(column, n_left, columns.row_values, rules, count_terms, nodes, node, child)


@borrowing
def partition_others(
    columns: Columns, start: int, end: int, asked: int, features: Indices, buffer: Indices
) -> None:
    """Partition some columns of a split node, but not again that of the feature it asks about."""
    for feature in features:
        if feature != asked:
            partition(columns.cells[feature, start:end], columns.goes_left, buffer)
