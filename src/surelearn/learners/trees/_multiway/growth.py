"""Growth of trees with one branch per category, level by level, rows shared among branches."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surelearn._typing import Indices, Matrix, Vector
from surelearn.impurities import Entropy
from surelearn.learners.trees._multiway.fractions import (
    MISSING,
    Codes,
    Pool,
    Questions,
    count,
    send,
    weigh,
)
from surelearn.learners.trees._multiway.gain_ratio import Grades, Scratch, grade
from surelearn.learners.trees._tree import LEAF, Tree

Choice = Callable[[Matrix, Matrix], Indices]
"""From gain and information, a row per node, to the feature each node asks about, or `LEAF`."""


class MultiwayLimits(NamedTuple):
    """When a node is not split.

    Attributes
    ----------
    min_weight
        At least two branches must hold this much weight.
    charge
        How many times log2 of the number of cuts, over the weight, a numeric gain pays.
    max_depth
        The largest depth.
    """

    min_weight: float
    charge: float
    max_depth: float


def encode(X: Matrix, n_categories: Indices) -> tuple[Codes, list[Vector]]:
    """Return the codes of a table, and the distinct values of each column, sorted."""
    codes = np.full(X.shape[::-1], MISSING, dtype=np.int32)
    grids: list[Vector] = []
    for j, n in enumerate(n_categories):
        there = ~np.isnan(X[:, j])
        if n > 0:
            codes[j, there] = X[there, j]
            grids.append(np.arange(n, dtype=np.float64))
        else:
            grid, places = np.unique(X[there, j], return_inverse=True)
            codes[j, there] = places
            grids.append(grid.astype(np.float64))
    n_codes = np.array([len(grid) for grid in grids], dtype=np.int64)
    return Codes(codes, n_codes, np.asarray(n_categories) == 0), grids


class Layer(NamedTuple):
    """Nodes in a row, each followed, after the last of them, by its children."""

    counts: Matrix
    n_rows: Indices
    feature: Indices
    threshold: Vector
    n_children: Indices
    n_routes: Indices
    routes: Indices


class Growth:
    """A tree in the making; `choose` is what distinguishes ID3 from C4.5.

    Examples
    --------
    >>> rows, labels = np.array([[0.0], [0.0], [1.0]]), np.array([0, 0, 1])
    >>> growth = Growth(rows, np.array([2]), labels, np.ones(3), n_classes=2)
    >>> limits = MultiwayLimits(min_weight=0.0, charge=0.0, max_depth=np.inf)
    >>> growth.grow(lambda gain, information: np.zeros(len(gain), dtype=np.int64), limits).n_leaves
    2
    """

    def __init__(
        self, X: Matrix, n_categories: Indices, labels: Indices, weights: Vector, *, n_classes: int
    ) -> None:
        self.table, self.grids = encode(X, n_categories)
        self.labels, self.weights, self.n_classes = labels, weights, n_classes
        widest = int(np.max(self.table.n_codes[~self.table.is_numeric], initial=0))
        self._scratch = Scratch(
            keys=np.empty(len(X), dtype=np.int64),
            spare=np.empty(len(X), dtype=np.int64),
            fill=np.empty(2 * len(X) + 16, dtype=np.int64),
            tally=np.empty((widest, n_classes)),
            below=np.empty(n_classes),
            above=np.empty(n_classes),
            seen=np.empty(n_classes),
            parts=np.empty(n_classes),
        )

    def all_rows(self) -> Pool:
        """Return the pool of the root: the rows that weigh something."""
        rows = np.flatnonzero(self.weights > 0.0)
        return Pool(rows, self.weights[rows], np.array([0]), np.array([len(rows)]))

    def count(self, pool: Pool) -> Matrix:
        """Return the weight of each class at each node."""
        counts = np.zeros((len(pool.begin), self.n_classes))
        count(self.labels, pool, counts)
        return counts

    def grow(self, choose: Choice, limits: MultiwayLimits) -> Tree:
        """Return the tree: ask at every node what `choose` says, until it says `LEAF`."""
        pool, levels = self.all_rows(), list[Layer]()
        while len(pool.begin) > 0:
            level, pool = self._add_level(pool, choose, limits, depth=len(levels))
            levels.append(level)
        nodes = Layer(*(np.concatenate(parts) for parts in zip(*levels, strict=True)))
        sizes = [len(level.feature) for level in levels]
        return assemble(nodes, np.repeat(np.arange(len(levels)), sizes))

    def _add_level(
        self, pool: Pool, choose: Choice, limits: MultiwayLimits, *, depth: int
    ) -> tuple[Layer, Pool]:
        """Choose the questions of the nodes of one depth; return them and the next depth's rows."""
        counts = self.count(pool)
        feature, low, high = self._ask(pool, counts, choose, limits, depth=depth)
        inner = np.flatnonzero(feature != LEAF)
        routes, n_children, children = self._send(_part(pool, inner), feature[inner], low[inner])
        is_category = feature >= 0
        is_category[inner] = ~self.table.is_numeric[feature[inner]]
        level = Layer(
            counts=counts,
            n_rows=pool.end - pool.begin,
            feature=feature,
            threshold=self._thresholds(feature, low, high),
            n_children=_spread(n_children, inner, len(feature)),
            n_routes=np.where(is_category, self.table.n_codes[feature], 0),
            routes=routes,
        )
        return level, children

    def _ask(
        self, pool: Pool, counts: Matrix, choose: Choice, limits: MultiwayLimits, *, depth: int
    ) -> tuple[Indices, Indices, Indices]:
        """Return the feature each node asks about, and the codes on both sides of its cut."""
        impure = np.count_nonzero(counts > 0.0, axis=1) > 1
        heavy = counts.sum(axis=1) >= 2.0 * limits.min_weight - 1e-9
        opened = np.flatnonzero(impure & heavy & (depth < limits.max_depth))
        shape = (len(opened), len(self.grids))
        grades = Grades(
            np.full(shape, np.nan),
            np.zeros(shape),
            np.zeros(shape, dtype=np.int64),
            np.zeros(shape, dtype=np.int64),
        )
        least, charge = limits.min_weight, limits.charge
        grade(self.table, self.labels, _part(pool, opened), least, charge, self._scratch, grades)
        chosen = choose(grades.gain, grades.information)
        cuts = [side[np.arange(len(opened)), chosen] for side in (grades.low, grades.high)]
        feature, low, high = (
            _spread(found, opened, len(counts), fill=LEAF) for found in (chosen, *cuts)
        )
        return feature, low, high

    def _send(self, pool: Pool, feature: Indices, cut: Indices) -> tuple[Indices, Indices, Pool]:
        """Return the routes of categories, the number of children, and the children's rows."""
        n_slots = np.where(self.table.is_numeric[feature], 2, self.table.n_codes[feature])
        start, place = _offsets(n_slots), _offsets(n_slots + 1)
        owner = np.repeat(np.arange(len(feature)), n_slots)
        heft, size = np.zeros(place[-1]), np.zeros(place[-1], dtype=np.int64)
        own_branch = np.arange(start[-1]) - start[owner]
        weigh(self.table, pool, Questions(feature, cut, start[:-1], own_branch), place, heft, size)
        silent = size[place[1:] - 1]
        heft, size = np.delete(heft, place[1:] - 1), np.delete(size, place[1:] - 1)
        there = size > 0
        n_children = np.bincount(owner[there], minlength=len(feature))
        first = _offsets(n_children)
        routes = np.where(there, np.cumsum(there) - 1 - first[owner], MISSING)
        known = np.bincount(owner, weights=heft, minlength=len(feature))
        room = _offsets(size[there] + silent[owner[there]])
        children = Pool(
            np.empty(room[-1], dtype=np.int64), np.empty(room[-1]), room[:-1], room[:-1].copy()
        )
        portion = (heft / known[owner])[there]
        asked = Questions(feature, cut, start[:-1], routes)
        send(self.table, self.weights, pool, asked, first, portion, children)
        return routes[~self.table.is_numeric[feature[owner]]], n_children, children

    def _thresholds(self, feature: Indices, low: Indices, high: Indices) -> Vector:
        """Return the midpoint of each cut, NaN where the question is categorical or there is none.

        Between neighbouring floats the midpoint may round up to the higher: then it is the lower.
        """
        thresholds = np.full(len(feature), np.nan)
        for v in np.flatnonzero(feature != LEAF):
            if self.table.is_numeric[feature[v]]:
                a, b = self.grids[feature[v]][[low[v], high[v]]]
                middle = a + (b - a) / 2.0
                thresholds[v] = middle if middle < b else a
        return thresholds


