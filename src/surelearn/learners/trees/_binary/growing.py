"""The growth of binary trees: all nodes in turn, or the best one first."""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np

from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.trees._binary.gains import (
    ABSOLUTE_ERROR,
    COUNTS,
    DISTANCES,
    ENTROPY,
    GINI,
    MISCLASSIFICATION,
    MOMENTS,
    SQUARE_ROOT,
    SQUARED_ERROR,
    Rules,
)
from surelearn.learners.trees._binary.material import LARGE, Crew, Material
from surelearn.learners.trees._binary.nodes import (
    ABOVE,
    BELOW,
    DEFAULT,
    DEPTH,
    END,
    FEATURE,
    FIRST_CHILD,
    IMPURITY,
    ROUTE,
    START,
    TOTAL,
    VALUE,
)
from surelearn.learners.trees._binary.nursery import Nursery
from surelearn.learners.trees._tree import Tree

CRITERIA = {
    "gini": GINI,
    "entropy": ENTROPY,
    "misclassification": MISCLASSIFICATION,
    "sqrt": SQUARE_ROOT,
    "squared_error": SQUARED_ERROR,
    "absolute_error": ABSOLUTE_ERROR,
}
_NO_LIMIT = 2**62


@dataclass(frozen=True)
class Limits:
    """When a node is not split.

    Attributes
    ----------
    max_depth
        The largest depth; None if there is no limit.
    max_leaves
        The largest number of leaves; if there is one, the best split comes first.
    min_samples_split, min_samples_leaf
        The least number of rows of a node that is split, and of its children.
    min_weight_fraction_leaf
        The least share of the total weight that a child of a split must have.
    min_gain
        The least decrease of the impurity, times the node's share of the weight.
    """

    max_depth: int | None = None
    max_leaves: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0


def grow(
    X: Matrix,
    n_categories: Indices,
    targets: Any,
    weights: Vector,
    *,
    n_classes: int,
    criterion: str,
    limits: Limits,
    grid: Sequence[Vector] | None = None,
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
        One of `CRITERIA`.
    limits
        When a node is not split.
    grid
        For each column the sorted cut points to choose from; None for any midpoint.

    Examples
    --------
    >>> rows, labels = np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])
    >>> tree = grow(
    ...     rows, np.array([0]), labels, np.ones(3), n_classes=2, criterion="gini", limits=Limits()
    ... )
    >>> tree.threshold.tolist(), tree.value.tolist()
    ([2.0, nan, nan], [[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]])
    """
    cells = X if grid is None else _on_grid(X, n_categories, grid)
    weighted = bool((weights != 1.0).any())
    rules = _rules(
        criterion, n_classes, limits, weights, weighted=weighted, asks_known=grid is None
    )
    material = Material(
        cells,
        n_categories,
        targets,
        weights if weighted or rules.keeps == DISTANCES else None,
        max(n_classes, 1),
        rules,
    )
    size = joblib.cpu_count() if X.size >= 2 * LARGE else 1
    with ThreadPoolExecutor(size) if size > 1 else nullcontext() as pool:
        nursery = Nursery(material, Crew(pool, size), limits.max_leaves)
        nursery.grow()
    return _tree(nursery, grid)


def _rules(
    criterion: str,
    n_classes: int,
    limits: Limits,
    weights: Vector,
    *,
    weighted: bool,
    asks_known: bool,
) -> Rules:
    code = CRITERIA[criterion]
    keeps = DISTANCES if code == ABSOLUTE_ERROR else COUNTS
    if code == SQUARED_ERROR or (code == GINI and n_classes == 2):
        keeps = MOMENTS
    return Rules(
        criterion=code,
        keeps=keeps,
        weighted=weighted or keeps == DISTANCES,
        asks_known=asks_known,
        max_depth=_NO_LIMIT if limits.max_depth is None else limits.max_depth,
        min_samples_split=limits.min_samples_split,
        min_samples_leaf=limits.min_samples_leaf,
        min_weight_leaf=limits.min_weight_fraction_leaf * float(weights.sum()),
        min_gain=limits.min_gain * float(weights.sum()),
        unit=2.0 ** (math.ceil(math.log2(len(weights) * math.log2(len(weights) + 1.0))) - 62),
    )


def _on_grid(X: Matrix, n_categories: Indices, grid: Sequence[Vector]) -> Matrix:
    """Return the table with each number replaced by how many cut points are below it."""
    cells = X.astype(np.float64)
    for j in np.flatnonzero(n_categories == 0).tolist():
        there = ~np.isnan(cells[:, j])
        cells[there, j] = np.searchsorted(grid[j], cells[there, j], side="left")
    return cells


def _tree(nursery: Nursery, grid: Sequence[Vector] | None) -> Tree:
    """Return the finished tree."""
    wholes = nursery.nodes.wholes[: nursery.n_nodes]
    numbers = nursery.nodes.numbers[: nursery.n_nodes]
    feature, asks_category = wholes[:, FEATURE].copy(), wholes[:, ROUTE] >= 0
    n_routes = np.where(asks_category, nursery.material.n_categories[feature], 0)
    routes = [
        nursery.routes[route][:n]
        for route, n in zip(wholes[asks_category, ROUTE], n_routes[asks_category], strict=True)
    ]
    return Tree(
        feature=feature,
        threshold=_thresholds(nursery.material.cells, wholes, grid),
        first_child=wholes[:, FIRST_CHILD].copy(),
        n_children=np.where(feature >= 0, 2, 0),
        route_start=np.concatenate([[0], np.cumsum(n_routes)]).astype(np.int64),
        routes=np.concatenate([np.empty(0), *routes]).astype(np.int64),
        default_child=wholes[:, DEFAULT].copy(),
        value=numbers[:, VALUE:].copy(),
        weight=numbers[:, TOTAL].copy(),
        n_rows=wholes[:, END] - wholes[:, START],
        impurity=numbers[:, IMPURITY].copy(),
        depth=wholes[:, DEPTH].copy(),
    )


def _thresholds(cells: Matrix, wholes: Indices, grid: Sequence[Vector] | None) -> Vector:
    """Return the cut point of each numeric question: the midpoint, or a point of the grid."""
    thresholds = np.full(len(wholes), np.nan)
    numeric = np.flatnonzero(wholes[:, BELOW] >= 0)
    feature, below, above = wholes[numeric][:, [FEATURE, BELOW, ABOVE]].T
    low = cells[below, feature].astype(np.float64)
    if grid is not None:  # x <= grid[f][code] where code points are below x
        codes = low.astype(np.int64)
        thresholds[numeric] = [grid[f][code] for f, code in zip(feature, codes, strict=True)]
        return thresholds
    high = np.where(above >= 0, cells[above, feature], np.inf)
    middle = 0.5 * low + 0.5 * high
    apart = (low <= middle) & ((middle < high) | (above < 0))
    thresholds[numeric] = np.where(apart, middle, low)  # neighbouring floats have no middle
    return thresholds
