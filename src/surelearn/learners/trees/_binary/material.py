"""What a tree grows from: a table, its targets, the rules, and the threads that do the work."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.trees._binary import columns as packing
from surelearn.learners.trees._binary.categories import Blocks, Desk
from surelearn.learners.trees._binary.columns import Places
from surelearn.learners.trees._binary.gains import (
    COUNTS,
    DISTANCES,
    ENTROPY,
    GINI,
    MOMENT,
    RANK,
    TARGET,
    WEIGHT,
    Rules,
)
from surelearn.learners.trees._binary.search import Offers

LARGE = 2**17
"""The number of cells from which a node is worth the attention of several threads."""


class Crew(NamedTuple):
    """Threads that share the work on large nodes; none if `pool` is None."""

    pool: Executor | None
    size: int

    def run(self, task: Callable[..., Any], items: Sequence[Any]) -> list[Any]:
        """Return the result of a task for each item, in order."""
        if self.pool is None or len(items) == 1:
            return [task(item) for item in items]
        return list(self.pool.map(task, items))

    def shares(self, n_rows: int, n_features: int) -> list[Indices]:
        """Return the features in as many parts as are worth a thread."""
        n = min(self.size, n_features) if n_rows * n_features >= LARGE else 1
        return np.array_split(np.arange(n_features), n)


class Material(NamedTuple):
    """The table, what is to be predicted, and by which rules.

    Attributes
    ----------
    cells
        The table.
    n_categories
        The number of categories of each column, 0 for numbers.
    targets
        The place of each row's class, or its number.
    weights
        The weight of each row; None if all are 1.
    n_values
        How many numbers a node predicts by: the classes, or 1.
    rules
        What is optimised.
    """

    cells: Matrix
    n_categories: Indices
    targets: NDArray[Any]
    weights: Vector | None
    n_values: int
    rules: Rules

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.n_categories)

    def facts(self, rows: Places) -> Matrix:
        """Return what is known of some rows besides their cells."""
        last = MOMENT if self.weights is None else WEIGHT
        if self.rules.keeps == DISTANCES:
            last = RANK
        facts = np.ones((last + 1, len(rows)))
        facts[TARGET] = self.targets[rows]
        if self.weights is not None:
            facts[WEIGHT] = self.weights[rows]
        facts[MOMENT] = facts[TARGET] * (1.0 if self.weights is None else facts[WEIGHT])
        return facts

    def sorted_column(self, feature: int, rows: Places, entries: Indices | None = None) -> Indices:
        """Return the entries of a column, sorted, in the array given if there is one."""
        entries = np.empty(len(rows), dtype=np.int64) if entries is None else entries
        cells = self.cells[:, feature]
        if self.n_categories[feature] > 0:
            packing.pack_codes(cells, rows, entries)
        elif not packing.pack_numbers(cells, rows, entries):
            return _ranked(cells[rows], entries)
        entries.sort()
        return entries

    def sorted_targets(self, rows: Places, entries: Indices | None = None) -> Indices:
        """Return the entries of the targets, sorted."""
        entries = np.empty(len(rows), dtype=np.int64) if entries is None else entries
        return _ranked(self.targets[rows], entries)

    def desk(self, n_rows: int) -> Desk:
        """Return what the search of a column of so many rows works on."""
        width = (self.n_values if self.rules.keeps == COUNTS else 1) + 1
        most = int(self.n_categories.max()) + 2
        blocks = Blocks(
            codes=np.zeros(most, dtype=np.int64),
            starts=np.zeros(most, dtype=np.int64),
            sums=np.zeros((most, width)),
            order=np.zeros(most, dtype=np.int64),
            inside=np.zeros(most, dtype=np.int64),
        )
        n_ranks = n_rows + 1 if self.rules.keeps == DISTANCES else 0
        return Desk(self._table(n_rows), np.zeros((2, width)), np.zeros((5, n_ranks)), blocks)

    def _table(self, n_rows: int) -> Indices:
        """Return the part of each number of rows in the impurity, in whole numbers."""
        rules = self.rules
        if rules.keeps != COUNTS or rules.weighted or rules.criterion not in {GINI, ENTROPY}:
            return np.empty(0, dtype=np.int64)
        counts = np.arange(n_rows + 1)
        if rules.criterion == GINI:
            return counts**2
        return np.rint(counts * np.log2(np.maximum(counts, 1)) / rules.unit).astype(np.int64)

    def offers(self) -> Offers:
        """Return room for the best split of each column."""
        n, most = self.n_features, int(self.n_categories.max())
        return Offers(
            gains=np.zeros(n),
            keys=np.zeros(n, dtype=np.int64),
            missing_left=np.zeros(n, dtype=np.int64),
            routes=np.zeros((n, most), dtype=np.int8),
        )


def _ranked(values: Vector, entries: Indices) -> Indices:
    packing.pack_ranks(values, np.argsort(values), entries)
    return entries
