"""CART's growth: take the open node with the best split, split it, search its children.

    the split of node t maximises  W(t) I(t) - W(left) I(left) - W(right) I(right)

Breiman, Friedman, Olshen and Stone (1984), section 2.4. Which open node comes first changes the
tree only if its leaves are limited; else it is the oldest, and a node that is too small to be
shared among threads is grown to its leaves by one of them, in `grow_small`.
"""

import heapq
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing, entrance
from surelearn._threads import Workers
from surelearn._typing import Indices
from surelearn.learners.trees._binary import entrances, sorted_columns
from surelearn.learners.trees._binary.best_splits import BestSplits, choose, n_categories_of
from surelearn.learners.trees._binary.categories import Workspace
from surelearn.learners.trees._binary.drawing import RandomState, draw_feature
from surelearn.learners.trees._binary.gains import GrowthRules
from surelearn.learners.trees._binary.nodes import Nodes, longer, pick, room_for_nodes, roomier
from surelearn.learners.trees._binary.sorted_columns import ResortedColumns, SortedColumns
from surelearn.learners.trees._binary.splitting import (
    Columns,
    partition_others,
    search_node,
    split_node,
)
from surelearn.learners.trees._binary.training_table import TrainingTable

_LEAST_ROOM = 2**25  # bytes of sorted columns that are always granted
_SHARE = 6  # beyond that, the sorted columns may take the table's memory divided by this

_ROOM = 64  # nodes for which there is room at first

NODE, N_NODES, N_ROUTES = range(3)
"""What was reached so far: the node whose turn it is, how many there are, and how many routes."""

_AnyColumns: TypeAlias = SortedColumns | ResortedColumns


class DrawnColumns(NamedTuple):
    """How many columns are drawn at a node, and from which random numbers."""

    n_drawn: int
    state: RandomState


def all_columns(n_features: int) -> DrawnColumns:
    """Return what lets a node look at all columns."""
    return DrawnColumns(n_features, np.zeros(1, dtype=np.uint64))


class Bench(NamedTuple):
    """What one thread works with, and which columns its nodes are asked about.

    A node is asked about `n_drawn` of the `features`, drawn anew, or about all if they are as many.
    """

    workspace: Workspace
    best: BestSplits
    buffer: Indices
    features: Indices
    n_drawn: int
    state: RandomState


class _OpenNode(NamedTuple):
    """A node that waits to be split: the smallest is the first, and of equals the oldest node.

    Without `best` its rows are few enough to be sorted by themselves before it is searched.
    """

    priority: float
    node: int
    feature: int
    best: BestSplits | None


