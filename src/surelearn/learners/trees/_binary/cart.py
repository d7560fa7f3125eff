"""From a table to CART's tree: the rules of growth, the growth, the cut points."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import joblib
import numpy as np

from surelearn import _threads
from surelearn._typing import Indices, Matrix, Vector
from surelearn.impurities.compiled import GINI
from surelearn.learners.trees._binary import sorted_columns
from surelearn.learners.trees._binary.gains import (
    ABSOLUTE_ERROR,
    COUNTS,
    DISTANCES,
    MOMENTS,
    SQUARED_ERROR,
    GrowthRules,
)
from surelearn.learners.trees._binary.growth import DrawnColumns, Growth
from surelearn.learners.trees._binary.limits import GrowthLimits
from surelearn.learners.trees._binary.nodes import Nodes, pick
from surelearn.learners.trees._binary.training_table import TrainingTable
from surelearn.learners.trees._tree import Tree

_NO_LIMIT = 2**62
_FAR = 64  # powers of two from 1: gains of lighter or heavier rows, fourth powers, might vanish


def grow_cart(  # noqa: PLR0913 - what a tree is grown from, and how
    X: Matrix,
    n_categories: Indices,
    targets: Any,
    weights: Vector,
    *,
    n_classes: int,
    criterion: int,
    limits: GrowthLimits,
    grid: Sequence[Vector] | None = None,
    drawn: DrawnColumns | None = None,
) -> Tree:
    """Return the tree of a table.

    Parameters
    ----------
    X
        Numbers and codes; NaN where a cell is missing.
    n_categories
        The number of categories of each column, 0 for numbers.
    targets
        The place of each row's class, or, if there are no classes, its number.
    weights
        The positive weight of each row.
    n_classes
        The number of classes; 0 in a regression.
    criterion
        The `code` of an impurity, or in a regression one of the errors of `gains`.
    limits
        When a node is not split.
    grid
        For each column the sorted cut points to choose from; None for any midpoint.
    drawn
        How many columns each node looks at, drawn at random, on one thread; None for all.

    Examples
    --------
    >>> rows, labels = np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])
    >>> limits = GrowthLimits()
    >>> tree = grow_cart(
    ...     rows, np.array([0]), labels, np.ones(3), n_classes=2, criterion=GINI, limits=limits
    ... )
    >>> tree.threshold.tolist(), tree.value.tolist()
    ([2.0, nan, nan], [[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]])
    """
    weighted = bool((weights != 1.0).any())
    weights, exponent = _in_reach(weights)
    rules = _rules(
        criterion, n_classes, limits, weights, weighted=weighted, asks_if_known=grid is None
    )
    table = TrainingTable(
        cells=X if grid is None else _on_grid(X, n_categories, grid),
        n_categories=n_categories,
        most_categories=int(n_categories.max()),
        targets=targets,
        weights=weights if rules.weighted else None,
        n_values=max(n_classes, 1),
        rules=rules,
    )
    several = drawn is None and X.size >= 2 * sorted_columns.LARGE
    with _threads.workers(joblib.cpu_count() if several else 1) as crew:
        growth = Growth(table, crew, limits.max_leaves, drawn)
        growth.grow()
    tree = _tree(growth, grid)
    if exponent == 0:
        return tree
    value = np.ldexp(tree.value, exponent) if n_classes else tree.value
    return replace(tree, value=value, weight=np.ldexp(tree.weight, exponent))


def _in_reach(weights: Vector) -> tuple[Vector, int]:
    """Return weights of an ordinary size, and the power of two by which they were divided.

    Examples
    --------
    >>> _in_reach(np.array([1e-3, 1e3]))
    (array([1.e-03, 1.e+03]), 0)
    >>> _in_reach(np.array([2.0**-500, 2.0**-501]))
    (array([0.5 , 0.25]), -499)
    """
    exponent = int(np.frexp(weights.max())[1])
    if abs(exponent) <= _FAR:
        return weights, 0
    return np.ldexp(weights, -exponent), exponent


def _rules(
    criterion: int,
    n_classes: int,
    limits: GrowthLimits,
    weights: Vector,
    *,
    weighted: bool,
    asks_if_known: bool,
) -> GrowthRules:
    """Return the rules of growth: limits that are shares of the weight become weights."""
    statistic = DISTANCES if criterion == ABSOLUTE_ERROR else COUNTS
    # The Gini impurity 2 p q of two classes is twice the variance of the targets 0 and 1.
    if criterion == SQUARED_ERROR or (criterion == GINI and n_classes == 2):
        statistic = MOMENTS
    n, total = len(weights), float(weights.sum())
    return GrowthRules(
        criterion=criterion,
        statistic=statistic,
        weighted=weighted or statistic == DISTANCES,
        asks_if_known=asks_if_known,
        max_depth=_NO_LIMIT if limits.max_depth is None else limits.max_depth,
        min_samples_split=limits.min_samples_split,
        min_samples_leaf=limits.min_samples_leaf,
        min_weight_leaf=float(limits.min_weight_fraction_leaf) * total,
        min_gain=float(limits.min_gain) * total,
        # The largest power of two by which n log2 n, in whole numbers, stays below 2^62.
        unit=2.0 ** (math.ceil(math.log2(n * math.log2(n + 1.0))) - 62),
    )


def _on_grid(X: Matrix, n_categories: Indices, grid: Sequence[Vector]) -> Matrix:
    """Return the table with each number replaced by how many cut points are below it."""
    cells = X.astype(np.float64)
    for j in np.flatnonzero(n_categories == 0).tolist():
        there = ~np.isnan(cells[:, j])
        cells[there, j] = np.searchsorted(grid[j], cells[there, j], side="left")
    return cells


def _tree(growth: Growth, grid: Sequence[Vector] | None) -> Tree:
    """Return the finished tree."""
    table, nodes = growth.table, pick(growth.nodes, slice(growth.n_nodes))
    asks_category = nodes.route >= 0
    n_routes = np.where(asks_category, table.n_categories[nodes.feature], 0)
    routes = [
        growth.routes[route][:n]
        for route, n in zip(nodes.route[asks_category], n_routes[asks_category], strict=True)
    ]
    return Tree(
        feature=nodes.feature.copy(),  # a copy each: the room after the nodes is given back
        threshold=_thresholds(table.cells, nodes, grid),
        first_child=nodes.first_child.copy(),
        n_children=np.where(nodes.feature >= 0, 2, 0),
        route_start=np.concatenate([[0], np.cumsum(n_routes)]).astype(np.int64),
        routes=np.concatenate([np.empty(0), *routes]).astype(np.int64),
        default_child=nodes.default_child.copy(),
        value=nodes.value.copy(),
        weight=nodes.weight.copy(),
        n_rows=nodes.end - nodes.start,
        impurity=nodes.impurity.copy(),
        depth=nodes.depth.copy(),
    )


def _thresholds(cells: Matrix, nodes: Nodes, grid: Sequence[Vector] | None) -> Vector:
    """Return the cut point of each numeric question: the midpoint, or a point of the grid."""
    thresholds = np.full(len(nodes.feature), np.nan)
    numeric = np.flatnonzero(nodes.row_below >= 0)
    feature, below, above = (
        array[numeric] for array in (nodes.feature, nodes.row_below, nodes.row_above)
    )
    low = cells[below, feature].astype(np.float64)
    if grid is not None:  # x <= grid[f][code] where code points are below x
        codes = low.astype(np.int64)
        thresholds[numeric] = [grid[f][code] for f, code in zip(feature, codes, strict=True)]
        return thresholds
    # Without a row above, the question is whether the cell is known: infinity.
    high = np.where(above >= 0, cells[above, feature], np.inf)
    middle = 0.5 * low + 0.5 * high
    apart = (low <= middle) & ((middle < high) | (above < 0))
    thresholds[numeric] = np.where(apart, middle, low)  # neighbouring floats have no middle
    return thresholds
