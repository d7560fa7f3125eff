"""Bins: every cell becomes one byte, or two of many bins, found once before the first tree.

Numbers are cut at quantiles of a sample, a category has a bin of its own, and missing cells, with
categories that were not there in training, have the last one. Encoding a row depends on that row
alone, so blocks of rows may be encoded in any order, by any number of threads.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn import _threads
from surelearn._jit import borrowing, jit
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.declared import refuse_unlike_declared
from surelearn.learners.ensembles._histogram.cut_points import Codes

MISSING = 255
"""The bin of missing cells and of categories that were not there in training."""

MOST_BINS = 255
"""The largest number of bins of a column, beside that of missing cells."""

_ROWS = 1024  # rows encoded at once by a thread
_LAST_STEPS = np.uint64(128)


@stored("histogram-bins")
@holds(
    cuts="finite[cuts]",
    first_cut="int[features+1]",
    category_bins="int[categories]",
    first_category="int[features+1]",
)
@dataclass(frozen=True)
class Bins:
    """How the cells of each column become bins.

    Attributes
    ----------
    cuts, first_cut
        The cuts of all columns, one after the other, and where those of each column begin. A number
        is in bin b if b cuts of its column are less than it.
    category_bins, first_category
        The bin of each category of all columns, and where those of each column begin.

    Examples
    --------
    >>> from surelearn.learners.ensembles._histogram.bin_learning import learn_bins
    >>> table = np.array([[1.0, 0.0], [2.0, 1.0], [np.nan, 0.0], [4.0, -1.0]])
    >>> bins = learn_bins(table, np.array([0, 2]))
    >>> bins.encode(table)
    array([[  0,   1, 255,   2],
           [  0,   1,   0, 255]], dtype=uint8)
    >>> bins.n_bins, bins.is_categorical
    (array([3, 2]), array([False,  True]))
    """

    cuts: Vector
    first_cut: Indices
    category_bins: Indices
    first_category: Indices

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.first_cut) - 1

    @property
    def is_categorical(self) -> NDArray[np.bool_]:
        """Which columns hold categories."""
        return np.diff(self.first_category) > 0

    @property
    def n_bins(self) -> Indices:
        """The number of bins of each column, without that of missing cells."""
        found = np.diff(self.first_cut) + 1
        for j in np.flatnonzero(self.is_categorical):
            found[j] = self.category_bins[slice(*self.first_category[j : j + 2])].max() + 1
        return found

    def encode(self, X: Any, *, n_jobs: int | None = 1, missing: Indices | None = None) -> Codes:
        """Return the bin of each cell, a row of the result for each column of the table.

        Parameters
        ----------
        X
            Rows as `surelearn.base.tables.table` reads them: numbers of single or double precision
            in any order, codes of categories, NaN where a cell is missing; or a sparse matrix.
        n_jobs
            The number of threads; None means one per core. The result is the same.
        missing
            The code of a missing cell in each column; 255 by default. Above, codes have two bytes.
        """
        gaps = np.full(self.n_features, MISSING) if missing is None else missing
        kind = np.uint8 if gaps.max() <= MISSING else np.uint16
        codes: Any = np.empty((self.n_features, X.shape[0]), dtype=kind)
        padded, rows = self.padded_cuts(), cast("Any", X).tocsr() if sparse.issparse(X) else X
        categories = self.category_bins, self.first_category

        def work(chunk: slice) -> None:
            for part in _threads.chunks(chunk.stop - chunk.start, _ROWS):
                first = chunk.start + part.start
                cells = columns_of(rows[first : chunk.start + part.stop])
                encode_columns(cells, padded, *categories, gaps, first, codes)

        _threads.run_chunks(work, codes.shape[1], n_jobs, largest=16 * _ROWS)
        return codes

    def padded_cuts(self) -> Matrix:
        """Return the cuts of each column in a row, infinity where there are no more.

        A row has a power of two less one of them, so that it can be halved again and again.
        """
        longest = max(MOST_BINS, int(np.diff(self.first_cut).max()))
        padded = np.full((self.n_features, (1 << longest.bit_length()) - 1), np.inf)
        for j in range(self.n_features):
            own = self.cuts[self.first_cut[j] : self.first_cut[j + 1]]
            padded[j, : len(own)] = own
        return padded

    def refuse_unsound(self) -> None:
        """Refuse bins, changed by hand, with which a loop would leave its arrays."""
        refuse_unlike_declared(self)
        self._check_state()

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: cuts out of order, bins that are not there."""
        for name, starts, whole in (
            ("cuts", self.first_cut, self.cuts),
            ("categories", self.first_category, self.category_bins),
        ):
            if len(starts) < 2 or starts[0] != 0 or starts[-1] != len(whole):
                raise ValueError(f"its {name} are not those of its columns")
            if (np.diff(starts) < 0).any():
                raise ValueError(f"its {name} are not those of its columns")
        n_cuts = np.diff(self.first_cut)
        inside = np.ones(max(0, len(self.cuts) - 1), dtype=bool)
        inside[self.first_cut[(self.first_cut > 0) & (self.first_cut < len(self.cuts))] - 1] = False
        if (np.diff(self.cuts)[inside] <= 0.0).any() or (n_cuts >= MOST_BINS).any():
            raise ValueError("its cuts do not grow, or are too many")
        if ((self.category_bins < 0) | (self.category_bins >= MOST_BINS)).any():
            raise ValueError("its categories are in bins that are not there")
        if (n_cuts[self.is_categorical] > 0).any():
            raise ValueError("a column has both cuts and categories")


def columns_of(rows: Any) -> Matrix:
    """Return rows as double precision, column by column, in one piece of memory.

    Examples
    --------
    >>> columns_of(np.array([[1, 2], [3, 4]], dtype=np.float32))
    array([[1., 3.],
           [2., 4.]])
    """
    rows = cast("Any", rows).toarray() if sparse.issparse(rows) else rows
    columns = np.empty(rows.shape[::-1])
    columns[:] = rows.T
    return columns


@jit
def encode_columns(
    columns: Matrix,
    cuts: Matrix,
    category_bins: Indices,
    first_category: Indices,
    missing: Indices,
    first: int,
    codes: Codes,
) -> None:
    """Write the bins of some rows, given column by column, to their places from `first` on."""
    for j in range(columns.shape[0]):
        start, cells, gap, own = first_category[j], columns[j], missing[j], codes[j, first:]
        n = first_category[j + 1] - start
        if n == 0:
            _encode_numbers(cells, cuts[j], gap, own)
        else:
            for i in range(len(cells)):
                known = 0.0 <= cells[i] < n  # NaN, or -1 for a category that was not there, is not
                own[i] = category_bins[start + np.int64(cells[i])] if known else gap


@borrowing
def _encode_numbers(cells: Vector, cuts: Vector, missing: int, codes: Codes) -> None:
    """Count the cuts below each number by halving; the last eight steps wait for no branch."""
    half = np.uint64((len(cuts) + 1) >> 1)
    for i in range(len(cells)):
        cell, place, step = cells[i], np.uint64(0), half
        while step > _LAST_STEPS:  # more than 255 cuts
            place += step if cuts[place + step - np.uint64(1)] < cell else np.uint64(0)
            step >>= np.uint64(1)
        for halving in range(8):
            step = np.uint64(128 >> halving)
            place += step if cuts[place + step - np.uint64(1)] < cell else np.uint64(0)
        codes[i] = place if cell == cell else missing  # noqa: PLR0124 - NaN is no number