class Growth:
    """A tree in the making: its first `n_nodes` nodes, and the routes of categorical questions."""

    def __init__(
        self,
        table: TrainingTable,
        workers: Workers,
        max_leaves: int | None,
        drawn: DrawnColumns | None = None,
    ) -> None:
        self.table, self._workers, self._max_leaves = table, workers, max_leaves
        self._drawn = drawn or all_columns(table.n_features)
        self.nodes, self.n_nodes = room_for_nodes(_ROOM, table.n_values), 1
        self.routes, self._features = list[Any](), np.arange(table.n_features)

    def grow(self) -> None:
        """Grow the tree from its root, which holds all rows."""
        n_rows = len(self.table.cells)
        rows = np.arange(n_rows, dtype=np.uint32)
        kind = SortedColumns if self._can_be_sorted(n_rows) else ResortedColumns
        columns = kind(self.table, rows, self._workers)
        self.nodes.end[0] = n_rows
        columns.describe(self.nodes, 0)
        self._grow(columns, 0)

    def _grow(self, columns: _AnyColumns, root: int) -> None:
        """Search the new nodes, take the open one with the best split, split it; and so on."""
        open_nodes, small = list[_OpenNode](), list[int]()
        new, n_leaves = [root], 1
        while n_leaves != self._max_leaves:
            for node in new:
                if self.nodes.is_open[node]:
                    self._search(columns, node, open_nodes, small)
            if not open_nodes:
                break
            _, node, feature, best = heapq.heappop(open_nodes)
            if best is None:
                self._grow(self._sort(columns, node), node)
                new = []
            else:
                new = self._split(columns, node, feature, best)
            n_leaves += 1
        if isinstance(columns, SortedColumns):
            self._grow_each(columns, small)

    def _search(
        self, columns: _AnyColumns, node: int, open_nodes: list[_OpenNode], small: list[int]
    ) -> None:
        """Put a node among the open ones if it has a split, or among those for later."""
        n_rows = int(self.nodes.end[node] - self.nodes.start[node])
        if self._max_leaves is None:
            if isinstance(columns, SortedColumns) and self._is_small(n_rows):
                small.append(node)
                return
            if isinstance(columns, ResortedColumns) and self._can_be_sorted(n_rows):
                heapq.heappush(open_nodes, _OpenNode(0.0, node, -1, None))
                return
        feature, best = self._best_of_drawn(columns, node)
        if feature >= 0:
            priority = 0.0 if self._max_leaves is None else -float(best.gains[feature])
            heapq.heappush(open_nodes, _OpenNode(priority, node, feature, best))

    def _best_of_drawn(self, columns: _AnyColumns, node: int) -> tuple[int, BestSplits]:
        """Return the column that splits a node best, -1 for none, and its split.

        Of some columns only if that many are drawn, and of more while none of them splits it.
        """
        lost = float(self.nodes.weight[node] * self.nodes.impurity[node])
        n_drawn, state = self._drawn
        while True:
            asked = self._features
            if n_drawn < len(asked):
                for place in range(n_drawn):
                    draw_feature(asked, place, state)
                asked = asked[:n_drawn]
            best = columns.search(self.nodes, node, asked)
            feature = entrances.choose(asked, best.gains, lost, self.table.rules.min_gain)
            if feature >= 0 or len(asked) == len(self._features):
                return feature, best
            n_drawn += 1

    def _split(self, columns: _AnyColumns, node: int, feature: int, best: BestSplits) -> list[int]:
        """Split a node by the best split of a feature; return its children."""
        child = self._add(2)
        self.nodes.feature[node] = feature
        columns.split(self.nodes, node, child, best)
        if self.table.n_categories[feature] > 0:
            self.nodes.route[node] = len(self.routes)
            self.routes.append(best.routes[feature])
        return [child, child + 1]

    def _can_be_sorted(self, n_rows: int) -> bool:
        """Return whether there is room for sorted columns of so many rows."""
        room = max(_LEAST_ROOM, self.table.cells.nbytes // _SHARE)
        return SortedColumns.n_bytes(n_rows, self.table.n_features) <= room

    def _is_small(self, n_rows: int) -> bool:
        """Return whether one thread should grow all below a node of so many rows."""
        large = n_rows * self.table.n_features >= sorted_columns.LARGE
        return self._workers.size == 1 or not large

    def _sort(self, columns: _AnyColumns, node: int) -> SortedColumns:
        """Return sorted columns of the rows of a node alone, and let its span be among them."""
        rows = columns.rows[self.nodes.start[node] : self.nodes.end[node]]
        self.nodes.start[node], self.nodes.end[node] = 0, len(rows)
        return SortedColumns(self.table, rows, self._workers)

    def _add(self, n: int) -> int:
        """Make room for more nodes; return the first of them."""
        first, self.n_nodes = self.n_nodes, self.n_nodes + n
        if self.n_nodes > len(self.nodes.feature):
            self.nodes = roomier(self.nodes, 2 * self.n_nodes)
        return first

    def _grow_each(self, columns: SortedColumns, small: list[int]) -> None:
        """Grow all that is below some nodes, a thread for each."""

        def grow(node: int) -> tuple[Nodes, Any]:
            n_rows = int(self.nodes.end[node] - self.nodes.start[node])
            best, features = self.table.no_splits(), np.arange(self.table.n_features)
            buffer = np.empty(n_rows, dtype=np.int64)
            bench = Bench(self.table.workspace(n_rows), best, buffer, features, *self._drawn)
            nodes = roomier(pick(self.nodes, [node]), _ROOM)
            routes, reached = longer(best.routes[:0], _ROOM), np.array([0, 1, 0])
            while not grow_small(columns.columns, nodes, routes, self.table.rules, bench, reached):
                nodes = roomier(nodes, 2 * len(nodes.feature))
                routes = longer(routes, 2 * len(routes))
            nodes = pick(nodes, slice(reached[N_NODES]))
            sorted_columns.name_rows(nodes, slice(None), columns.rows)
            return nodes, routes[: reached[N_ROUTES]]

        for node, (nodes, routes) in zip(small, self._workers.map(grow, small), strict=True):
            self._graft(node, nodes, routes)

    def _graft(self, node: int, nodes: Nodes, routes: Any) -> None:
        """Put a grown node, which is the first one, and all below it in the place of a node."""
        first = self._add(len(nodes.feature) - 1)
        # Of the grown nodes the one at place 1 becomes node `first`; place 0 becomes `node`.
        nodes.first_child[:] += np.where(nodes.first_child > 0, first - 1, 0)
        nodes.route[:] += np.where(nodes.route >= 0, len(self.routes), 0)
        self.routes.extend(routes)
        for ours, theirs in zip(self.nodes, nodes, strict=True):
            ours[node], ours[first : self.n_nodes] = theirs[0], theirs[1:]


@entrance
def grow_small(
    columns: Columns,
    nodes: Nodes,
    routes: NDArray[np.int8],
    rules: GrowthRules,
    bench: Bench,
    reached: Indices,
) -> bool:
    """Go on growing what is below node 0, breadth first; return whether it is grown.

    If it is not, there is no room for more nodes, or for more routes of categorical questions.
    """
    while reached[NODE] < reached[N_NODES]:  # children come last, so every node has its turn
        node, child, route = int(reached[NODE]), int(reached[N_NODES]), int(reached[N_ROUTES])
        if child + 2 > len(nodes.feature) or route == len(routes):
            return False
        if nodes.is_open[node]:
            _ask(columns, nodes, node, rules, bench)
        feature = int(nodes.feature[node])
        if feature >= 0:
            _split(columns, nodes, node, child, rules, bench)
            reached[N_NODES] += 2
            if n_categories_of(feature, columns.n_categories) > 0:
                for code in range(routes.shape[1]):
                    routes[route, code] = bench.best.routes[feature, code]
                nodes.route[node] = route
                reached[N_ROUTES] += 1
        reached[NODE] += 1
    return True


@borrowing
def _ask(columns: Columns, nodes: Nodes, node: int, rules: GrowthRules, bench: Bench) -> None:
    """Find the column that splits a node best, among more than drawn while none of them does."""
    features, n_asked = bench.features, min(bench.n_drawn, len(bench.features))
    if n_asked < len(features):
        for place in range(n_asked):
            draw_feature(features, place, bench.state)
    lost, new = nodes.weight[node] * nodes.impurity[node], features[:n_asked]
    while True:
        search_node(columns, nodes, node, new, rules, bench.workspace, bench.best)
        nodes.feature[node] = choose(new, bench.best.gains, lost, rules.min_gain)
        if nodes.feature[node] >= 0 or n_asked == len(features):
            return
        draw_feature(features, n_asked, bench.state)
        new = features[n_asked : n_asked + 1]
        n_asked += 1


@borrowing
def _split(
    columns: Columns, nodes: Nodes, node: int, child: int, rules: GrowthRules, bench: Bench
) -> None:
    """Split a node; if a child of it will be searched, keep all columns of both sorted."""
    count_terms, buffer = bench.workspace.count_terms, bench.buffer
    split_node(columns, nodes, node, child, rules, count_terms, bench.best, buffer)
    if nodes.is_open[child] or nodes.is_open[child + 1]:
        start, end, asked = int(nodes.start[node]), int(nodes.end[node]), int(nodes.feature[node])
        partition_others(columns, start, end, asked, bench.features, buffer)
