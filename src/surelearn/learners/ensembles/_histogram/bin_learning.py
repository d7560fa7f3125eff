"""Learning bins: cuts at the quantiles of a sample of rows, and a bin for each category."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn import _threads
from surelearn._typing import Indices, Vector
from surelearn.base.fitting import warn
from surelearn.learners.ensembles._histogram.binning import MOST_BINS, Bins, columns_of
from surelearn.learners.ensembles._histogram.cut_points import cut_points

_SAMPLE = 50_000  # rows from which cuts are found: 200 for each bin, and sorting them is quick
_AT_ONCE = 8  # columns read together: their cells of a row stand in one line of the cache


def learn_bins(
    X: Any,
    n_categories: Indices,
    *,
    max_bins: int = MOST_BINS,
    max_categories: int | None = None,
    n_jobs: int | None = 1,
) -> Bins:
    """Return the bins of a training table.

    Parameters
    ----------
    X
        Rows as for `Bins.encode`.
    n_categories
        The number of categories of each column, 0 for numbers.
    max_bins, max_categories
        The largest number of bins of a column of numbers, and of one of categories; the same if the
        latter is None. Missing cells have one more.
    n_jobs
        The number of threads; None means one per core. The result is the same.
    """
    most = max_bins if max_categories is None else max_categories
    crowded = np.flatnonzero(n_categories > most).tolist()
    sizes = {j: category_sizes(columns_of(X[:, [j]])[0], int(n_categories[j])) for j in crowded}
    return bins_of_sample(_sample(X), n_categories, sizes, (max_bins, most), n_jobs=n_jobs)


def bins_of_sample(
    sample: Any,
    n_categories: Indices,
    sizes: Mapping[int, Indices],
    most: tuple[int, int],
    *,
    n_jobs: int | None = 1,
) -> Bins:
    """Return the bins of a table, given a sample of its rows.

    Parameters
    ----------
    sample
        Rows as for `Bins.encode`.
    n_categories
        The number of categories of each column, 0 for numbers.
    sizes
        How many rows have each category, of the columns with more categories than bins.
    most
        The largest number of bins of a column of numbers, and of one of categories.
    """
    d = sample.shape[1]
    cuts: list[Vector] = [np.empty(0)] * d
    categories: list[Indices] = [np.empty(0, dtype=np.int64)] * d

    def work(chunk: slice) -> None:
        for part in _threads.chunks(chunk.stop - chunk.start, _AT_ONCE):
            first = chunk.start + part.start
            block = columns_of(sample[:, first : chunk.start + part.stop])
            for j, column in enumerate(block, start=first):
                if n_categories[j] == 0:
                    column.sort()  # missing cells come last
                    cuts[j] = cut_points(column[: np.searchsorted(column, np.nan)], most[0])

    _threads.run_chunks(work, d, n_jobs, largest=_AT_ONCE)
    for j in np.flatnonzero(n_categories).tolist():
        categories[j] = np.arange(n_categories[j])
        if j in sizes:
            categories[j] = _shared_bins(sizes[j], most[1], int(j))
    return Bins(*_side_by_side(cuts), *_side_by_side(categories))


def sampled_places(n: int) -> Indices:
    """Return the places of the rows that the cuts of a table of n rows are found from."""
    if n <= _SAMPLE:
        return np.arange(n)
    return np.sort(np.random.default_rng(n).choice(n, _SAMPLE, replace=False))


def _sample(X: Any) -> Any:
    """Return all rows, or some of many; which ones depends on their number alone."""
    n, rows = X.shape[0], cast("Any", X).tocsr() if sparse.issparse(X) else X
    if n > _SAMPLE:
        rows = rows[sampled_places(n)]
    return rows.tocsc() if sparse.issparse(X) else rows


def category_sizes(codes: Vector, n: int) -> Indices:
    """Return how many rows have each category.

    Examples
    --------
    >>> category_sizes(np.array([0.0, 2.0, np.nan, -1.0, 2.0]), 3)
    array([1, 0, 2])
    """
    there = codes[codes >= 0.0].astype(np.int64)  # neither missing nor unknown
    return np.bincount(there, minlength=n)


def _shared_bins(counts: Indices, most: int, column: int) -> Indices:
    """Return the bin of each category of a column; the rarest share the last bin."""
    n = len(counts)
    own = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    bins = np.full(n, most - 1)
    bins[own] = np.arange(most - 1)
    warn(
        f"column {column} has {n} categories, and there are {most} bins: the {n - most + 1} rarest "
        "categories share one"
    )
    return bins


def _side_by_side(parts: list[Any]) -> tuple[NDArray[Any], Indices]:
    """Return all parts in one array, and where each begins."""
    starts = np.zeros(len(parts) + 1, dtype=np.int64)
    starts[1:] = np.cumsum([len(part) for part in parts])
    return np.concatenate(parts), starts
