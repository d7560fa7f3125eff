"""One tree of a forest, from its seed and its rows: grown from bins, or from exact cut points."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from surelearn._jit import entrance
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._forest import tree_growth
from surelearn.learners.ensembles._forest.bins import SpannedBins
from surelearn.learners.ensembles._forest.packed_trees import (
    CATEGORIES,
    CHILD,
    COLUMN,
    MISSING_RIGHT,
    NAN,
    GrownTree,
    pack_nodes,
)
from surelearn.learners.ensembles._forest.workspace import BinnedTable, Rules, Words, workspace
from surelearn.learners.ensembles._members import Bag
from surelearn.learners.trees._tree import Tree

_MOST_WEIGHT = 2**31 - 1  # of all rows together: products of two such sums fit in 63 bits
_TARGET_BITS = 62
_SMALL = 1e-290


class Weighing(NamedTuple):
    """How much the rows of a bag count.

    Attributes
    ----------
    labels
        The class of each row; None in a regression.
    weights
        The weight of each row; None if all are 1.
    class_weights
        Given the classes of the rows drawn, the weight of each of them; None for 1.
    """

    labels: Indices | None
    weights: Vector | None
    class_weights: Callable[[Indices, Indices], Vector] | None


class TargetUnits(NamedTuple):
    """How targets become whole numbers: their distance from the middle, in powers of two."""

    middle: float
    exponent: int | None

    def of(self, y: Vector) -> Indices:
        """Return targets as whole numbers."""
        if self.exponent is None:
            return np.zeros(len(y), dtype=np.int64)
        # By a power of two: what is equal before rounding stays equal.
        return np.rint(np.ldexp(y - self.middle, self.exponent)).astype(np.int64)


def target_units(y: Vector, most_weight: int) -> TargetUnits:
    """Return units so fine that no sum of targets over so much weight overflows.

    They depend on the largest and the smallest target alone.

    Examples
    --------
    >>> target_units(np.array([1.0, 5.0]), 2**30).of(np.array([1.0, 5.0])).tolist()
    [-1073741824, 1073741824]
    """
    middle = float(0.5 * y.max() + 0.5 * y.min())
    largest = float(np.abs(y - middle).max())
    if largest == 0.0:
        return TargetUnits(middle, None)
    bits = min(40, _TARGET_BITS - int(most_weight).bit_length())
    return TargetUnits(middle, bits - math.frexp(largest)[1])


def bag_weights(weighing: Weighing, bag: Bag) -> Vector:
    """Return the weight of each row of a bag: as often as drawn, times its own and its class's."""
    weights = bag.times.astype(np.float64)
    if weighing.weights is not None:
        weights = weights * weighing.weights[bag.rows]
    if weighing.class_weights is not None and weighing.labels is not None:
        weights = weights * weighing.class_weights(weighing.labels[bag.rows], bag.times)
    return weights


def whole_weights(weights: Vector) -> Indices:
    """Return weights as whole numbers from 1 to 65,535; whole ones that fit stay as they are.

    Examples
    --------
    >>> whole_weights(np.array([1.0, 3.0])), whole_weights(np.array([0.5, 1.0]))
    (array([1, 3]), array([32768, 65535]))
    """
    if not _SMALL < weights.max() < 1.0 / _SMALL:  # units of them would be 0 or infinite
        weights = weights / weights.max()
    whole = weights == np.floor(weights)
    fits = weights.max() <= tree_growth.LARGEST_WEIGHT and weights.sum() <= _MOST_WEIGHT
    if whole.all() and fits:
        return weights.astype(np.int64)
    unit = min(
        tree_growth.LARGEST_WEIGHT / weights.max(), (_MOST_WEIGHT - len(weights)) / weights.sum()
    )
    return np.maximum(1, np.rint(weights * unit)).astype(np.int64)


def items_of(weighing: Weighing, bag: Bag) -> tuple[Indices, int]:
    """Return the rows of a bag as words, and their weight together."""
    weights = whole_weights(bag_weights(weighing, bag))
    return tree_growth.pack_items(bag.rows, weights, weighing.labels), int(weights.sum())


