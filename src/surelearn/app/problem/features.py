"""Which columns are features, and of what kind; and any column as the kind a feature has.

A column is judged by its training cells alone. Its other cells, and those of tables that come
later, are read as the kind that was found: what does not fit is a missing cell.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from surelearn._typing import Indices
from surelearn.app.errors import TableError
from surelearn.app.tables.memory_mapped import forget_pages
from surelearn.app.tables.text_columns import TEXT, narrowest, numbers_among, with_points

_compute: Any = pc

Kind: TypeAlias = Literal["number", "boolean", "text", "code"]
"""What a feature is: "code" is a number called a category; its number is its word."""

MOST_CATEGORIES = 1000
_AS_FEATURE: dict[str, Kind] = {"text": "text", "boolean": "boolean", "code": "code"}
_ROW_NAME = re.compile(
    r"(^|[_\W])(id|idx|index|key|uuid|guid|row|nr|no|number)$|^unnamed", re.IGNORECASE
)


@dataclass(frozen=True)
class Feature:
    """A column to learn from, how its cells are read, and which words training has seen."""

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """What becomes of a column: its kind as a feature, or why it is none."""

    kind: Kind | None = None
    left_out: str = ""


def choose(
    rows: Any,
    train: Indices,
    excluded: Mapping[str, str],
    *,
    categories: Sequence[str],
    keep: Sequence[str],
    **form: Any,
) -> tuple[list[Feature], dict[str, str]]:
    """Return the features and why the other columns are none, by the training rows alone.

    Parameters
    ----------
    rows, train
        The table, and the places of its training rows.
    excluded
        Columns that are no features whatever they hold, each with the reason.
    categories, keep
        See `judge`; here for all columns by their names.
    **form
        See `judge`: typed, decimal.
    """
    decimal = form["decimal"]
    features: list[Feature] = []
    left_out: dict[str, str] = {}
    for name in rows.column_names:
        if name in excluded:
            left_out[name] = excluded[name]
            continue
        cells = rows.column(name).take(train)
        found = judge(cells, name, category=name in categories, keep=name in keep, **form)
        if found.kind is None:
            left_out[name] = found.left_out
        else:
            words: list[str] = []
            if found.kind in {"text", "code"}:
                words = as_kind(cells, found.kind, name, decimal).unique().drop_null().to_pylist()
            features.append(Feature(name, found.kind, tuple(sorted(words))))
        forget_pages()
    if not features:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise TableError(f"no column is left to predict from ({reasons})")
    return features, left_out


def judge(
    column: Any,
    name: str,
    *,
    typed: bool,
    category: bool = False,
    keep: bool = False,
    decimal: str = ".",
) -> Judgement:
    """Judge a column by its training cells.

    Parameters
    ----------
    column, name
        The training cells, and the name of the column.
    typed
        Whether the file declares types; otherwise text may be numbers with a word elsewhere.
    category
        The user calls it a category.
    keep
        The user wants it whatever it looks like.
    decimal
        The decimal sign of the file.

    Examples
    --------
    >>> cells = pa.chunked_array([[float(i) for i in range(20)]])
    >>> judge(cells, "age", typed=True).left_out
    'its whole numbers are all different and leave few gaps, like row numbers: --keep age'
    """
    found = _kind(column, name, typed=typed, category=category, decimal=decimal)
    if found.kind is None:
        return found
    cells = as_kind(column, found.kind, name, decimal).drop_null()
    n, n_distinct = len(cells), count_distinct(cells)
    if n == 0:
        return Judgement(left_out="it has no value in any training row")
    if n_distinct == 1:
        return Judgement(left_out="it has the same value in all training rows")
    reason = "" if keep or category else _reason(cells, found.kind, name, n_distinct)
    return Judgement(left_out=f"{reason}: --keep {name}") if reason else found


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


def is_missing(column: Any) -> Any:
    """Return which cells are missing, as an array of truth values."""
    missing = _compute.is_null(column, nan_is_null=types.is_floating(column.type))
    return missing.combine_chunks().to_numpy(zero_copy_only=False)


def _kind(column: Any, name: str, *, typed: bool, category: bool, decimal: str) -> Judgement:
    """Return the kind of a column by its type, or by its words if the type was only inferred."""
    found = column.type
    if types.is_dictionary(found):
        narrow = "text" if typed or category else narrowest(_used(column), decimal)
    elif types.is_null(found):
        narrow = None
    elif types.is_timestamp(found):
        narrow = "date"
    else:
        narrow = "boolean" if types.is_boolean(found) else "number"
        narrow = "code" if category else narrow
    if narrow is None:
        return Judgement(left_out="it has no value in any training row")
    if narrow in {"date", "moment"}:
        return Judgement(left_out=f"it holds dates: --time {name} splits by them")
    return Judgement(_AS_FEATURE.get(narrow, "number"))


def _reason(cells: Any, kind: Kind, name: str, n_distinct: int) -> str:
    """Return why a column of so many different values had better be left out, if it had."""
    n, words = len(cells), kind in {"text", "code"}
    if n_distinct == n and n >= 10 and (words or _counts_rows(cells, name)):
        what = "words" if words else "whole numbers"
        like = "names of rows" if words or _ROW_NAME.search(name) else "row numbers"
        gaps = "" if words or _ROW_NAME.search(name) else " and leave few gaps"
        return f"its {what} are all different{gaps}, like {like}"
    if words and n_distinct > MOST_CATEGORIES:
        return f"it has {n_distinct:,} categories, more than {MOST_CATEGORIES:,}"
    if words and n_distinct > max(10, n / 2):
        return f"it has {n_distinct:,} categories in {n:,} rows, too few rows for each"
    return ""


def _counts_rows(cells: Any, name: str) -> bool:
    """Return whether different numbers look like the numbers of rows."""
    numbers = cells.to_numpy()
    if not (numbers == np.floor(numbers)).all():
        return False
    return bool(_ROW_NAME.search(name)) or bool(np.ptp(numbers) < 2 * len(numbers))


def _used(column: Any) -> Any:
    """Return the words that stand in some cell."""
    return column.unique().drop_null().cast(pa.string())


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


def features_of(schema: Mapping[str, Any]) -> tuple[Feature, ...]:
    """Return the features that a schema lists."""
    return tuple(
        Feature(entry["name"], entry["kind"], tuple(entry["categories"]))
        for entry in schema["features"]
    )
