"""Mixed tables as numbers: categories become bits, missing cells means, columns one scale."""

from typing import Any, Literal, Self, TypeAlias, cast

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn._stored import holds, stored
from surelearn._typing import ArrayLike, Mask, Matrix, Vector
from surelearn.base.fitting import at_one_moment, warn
from surelearn.base.summarising import SummarisingLearner, Summary
from surelearn.base.tables.table import (
    UNSEEN,
    Categorical,
    Categories,
    column_names,
    joined_categories,
    learn_more,
    learn_table,
    read_table,
)
from surelearn.base.validation import refuse_huge
from surelearn.learners.encoders._column_records import ColumnMoments, ColumnRanges

Drop: TypeAlias = Literal["none", "first"]
"""Which category of a column gets no bit."""

Unseen: TypeAlias = Literal["zeros", "refuse"]
"""What a category does that was not there in training."""

Scaling: TypeAlias = Literal["standard", "min-max", "none"]
"""What is done to columns of numbers."""

_OPTIONS = {
    "drop": ("none", "first"),
    "unseen": ("zeros", "refuse"),
    "scaling": ("standard", "min-max", "none"),
}


@stored("table-encoder")
@at_one_moment
@holds(
    n_features_in_="count",
    categories_="categories",
    means_="finite[features]",
    scales_="finite[features]",
    lows_="maybe finite[features]",
    marked_="bool[features]",
    record_=("maybe", ColumnMoments | ColumnRanges),
)
class TableEncoder(TransformerMixin, SummarisingLearner[ColumnMoments | ColumnRanges]):
    """Turn a mixed table into numbers, by what the training rows show.

    A column of numbers is put on a common scale, a missing cell becomes the mean of its column, and
    a column that had missing cells in training gets a bit that marks them. A column of categories
    becomes a bit per category; a missing cell or an unseen category has none set. Blocks given to
    `partial_fit` teach what all their rows given to `fit` do. Trees and `MixedNaiveBayes` need no
    encoder, and Gower's distance compares mixed rows as they are.

    Parameters
    ----------
    drop
        "none": a bit per category. "first": none for the first in sorted order, so that the bits of
        a column do not add up to the intercept of a linear model. Missing cells then get a bit of
        their own if there were any in training; any other cell without a bit looks like the first
        category, and a warning says if there was one.
    unseen
        What a category that was not there in training does: "zeros" sets no bit, "refuse" is an
        error that names it.
    scaling
        "standard": subtract the mean of a column, divide by its standard deviation. "min-max":
        its least cell becomes 0 and its largest 1. "none" leaves numbers as they are.
    categorical_features
        The columns of numbers that hold categories: names, places, a mask or "all". A column of
        text always does.

    Attributes
    ----------
    categories_
        For each column its sorted categories, or None if it is numeric.
    means_, scales_
        The mean of each column of numbers, and what it is divided by.
    lows_
        With scaling="min-max" the least cell of each column, which is subtracted.
    marked_
        Which columns have a bit for missing cells.

    Examples
    --------
    >>> rows = np.array([["red", 1.0], ["blue", 3.0], ["red", None]], dtype=object)
    >>> TableEncoder().fit(rows).transform(rows)
    array([[ 0.,  1., -1.,  0.],
           [ 1.,  0.,  1.,  0.],
           [ 0.,  1.,  0.,  1.]])
    >>> encoder = TableEncoder(drop="first", scaling="min-max").fit(rows)
    >>> encoder.get_feature_names_out().tolist(), encoder.transform(rows)[0].tolist()
    (['x0 = red', 'x1', 'x1 is missing'], [1.0, 0.0, 0.0])
    """

    n_features_in_: int
    categories_: Categories
    means_: Vector
    scales_: Vector
    lows_: Vector
    marked_: Mask
    drop: Drop = "none"
    unseen: Unseen = "zeros"
    scaling: Scaling = "standard"
    categorical_features: Categorical = None

    def __init__(
        self,
        *,
        drop: Drop = "none",
        unseen: Unseen = "zeros",
        scaling: Scaling = "standard",
        categorical_features: Categorical = None,
    ) -> None:
        given = {
            "drop": drop,
            "unseen": unseen,
            "scaling": scaling,
            "categorical_features": categorical_features,
        }
        # Defaults stay with the class: encoders that were stored before there were any options are
        # then the same as today's, to the fingerprint that their certificates state.
        for name, value in given.items():
            if value is not getattr(TableEncoder, name):
                setattr(self, name, value)

    def fit(self, X: Any, y: Any = None, *weights: Any) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Forget all, and learn categories, means and scales from these rows.

        Parameters
        ----------
        X
            A table: a data frame or an array, of numbers, words and missing cells.
        y
            Not used.
        weights
            None are taken: rows to encode count alike.
        """
        return super().fit(X, y, *weights)

    def partial_fit(self, X: Any, y: Any = None, *weights: Any) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Add these rows to all seen so far."""
        return super().partial_fit(X, y, *weights)

    def _admit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, first: bool
    ) -> tuple[Matrix, None, None]:
        del y
        self._check_options(sample_weight)
        chosen = self.categorical_features
        table = learn_table(self, X, categorical=chosen) if first else learn_more(self, X)
        return self._finite(table)

    def _admit_part(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[Matrix, None, None]:
        del y
        self._check_options(sample_weight)
        chosen = self.categorical_features
        return self._finite(learn_table(self, X, categorical=chosen, whole=False))

    def _finite(self, table: Matrix) -> tuple[Matrix, None, None]:
        numbers = np.asarray(table, dtype=np.float64)
        if self.scaling == "standard":
            refuse_huge(numbers, "columns")
        return numbers, None, None

    def _check_options(self, sample_weight: ArrayLike | None) -> None:
        if sample_weight is not None:
            raise ValueError("the rows of a table to encode have no weights")
        for name, allowed in _OPTIONS.items():
            if getattr(self, name) not in allowed:
                known = ", ".join(map(repr, allowed))
                raise ValueError(f"{name}={getattr(self, name)!r} must be one of {known}")

    def _join(self, one: Summary, other: Summary) -> Summary:
        categories = joined_categories(one.learnt["categories_"], other.learnt["categories_"])
        learnt = {**one.learnt, "categories_": categories}
        return Summary(learnt, one.record + other.record)

    def _begin(self, X: Any, y: Any, weights: Any) -> None:
        self._solve(self._summarise(X, y, weights))  # all rows were there: no record is kept

    def _summarise(self, X: Any, y: Any, weights: Any) -> ColumnMoments | ColumnRanges:
        del y, weights
        kind = ColumnRanges if self.scaling == "min-max" else ColumnMoments
        return kind.of(X, self.categories_)

    def _solve(self, record: ColumnMoments | ColumnRanges) -> None:
        if isinstance(record, ColumnRanges):
            there = record.moments.counts > 0
            self.lows_ = np.where(there, record.lows, 0.0)
            spans = np.where(there, record.highs - self.lows_, 0.0)
            self.means_, self.marked_ = record.moments.means, record.moments.absent
            self.scales_ = np.where(spans > 0.0, spans, 1.0)
            return
        squares = record.scatters / np.maximum(1, record.counts)
        self.means_, self.marked_ = record.means, record.absent
        self.scales_ = np.sqrt(np.where(squares > 0.0, squares, 1.0))
        if self.scaling == "none":
            self.scales_ = np.ones(len(squares))

    def transform(self, X: Any) -> Matrix:
        """Return the numbers, columns in the order of `get_feature_names_out`."""
        check_is_fitted(self)
        table = np.asarray(read_table(self, X), dtype=np.float64)
        self._look_at_unseen(table)
        parts: list[Matrix] = []
        for place, known in enumerate(self.categories_):
            cells = table[:, place]
            absent = np.isnan(cells)
            if known is None:
                centred = (cells - self._shift(place)) / self.scales_[place]
                middle = (self.means_[place] - self._shift(place)) / self.scales_[place]
                parts.append(np.where(absent, middle, centred)[:, np.newaxis])
            else:
                bits = np.arange(len(known))[self.drop == "first" :]
                parts.append((cells[:, np.newaxis] == bits).astype(np.float64))
            if self._has_mark(place):
                parts.append(absent[:, np.newaxis].astype(np.float64))
        return np.hstack(parts)

    def _shift(self, place: int) -> float:
        """Return what is subtracted from a column of numbers."""
        if self.scaling == "none":
            return 0.0
        return float((self.lows_ if self.scaling == "min-max" else self.means_)[place])

    def _has_mark(self, place: int) -> bool:
        """Whether a column has a bit for missing cells; one bit per category says as much."""
        shown = self.categories_[place] is None or self.drop == "first"
        return bool(self.marked_[place]) and shown

    def _look_at_unseen(self, table: Matrix) -> None:
        """Refuse unseen categories, or warn of cells that look like the dropped one."""
        names = column_names(self)
        for place, known in enumerate(self.categories_):
            if known is None:
                continue
            strangers = int(np.count_nonzero(table[:, place] == UNSEEN))
            if strangers and self.unseen == "refuse":
                raise ValueError(
                    f"column {names[place]!r} holds a category in {strangers} rows that was not "
                    f"there in training: it had {known.tolist()[:5]}"
                    f"{' and others' if len(known) > 5 else ''}"
                )
            silent = 0 if self._has_mark(place) else int(np.isnan(table[:, place]).sum())
            if self.drop == "first" and strangers + silent:
                warn(
                    f"{strangers + silent} cells of column {names[place]!r} are missing or hold a "
                    f"category that was not there in training; without the bit of "
                    f"{known.tolist()[0]!r} they look like it",
                    UserWarning,
                )

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return a name for each column of the numbers."""
        del input_features
        check_is_fitted(self)
        names: list[str] = []
        for place, (name, known) in enumerate(
            zip(column_names(self), self.categories_, strict=True)
        ):
            bits = [] if known is None else known.tolist()[self.drop == "first" :]
            names.extend([name] if known is None else [f"{name} = {word}" for word in bits])
            names.extend([f"{name} is missing"] if self._has_mark(place) else [])
        return np.array(names, dtype=object)

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: options or columns that do not fit."""
        if (self.scales_ == 0.0).any() or (self.scaling == "min-max") > hasattr(self, "lows_"):
            raise ValueError("a column has no scale, or no least cell")
        for name, allowed in _OPTIONS.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}={getattr(self, name)!r} must be one of {list(allowed)}")
        record = getattr(self, "record_", None)
        if record is not None:
            kind = ColumnRanges if self.scaling == "min-max" else ColumnMoments
            moments = record.moments if isinstance(record, ColumnRanges) else record
            if type(record) is not kind or len(moments.means) != self.n_features_in_:
                raise ValueError("its moments are not those of its columns")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that cells may be words or missing."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags
