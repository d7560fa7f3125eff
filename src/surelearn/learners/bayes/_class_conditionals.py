"""The factors P(x_j | c) of naive Bayes: estimated from a summary, multiplied in logarithms.

A frequency of zero stands for an infinitely small one: its logarithm is split into a finite part
and a count of zeros. So a row that is impossible in every class is still decided, by the limit of
vanishing smoothing: the fewest zeros win, the finite parts decide between equals.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.declared import refuse_unlike_declared
from surelearn.base.tables.table import Categories, n_categories
from surelearn.base.validation import refuse_tiny
from surelearn.learners.bayes import _category_loops, _moment_loops
from surelearn.learners.bayes._class_summary import ClassCounts, ClassMoments, starts


@stored("log-scores")
class LogScores(NamedTuple):
    """Logarithms of products, the last axis for the classes: finite part and number of zeros."""

    finite: Matrix
    zeros: Matrix | None = None  # none at all

    def _check_state(self) -> None:
        parts: list[Any] = [self.finite, *([] if self.zeros is None else [self.zeros])]
        for part in parts:
            if not isinstance(part, np.ndarray) or part.dtype != np.float64:
                raise TypeError("logarithms are arrays of floats")
            if part.shape != self.finite.shape or not np.isfinite(part).all():
                raise ValueError("its logarithms are not finite, or not as many as its zeros")

    def refuse_unlike(self, shape: tuple[int, ...]) -> None:
        """Refuse logarithms of another shape than a loop counts on, or none at all."""
        for part in (self.finite, *([] if self.zeros is None else [self.zeros])):
            typed = isinstance(cast("Any", part), np.ndarray) and part.dtype == np.float64
            if not typed or part.shape != shape:
                raise ValueError("the factors are not those of its categories and classes")

    def log_joint(self) -> Matrix:
        """Return the logarithms: minus infinity where there is a zero."""
        return self.finite if self.zeros is None else np.where(self.zeros > 0, -np.inf, self.finite)

    def limit(self) -> Matrix:
        """Return the finite parts where the zeros are fewest, minus infinity elsewhere.

        Examples
        --------
        >>> scores = LogScores(np.array([[-1.0, -2.0, -9.0]]), np.array([[2.0, 1.0, 1.0]]))
        >>> scores.limit()
        array([[-inf,  -2.,  -9.]])
        """
        if self.zeros is None:
            return self.finite
        fewest = self.zeros.min(axis=-1, keepdims=True)
        return np.where(self.zeros > fewest, -np.inf, self.finite)


def split_log(numerator: Matrix, denominator: Any) -> LogScores:
    """Return ln(numerator / denominator) with 1 in place of 0, and where the numerator is 0.

    Examples
    --------
    >>> finite, zeros = split_log(np.array([0.0, 2.0]), np.array([4.0, 4.0]))
    >>> np.exp(finite), zeros
    (array([0.25, 0.5 ]), array([1., 0.]))
    """
    zero = numerator == 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        finite = np.log(np.where(zero, 1.0, numerator) / denominator)
    if not np.isfinite(finite).all():
        raise ValueError("shares of weights and smoothing overflow, or vanish; choose others")
    return LogScores(finite, zero.astype(np.float64) if zero.any() else None)


@stored("category-factors")
@holds(
    starts="int[features]",
    logs=LogScores,
)
@dataclass(frozen=True, eq=False)
class CategoryFactors:
    """P(a | c) for every category a: a row per category, a column per class."""

    starts: Indices
    logs: LogScores

    @classmethod
    def estimate(cls, of: ClassCounts, smoothing: float) -> Self:
        """Return (n_ac + λ) / (n_c + λS), S categories; uniform if there is nothing to go by."""
        first, sizes = starts(of.categories), n_categories(of.categories)
        sizes = sizes[sizes > 0]
        size = np.repeat(sizes, sizes)[:, np.newaxis]
        total = np.repeat(np.add.reduceat(of.table, first[first >= 0]), sizes, axis=0)
        with np.errstate(over="ignore"):  # refused in a sentence
            above, below = of.table + smoothing, total + smoothing * size
        unknown = below == 0.0
        return cls(first, split_log(np.where(unknown, 1.0, above), np.where(unknown, size, below)))

    @property
    def possible(self) -> bool:
        """Whether no factor is zero."""
        return self.logs.zeros is None

    def add_to(self, scores: LogScores, codes: NDArray[Any]) -> None:
        """Add the logarithms of all factors of each row; missing and unknown cells have none."""
        _category_loops.gather(codes, self.starts, self.logs.finite, scores.finite)
        if scores.zeros is not None and self.logs.zeros is not None:
            _category_loops.gather(codes, self.starts, self.logs.zeros, scores.zeros)

    def by_column(self, sizes: Indices) -> tuple[Matrix | None, ...]:
        """Return ln P(a | c) of each column, a row per class; None for a column of numbers."""
        logs = self.logs.log_joint()
        return tuple(
            None if start < 0 else logs[start : start + size].T.copy()
            for start, size in zip(self.starts, sizes, strict=True)
        )

    def refuse_unlike(self, categories: Categories, n_classes: int) -> None:
        """Refuse factors of other categories or classes, as a forged model file may hold them."""
        refuse_unlike_declared(self)
        self.logs.refuse_unlike((int(n_categories(categories).sum()), n_classes))
        if not np.array_equal(self.starts, starts(categories)):
            raise ValueError("the factors are not those of its categories and classes")


@stored("normal-factors")
@holds(
    columns="int[numeric]",
    mean="finite[classes, numeric]",
    variance="finite[classes, numeric]",
    floor="number",
)
@dataclass(frozen=True, eq=False)
class NormalFactors:
    """The density of N(mean, variance) for every column of numbers: a row per class."""

    columns: Indices
    mean: Matrix
    variance: Matrix
    floor: float

    @classmethod
    def estimate(cls, of: ClassMoments, columns: Indices, var_smoothing: float) -> Self:
        """Return the moments, the variances raised by a share of the largest one of a column.

        A class without a value of a column has the moments of all rows.
        """
        pooled = of.pooled()
        refuse_tiny(np.append(pooled.mean, np.sqrt(pooled.variance())), "features")
        largest = float(pooled.variance().max(initial=0.0))
        floor = var_smoothing * (largest if largest > 0.0 else 1.0)
        known = of.weight > 0.0
        variance = np.where(known, of.variance(), pooled.variance()) + floor
        return cls(columns, np.where(known, of.mean, pooled.mean), variance, floor)

    possible = True  # a density is never zero

    def add_to(self, scores: LogScores, X: NDArray[Any]) -> None:
        """Add the log-densities of all columns of each row; a missing cell has none."""
        halves, constants = 0.5 / self.variance, -0.5 * np.log(2.0 * np.pi * self.variance)
        _moment_loops.add_log_densities(
            X, self.columns, self.mean, halves, constants, scores.finite
        )
        if np.isneginf(scores.finite.max(axis=1)).any():
            raise ValueError(
                "a row is so far from all training rows that every density is 0 in double "
                "precision; correct or rescale the features"
            )

    def refuse_unlike(self, categories: Categories, n_classes: int) -> None:
        """Refuse factors of other columns or classes, as a forged model file may hold them."""
        refuse_unlike_declared(self, classes=n_classes)
        numeric = np.flatnonzero([known is None for known in categories])
        if not np.array_equal(self.columns, numeric):
            raise ValueError("the densities are not those of its columns and classes")
        if not (self.variance > 0.0).all():
            raise ValueError("a variance is not positive")


def softmax(scores: Matrix) -> tuple[Matrix, Vector]:
    """Return probabilities in proportion to the exponentials, and the logarithms of the sums."""
    top = scores.max(axis=1)
    exponentials = np.exp(scores - top[:, np.newaxis])
    sums = exponentials.sum(axis=1)
    return exponentials / sums[:, np.newaxis], top + np.log(sums)
