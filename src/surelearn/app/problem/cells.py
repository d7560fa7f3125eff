"""The cells of a column as the kind that a feature has: what does not fit is a missing cell."""

import math
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from surelearn._typing import Indices
from surelearn.app.errors import TableError
from surelearn.app.tables.memory_mapped import forget_pages
from surelearn.app.tables.text_columns import TEXT, numbers_among, with_points

_compute: Any = pc

Kind: TypeAlias = Literal["number", "boolean", "text", "code"]
"""What a feature is: "code" is a number called a category; its number is its word."""


def count_distinct(column: Any) -> int:
    """Return how many different values a column has, in less memory than it takes itself.

    Examples
    --------
    >>> count_distinct(pa.chunked_array([[2.0, 1.0, None], [1.0]]))
    2
    """
    known = column.drop_null()
    if types.is_dictionary(known.type):
        whole = known.unify_dictionaries().combine_chunks()
        return int(np.count_nonzero(np.bincount(whole.indices.to_numpy())))
    if types.is_timestamp(known.type):
        known = known.cast(pa.int64())
    if not (types.is_integer(known.type) or types.is_floating(known.type)):
        return len(known.unique())
    values = np.sort(known.to_numpy())
    forget_pages()
    values = values[: len(values) - np.count_nonzero(np.isnan(values))]
    return int(np.count_nonzero(np.diff(values))) + (len(values) > 0)


def codes_of(column: Any) -> Indices:
    """Return a whole number for each cell, equal ones for equal cells; missing cells share one.

    Examples
    --------
    >>> codes_of(pa.chunked_array([["a", None, "a"]])).tolist()
    [0, 1, 0]
    """
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries().combine_chunks()
    return whole.indices.fill_null(len(whole.dictionary)).to_numpy().astype(np.int64)


def as_kind(column: Any, kind: Kind, name: str, decimal: str = ".") -> Any:
    """Return a column of whatever type as 64-bit floats, or as text for "text" and "code".

    Examples
    --------
    >>> words = pa.chunked_array([["1.5", "x", None]]).dictionary_encode()
    >>> as_kind(words, "number", "size").to_pylist()
    [1.5, None, None]
    >>> as_kind(pa.chunked_array([[1.0, 2.5]]), "code", "size").to_pylist()
    ['1', '2.5']
    """
    if types.is_timestamp(column.type):
        raise TableError(f"column {name!r} holds dates, but it was learnt as {kind}")
    if types.is_dictionary(column.type) and kind != "text":
        column = _parsed(column, decimal, truth=kind == "boolean")
    elif types.is_boolean(column.type) and kind in {"text", "code"}:
        return column.cast(pa.string()).dictionary_encode()
    if kind == "text" and types.is_dictionary(column.type):
        return column
    if types.is_integer(column.type) and kind in {"text", "code"}:
        return _as_words(column)
    if not types.is_float64(column.type):
        column = column.cast(pa.float64(), safe=False)  # whole numbers beyond 2^53 are rounded
    refuse_infinite(column, name)
    if _compute.any(_compute.is_nan(column)).as_py():
        nothing = pa.scalar(None, pa.float64())
        column = _compute.if_else(_compute.is_nan(column), nothing, column)
    return column if kind in {"number", "boolean"} else _as_words(column)


def without_zeros(numbers: Any) -> Any:
    """Return numbers with a missing cell for each 0.

    Examples
    --------
    >>> without_zeros(pa.chunked_array([[0.0, 2.0]])).to_pylist()
    [None, 2.0]
    """
    nothing = pa.scalar(None, numbers.type)
    return _compute.if_else(_compute.equal(numbers, 0.0), nothing, numbers)


def is_missing(column: Any) -> Any:
    """Return which cells are missing, as an array of truth values."""
    missing = _compute.is_null(column, nan_is_null=types.is_floating(column.type))
    return missing.combine_chunks().to_numpy(zero_copy_only=False)


def _parsed(column: Any, decimal: str, *, truth: bool) -> Any:
    """Return text as numbers, or as truth values; null where it is none."""

    def parse(words: Any) -> Any:
        words = with_points(words.cast(pa.string()), decimal)
        if truth:
            words = _compute.utf8_lower(words)
            words = _compute.if_else(_compute.equal(words, "true"), "1", words)
            words = _compute.if_else(_compute.equal(words, "false"), "0", words)
        nothing = pa.scalar(None, pa.string())
        return _compute.if_else(numbers_among(words), words, nothing).cast(pa.float64())

    chunks = [parse(chunk.dictionary).take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(chunks, pa.float64())


def refuse_infinite(numbers: Any, name: str) -> None:
    """Refuse a column of floats in which one is infinite, and say where."""
    infinite = _compute.is_inf(numbers)
    if _compute.any(infinite).as_py():
        row = _compute.index(infinite, value=True).as_py() + 1
        raise TableError(
            f"row {row:,} holds infinity in column {name!r}: leave that row out, or say --missing "
            "with the word that stands there if it means that the value is missing"
        )


def _as_words(numbers: Any) -> Any:
    """Return numbers as text: whole ones without a point."""
    encoded = numbers.combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    words = [str(int(v)) if v == math.floor(v) else repr(v) for v in values]
    codes = encoded.indices.cast(pa.int32())
    text = pa.DictionaryArray.from_arrays(codes, pa.array(words, pa.string()))
    return pa.chunked_array([text], TEXT)
