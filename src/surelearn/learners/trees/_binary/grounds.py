"""Where a node is searched and divided: among columns sorted once, or sorted again at each node.

Sorted columns take twice the memory of a table in single precision. A node for which they are too
large is searched with one sorted column at a time.
"""

from typing import Any

import numpy as np

from surelearn._typing import Indices
from surelearn.learners.trees._binary import columns as packing
from surelearn.learners.trees._binary import growth
from surelearn.learners.trees._binary.columns import Places
from surelearn.learners.trees._binary.gains import ABSOLUTE_ERROR, SQUARED_ERROR
from surelearn.learners.trees._binary.material import Crew, Material
from surelearn.learners.trees._binary.nodes import (
    ABOVE,
    BELOW,
    END,
    FEATURE,
    IMPURITY,
    START,
    TOTAL,
    Nodes,
    describe,
)
from surelearn.learners.trees._binary.search import Columns, Offers, consider, prepare
from surelearn.learners.trees._binary.search import search as search_columns


class SortedGround:
    """Rows whose columns are sorted once; a division keeps them sorted."""

    def __init__(self, material: Material, rows: Places, crew: Crew) -> None:
        self.rows, self.crew = rows, crew
        self._material, self._rules = material, material.rules
        n, d = len(rows), material.n_features
        by_target = material.rules.criterion == ABSOLUTE_ERROR
        entries = np.empty((d + by_target, n), dtype=np.int64)

        def sort(feature: int) -> None:
            material.sorted_column(feature, rows, entries[feature])

        crew.run(sort, range(d))
        if by_target:
            material.sorted_targets(rows, entries[d])
        self._columns = Columns(
            entries, material.n_categories, material.facts(rows), np.zeros(n, dtype=np.uint8)
        )
        self._desks = [material.desk(n) for _ in range(crew.size)]
        self._buffers = np.empty((crew.size, n), dtype=np.int64)

    @staticmethod
    def room(n_rows: int, n_features: int) -> int:
        """Return the bytes that so many rows and columns take."""
        return 8 * n_rows * n_features

    def describe(self, nodes: Nodes, node: int) -> None:
        """Describe a node whose span and depth are known."""
        start, end = nodes.wholes[node, START : END + 1]
        column, table = self._columns.entries[-1, start:end], self._desks[0].table
        describe(
            column,
            self._columns.facts,
            self._rules,
            table,
            nodes.wholes[node],
            nodes.numbers[node],
        )

    def search(self, nodes: Nodes, node: int) -> Offers:
        """Return the best split of each column of a node."""
        offers, shares = self._material.offers(), self._shares(nodes, node)

        def work(k: int) -> None:
            desk, columns = self._desks[k], self._columns
            search_columns(columns, nodes, node, shares[k], self._rules, desk, offers)

        self.crew.run(work, range(len(shares)))
        return offers

    def divide(self, nodes: Nodes, node: int, child: int, offers: Offers) -> None:
        """Divide a node by the offer of its feature; describe its children."""
        columns, table, shares = (
            self._columns,
            self._desks[0].table,
            self._shares(nodes, node),
        )
        buffer = self._buffers[0]
        growth.divide(columns, nodes, node, child, self._rules, table, offers, buffer)

        def work(k: int) -> None:
            growth.partition_others(columns, nodes, node, shares[k], self._buffers[k])

        self.crew.run(work, range(len(shares)))
        _name_rows(nodes.wholes[node : node + 1], self.rows)

    def grow(self, root: Nodes) -> tuple[Nodes, Any]:
        """Return all nodes below a small one, and their routes."""
        n_rows = int(root.wholes[0, END] - root.wholes[0, START])
        desk, offers = self._material.desk(n_rows), self._material.offers()
        buffer = np.empty(n_rows, dtype=np.int64)
        nodes, routes = growth.grow(self._columns, root, self._rules, desk, offers, buffer)
        _name_rows(nodes.wholes, self.rows)
        return nodes, routes

    def _shares(self, nodes: Nodes, node: int) -> list[Indices]:
        n_rows = int(nodes.wholes[node, END] - nodes.wholes[node, START])
        return self.crew.shares(n_rows, self._material.n_features)


def _name_rows(wholes: Indices, rows: Places) -> None:
    """Let the rows around a cut be places in the table."""
    around = wholes[:, BELOW : ABOVE + 1]
    np.copyto(around, rows[around], where=around >= 0)


class TableGround:
    """Rows whose columns are sorted anew at each node, one at a time for each thread."""

    def __init__(self, material: Material, rows: Places, crew: Crew) -> None:
        self.rows, self.crew = rows, crew
        self._material, self._rules = material, material.rules

    def describe(self, nodes: Nodes, node: int) -> None:
        """Describe a node whose span and depth are known."""
        rows = self._rows(nodes, node)
        column = self._any_column(rows)
        facts, desk = self._material.facts(rows), self._material.desk(len(rows))
        describe(column, facts, self._rules, desk.table, nodes.wholes[node], nodes.numbers[node])

    def search(self, nodes: Nodes, node: int) -> Offers:
        """Return the best split of each column of a node."""
        material, rows, numbers = self._material, self._rows(nodes, node), nodes.numbers[node]
        offers, facts = material.offers(), material.facts(rows)
        lost = float(numbers[TOTAL] * numbers[IMPURITY])
        regression = self._rules.criterion >= SQUARED_ERROR  # only there rows are looked at again
        by_target = self._any_column(rows[: None if regression else 0])
        shares = self.crew.shares(len(rows), material.n_features)
        entries = np.empty((len(shares), len(rows)), dtype=np.int64)  # a thread would not give back

        def work(k: int) -> None:
            desk = material.desk(len(rows))
            prepare(by_target, numbers, facts, self._rules, desk)
            for f in shares[k].tolist():
                column = material.sorted_column(f, rows, entries[k])
                n_categories = int(material.n_categories[f])
                consider(column, f, n_categories, facts, self._rules, lost, desk, offers)

        self.crew.run(work, range(len(shares)))
        return offers

    def divide(self, nodes: Nodes, node: int, child: int, offers: Offers) -> None:
        """Divide a node by the offer of its feature; describe its children."""
        material, rows, wholes = self._material, self._rows(nodes, node), nodes.wholes[node]
        feature = int(wholes[FEATURE])
        goes_left = np.zeros(len(rows), dtype=np.uint8)
        column = material.sorted_column(feature, rows)
        n_left = growth.mark(
            column,
            offers.keys[feature],
            offers.missing_left[feature],
            offers.routes[feature, : material.n_categories[feature]],
            goes_left,
            wholes,
        )
        _name_rows(nodes.wholes[node : node + 1], rows)
        growth.name_children(nodes, node, child, n_left)
        buffer, column = column, self._any_column(rows)
        packing.partition(column, goes_left, buffer)
        table = material.desk(len(rows)).table
        facts = material.facts(rows)
        growth.describe_children(column, nodes, node, n_left, facts, self._rules, table)
        rows[:] = np.concatenate([rows[goes_left == 1], rows[goes_left == 0]])

    def _rows(self, nodes: Nodes, node: int) -> Places:
        start, end = nodes.wholes[node, START : END + 1]
        return self.rows[start:end]

    def _any_column(self, rows: Places) -> Indices:
        """Return entries of all rows, sorted by target if the criterion is the absolute error."""
        if self._rules.criterion == ABSOLUTE_ERROR:
            return self._material.sorted_targets(rows)
        return np.arange(len(rows), dtype=np.int64)
