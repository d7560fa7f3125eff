"""Whether a table shows that its columns were scaled by its own rows.

A scaler that was fitted to some rows leaves traces in exactly those rows: standard deviations,
norms or ranges that are 1 to the last digits. Columns of whole numbers, of two values, or of
multiples of one fraction may be so by design, and are no evidence. Nor is what a scaler did to each
row by itself. A scaler fitted to more rows than these leaves no trace that could be told from
chance: finding none proves nothing.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from surelearn._typing import Indices, Mask, Vector

_FEWEST = 5  # rows of a table in which numbers such as 1 stand for more than chance
_LOOKED_AT = 1000  # rows that tell which columns hold fractions
_CELLS = 1 << 16  # of a block that stays in a fast cache
_LARGE, _FIRST = 1 << 20, 16  # cells of a table of which the first columns are looked at
_SCREEN, _EXACT, _SINGLE, _ULPS = 1e-6, 1e-10, 1e-6, 1e-14
_STEPS = 1024  # a table whose numbers are multiples of 1/q, q up to this, may be so by design


class _Columns(NamedTuple):
    """The columns of a table that hold fractions, and what is known of each."""

    places: Indices
    low: Vector
    high: Vector
    mean: Vector
    square: Vector  # the mean of the squares
    n: int
    of: Callable[[int], Vector]


def how_scaled(X: Any) -> str:
    """Return what betrays that the columns of a table were scaled by its own rows, or "".

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> X = np.random.default_rng(0).normal(3.0, 2.0, size=(50, 2))
    >>> how_scaled(X)
    ''
    >>> how_scaled(StandardScaler().fit_transform(X))
    'in these rows the standard deviation of a column is 1 to the last digits'
    """
    if X.shape[0] < _FEWEST:
        return ""
    columns = _sparse_columns(X) if sparse.issparse(X) else _dense_columns(np.asarray(X))
    if not len(columns.places):
        return ""
    found = (
        (_has_unit_deviation, "the standard deviation of a column is 1 to the last digits"),
        (_has_unit_norm, "the squares of a column add up to 1 to the last digits"),
        (_spans_the_unit, "every column with fractions reaches from 0 to 1 exactly"),
        (_reaches_one, "the largest size in every column with fractions is exactly 1"),
        (_has_unit_quartiles, "a column has the median 0, and quartiles that are 1 apart"),
    )
    return next((f"in these rows {text}" for shown, text in found if shown(columns)), "")


def scaled_by_itself(trace: str) -> str:
    """Say what a trace means, and what to do.

    Examples
    --------
    >>> scaled_by_itself("in these rows a column has the norm 1")[36:75]
    '1, as a scaler fitted to them leaves it'
    """
    return (
        f"{trace}, as a scaler fitted to them leaves it: scale by numbers known beforehand, or fit "
        "the scaler to other rows"
    )


def _dense_columns(X: Any) -> _Columns:
    """Return what is known of the columns; those of a large table are represented by the first."""
    X = X[:, :_FIRST] if X.size > _LARGE else X
    (n, d), first = X.shape, X[:_LOOKED_AT]
    low, high, total, square = first.min(axis=0), first.max(axis=0), np.zeros(d), np.zeros(d)
    within = bool((np.maximum(-low, high) <= 1.0 + _SINGLE).all())  # else no end is of interest
    step = max(1, _CELLS // max(1, d))
    for start in range(0, n, step):
        block = X[start : start + step]
        if within:
            np.minimum(low, block.min(axis=0), out=low)
            np.maximum(high, block.max(axis=0), out=high)
        total += np.ones(len(block)) @ block
        square += np.einsum("ij,ij->j", block, block)
    places = _with_fractions(first)
    kept = (each[places] for each in (low, high, total / n, square / n))

    def column(j: int) -> Vector:
        return X[:, places[j]]

    return _Columns(places, *kept, n=n, of=column)


def _with_fractions(first: Any) -> Indices:
    """Return the columns with fractions and more than two values."""
    ordered = np.sort(first, axis=0)
    values = np.count_nonzero(np.diff(ordered, axis=0), axis=0) + 1
    return np.flatnonzero((values > 2) & (first % 1.0).any(axis=0))


def _sparse_columns(X: Any) -> _Columns:
    """Return the columns that hold fractions; the cells that are not stored count as 0."""
    table = sparse.csr_array(X)
    (n, d), places = table.shape, table.indices
    fractions = np.bincount(places[table.data % 1.0 != 0.0], minlength=d) > 1
    kept = np.flatnonzero(fractions)
    mean = np.bincount(places, table.data, minlength=d)[kept] / n
    square = np.bincount(places, table.data**2, minlength=d)[kept] / n
    ends = np.zeros((2, d))
    for end, size in zip(ends, (-table.data, table.data), strict=True):
        far = np.flatnonzero(size > 0.5)  # what is smaller decides nothing here
        np.maximum.at(end, places[far], size[far])
    stored = np.bincount(places, minlength=d)
    ends[0][(stored == n) & (ends[0] == 0.0)] = -0.5  # it may have no 0 and none below
    low, high = -ends[0][kept], ends[1][kept]

    def column(j: int) -> Vector:
        return np.asarray(table[:, [int(kept[j])]].toarray())[:, 0]

    return _Columns(kept, low, high, mean, square, n, column)


def _has_unit_deviation(columns: _Columns) -> bool:
    """Say so if a column has it; rounded to single precision, if all have it and the mean 0."""
    variance = columns.square - columns.mean**2
    room = _SCREEN * (1.0 + columns.mean**2)
    near = np.zeros(len(variance), dtype=np.bool_)
    for free in (0, 1):
        near |= np.abs(variance * columns.n / (columns.n - free) - 1.0) <= room
    if near.all() and (np.abs(columns.mean) <= 10.0 * _SINGLE).all() and _are_singles(columns):
        return not _are_multiples(columns, near)
    return any(_deviates_by_one(columns.of(j)) for j in np.flatnonzero(near)[:8])


def _deviates_by_one(column: Vector) -> bool:
    off = min(abs(float(np.std(column, ddof=free)) - 1.0) for free in (0, 1))
    return off <= _EXACT and not _is_on_a_grid(column, len(column))


def _has_unit_norm(columns: _Columns) -> bool:
    near = np.abs(columns.square * columns.n - 1.0) <= _EXACT
    return any(not _is_on_a_grid(columns.of(j), columns.n) for j in np.flatnonzero(near)[:8])


def _spans_the_unit(columns: _Columns) -> bool:
    off = float(np.max([np.abs(columns.low), np.abs(columns.high - 1.0)]))
    if off > _SINGLE or (off > _ULPS and not _are_singles(columns)):
        return False
    return not _are_multiples(columns, np.ones(len(columns.places), dtype=np.bool_))


def _reaches_one(columns: _Columns) -> bool:
    """Say so if all columns do, and one of them once: sines of hours reach 1 again and again."""
    sizes = np.maximum(np.abs(columns.low), np.abs(columns.high))
    reach: Mask = np.abs(sizes - 1.0) <= _ULPS
    if not reach.all() or _are_multiples(columns, reach):
        return False
    return any(_reaches_once(columns.of(j)) for j in range(min(len(sizes), 64)))


def _reaches_once(column: Vector) -> bool:
    return max(np.count_nonzero(side >= 1.0 - _ULPS) for side in (column, -column)) == 1


def _has_unit_quartiles(columns: _Columns) -> bool:
    """Look at a few columns only: quartiles are costly."""
    looked_at = (columns.of(j) for j in range(min(len(columns.places), 3)))
    return any(_quartiles_are_one_apart(column) for column in looked_at)


def _quartiles_are_one_apart(column: Vector) -> bool:
    if 2 * max(np.count_nonzero(column < -_EXACT), np.count_nonzero(column > _EXACT)) > len(column):
        return False  # the median is not 0
    low, high = np.quantile(column, [0.25, 0.75])
    return abs(high - low - 1.0) <= _EXACT and not _is_on_a_grid(column, len(column))


def _are_singles(columns: _Columns) -> bool:
    """Say whether the numbers of the first columns are numbers in single precision."""
    looked_at = (columns.of(j) for j in range(min(len(columns.places), 4)))
    with np.errstate(over="ignore"):
        return all(bool((column == column.astype(np.float32)).all()) for column in looked_at)


def _are_multiples(columns: _Columns, chosen: Mask) -> bool:
    """Say whether all numbers of some columns are multiples of one fraction."""
    looked_at = np.flatnonzero(chosen)[:64]
    cells = [columns.of(j)[: _LOOKED_AT * 4 : 4] for j in looked_at]
    return _is_on_a_grid(np.concatenate(cells), columns.n)


def _is_on_a_grid(values: Vector, n: int) -> bool:
    """Say whether numbers are multiples of 1/q for a small q, or for n or n − 1, as designed."""
    steps = np.append(np.arange(1.0, _STEPS + 1.0), [n, max(1, n - 1)])
    some = values[np.linspace(0, len(values) - 1, 8).astype(np.int64)]
    steps = steps[(_misses(some[:, np.newaxis] * steps) <= 1e-7).all(axis=0)]
    return any(bool((_misses(values * q) <= 1e-7).all()) for q in steps)


def _misses(products: Any) -> Any:
    """Return how far numbers are from whole ones."""
    return np.abs(products - np.rint(products))
