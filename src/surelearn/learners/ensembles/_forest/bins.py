"""The bins that trees of a forest are grown from: which rows decide where they end, what they span.

A column of a small table has a bin for each of its values. Of a large one, some rows that are drawn
without looking at the data, the reference rows, decide where the bins end. A category is a bin.
"""

from typing import NamedTuple

import numpy as np

from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.learners.ensembles._histogram.bin_learning import learn_bins
from surelearn.learners.ensembles._histogram.binning import Bins, columns_of
from surelearn.learners.ensembles._histogram.cut_points import Codes

SMALL = 4096
"""The number of rows up to which each value of a column is a bin; no column has more bins."""

_LEAST_REFERENCES, _MOST_REFERENCES = 1024, 32768
_SHARE = 5  # a fifth of the rows are references, within these limits


class SpannedBins(NamedTuple):
    """Bins, and what each of them spans.

    Attributes
    ----------
    bins
        How cells become bins.
    n_bins, is_category
        The number of bins of each column, whose next code stands for a missing cell; which columns
        hold categories.
    lower, upper
        For each column what separates bin k from those before and after it: a cut between bins
        a < b is the middle of `upper[a]` and `lower[b]`. Columns of categories have none.
    """

    bins: Bins
    n_bins: Indices
    is_category: Mask
    lower: Matrix
    upper: Matrix

    def encode(self, X: Matrix, n_jobs: int | None) -> Codes:
        """Return the bin of each cell, a row of them for each column.

        Examples
        --------
        >>> X = np.array([[3.0], [1.0], [np.nan], [3.0]])
        >>> find_bins(X, np.array([0]), None, 255, 1).encode(X, 1).tolist()
        [[1, 0, 2, 1]]
        """
        return self.bins.encode(X, n_jobs=n_jobs, missing=self.n_bins)


def reference_rows(n_rows: int, rng: np.random.Generator) -> Indices | None:
    """Return rows of a large table by which its bins are found; None if all values are bins.

    They are drawn by a seed, without a look at the data, so that trees may know them although they
    are outside their bags: such rows must not test a tree.

    Examples
    --------
    >>> reference_rows(4096, np.random.default_rng(0)) is None
    True
    >>> len(reference_rows(50_000, np.random.default_rng(0)))
    10000
    """
    if n_rows <= SMALL:
        return None
    size = min(max(_LEAST_REFERENCES, n_rows // _SHARE), _MOST_REFERENCES)
    return np.sort(rng.choice(n_rows, size=size, replace=False, shuffle=False))


def find_bins(
    X: Matrix,
    n_categories: Indices,
    references: Indices | None,
    max_bins: int,
    n_jobs: int | None,
) -> SpannedBins:
    """Return the bins of a table of numbers and codes.

    Examples
    --------
    >>> X = np.array([[3.0], [1.0], [np.nan], [3.0]])
    >>> bins = find_bins(X, np.array([0]), None, 255, 1)
    >>> bins.n_bins.tolist(), bins.upper.tolist()
    ([2], [[1.0, 3.0]])
    """
    bins = learn_bins(
        X if references is None else X[references],
        n_categories,
        max_bins=SMALL if references is None else max_bins,
        max_categories=SMALL,
        n_jobs=n_jobs,
    )
    cuts = [bins.cuts[a:b] for a, b in zip(bins.first_cut, bins.first_cut[1:], strict=False)]
    if references is None:
        lower = upper = [_values(columns_of(X[:, [j]])[0]) for j in range(X.shape[1])]
    else:
        lower = [np.append(-np.inf, own) for own in cuts]
        upper = [np.append(own, np.inf) for own in cuts]
    widest = max(1, *(len(own) for own in upper))
    spans = _padded(lower, widest), _padded(upper, widest)
    return SpannedBins(bins, bins.n_bins, bins.is_categorical, *spans)


def _values(column: Vector) -> Vector:
    """Return the numbers that a column holds, in order."""
    return np.unique(column[~np.isnan(column)])


def _padded(rows: list[Vector], width: int) -> Matrix:
    """Return rows of several lengths as a matrix; infinities follow them."""
    matrix = np.full((len(rows), width), np.inf)
    for row, place in zip(rows, matrix, strict=True):
        place[: len(row)] = row
    return matrix
