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

from surelearn._jit import inner, jit
from surelearn._threads import Workers
from surelearn._typing import Indices
from surelearn.learners.trees._binary import sorted_columns
from surelearn.learners.trees._binary.best_splits import BestSplits, choose
from surelearn.learners.trees._binary.categories import Workspace
from surelearn.learners.trees._binary.drawing import RandomState, draw_feature
from surelearn.learners.trees._binary.gains import GrowthRules
from surelearn.learners.trees._binary.nodes import (
    Nodes,
    pick,
    room_for_nodes,
    roomier,
    unnamed,
    with_room,
)
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

_AnyColumns: TypeAlias = SortedColumns | ResortedColumns


class DrawnColumns(NamedTuple):
    """How many columns are drawn at a node, and from which random numbers."""

    n_drawn: int
    state: RandomState


def all_columns(n_features: int) -> DrawnColumns:
    """Return what lets a node look at all columns."""
    return DrawnColumns(n_features, np.zeros(1, dtype=np.uint64))


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
        self.nodes, self.n_nodes = room_for_nodes(64, table.n_values), 1
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
            feature = choose(asked, best.gains, lost, self.table.rules.min_gain)
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
            root = pick(self.nodes, [node])
            space, best = self.table.workspace(n_rows), self.table.no_splits()
            buffer = np.empty(n_rows, dtype=np.int64)
            rules = self.table.rules
            n_drawn, state = self._drawn
            grown, n, routes = grow_small(
                columns.columns, root, rules, space, best, buffer, n_drawn, state
            )
            nodes = pick(Nodes(*grown), slice(n))
            sorted_columns.name_rows(nodes, slice(None), columns.rows)
            return nodes, routes

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


@jit
def grow_small(
    columns: Columns,
    root: Nodes,
    rules: GrowthRules,
    workspace: Workspace,
    best: BestSplits,
    buffer: NDArray[np.int64],
    n_drawn: int,
    state: RandomState,
) -> tuple[tuple[Any, ...], int, NDArray[np.int8]]:
    """Return the nodes below and including a described node, breadth first.

    Each asks one of `n_drawn` columns, drawn anew, or of all if these are as many. With them, how
    many they are, as there may be room for more, and the route of each categorical question.
    """
    nodes, routes = root, best.routes[:1].copy()
    features, n_nodes = np.arange(len(columns.n_categories)), len(root.feature)
    n_routes, node = 0, 0
    while node < n_nodes:  # children are added at the end, so every node has its turn
        if nodes.is_open[node]:
            asked = _draw(features, n_drawn, state)
            search_node(columns, nodes, node, asked, rules, workspace, best)
            lost = nodes.weight[node] * nodes.impurity[node]
            nodes.feature[node] = choose(asked, best.gains, lost, rules.min_gain)
            while nodes.feature[node] < 0 and len(asked) < len(features):
                draw_feature(features, len(asked), state)
                asked = features[: len(asked) + 1]
                search_node(columns, nodes, node, asked[-1:], rules, workspace, best)
                nodes.feature[node] = choose(asked[-1:], best.gains, lost, rules.min_gain)
        feature = nodes.feature[node]
        if feature >= 0:
            if n_nodes + 2 > len(nodes.feature):
                nodes = with_room(nodes, 2 * n_nodes + 62)
            split_node(columns, nodes, node, n_nodes, rules, workspace.count_terms, best, buffer)
            if nodes.is_open[n_nodes] or nodes.is_open[n_nodes + 1]:  # else nobody will look
                start, end = nodes.start[node], nodes.end[node]
                partition_others(columns, start, end, feature, features, buffer)
            n_nodes += 2
            if columns.n_categories[feature] > 0:
                routes = _with_route(routes, n_routes, best.routes[feature])
                nodes.route[node] = n_routes
                n_routes += 1
        node += 1
    return unnamed(nodes), n_nodes, routes[:n_routes]


@inner
def _draw(features: Indices, n_drawn: int, state: RandomState) -> Indices:
    """Return so many columns, drawn at random, or all in their order if these are as many."""
    if n_drawn >= len(features):
        return features
    for place in range(n_drawn):
        draw_feature(features, place, state)
    return features[:n_drawn]


@inner
def _with_route(
    routes: NDArray[np.int8], n_routes: int, route: NDArray[np.int8]
) -> NDArray[np.int8]:
    """Return the routes with one more; the table grows to more than twice its size when full."""
    longer = routes
    if n_routes == len(routes):
        longer = np.empty((2 * n_routes + 62, routes.shape[1]), routes.dtype)
        for i in range(n_routes):
            for code in range(routes.shape[1]):
                longer[i, code] = routes[i, code]
    for code in range(len(route)):
        longer[n_routes, code] = route[code]
    return longer
