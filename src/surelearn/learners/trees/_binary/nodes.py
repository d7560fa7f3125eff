"""The nodes of a growing tree: what they hold, and whether they may be split."""

from typing import Any, NamedTuple

import numpy as np

from surelearn._jit import borrowing
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.impurities.compiled import ClassSum, add_class, weighted_impurity
from surelearn.learners.trees._binary.gains import SQUARED_ERROR, TARGET, WEIGHT, GrowthRules
from surelearn.learners.trees._binary.packed_cells import row_of


class Nodes(NamedTuple):
    """Named arrays over the nodes, with room for more of them; node 0 is the first one.

    Attributes
    ----------
    feature
        The column a node asks about; -1 if it asks nothing, or not yet.
    first_child
        The left child, which the right one follows; -1 if there is none.
    start, end
        The rows of a node are at places `start` to `end` - 1 of every sorted column.
    depth
        The number of questions on the way to it.
    is_open
        Whether it may be split.
    row_below, row_above
        The rows whose cells surround the cut; -1 if there is none.
    default_child
        The child of a cell that is missing or of an unknown category: 0 or 1.
    route
        Which of the routes has the answers of a categorical question; -1 if it is none.
    weight, impurity, value
        The weight of its rows, their impurity, and the weight of each class or the prediction.
    """

    feature: Indices
    first_child: Indices
    start: Indices
    end: Indices
    depth: Indices
    is_open: Mask
    row_below: Indices
    row_above: Indices
    default_child: Indices
    route: Indices
    weight: Vector
    impurity: Vector
    value: Matrix


def room_for_nodes(n: int, n_values: int) -> Nodes:
    """Return empty nodes, each with so many values.

    Examples
    --------
    >>> room_for_nodes(4, 2).value.shape
    (4, 2)
    """
    integers: Any = np.zeros((9, n), dtype=np.int64)
    is_open, numbers = np.zeros(n, dtype=np.bool_), np.zeros((2, n))
    arrays: Any = [*integers[:5], is_open, *integers[5:], *numbers, np.zeros((n, n_values))]
    return Nodes(*arrays)


@borrowing
def describe(
    column: Indices,
    row_values: Matrix,
    rules: GrowthRules,
    count_terms: Indices,
    nodes: Nodes,
    node: int,
) -> None:
    """Write what a node of these rows holds; its span and depth are there already.

    For the absolute error the column must be sorted by target.
    """
    if rules.criterion < SQUARED_ERROR:
        pure = _count_classes(column, row_values, rules, count_terms, nodes, node)
    elif rules.criterion == SQUARED_ERROR:
        pure = _find_mean(column, row_values, rules.weighted, nodes, node)
    else:
        pure = _find_median(column, row_values, nodes, node)
    n = len(column)
    large = n >= rules.min_samples_split and n >= 2 * rules.min_samples_leaf
    large = large and nodes.weight[node] >= 2.0 * rules.min_weight_leaf
    nodes.is_open[node] = not pure and large and nodes.depth[node] < rules.max_depth
    nodes.feature[node], nodes.first_child[node], nodes.route[node] = -1, -1, -1
    nodes.row_below[node], nodes.row_above[node], nodes.default_child[node] = -1, -1, -1


@borrowing
def _count_classes(
    column: Indices,
    row_values: Matrix,
    rules: GrowthRules,
    count_terms: Indices,
    nodes: Nodes,
    node: int,
) -> bool:
    """Write the weight of each class and the impurity; return whether there is one class only."""
    n_present, classes = 0, ClassSum(0.0, 0.0)
    total, value = nodes.weight[node : node + 1], nodes.value[node]
    total[0], value[:] = 0.0, 0.0
    for i in range(len(column)):
        row = row_of(column[i])
        weight = row_values[WEIGHT, row] if rules.weighted else 1.0
        total[0] += weight  # in memory, so row by row: a register would be summed in parts
        value[int(row_values[TARGET, row])] += weight
    code, unit = rules.criterion, rules.unit
    for k in range(len(value)):
        n_present += value[k] > 0.0
        classes = add_class(code, classes, value[k], total[0], unit, count_terms)
    lost = weighted_impurity(code, classes, total[0], unit, count_terms)
    nodes.impurity[node] = lost / total[0]
    return n_present <= 1


@borrowing
def _find_mean(
    column: Indices,
    row_values: Matrix,
    weighted: bool,  # noqa: FBT001 - compiled code has no keywords
    nodes: Nodes,
    node: int,
) -> bool:
    """Write the mean and the variance; return whether all targets are equal."""
    origin = row_values[TARGET, row_of(column[0])]  # a mean of differences rounds less
    moment, total = 0.0, 0.0
    for i in range(len(column)):
        row = row_of(column[i])
        weight = row_values[WEIGHT, row] if weighted else 1.0
        moment += weight * (row_values[TARGET, row] - origin)
        total += weight
    mean, squares, equal = origin + moment / total, 0.0, True
    for i in range(len(column)):  # about the mean, in a second pass: nothing cancels
        row = row_of(column[i])
        weight = row_values[WEIGHT, row] if weighted else 1.0
        squares += weight * (row_values[TARGET, row] - mean) ** 2
        equal = equal and row_values[TARGET, row] == origin
    nodes.weight[node], nodes.impurity[node], nodes.value[node, 0] = total, squares / total, mean
    return equal


@borrowing
def _find_median(column: Indices, row_values: Matrix, nodes: Nodes, node: int) -> bool:
    """Write the median, the middle of it if it is an interval, and the mean distance to it."""
    n, total, below, i = len(column), 0.0, 0.0, 0
    for j in range(n):
        total += row_values[WEIGHT, row_of(column[j])]
    while i < n - 1 and below + row_values[WEIGHT, row_of(column[i])] < 0.5 * total:
        below += row_values[WEIGHT, row_of(column[i])]
        i += 1
    median = row_values[TARGET, row_of(column[i])]
    if i < n - 1 and below + row_values[WEIGHT, row_of(column[i])] == 0.5 * total:
        median = 0.5 * median + 0.5 * row_values[TARGET, row_of(column[i + 1])]
    distances = 0.0
    for j in range(n):
        row = row_of(column[j])
        distances += row_values[WEIGHT, row] * np.abs(row_values[TARGET, row] - median)
    nodes.weight[node], nodes.impurity[node] = total, distances / total
    nodes.value[node, 0] = median
    # Sorted by target: they are all equal if the first and the last are.
    return row_values[TARGET, row_of(column[0])] == row_values[TARGET, row_of(column[n - 1])]


def roomier(nodes: Nodes, n: int) -> Nodes:
    """Return the nodes with room for n of them.

    Examples
    --------
    >>> roomier(room_for_nodes(4, 2), 9).value.shape
    (9, 2)
    """
    return Nodes(*(longer(array, n) for array in nodes))


def longer(array: Any, n: int) -> Any:
    """Return an array with room for n elements, or rows, of which the first are given.

    Examples
    --------
    >>> longer(np.ones((2, 3)), 5).shape
    (5, 3)
    """
    made = np.empty((n, *array.shape[1:]), array.dtype)
    made[: len(array)] = array
    return made


def pick(nodes: Nodes, which: slice | list[int]) -> Nodes:
    """Return some of the nodes.

    Examples
    --------
    >>> pick(room_for_nodes(4, 2), slice(3)).value.shape
    (3, 2)
    """
    arrays: Any = [array[which] for array in nodes]
    return Nodes(*arrays)
