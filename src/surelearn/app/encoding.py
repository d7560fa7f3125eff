"""Mixed tables as numbers: categories become bits, missing cells means, columns one scale."""

from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn._typing import Mask, Matrix, Vector
from surelearn.base.batch import adopt, fresh_copy
from surelearn.base.table import Categories, column_names, learn_table, read_table


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn a mixed table into numbers, by what the training rows show.

    A column of numbers is centred and divided by its standard deviation, a missing cell becomes its
    mean, 0, and a column that had missing cells in training gets a bit that marks them. A column of
    categories becomes a bit per category; a missing cell or an unseen category has none set.

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

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn categories, means and scales.

        Parameters
        ----------
        X
            A data frame or an array; cells may be missing.
        y
            Not used.
        """
        del y
        fresh = fresh_copy(self)
        table = np.asarray(learn_table(fresh, X), dtype=np.float64)
        there = ~np.isnan(table)
        counts = np.maximum(1, there.sum(axis=0))
        fresh.means_ = np.where(there, table, 0.0).sum(axis=0) / counts
        squares = np.where(there, (table - fresh.means_) ** 2, 0.0).sum(axis=0) / counts
        fresh.scales_ = np.sqrt(np.where(squares > 0.0, squares, 1.0))
        fresh.marked_ = np.asarray(np.isnan(table).any(axis=0))
        return adopt(self, fresh)

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
