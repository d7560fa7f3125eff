"""What naive Bayes keeps of some rows: counts of categories and moments of numbers, by class.

The summaries of two chunks add up to that of both. Counts add exactly, whatever categories each
chunk shows; moments by the update of Chan, Golub and LeVeque (1983), which subtracts no large
numbers.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.tables.table import Categories, joined_categories, n_categories
from surelearn.learners.bayes import _category_loops, _moment_loops


def starts(categories: Categories) -> Indices:
    """Return the first row of each column in a table of all categories, -1 for numbers.

    Examples
    --------
    >>> starts((np.array(["a", "b"]), None, np.array([1.0])))
    array([ 0, -1,  2])
    """
    sizes = n_categories(categories)
    return np.where(sizes > 0, np.cumsum(sizes) - sizes, -1)


@stored("class-counts")
@holds(
    categories="categories",
    table="finite[cells, classes]",
)
@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The weight of each category in each class: a row per category, a column per class."""

    categories: Categories
    table: Matrix

    @classmethod
    def of(
        cls, codes: NDArray[Any], labels: Indices, weights: Vector, shape: tuple[Categories, int]
    ) -> Self:
        """Count the codes of a chunk, given the categories and the number of classes."""
        categories, n_classes = shape
        table = np.zeros((int(n_categories(categories).sum()), n_classes))
        _category_loops.count(codes, labels, weights, starts(categories), table)
        return cls(categories, table)

    def __add__(self, other: Self) -> "ClassCounts":
        """Count the rows of both, over the categories of both."""
        union = joined_categories(self.categories, other.categories)
        return ClassCounts(union, self._among(union) + other._among(union))

    def _among(self, categories: Categories) -> Matrix:
        """Return the table over these categories, which include all of one's own."""
        table = np.zeros((int(n_categories(categories).sum()), self.table.shape[1]))
        old, new = starts(self.categories), starts(categories)
        for j, (mine, all_of_them) in enumerate(zip(self.categories, categories, strict=True)):
            if mine is not None and all_of_them is not None:
                places = new[j] + np.searchsorted(all_of_them, mine)
                table[places] = self.table[old[j] : old[j] + len(mine)]
        return table

    def _check_state(self) -> None:
        if len(self.table) != n_categories(self.categories).sum() or (self.table < 0.0).any():
            raise ValueError("its counts are not those of its categories")


@stored("class-moments")
@holds(
    weight="finite[classes, numeric]",
    mean="finite[classes, numeric]",
    squares="finite[classes, numeric]",
)
@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Weight, mean and sum of squared deviations of each column of numbers: a row per class."""

    weight: Matrix
    mean: Matrix
    squares: Matrix

    @classmethod
    def of(
        cls, X: NDArray[Any], labels: Indices, weights: Vector, shape: tuple[Indices, int]
    ) -> Self:
        """Summarise the given columns of a chunk, given the number of classes, in two passes."""
        columns, n_classes = shape
        centre, sums = np.zeros((n_classes, len(columns))), np.zeros((3, n_classes, len(columns)))
        _moment_loops.deviations(X, labels, weights, columns, centre, sums)
        centre = _ratio(sums[1], sums[0])
        sums[:] = 0.0
        _moment_loops.deviations(X, labels, weights, columns, centre, sums)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused later
            drift = _ratio(sums[1], sums[0])
            squares = np.maximum(0.0, sums[2] - drift * sums[1])
        return cls(sums[0], centre + drift, squares)

    def __add__(self, other: Self) -> "ClassMoments":
        """Summarise the rows of both."""
        weight = self.weight + other.weight
        share, gap = _ratio(other.weight, weight), other.mean - self.mean
        with np.errstate(over="ignore", invalid="ignore"):
            squares = self.squares + other.squares + gap**2 * self.weight * share
        return ClassMoments(weight, self.mean + gap * share, squares)

    def among(self, places: Indices, n_classes: int) -> "ClassMoments":
        """Return the moments where these classes stand at other places, among others."""
        wider = np.zeros((3, n_classes, self.weight.shape[1]))
        wider[:, places] = self.weight, self.mean, self.squares
        return ClassMoments(*wider)

    def pooled(self) -> "ClassMoments":
        """Summarise all classes as one."""
        total = ClassMoments(self.weight[:1], self.mean[:1], self.squares[:1])
        for c in range(1, len(self.weight)):
            one = slice(c, c + 1)
            total += ClassMoments(self.weight[one], self.mean[one], self.squares[one])
        return total

    def variance(self) -> Matrix:
        """Return the variances, 0 where there is no value."""
        return _ratio(self.squares, self.weight)


@stored("class-summary")
@holds(
    n_rows="count",
    weight="finite[classes]",
    counts=ClassCounts,
    moments=ClassMoments,
)
@dataclass(frozen=True, eq=False)
class ClassSummary:
    """All that naive Bayes needs to know of some rows."""

    n_rows: int
    weight: Vector
    counts: ClassCounts
    moments: ClassMoments

    @classmethod
    def of(
        cls, table: NDArray[Any], labels: Indices, weights: Vector, shape: tuple[Categories, int]
    ) -> Self:
        """Summarise a chunk, given the categories and the number of classes."""
        categories, n_classes = shape
        numeric = np.flatnonzero([known is None for known in categories])
        return cls(
            len(labels),
            np.bincount(labels, weights, minlength=n_classes).astype(np.float64),
            ClassCounts.of(table, labels, weights, shape),
            ClassMoments.of(table, labels, weights, (numeric, n_classes)),
        )

    def __add__(self, other: Self) -> "ClassSummary":
        """Summarise the rows of both."""
        return ClassSummary(
            self.n_rows + other.n_rows,
            self.weight + other.weight,
            self.counts + other.counts,
            self.moments + other.moments,
        )

    def among(self, places: Indices, n_classes: int) -> "ClassSummary":
        """Return the same summary where these classes stand at other places, among others."""
        if np.array_equal(places, np.arange(n_classes)):
            return self
        weight = np.zeros(n_classes)
        table = np.zeros((len(self.counts.table), n_classes))
        weight[places], table[:, places] = self.weight, self.counts.table
        counts = ClassCounts(self.counts.categories, table)
        return ClassSummary(self.n_rows, weight, counts, self.moments.among(places, n_classes))

    def _check_state(self) -> None:
        n_classes, n_numeric = self.moments.weight.shape
        numeric = sum(known is None for known in self.counts.categories)
        if not n_classes == len(self.weight) == self.counts.table.shape[1]:
            raise ValueError("its parts are not of the same classes")
        if n_numeric != numeric:
            raise ValueError("its moments are not those of its columns of numbers")
        if (self.weight < 0.0).any() or (self.moments.weight < 0.0).any():
            raise ValueError("a weight is negative")


def _ratio(numerator: Matrix, denominator: Matrix) -> Matrix:
    """Return the quotient, 0 where the denominator is."""
    return np.divide(numerator, denominator, np.zeros_like(numerator), where=denominator > 0.0)
