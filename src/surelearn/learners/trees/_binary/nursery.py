"""Nodes in the making: all are split in turn, or the one that gains most comes first."""

import heapq
from typing import Any

import numpy as np

from surelearn.learners.trees._binary.grounds import SortedGround, TableGround
from surelearn.learners.trees._binary.material import LARGE, Crew, Material
from surelearn.learners.trees._binary.nodes import (
    END,
    FEATURE,
    FIRST_CHILD,
    N_WHOLES,
    OPEN,
    ROUTE,
    START,
    VALUE,
    Nodes,
)
from surelearn.learners.trees._binary.search import Offers, choose

_LEAST_ROOM = 2**25  # bytes of sorted columns that are always granted
_SHARE = 6  # beyond that, the sorted columns may take the table's memory divided by this


class Nursery:
    """Nodes in the making, and the ground they grow on."""

    def __init__(self, material: Material, crew: Crew, max_leaves: int | None) -> None:
        self.material, self.crew, self.max_leaves = material, crew, max_leaves
        self.nodes = Nodes(
            np.zeros((64, N_WHOLES), dtype=np.int64), np.zeros((64, VALUE + material.n_values))
        )
        self.n_nodes, self.routes = 1, list[Any]()

    def grow(self) -> None:
        """Grow the tree from its root."""
        n_rows = len(self.material.cells)
        rows = np.arange(n_rows, dtype=np.uint32)
        self.nodes.wholes[0, END] = n_rows
        kind = SortedGround if self._fits(n_rows) else TableGround
        ground = kind(self.material, rows, self.crew)
        ground.describe(self.nodes, 0)
        if self.max_leaves is None:
            self._grow_in_turn(ground, 0)
        else:
            self._grow_best_first(ground, self.max_leaves)

    def _fits(self, n_rows: int) -> bool:
        """Return whether there is room for sorted columns of so many rows."""
        room = max(_LEAST_ROOM, self.material.cells.nbytes // _SHARE)
        return SortedGround.room(n_rows, self.material.n_features) <= room

    def _grow_in_turn(self, ground: SortedGround | TableGround, root: int) -> None:
        """Split every node that can be split; small ones are left to one thread each."""
        waiting, small = [root], list[int]()
        for node in waiting:  # it grows meanwhile
            n_rows = int(self.nodes.wholes[node, END] - self.nodes.wholes[node, START])
            if not self.nodes.wholes[node, OPEN]:
                continue
            if isinstance(ground, TableGround) and self._fits(n_rows):
                self._grow_in_turn(self._settle(ground, node), node)
            elif isinstance(ground, SortedGround) and self._is_small(n_rows):
                small.append(node)
            else:
                waiting.extend(self._divide(ground, node, ground.search(self.nodes, node)))
        if isinstance(ground, SortedGround):
            for node, (nodes, routes) in zip(
                small,
                self.crew.run(ground.grow, [self._alone(node) for node in small]),
                strict=True,
            ):
                self._splice(node, nodes, routes)

    def _is_small(self, n_rows: int) -> bool:
        return self.crew.size == 1 or n_rows * self.material.n_features < LARGE

    def _settle(self, ground: TableGround, node: int) -> SortedGround:
        """Return ground of its own for a node."""
        wholes = self.nodes.wholes[node]
        rows = ground.rows[wholes[START] : wholes[END]]
        wholes[START], wholes[END] = 0, len(rows)
        return SortedGround(self.material, rows, self.crew)

    def _grow_best_first(self, ground: SortedGround | TableGround, max_leaves: int) -> None:
        """Split the node whose split gains most, until there are as many leaves as allowed."""
        heap: list[tuple[float, int, Offers]] = []
        new, n_leaves = range(1), 1
        while n_leaves < max_leaves:
            for node in new:
                if self.nodes.wholes[node, OPEN]:
                    offers = ground.search(self.nodes, node)
                    feature = self._choose(node, offers)
                    if feature >= 0:
                        heapq.heappush(heap, (-float(offers.gains[feature]), node, offers))
            if not heap:
                break
            _, node, offers = heapq.heappop(heap)
            new, n_leaves = self._divide(ground, node, offers), n_leaves + 1

    def _choose(self, node: int, offers: Offers) -> int:
        """Return the feature of the best split of a node, -1 if none gains enough."""
        return choose(self.nodes.numbers[node], self.material.rules, offers)

    def _divide(self, ground: SortedGround | TableGround, node: int, offers: Offers) -> range:
        """Divide a node by the best of its splits; return its children, none if nothing gains."""
        feature = self._choose(node, offers)
        if feature < 0:
            return range(0)
        child = self._add(2)
        self.nodes.wholes[node, FEATURE] = feature
        ground.divide(self.nodes, node, child, offers)
        if self.material.n_categories[feature] > 0:
            self.nodes.wholes[node, ROUTE] = len(self.routes)
            self.routes.append(offers.routes[feature])
        return range(child, child + 2)

    def _add(self, n: int) -> int:
        """Make room for more nodes; return the first of them."""
        first, self.n_nodes = self.n_nodes, self.n_nodes + n
        if self.n_nodes > len(self.nodes.wholes):
            more = ((0, self.n_nodes), (0, 0))
            self.nodes = Nodes(np.pad(self.nodes.wholes, more), np.pad(self.nodes.numbers, more))
        return first

    def _alone(self, node: int) -> Nodes:
        """Return a node by itself."""
        wholes, numbers = self.nodes.wholes[[node]], self.nodes.numbers[[node]]
        return Nodes(wholes, numbers)

    def _splice(self, node: int, nodes: Nodes, routes: Any) -> None:
        """Put a grown node, which is the first one, and all below it in the place of a node."""
        first = self._add(len(nodes.wholes) - 1)
        wholes = nodes.wholes
        wholes[:, FIRST_CHILD] += np.where(wholes[:, FIRST_CHILD] > 0, first - 1, 0)
        wholes[:, ROUTE] += np.where(wholes[:, ROUTE] >= 0, len(self.routes), 0)
        self.routes.extend(routes)
        for ours, theirs in zip(self.nodes, nodes, strict=True):
            ours[node], ours[first : self.n_nodes] = theirs[0], theirs[1:]
