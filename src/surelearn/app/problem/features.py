"""Which columns are features, and of what kind; and any column as the kind a feature has.

A column is judged by its training cells alone. Its other cells, and those of tables that come
later, are read as the kind that was found: what does not fit is a missing cell.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from surelearn._typing import Indices
from surelearn.app.errors import TrainingPartError
from surelearn.app.problem.cells import Kind, count_distinct
from surelearn.app.problem.feature import Feature, read_feature
from surelearn.app.tables import dates, quantities
from surelearn.app.tables.memory_mapped import forget_pages
from surelearn.app.tables.text_columns import narrowest

Dates: TypeAlias = Literal["features", "left-out"]
DATES = ("features", "left-out")
"""What becomes of columns of dates: what they tell is learnt from, or they are left out."""

MOST_CATEGORIES = 1000
_compute: Any = pc
_LONGEST_WORD = 10_000  # characters of a category
_FEW_DECLARED = 10  # words of a column whose file declares its types: they are categories
_AS_FEATURE: dict[str, Kind] = {"text": "text", "boolean": "boolean", "code": "code"}
_ROW_NAME = re.compile(
    r"(^|[_\W])(id|idx|index|key|uuid|guid|row|nr|no|number)$|^unnamed", re.IGNORECASE
)


@dataclass(frozen=True)
class Judgement:
    """What becomes of a column: its kind as a feature, or why it is none.

    Dates have a form and parts; numbers that are written as quantities have a form.
    """

    kind: Kind | None = None
    left_out: str = ""
    form: str = ""
    parts: tuple[str, ...] = ()


def choose(
    rows: Any,
    train: Indices,
    excluded: Mapping[str, str],
    *,
    categories: Sequence[str],
    keep: Sequence[str],
    zeros: Sequence[str] = (),
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
    zeros
        Columns in which 0 means that a value is missing.
    **form
        See `judge`: typed, decimal, mode.
    """
    features: list[Feature] = []
    left_out: dict[str, str] = {}
    names: list[str] = rows.column_names  # Arrow makes the list anew each time
    taken = set(names)
    for name in names:
        if name in excluded:
            left_out[name] = excluded[name]
            continue
        cells = rows.column(name).take(train)
        found = judge(cells, name, category=name in categories, keep=name in keep, **form)
        if found.kind is None and not found.parts:
            left_out[name] = found.left_out
        given = _features(found, name, taken, zeros=name in zeros)
        features += [_with_words(feature, cells, form["decimal"]) for feature in given]
        forget_pages()
    if not features:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise TrainingPartError(f"no column is left to predict from ({reasons})")
    return features, left_out


def _features(found: Judgement, name: str, taken: set[str], *, zeros: bool) -> Iterable[Feature]:
    """Yield the features that a column gives; those of dates have names of their own."""
    if found.kind is not None:
        yield Feature(name, found.kind, form=found.form, zeros=zeros and found.kind == "number")
    for part in found.parts:
        own = f"{name}: {part}"
        while own in taken:
            own += "'"
        kind: Kind = "text" if part == "weekday" else "number"
        yield Feature(own, kind, column=name, form=found.form, part=part)


def _with_words(feature: Feature, cells: Any, decimal: str) -> Feature:
    """Return a feature with the words that its training cells hold."""
    if feature.kind not in {"text", "code"}:
        return feature
    words = read_feature(cells, feature, decimal).unique().drop_null().to_pylist()
    return replace(feature, categories=tuple(sorted(words)))


