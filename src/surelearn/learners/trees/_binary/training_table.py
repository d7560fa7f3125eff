"""What a tree grows from: a table, its targets and the rules of growth."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices, Matrix, Vector
from surelearn.impurities.compiled import ENTROPY, GINI
from surelearn.learners.trees._binary import packed_cells
from surelearn.learners.trees._binary.best_splits import BestSplits
from surelearn.learners.trees._binary.categories import NodeCategories, Workspace
from surelearn.learners.trees._binary.cuts import NO_GAIN
from surelearn.learners.trees._binary.gains import (
    COUNTS,
    DISTANCES,
    MOMENT,
    RANK,
    TARGET,
    WEIGHT,
    GrowthRules,
)
from surelearn.learners.trees._binary.packed_cells import Places


class TrainingTable(NamedTuple):
    """The table, what is to be predicted, and by which rules.

    Attributes
    ----------
    cells
        The table.
    n_categories, most_categories
        The number of categories of each column, 0 for numbers, and the largest of them.
    targets
        The place of each row's class, or its number.
    weights
        The weight of each row; None if all are 1.
    n_values
        How many numbers a node predicts by: the classes, or 1.
    rules
        What is optimised, and when to stop.
    """

    cells: Matrix
    n_categories: Indices
    most_categories: int
    targets: NDArray[Any]
    weights: Vector | None
    n_values: int
    rules: GrowthRules

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.n_categories)

    @property
    def counted(self) -> Indices | None:
        """The number of categories of each column; None if none has any."""
        return self.n_categories if self.most_categories > 0 else None

    def row_values(self, rows: Places) -> Matrix:
        """Return what is known of some rows besides their cells."""
        last = MOMENT if self.weights is None else WEIGHT
        if self.rules.statistic == DISTANCES:
            last = RANK
        row_values = np.ones((last + 1, len(rows)))
        row_values[TARGET] = self.targets[rows]
        if self.weights is not None:
            row_values[WEIGHT] = self.weights[rows]
        weight = 1.0 if self.weights is None else row_values[WEIGHT]
        row_values[MOMENT] = row_values[TARGET] * weight
        return row_values

    def sorted_column(self, feature: int, rows: Places, packed: Indices | None = None) -> Indices:
        """Return the packed cells of a column, sorted, in the array given if there is one."""
        packed = np.empty(len(rows), dtype=np.int64) if packed is None else packed
        column = self.cells[:, feature]
        if self.n_categories[feature] > 0:
            packed_cells.pack_codes(column, rows, packed)
        elif not packed_cells.pack_numbers(column, rows, packed):
            return _ranked(column[rows], packed)
        packed.sort()
        return packed

    def sorted_targets(self, rows: Places, packed: Indices | None = None) -> Indices:
        """Return the packed targets, sorted."""
        packed = np.empty(len(rows), dtype=np.int64) if packed is None else packed
        return _ranked(self.targets[rows], packed)

    def workspace(self, n_rows: int) -> Workspace:
        """Return what the search of a column of so many rows works on."""
        width = (self.n_values if self.rules.statistic == COUNTS else 1) + 1
        most = self.most_categories + 2  # missing cells, and the end of the last one
        categories = NodeCategories(
            codes=np.zeros(most, dtype=np.int64),
            starts=np.zeros(most, dtype=np.int64),
            sums=np.zeros((most, width)),
            order=np.zeros(most, dtype=np.int64),
            on_left=np.zeros(most, dtype=np.int64),
        )
        n_ranks = n_rows + 1 if self.rules.statistic == DISTANCES else 0
        sums, rank_sums = np.zeros((2, width)), np.zeros((5, n_ranks))
        return Workspace(self._count_terms(n_rows), sums, rank_sums, categories)

    def _count_terms(self, n_rows: int) -> Indices:
        """Return the part of each number of rows in the impurity, in whole numbers."""
        rules = self.rules
        if rules.statistic != COUNTS or rules.weighted or rules.criterion not in {GINI, ENTROPY}:
            return np.empty(0, dtype=np.int64)
        counts = np.arange(n_rows + 1)
        if rules.criterion == GINI:
            return counts**2
        return np.rint(counts * np.log2(np.maximum(counts, 1)) / rules.unit).astype(np.int64)

    def no_splits(self) -> BestSplits:
        """Return room for the best split of each column."""
        n, most = self.n_features, self.most_categories
        return BestSplits(
            gains=np.full(n, NO_GAIN),
            keys=np.zeros(n, dtype=np.int64),
            missing_left=np.zeros(n, dtype=np.int64),
            routes=np.zeros((n, most), dtype=np.int8),
        )


def _ranked(values: Vector, packed: Indices) -> Indices:
    """Pack numbers that need double precision: their ranks are the keys."""
    packed_cells.pack_ranks(values, np.argsort(values), packed)
    return packed
