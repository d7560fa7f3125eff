"""The categories of columns, and codes for them."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import codes
from surelearn._typing import Indices, Mask, Vector
from surelearn.base.tables.columns import Words

UNSEEN = -1.0
"""The code of a category that was not there in training."""

_CHUNK = 1 << 14  # rows searched before asking whether all categories have been seen
_MOST_CHARACTERS = 1 << 26  # of all categories of a column, each as wide as the longest
_WIDEST = 1 << 16  # whole numbers in a range shorter than this are looked up, others sorted


def categories_of_words(column: Words, most: int | None, name: str) -> NDArray[Any]:
    """Return the sorted words of a column."""
    used = column.used()
    refuse_many(len(used), most, name)
    words: list[str] = column.words.take(used).to_pylist()
    _refuse_prose(words, name)
    return np.unique(np.array(words, dtype=str))


def categories_of_numbers(X: NDArray[Any], chosen: Mask) -> list[Vector | None]:
    """Return the sorted values of each chosen column, None for the others.

    Examples
    --------
    >>> categories_of_numbers(np.array([[3.0, 0.5], [1.0, np.nan]]), np.array([True, False]))
    [array([1., 3.]), None]
    """
    low, high = _extremes(X)
    codes.limits(X, low, high)
    if X.dtype == np.int64 and chosen.any():
        _refuse_huge(low[chosen], high[chosen])
    widths = np.subtract(high, low, dtype=np.float64)
    narrow = chosen & (widths < _WIDEST)
    starts, sizes = _layout(np.where(narrow, widths + 1.0, -1.0))
    seen, whole = np.zeros(sizes.sum(), dtype=bool), np.ones(len(low), dtype=bool)
    for start in range(0, len(X), _CHUNK):
        codes.mark(X[start : start + _CHUNK], low, starts, seen, whole)
        if X.dtype == np.int64 and seen.all():
            break  # nothing is left to be found

    def values(j: int) -> Vector:
        if narrow[j] and whole[j]:
            there = np.flatnonzero(seen[starts[j] : starts[j] + sizes[j]])
            return (low[j] + there).astype(np.float64)
        return np.unique(X[:, j][~np.isnan(X[:, j])]).astype(np.float64)

    return [values(j) if chosen[j] else None for j in range(len(low))]


def encode_words(column: Words, known: NDArray[Any] | None, out: NDArray[Any], name: str) -> None:
    """Fill `out`, a column, with the place of each word among the known ones."""
    import pyarrow as pa  # noqa: PLC0415 - only tables of text need it
    from pyarrow import compute  # noqa: PLC0415

    if known is None or known.dtype.kind != "U":
        raise ValueError(
            f"column {name!r} held numbers in training and holds text now: "
            f"{column.words[int(column.used()[0])].as_py()!r}"
        )
    words = pa.array(known.tolist(), pa.large_string())
    found = cast("Any", compute).index_in(column.words, value_set=words)
    places = found.fill_null(int(UNSEEN)).to_numpy()
    out[:, 0] = np.append(places, _absent(out)).astype(out.dtype)[column.places]


def encode_numbers(
    X: NDArray[Any], known: Sequence[NDArray[Any] | None], out: NDArray[Any], names: Sequence[str]
) -> None:
    """Fill `out` with the place of each number among the known ones, or with the number."""
    values = [_numbers_only(X[:, j], known[j], names[j]) for j in range(X.shape[1])]
    if all(found is None for found in values):
        out[:] = X
        return
    spans = np.array([_span(found) for found in values])
    starts, sizes = _layout(spans)
    low = np.zeros(len(spans), dtype=np.int64 if X.dtype == np.int64 else np.float64)
    # One table for all columns; behind it a place for unseen and one for missing values.
    lookup = np.full(sizes.sum() + 2, UNSEEN, dtype=out.dtype)
    lookup[-1] = _absent(out)
    for j, found in enumerate(values):
        if found is not None and spans[j] > 0.0:
            low[j] = found[0]
            lookup[starts[j] + (found - low[j]).astype(np.int64)] = np.arange(len(found))
    codes.encode(X, low, starts, sizes, lookup, out)
    for j, found in enumerate(values):
        if found is not None and spans[j] < 0.0:
            out[:, j] = _searched(X[:, j], found, out)


def refuse_many(n: int, most: int | None, name: str) -> None:
    """Refuse a column of more categories than allowed."""
    if most is not None and n > most:
        raise ValueError(
            f"column {name!r} has {n} categories, more than {most}; group the rare ones, leave "
            "the column out, or raise the limit"
        )


def _refuse_prose(words: Sequence[str], name: str) -> None:
    """Refuse words that are no names of categories: an array has the longest word's width."""
    longest = max(map(len, words), default=0)
    if len(words) * longest > _MOST_CHARACTERS:
        raise ValueError(
            f"column {name!r} holds {len(words):,} different texts, one of {longest:,} characters: "
            "these are no categories; shorten them, or leave the column out"
        )
    ended = next((word for word in words if word.endswith("\0")), None)
    if ended is not None:  # arrays lose it, and rows would be of no category that is known
        raise ValueError(
            f"column {name!r} holds {ended!r}, which ends in a zero byte, as no name of a category "
            "may: take it away, or leave the column out"
        )


def _refuse_huge(low: NDArray[Any], high: NDArray[Any]) -> None:
    if max(-float(low.min()), float(high.max())) > 2.0**53:
        raise ValueError(
            "whole numbers beyond 2**53 are no categories here: floats cannot tell them apart; "
            "turn them into text"
        )


def _extremes(X: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return, for each column, what any number is less than, and what any is greater than."""
    top, bottom = np.inf, -np.inf
    if X.dtype == np.int64:
        top, bottom = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    return np.full(X.shape[1], top), np.full(X.shape[1], bottom)


def _layout(spans: Vector) -> tuple[Indices, Indices]:
    """Return where the entries of each column start, -1 for a span below 0, and their number."""
    sizes = np.maximum(spans, 0.0).astype(np.int64)
    return np.where(spans < 0.0, -1, np.cumsum(sizes) - sizes), sizes


def _span(values: Vector | None) -> float:
    """Return the range of known values; -1 if it is wide, if they are no whole numbers or none."""
    if values is None:
        return -1.0
    if not len(values):
        return 0.0
    whole = bool((values == np.floor(values)).all()) and np.abs(values).max() < 2.0**53
    return values[-1] - values[0] + 1.0 if whole and values[-1] - values[0] < _WIDEST else -1.0


def _absent(out: NDArray[Any]) -> float:
    """Return the code of a missing cell."""
    return np.nan if out.dtype.kind == "f" else UNSEEN


def _numbers_only(cells: NDArray[Any], known: NDArray[Any] | None, name: str) -> Vector | None:
    """Return the known categories of a column of numbers; none if they are words."""
    if known is None or known.dtype.kind != "U":
        return known
    if not np.isnan(cells).all():
        raise ValueError(f"column {name!r} held text in training and holds numbers now")
    return np.empty(0)


def _searched(cells: NDArray[Any], known: Vector, out: NDArray[Any]) -> Vector:
    """Return the place of each cell among sorted values, by bisection."""
    places = np.minimum(np.searchsorted(known, cells), len(known) - 1)
    found = np.where(known[places] == cells, places, UNSEEN)
    return np.where(np.isnan(cells), _absent(out), found)
