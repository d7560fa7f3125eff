"""Steps of growth that Python takes one at a time, where a node is too large for one thread.

Inside `grow_small` they are parts of a loop; by themselves they are compiled if a table needs them.
"""

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import entrance
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.trees._binary import best_splits, nodes, packed_cells, splitting
from surelearn.learners.trees._binary.best_splits import BestSplits
from surelearn.learners.trees._binary.categories import Route, Workspace
from surelearn.learners.trees._binary.gains import GrowthRules
from surelearn.learners.trees._binary.nodes import Nodes
from surelearn.learners.trees._binary.splitting import Columns


@entrance
def describe(
    column: Indices,
    row_values: Matrix,
    rules: GrowthRules,
    count_terms: Indices,
    grown: Nodes,
    node: int,
) -> None:
    """Write the weight, value and impurity of a node."""
    nodes.describe(column, row_values, rules, count_terms, grown, node)


@entrance
def sum_up(
    column: Indices,
    weight: float,
    value: Vector,
    row_values: Matrix,
    rules: GrowthRules,
    workspace: Workspace,
) -> None:
    """Write the sums over all rows of a node."""
    best_splits.sum_up(column, weight, value, row_values, rules, workspace)


@entrance
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
    """Write the best split of one column of a node."""
    best_splits.search_column(
        column, feature, n_categories, row_values, rules, lost, workspace, best
    )


@entrance
def choose(features: Indices, gains: Vector, lost: float, min_gain: float) -> int:
    """Return the one of some features whose split gains most, -1 if none gains enough."""
    return best_splits.choose(features, gains, lost, min_gain)


@entrance
def search_node(
    columns: Columns,
    grown: Nodes,
    node: int,
    features: Indices,
    rules: GrowthRules,
    workspace: Workspace,
    best: BestSplits,
) -> None:
    """Write the best split of some columns of a node."""
    splitting.search_node(columns, grown, node, features, rules, workspace, best)


@entrance
def split_node(
    columns: Columns,
    grown: Nodes,
    node: int,
    child: int,
    rules: GrowthRules,
    count_terms: Indices,
    best: BestSplits,
    buffer: Indices,
) -> None:
    """Split a node by the best split of its feature."""
    splitting.split_node(columns, grown, node, child, rules, count_terms, best, buffer)


@entrance
def mark_rows(
    column: Indices, key: int, missing_left: int, route: Route, goes_left: NDArray[np.uint8]
) -> tuple[int, int, int]:
    """Mark which rows of a node go left; return how many, and the rows around the cut."""
    return splitting.mark_rows(column, key, missing_left, route, goes_left)


@entrance
def add_children(
    column: Indices,
    n_left: int,
    row_values: Matrix,
    rules: GrowthRules,
    count_terms: Indices,
    grown: Nodes,
    node: int,
    child: int,
) -> None:
    """Write the two children of a node."""
    splitting.add_children(column, n_left, row_values, rules, count_terms, grown, node, child)


@entrance
def partition_others(
    columns: Columns, start: int, end: int, asked: int, features: Indices, buffer: Indices
) -> None:
    """Partition some columns of a split node."""
    splitting.partition_others(columns, start, end, asked, features, buffer)


@entrance
def partition(column: Indices, goes_left: NDArray[np.uint8], buffer: Indices) -> None:
    """Partition one column."""
    packed_cells.partition(column, goes_left, buffer)