def judge(
    column: Any,
    name: str,
    *,
    typed: bool,
    category: bool = False,
    keep: bool = False,
    decimal: str = ".",
    mode: Dates | None = "features",
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
    mode
        What becomes of dates. None: as before dates and quantities in words were read.

    Examples
    --------
    >>> cells = pa.chunked_array([[float(i) for i in range(20)]])
    >>> judge(cells, "age", typed=True).left_out
    'its whole numbers are all different and leave few gaps, like row numbers: --keep age'
    """
    found = _kind(column, name, typed=typed, category=category, decimal=decimal, mode=mode)
    if found.kind is None:
        return found
    cells = read_feature(column, Feature(name, found.kind, form=found.form), decimal).drop_null()
    n, n_distinct = len(cells), count_distinct(cells)
    if n == 0:
        return Judgement(left_out="it has no value in any training row")
    if n_distinct == 1:
        rounded = types.is_integer(column.type) and count_distinct(column) > 1
        like = "once whole numbers beyond 2^53 are rounded, " if rounded else ""
        return Judgement(left_out=f"{like}it has the same value in all training rows")
    reason = "" if keep or category else _reason(cells, found.kind, name, n_distinct)
    return Judgement(left_out=f"{reason}: --keep {quote(name)}") if reason else found


def _kind(
    column: Any, name: str, *, typed: bool, category: bool, decimal: str, mode: Dates | None
) -> Judgement:
    """Return the kind of a column by its type, or by its words if the type was only inferred."""
    found = column.type
    if types.is_dictionary(found):
        words = _used(column)
        narrow = "text" if typed or category else narrowest(words, decimal)
        if narrow == "text" and not category and mode is not None:
            special = _written_otherwise(column, words, name, decimal, typed=typed, mode=mode)
            if special is not None:
                return special
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
        return _of_dates(column, "ymd", name, mode)
    return Judgement(_AS_FEATURE.get(narrow, "number"))


def _written_otherwise(
    column: Any, words: Any, name: str, decimal: str, *, typed: bool, mode: Dates
) -> Judgement | None:
    """Return what words are that are numbers or dates to a reader; None if they are words."""
    if typed and len(words) <= _FEW_DECLARED:
        return None
    if form := dates.find_form(words):
        return _of_dates(column, form, name, mode)
    if typed and narrowest(words, decimal) != "text":
        return None
    form = quantities.find_form(words, decimal)
    return Judgement("number", form=form) if form else None


def _of_dates(column: Any, form: str, name: str, mode: Dates | None) -> Judgement:
    """Return which parts of dates differ among the training rows."""
    if mode != "features":
        return Judgement(left_out=f"it holds dates: --time {quote(name)} splits by them")
    moments = dates.moments_of(column, form, name).drop_null()
    if len(moments) == 0:
        return Judgement(left_out="it has no value in any training row")
    parts = tuple(part for part in dates.PARTS if _differ(dates.part_of(moments, part)))
    if not parts:
        return Judgement(left_out="it has the same value in all training rows")
    return Judgement(form=form, parts=parts)


def _differ(cells: Any) -> bool:
    return count_distinct(cells) > 1


def _reason(cells: Any, kind: Kind, name: str, n_distinct: int) -> str:
    """Return why a column of so many different values had better be left out, if it had."""
    n, words = len(cells), kind in {"text", "code"}
    if n_distinct == n and n >= 10 and (words or _counts_rows(cells, name)):
        what = "words" if words else "whole numbers"
        like = "names of rows" if words or _ROW_NAME.search(name) else "row numbers"
        gaps = "" if words or _ROW_NAME.search(name) else " and leave few gaps"
        return f"its {what} are all different{gaps}, like {like}"
    if words and (longest := _longest(cells)) > _LONGEST_WORD:
        return f"one of its texts has {longest:,} characters, which is prose and no category"
    if words and n_distinct > MOST_CATEGORIES:
        return f"it has {n_distinct:,} categories, more than {MOST_CATEGORIES:,}"
    if words and n_distinct > max(10, n / 2):
        return f"it has {n_distinct:,} categories in {n:,} rows, too few rows for each"
    return ""


def _longest(cells: Any) -> int:
    """Return how many characters the longest word has."""
    return int(_compute.max(_compute.utf8_length(_used(cells))).as_py() or 0)


def _counts_rows(cells: Any, name: str) -> bool:
    """Return whether different numbers look like the numbers of rows."""
    numbers = cells.to_numpy()
    if not (numbers == np.floor(numbers)).all():
        return False
    return bool(_ROW_NAME.search(name)) or bool(np.ptp(numbers) < 2 * len(numbers))


def _used(column: Any) -> Any:
    """Return the words that stand in some cell."""
    return column.unique().drop_null().cast(pa.string())