def grow_binned(
    binned: tuple[SpannedBins, BinnedTable],
    items: Indices,
    features: Indices,
    rules: Rules,
    state: Words,
) -> GrownTree:
    """Return the tree of a bag, grown from bins; `features` are the columns it may ask."""
    (bins, table), n_classes = binned, rules.n_classes
    space = workspace(table, n_classes)._replace(features=features.copy())
    grown = tree_growth.room_for(_most_nodes(len(items), rules), max(1, n_classes))
    width = len(space.route) if table.is_category.any() else 0  # as wide as the widest column
    routes = np.zeros(width * (len(grown.feature) // 2), dtype=np.uint64)
    buffer = np.empty_like(items)
    n_nodes, n_routes = tree_growth.grow_tree(
        items, buffer, table, rules, space, grown, routes, state
    )
    grown = tree_growth.Grown(*(cast("Any", array)[:n_nodes] for array in grown))
    routes = routes[: n_routes * width].reshape(n_routes, width)
    return _finished(grown, bins, routes[:, : route_width(bins)].ravel(), n_classes)


def route_width(bins: SpannedBins) -> int:
    """Return the number of words of a set of categories, missing ones included."""
    known = bins.n_bins[bins.is_category]
    return int(known.max()) // 64 + 1 if len(known) else 0


def _most_nodes(n_items: int, rules: Rules) -> int:
    """Return how many nodes a tree of so many rows may have."""
    most_leaves = max(1, n_items // rules.min_samples_leaf)
    if rules.max_depth < 30:
        most_leaves = min(most_leaves, 2**rules.max_depth)
    return 2 * most_leaves + 1


def _finished(
    grown: tree_growth.Grown, bins: SpannedBins, routes: Words, n_classes: int
) -> GrownTree:
    """Return a grown tree as two words a node."""
    leaf = grown.feature < 0
    words = np.empty((len(leaf), 2), dtype=np.int64)
    write_words(grown, bins.lower, bins.upper, words, words.view(np.float64))
    importances = np.bincount(
        grown.feature[~leaf], weights=grown.gain[~leaf], minlength=len(bins.n_bins)
    )
    return GrownTree(
        words=words,
        leaves=shares(grown.value[leaf], n_classes),
        routes=routes,
        importances=_normalised(importances.astype(np.float64)),
    )


@entrance
def write_words(
    grown: tree_growth.Grown, lower: Matrix, upper: Matrix, words: Indices, cuts: Matrix
) -> None:
    """Write the two words of each node; a cut is the middle of the gap between two bins."""
    n_leaves = 0
    for v in range(len(words)):
        feature = grown.feature[v]
        if feature < 0:
            words[v, 0], words[v, 1] = NAN | n_leaves, v << CHILD
            n_leaves += 1
            continue
        flags = (feature << COLUMN) | grown.missing_right[v] * MISSING_RIGHT
        words[v, 1] = (grown.child[v] << CHILD) | flags
        if grown.route[v] >= 0:
            words[v, 0] = NAN | grown.route[v]
            words[v, 1] |= CATEGORIES
        elif grown.above[v] < 0:  # is the cell known?
            cuts[v, 0] = np.inf
        else:
            low, high = upper[feature, grown.below[v]], lower[feature, grown.above[v]]
            middle = 0.5 * low + 0.5 * high
            cuts[v, 0] = middle if low <= middle < high else low  # neighbouring floats


def shares(values: Matrix, n_classes: int) -> Matrix:
    """Return the share of each class at each leaf; numbers as they are."""
    return values / values.sum(axis=1, keepdims=True) if n_classes else values.copy()


def _normalised(importances: Vector) -> Vector:
    """Return each column's share of the total decrease; zeros if there is none."""
    return importances / (importances.sum() or 1.0)


def of_cart(tree: Tree, columns: Indices, n_features: int, n_classes: int, width: int) -> GrownTree:
    """Return an exact tree of some columns of a table as one of a forest."""
    leaf, asks_set = tree.is_leaf, np.isnan(tree.threshold) & ~tree.is_leaf
    route = np.where(asks_set, np.cumsum(asks_set) - 1, -1)
    importances = np.zeros(n_features)
    importances[columns] = tree.importances(len(columns))
    return GrownTree(
        words=pack_nodes(
            np.where(leaf, -1, columns[tree.feature]),
            tree.threshold,
            tree.first_child,
            np.where(leaf, 0, tree.default_child),
            route,
        ),
        leaves=tree.shares()[leaf] if n_classes else tree.value[leaf],
        routes=_words_of(tree, np.flatnonzero(asks_set), width),
        importances=importances,
    )


def _words_of(tree: Tree, nodes: Indices, width: int) -> Words:
    """Return the sets of codes that go left at some nodes; what none of their rows had, too."""
    routes = np.zeros((len(nodes), width), dtype=np.uint64)
    for place, node in enumerate(nodes.tolist()):
        left = np.full(64 * width, tree.default_child[node] == 0)
        answers: Any = tree.routes_of(node)
        left[: len(answers)][answers >= 0] = answers[answers >= 0] == 0
        routes[place] = np.packbits(left, bitorder="little").view(np.uint64)
    return routes.ravel()
