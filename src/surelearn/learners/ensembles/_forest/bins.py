"""A table of numbers and codes as bins of 16 bits: what trees of a forest are grown from.

A column of a small table has a bin for each of its values. Of a large one, some rows that are drawn
without looking at the data, the reference rows, decide where the bins end: at most `max_bins` of
them, and a value as frequent as an average bin has one of its own. A category is a bin.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._threads import Workers
from surelearn._typing import Indices, Mask, Matrix, Vector

SMALL = 4096
"""The number of rows up to which each value of a column is a bin; no column has more bins."""

_LEAST_REFERENCES, _MOST_REFERENCES = 1024, 32768
_SHARE = 5  # a fifth of the rows are references, within these limits

Codes = NDArray[np.uint16]


class Bins(NamedTuple):
    """Where the bins of each column lie.

    Attributes
    ----------
    n_bins
        The number of bins of each column; the next code stands for a missing cell.
    lower, upper
        For each column what separates bin k from those before and after it: a cut between bins
        a < b is the middle of `upper[a]` and `lower[b]`. Columns of categories have none.
    ends
        For each column the largest number of every bin, then infinities up to a power of two.
    is_category
        Which columns hold categories.
    """

    n_bins: Indices
    lower: Matrix
    upper: Matrix
    ends: Matrix
    is_category: Mask


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
    X: Matrix, n_categories: Indices, references: Indices | None, max_bins: int, workers: Workers
) -> Bins:
    """Return the bins of a table of numbers and codes.

    Examples
    --------
    >>> X = np.array([[3.0], [1.0], [np.nan], [3.0]])
    >>> bins = find_bins(X, np.array([0]), None, 255, Workers(None, 1))
    >>> bins.n_bins.tolist(), bins.upper.tolist()
    ([2], [[1.0, 3.0]])
    """

    def limits(feature: int) -> tuple[Vector, Vector]:
        if n_categories[feature] > 0:
            return np.empty(0), np.empty(0)
        column = np.asarray(X[:, feature], dtype=np.float64)
        if references is None:
            values = np.unique(column[~np.isnan(column)])
            return values, values
        return _quantiles(column[references], max_bins)

    found = workers.map(limits, range(X.shape[1]))
    n_bins = np.array([len(upper) for _, upper in found]) + n_categories
    widest = max(1, *(len(upper) for _, upper in found))
    return Bins(
        n_bins=n_bins,
        lower=_padded([lower for lower, _ in found], widest),
        upper=_padded([upper for _, upper in found], widest),
        ends=_padded([upper for _, upper in found], 1 << max(0, int(widest - 1).bit_length())),
        is_category=n_categories > 0,
    )


def _padded(rows: list[Vector], width: int) -> Matrix:
    """Return rows of several lengths as a matrix; infinities follow them."""
    matrix = np.full((len(rows), width), np.inf)
    for row, place in zip(rows, matrix, strict=True):
        place[: len(row)] = row
    return matrix


def _quantiles(sample: Vector, max_bins: int) -> tuple[Vector, Vector]:
    """Return what separates each bin from those before and after it; the last has no end."""
    values, counts = np.unique(sample[~np.isnan(sample)], return_counts=True)
    if len(values) == 0:
        return np.array([-np.inf]), np.array([np.inf])  # other rows may have a number there
    closed = np.zeros(len(values), dtype=np.bool_)
    _close_bins(counts, max_bins, closed)
    last = np.flatnonzero(closed[:-1])
    cuts = 0.5 * values[last] + 0.5 * values[last + 1]
    cuts = np.where(cuts < values[last + 1], cuts, values[last])  # neighbouring floats
    return np.append(-np.inf, cuts), np.append(cuts, np.inf)


@jit
def _close_bins(counts: Indices, max_bins: int, closed: Mask) -> None:
    """Mark the values that end a bin: one as frequent as an average bin has its own."""
    average = counts.sum() / max_bins
    n_frequent, n_others = 0, 0
    for count in counts:
        if count >= average:
            n_frequent += 1
        else:
            n_others += count
    # Frequent values may cut the others into one more run than there are frequent values.
    share = n_others / max(1, max_bins - 2 * n_frequent - 1)
    here = 0.0
    n_closed = 0
    for v in range(len(counts)):
        alone = counts[v] >= average
        if alone and here > 0.0:
            closed[v - 1] = True
            n_closed += 1
        here = 0.0 if alone else here + counts[v]
        if alone or here >= share:
            closed[v], here = True, 0.0
            n_closed += 1
        if n_closed >= max_bins - 2:
            return


def encode(X: Matrix, bins: Bins, workers: Workers) -> Codes:
    """Return the bin of each cell, a row of them for each column.

    Examples
    --------
    >>> X = np.array([[3.0], [1.0], [np.nan], [3.0]])
    >>> bins = find_bins(X, np.array([0]), None, 255, Workers(None, 1))
    >>> encode(X, bins, Workers(None, 1)).tolist()
    [[1, 0, 2, 1]]
    """
    codes = np.empty((X.shape[1], len(X)), dtype=np.uint16)

    def write(feature: int) -> None:
        column = np.ascontiguousarray(X[:, feature], dtype=np.float64)
        if bins.is_category[feature]:
            _encode_categories(column, int(bins.n_bins[feature]), codes[feature])
        else:
            _encode_numbers(column, bins.ends[feature], int(bins.n_bins[feature]), codes[feature])

    workers.map(write, range(X.shape[1]))
    return codes


@jit
def _encode_numbers(column: Vector, ends: Vector, n_bins: int, codes: Codes) -> None:
    """Write how many bins end below each number, by bisection without branches."""
    half = len(ends) // 2
    for t in range(len(column)):
        cell, place, step = column[t], 0, half
        while step > 0:
            place += step * int(ends[place + step - 1] < cell)
            step //= 2
        place += int(ends[place] < cell)
        codes[t] = n_bins if cell != cell else min(place, n_bins - 1)  # noqa: PLR0124 - NaN


@jit
def _encode_categories(column: Vector, n_categories: int, codes: Codes) -> None:
    """Write each category; one that was not there in training is missing."""
    for t in range(len(column)):
        cell = column[t]
        codes[t] = int(cell) if 0.0 <= cell < n_categories else n_categories
