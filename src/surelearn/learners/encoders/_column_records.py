"""What an encoder sums up of the columns of a chunk of rows; the sums of chunks add."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from surelearn._stored import holds, stored
from surelearn._typing import Mask, Matrix, Vector
from surelearn.base.tables.table import Categories


@stored("column-moments")
@holds(
    counts="any[features]",
    means="finite[features]",
    scatters="finite[features]",
    absent="bool[features]",
)
@dataclass(frozen=True)
class ColumnMoments:
    """Of each column the cells that are there, their mean and scatter, and whether one is missing.

    The sum of two is that of all rows (Chan, Golub and LeVeque, 1983). Columns of categories count
    as empty ones.
    """

    counts: Vector
    means: Vector
    scatters: Vector
    absent: Mask

    @classmethod
    def of(cls, table: Matrix, categories: Categories) -> Self:
        """Summarise rows of numbers and codes."""
        missing = np.isnan(table)
        there = ~missing & [known is None for known in categories]
        counts = there.sum(axis=0)
        means = np.where(there, table, 0.0).sum(axis=0) / np.maximum(1, counts)
        scatters = np.where(there, (table - means) ** 2, 0.0).sum(axis=0)
        return cls(counts, means, scatters, np.asarray(missing.any(axis=0)))

    def __add__(self, other: Self) -> "ColumnMoments":
        """Return the moments of the rows of both."""
        counts = self.counts + other.counts
        share, step = other.counts / np.maximum(1, counts), other.means - self.means
        between = self.counts * share * step**2
        return ColumnMoments(
            counts,
            self.means + share * step,
            self.scatters + other.scatters + between,
            self.absent | other.absent,
        )


@stored("column-ranges")
@holds(
    moments=ColumnMoments,
    lows="float[features]",
    highs="float[features]",
)
@dataclass(frozen=True)
class ColumnRanges:
    """The moments of each column, and the least and largest cell of it."""

    moments: ColumnMoments
    lows: Vector
    highs: Vector

    def _check_state(self) -> None:
        if len(self.moments.means) != len(self.lows):
            raise ValueError("its moments are those of other columns")

    @classmethod
    def of(cls, table: Matrix, categories: Categories) -> Self:
        """Summarise rows of numbers and codes."""
        low = np.where(np.isnan(table), np.inf, table).min(axis=0)
        high = np.where(np.isnan(table), -np.inf, table).max(axis=0)
        return cls(ColumnMoments.of(table, categories), low, high)

    def __add__(self, other: Self) -> "ColumnRanges":
        """Return the summary of the rows of both."""
        return ColumnRanges(
            self.moments + other.moments,
            np.minimum(self.lows, other.lows),
            np.maximum(self.highs, other.highs),
        )
