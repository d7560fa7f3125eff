"""The columns of a table, sorted once, or sorted again at each node.

Sorted columns take twice the memory of a table in single precision. A node for which they are too
large is searched with one sorted column at a time.
"""

import numpy as np

from surelearn._threads import Workers
from surelearn._typing import Indices
from surelearn.learners.trees._binary import entrances
from surelearn.learners.trees._binary.best_splits import BestSplits
from surelearn.learners.trees._binary.gains import ABSOLUTE_ERROR, SQUARED_ERROR
from surelearn.learners.trees._binary.nodes import Nodes
from surelearn.learners.trees._binary.packed_cells import MISSING, Places, key_of
from surelearn.learners.trees._binary.splitting import Columns
from surelearn.learners.trees._binary.training_table import TrainingTable

LARGE = 2**17
"""The number of cells from which a node is worth the attention of several threads."""


class SortedColumns:
    """Rows whose columns are sorted once; a split keeps them sorted."""

    def __init__(self, table: TrainingTable, rows: Places, workers: Workers) -> None:
        self.rows, self._table, self._workers = rows, table, workers
        n, d = len(rows), table.n_features
        by_target = table.rules.criterion == ABSOLUTE_ERROR
        cells = np.empty((d + by_target, n), dtype=np.int64)

        def sort(feature: int) -> None:
            table.sorted_column(feature, rows, cells[feature])

        workers.map(sort, range(d))
        if by_target:
            table.sorted_targets(rows, cells[d])
        goes_left = np.zeros(n, dtype=np.uint8)
        self.columns = Columns(cells, table.counted, table.row_values(rows), goes_left)
        self._workspaces = [table.workspace(n) for _ in range(workers.size)]
        self._buffers = np.empty((workers.size, n), dtype=np.int64)
        self._features = np.arange(d)

    @staticmethod
    def n_bytes(n_rows: int, n_features: int) -> int:
        """Return the memory that so many rows and columns take."""
        return 8 * n_rows * n_features

    def describe(self, nodes: Nodes, node: int) -> None:
        """Describe a node whose span and depth are known."""
        column = self.columns.cells[-1, nodes.start[node] : nodes.end[node]]
        count_terms = self._workspaces[0].count_terms
        entrances.describe(
            column, self.columns.row_values, self._table.rules, count_terms, nodes, node
        )

    def search(self, nodes: Nodes, node: int, features: Indices) -> BestSplits:
        """Return the best split of some columns of a node."""
        n_rows, best = int(nodes.end[node] - nodes.start[node]), self._table.no_splits()
        shares = _shares(n_rows, features, self._workers)

        def work(k: int) -> None:
            columns, rules, space = self.columns, self._table.rules, self._workspaces[k]
            entrances.search_node(columns, nodes, node, shares[k], rules, space, best)

        self._workers.map(work, range(len(shares)))
        return best

    def split(self, nodes: Nodes, node: int, child: int, best: BestSplits) -> None:
        """Split a node by the best split of its feature; describe its children."""
        columns, rules, buffers = self.columns, self._table.rules, self._buffers
        terms = self._workspaces[0].count_terms
        entrances.split_node(columns, nodes, node, child, rules, terms, best, buffers[0])
        start, end, asked = int(nodes.start[node]), int(nodes.end[node]), int(nodes.feature[node])
        shares = _shares(end - start, self._features, self._workers)

        def work(k: int) -> None:
            entrances.partition_others(columns, start, end, asked, shares[k], buffers[k])

        self._workers.map(work, range(len(shares)))
        name_rows(nodes, slice(node, node + 1), self.rows)


class ResortedColumns:
    """Rows whose columns are sorted anew at each node, one at a time for each thread."""

    def __init__(self, table: TrainingTable, rows: Places, workers: Workers) -> None:
        self.rows, self._table, self._workers = rows, table, workers

    def describe(self, nodes: Nodes, node: int) -> None:
        """Describe a node whose span and depth are known."""
        table, rows = self._table, self.rows_of(nodes, node)
        count_terms = table.workspace(len(rows)).count_terms
        row_values = table.row_values(rows)
        entrances.describe(
            self._any_column(rows), row_values, table.rules, count_terms, nodes, node
        )

    def search(self, nodes: Nodes, node: int, features: Indices) -> BestSplits:
        """Return the best split of some columns of a node."""
        table, rows, rules = self._table, self.rows_of(nodes, node), self._table.rules
        best, row_values = table.no_splits(), table.row_values(rows)
        weight, value = float(nodes.weight[node]), nodes.value[node]
        lost = weight * float(nodes.impurity[node])
        regression = rules.criterion >= SQUARED_ERROR  # only there rows are looked at again
        by_target = self._any_column(rows[: None if regression else 0])
        shares = _shares(len(rows), features, self._workers)
        packed = np.empty((len(shares), len(rows)), dtype=np.int64)  # a thread would not give back

        def work(k: int) -> None:
            space = table.workspace(len(rows))
            entrances.sum_up(by_target, weight, value, row_values, rules, space)
            for f in shares[k].tolist():
                column = table.sorted_column(f, rows, packed[k])
                entrances.search_column(
                    column, f, table.counted, row_values, rules, lost, space, best
                )

        self._workers.map(work, range(len(shares)))
        return best

    def split(self, nodes: Nodes, node: int, child: int, best: BestSplits) -> None:
        """Split a node by the best split of its feature; describe its children."""
        table, rows, feature = self._table, self.rows_of(nodes, node), int(nodes.feature[node])
        goes_left = np.zeros(len(rows), dtype=np.uint8)
        column = table.sorted_column(feature, rows)
        missing_left = best.missing_left[feature]
        route = best.routes[feature, : table.n_categories[feature]]
        n_left, nodes.row_below[node], nodes.row_above[node] = entrances.mark_rows(
            column, best.keys[feature], missing_left, route, goes_left
        )
        name_rows(nodes, slice(node, node + 1), rows)
        if key_of(column[-1]) == MISSING:
            nodes.default_child[node] = 1 - missing_left
        buffer, column = column, self._any_column(rows)
        entrances.partition(column, goes_left, buffer)
        terms, row_values = table.workspace(len(rows)).count_terms, table.row_values(rows)
        rules = table.rules
        entrances.add_children(column, n_left, row_values, rules, terms, nodes, node, child)
        rows[:] = np.concatenate([rows[goes_left == 1], rows[goes_left == 0]])

    def rows_of(self, nodes: Nodes, node: int) -> Places:
        """Return the rows of a node, which are places in the table."""
        return self.rows[nodes.start[node] : nodes.end[node]]

    def _any_column(self, rows: Places) -> Indices:
        """Return a column of all rows, sorted by target if the criterion is the absolute error."""
        if self._table.rules.criterion == ABSOLUTE_ERROR:
            return self._table.sorted_targets(rows)
        return np.arange(len(rows), dtype=np.int64)  # packed cells with key 0


def name_rows(nodes: Nodes, which: slice, rows: Places) -> None:
    """Turn the rows around the cuts of some nodes from places among `rows` to places in the table.

    Columns know rows by their place among those that were sorted together.
    """
    for around in (nodes.row_below[which], nodes.row_above[which]):
        np.copyto(around, rows[around], where=around >= 0)


def _shares(n_rows: int, features: Indices, workers: Workers) -> list[Indices]:
    """Return the features in as many parts as are worth a thread."""
    if workers.size == 1 or n_rows * len(features) < LARGE:
        return [features]
    return np.array_split(features, min(workers.size, len(features)))
