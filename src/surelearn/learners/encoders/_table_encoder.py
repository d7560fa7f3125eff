"""Mixed tables as numbers: categories become bits, missing cells means, columns one scale."""

from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn._stored import holds, stored
from surelearn._typing import Mask, Matrix, Vector
from surelearn.base.fitting import at_one_moment
from surelearn.base.summarising import SummarisingLearner
from surelearn.base.tables.table import (
    Categories,
    column_names,
    learn_more,
    learn_table,
    read_table,
)


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


@stored("table-encoder")
@at_one_moment
@holds(
    n_features_in_="count",
    categories_="categories",
    means_="finite[features]",
    scales_="finite[features]",
    marked_="bool[features]",
    record_=("maybe", ColumnMoments),
)
class TableEncoder(TransformerMixin, SummarisingLearner[ColumnMoments]):
    """Turn a mixed table into numbers, by what the training rows show.

    A column of numbers is centred and divided by its standard deviation, a missing cell becomes its
    mean, 0, and a column that had missing cells in training gets a bit that marks them. A column of
    categories becomes a bit per category; a missing cell or an unseen category has none set. Blocks
    given to `partial_fit` teach what all their rows given to `fit` do.

    Attributes
    ----------
    categories_
        For each column its sorted categories, or None if it is numeric.
    means_, scales_
        What is subtracted from each column of numbers, and what it is divided by.
    marked_
        Which columns have a bit for missing cells.

    Examples
    --------
    >>> rows = np.array([["red", 1.0], ["blue", 3.0], ["red", None]], dtype=object)
    >>> TableEncoder().fit(rows).transform(rows)
    array([[ 0.,  1., -1.,  0.],
           [ 1.,  0.,  1.,  0.],
           [ 0.,  1.,  0.,  1.]])
    """

    n_features_in_: int
    categories_: Categories
    means_: Vector
    scales_: Vector
    marked_: Mask

    def _admit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, first: bool
    ) -> tuple[Matrix, None, None]:
        del y
        if sample_weight is not None:
            raise ValueError("the rows of a table to encode have no weights")
        table = learn_table(self, X) if first else learn_more(self, X)
        return np.asarray(table, dtype=np.float64), None, None

    def _begin(self, X: Any, y: Any, weights: Any) -> None:
        self._solve(self._summarise(X, y, weights))  # all rows were there: no record is kept

    def _summarise(self, X: Any, y: Any, weights: Any) -> ColumnMoments:
        del y, weights
        return ColumnMoments.of(X, self.categories_)

    def _solve(self, record: ColumnMoments) -> None:
        squares = record.scatters / np.maximum(1, record.counts)
        self.means_, self.marked_ = record.means, record.absent
        self.scales_ = np.sqrt(np.where(squares > 0.0, squares, 1.0))

    def transform(self, X: Any) -> Matrix:
        """Return the numbers, columns in the order of `get_feature_names_out`."""
        check_is_fitted(self)
        table = read_table(self, X)
        parts: list[Matrix] = []
        for place, known in enumerate(self.categories_):
            cells = np.asarray(table[:, place], dtype=np.float64)
            if known is not None:
                parts.append((cells[:, np.newaxis] == np.arange(len(known))).astype(np.float64))
                continue
            absent = np.isnan(cells)
            centred = (cells - self.means_[place]) / self.scales_[place]
            parts.append(np.where(absent, 0.0, centred)[:, np.newaxis])
            if self.marked_[place]:
                parts.append(absent[:, np.newaxis].astype(np.float64))
        return np.hstack(parts)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return a name for each column of the numbers."""
        del input_features
        check_is_fitted(self)
        names: list[str] = []
        for name, known, marked in zip(
            column_names(self), self.categories_, self.marked_, strict=True
        ):
            if known is not None:
                names.extend(f"{name} = {category}" for category in known.tolist())
            else:
                names.extend([name, f"{name} is missing"] if marked else [name])
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that cells may be words or missing."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def _check_state(self) -> None:
        if len(self.categories_) != self.n_features_in_ or not (self.scales_ != 0.0).all():
            raise ValueError("its columns are not as many as their categories, or one has no scale")
        record = getattr(self, "record_", None)
        if record is not None and len(record.means) != self.n_features_in_:
            raise ValueError("its moments are not those of its columns")