def assemble(nodes: Layer, depth: Indices) -> Tree:
    """Return the tree of nodes in breadth-first order, so that the children of a node adjoin."""
    return Tree(
        feature=nodes.feature,
        threshold=nodes.threshold,
        first_child=np.where(
            nodes.feature == LEAF, LEAF, 1 + np.cumsum(nodes.n_children) - nodes.n_children
        ),
        n_children=nodes.n_children,
        route_start=_offsets(nodes.n_routes),
        routes=nodes.routes,
        default_child=np.full(len(depth), LEAF),
        value=nodes.counts,
        weight=nodes.counts.sum(axis=1),
        n_rows=nodes.n_rows,
        impurity=np.asarray(Entropy()(nodes.counts)),
        depth=depth,
    )


def _part(pool: Pool, chosen: Indices) -> Pool:
    """Return the pool of some of the nodes."""
    return Pool(pool.rows, pool.shares, pool.begin[chosen], pool.end[chosen])


def _offsets(sizes: Indices) -> Indices:
    """Return where each of several adjoining pieces begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _spread(values: Indices, places: Indices, n: int, *, fill: int = 0) -> Indices:
    """Return n values: those given at their places, and `fill` elsewhere."""
    spread = np.full(n, fill, dtype=np.int64)
    spread[places] = values
    return spread
