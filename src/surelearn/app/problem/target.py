"""The column to predict: its task, and its cells as an array."""

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import types

from surelearn._typing import Indices
from surelearn.app.errors import TableError, TrainingPartError
from surelearn.app.tables import quantities
from surelearn.app.tables.memory_mapped import array_on_disk, too_many
from surelearn.app.tables.text_columns import (
    describe_mixture,
    narrowest,
    numbers_among,
    with_points,
)
from surelearn.base.cell_bits import is_beyond_doubles

Task: TypeAlias = Literal["binary", "multiclass", "regression"]

_compute: Any = pc
_FEW = 20  # different whole numbers, at most, that are classes
_ENOUGH_CLASSES = 3  # of two members or more: then a task stays what it is, whatever the split
_FEWEST_ROWS = 5  # of the training part, fewer than which say nothing of the target
_EXACT = 2**53  # beyond it not every whole number is one of the floats
_BLOCK = 2**16  # labels written at once
_LONGEST = 1_000  # characters of the name of a class or a group


class Target(NamedTuple):
    """The targets of the rows.

    Attributes
    ----------
    values
        Text, whole numbers or truth values; floats for a regression.
    codes
        A whole number for each class; the values themselves for a regression.
    task, why
        The task, and why it is that one.
    """

    values: NDArray[Any]
    codes: NDArray[Any]
    task: Task
    why: str


def read_target(
    column: Any,
    name: str,
    task: str | None,
    train: Indices,
    decimal: str = ".",
    *,
    read_words: bool = False,
    rare: bool = True,
) -> Target:
    """Read the targets and find the task, judged by the training rows.

    Quantities in words, such as `$1,200`, are numbers if `read_words`, and few different ones
    still classes. A class of one row is refused if `rare`.

    Examples
    --------
    >>> column = pa.chunked_array([[0, 1, 1, 0, 1, 0, 0, 1, 0, 1]])
    >>> read_target(column, "ill", None, np.arange(8))[2:]
    ('binary', "'ill' holds 2 different whole numbers")
    """
    if task not in {None, "classification", "binary", "multiclass", "regression"}:
        raise TableError(f"there is no task {task!r}; say classification or regression")
    if types.is_timestamp(column.type):
        raise TableError(f"the target {name!r} holds dates; turn them into numbers first")
    classes, why = task != "regression", "--task says so"
    if read_words and task in {None, "regression"}:
        column = _as_quantities(column, name, task, train, decimal)
    if _is_text(column):
        codes, words = as_codes(column)
        _refuse_constant(codes, name, train, words)
        if task is None:
            mixture = _mixture(column, name, decimal)
            _refuse_words_held_out(words, np.unique(codes[train]), name, decimal, mixture)
        why = f"{name!r} holds text" if task is None else why
        if not classes:
            raise TableError(f"the target {name!r} holds text; a regression needs numbers")
    else:
        numbers = column.to_numpy()
        _refuse_constant(numbers, name, train)
        if task is None:
            classes, why = _looks_like_classes(numbers[train], name)
        if not classes:
            numbers = as_numbers(numbers, name)
            return Target(numbers, numbers, "regression", why)
        codes, words = as_codes(pa.chunked_array([pa.array(_as_labels(numbers, name))]))
    if rare:
        _refuse_rare(codes, words, name, _mixture(column, name, decimal))
    return Target(_labels(codes, words), codes, _task(codes[train], name, task), why)


def _as_quantities(column: Any, name: str, task: str | None, train: Indices, decimal: str) -> Any:
    """Return a column of quantities in words as numbers, unless there are few: then as it is."""
    if not types.is_dictionary(column.type):
        return column
    words = column.take(train).unique().drop_null().cast(pa.string())
    form = quantities.find_form(words, decimal)
    if not form or narrowest(words, decimal) != "text":
        return column
    numbers = quantities.quantities_of(column, form)
    values = numbers.take(train).to_numpy()
    if task is None and _looks_like_classes(values, name)[0]:
        return column
    if numbers.null_count > column.null_count:
        row = int(np.argmax(numbers.is_null().to_numpy()))
        word = column[row].as_py()
        raise TableError(
            f"the target {name!r} holds quantities, but also {word!r}: say --missing {word!r} if "
            "it stands for a missing value, or mend that cell"
        )
    return numbers


def _task(codes: Indices, name: str, asked: str | None) -> Task:
    """Return the task by the number of classes in the training part."""
    n_classes = int(np.count_nonzero(np.bincount(codes)))
    found: Task = "binary" if n_classes == 2 else "multiclass"
    if asked in {"binary", "multiclass"} and asked != found:
        raise TableError(f"the target {name!r} has {n_classes} classes, so the task is not {asked}")
    return found


def as_codes(column: Any) -> tuple[Indices, NDArray[Any]]:
    """Return for each cell, none of them missing, the place of its value, and the values.

    Examples
    --------
    >>> codes, values = as_codes(pa.chunked_array([["no", "yes"], ["no"]]))
    >>> codes.tolist(), values.tolist()
    ([0, 1, 0], ['no', 'yes'])
    """
    encoded = column if types.is_dictionary(column.type) else column.dictionary_encode()
    whole = encoded.unify_dictionaries().combine_chunks()
    if _is_text(column):
        _refuse_prose(whole.dictionary)
        values = np.array(whole.dictionary.to_pylist(), dtype=np.str_)
    else:
        values = whole.dictionary.to_numpy(zero_copy_only=False)
    return whole.indices.to_numpy(), values


def _refuse_prose(words: Any) -> None:
    """Refuse words that are no names: an array is as wide as its longest, times the rows."""
    lengths = _compute.utf8_length(words)
    longest = _compute.max(lengths).as_py() or 0
    if longest > _LONGEST:
        word = words[_compute.index(lengths, longest).as_py()].as_py()
        raise TableError(
            f"the cell {word[:20] + '…'!r} has {longest:,} characters, too many for the name of a "
            f"class or a group, which has {_LONGEST:,} at most: give each a short name"
        )
    ended = _compute.ends_with(words, "\0")
    if _compute.any(ended).as_py():
        raise TableError(
            f"the cell {words.filter(ended)[0].as_py()!r} ends in a zero byte, which the names of "
            "classes and groups cannot: take it away"
        )


def _is_text(column: Any) -> bool:
    return types.is_dictionary(column.type) or types.is_string(column.type)


def _labels(codes: Indices, words: NDArray[Any]) -> NDArray[Any]:
    """Return the label of each row, on disk if all together are large."""
    if not too_many(len(codes) * words.itemsize):
        return words[codes]
    return array_on_disk(words[codes[i : i + _BLOCK]] for i in range(0, len(codes), _BLOCK))


def _looks_like_classes(y: NDArray[Any], name: str) -> tuple[bool, str]:
    """Say whether numbers or truth values are classes, and why."""
    if y.dtype.kind == "b":
        return True, f"{name!r} holds truth values"
    if (y != np.floor(y)).any():
        return False, f"{name!r} holds numbers that are not whole"
    n_distinct = int(np.count_nonzero(np.diff(np.sort(y)))) + 1
    few = n_distinct == 2 or n_distinct <= min(_FEW, len(y) / 5)
    return bool(few), f"{name!r} holds {n_distinct:,} different whole numbers"


def _as_labels(y: NDArray[Any], name: str) -> NDArray[Any]:
    """Return targets as classes: numbers as whole numbers, or as text if some are not whole."""
    if y.dtype.kind != "f":
        return y
    whole = bool((y == np.floor(y)).all())
    if whole and np.abs(y).max() >= _EXACT:
        raise TableError(
            f"the target {name!r} holds whole numbers beyond 2^53, which are rounded when they are "
            "read, so that different classes may become one: write them as text, in a CSV file "
            "with a letter before each"
        )
    return y.astype(np.int64) if whole else np.array([repr(value) for value in y.tolist()])


def as_numbers(y: NDArray[Any], name: str) -> NDArray[Any]:
    """Return targets as floats; refuse infinity, and whole numbers that floats would round.

    Errors would be those of the rounded ones, and of two thousand a bound could say 0.
    """
    numbers = y.astype(np.float64)
    if np.isinf(numbers).any():
        raise TableError(f"the target {name!r} is infinite in some rows; leave them out")
    if y.dtype.kind in "iu" and is_beyond_doubles(y) and _rounded(y, numbers).any():
        raise TableError(
            f"the target {name!r} holds whole numbers beyond 2^53, which are no floats, so that "
            "errors would be those of rounded numbers: subtract a constant from all of them, or "
            "give them in larger units"
        )
    return numbers


def _rounded(y: NDArray[Any], numbers: NDArray[Any]) -> NDArray[Any]:
    """Return which whole numbers are others as floats."""
    inside = numbers < float(np.iinfo(y.dtype).max)  # the next float is beyond all of them
    return np.where(inside, numbers, 0.0).astype(y.dtype) != y


def _refuse_constant(
    y: NDArray[Any], name: str, train: Indices, words: NDArray[Any] | None = None
) -> None:
    """Refuse targets that are all alike; words stand for their places, if there are some."""
    for rows, where in ((y, ""), (y[train], " of the training part")):
        if len(rows) == 0 or (rows == rows[0]).all():
            value = (
                None if len(rows) == 0 else (rows[0] if words is None else words[rows[0]]).item()
            )
            if where and len(rows) < _FEWEST_ROWS:
                raise TrainingPartError(
                    f"{len(y):,} rows with a target are too few to train on one part of them and "
                    "certify on the other: give more rows"
                )
            kind = TrainingPartError if where else TableError
            raise kind(
                f"the target {name!r} is {value!r} in all {len(rows):,} rows{where}, so there is "
                "nothing to learn"
            )


def _refuse_words_held_out(
    words: NDArray[Any], trained: Indices, name: str, decimal: str, mixture: str
) -> None:
    """Refuse words that held-out rows alone have among numbers: they must not decide the task."""
    number = numbers_among(with_points(pa.array(words.tolist()), decimal))
    is_number = number.to_numpy(zero_copy_only=False)
    if is_number[trained].all() and not is_number.all():
        word = words[int(np.argmin(is_number))].item()
        why = mixture or f"say --missing {word!r} if {word!r} stands for a missing value"
        raise TrainingPartError(
            f"the target {name!r} is text, but in the training part only numbers: {why}; or say "
            "--task classification"
        )


def _mixture(column: Any, name: str, decimal: str) -> str:
    """Return why a column is text though it looks like one of numbers, and the remedy."""
    found = describe_mixture(column, name, decimal) if types.is_dictionary(column.type) else None
    if found is None:
        return ""
    return f"{found.why}; say {found.override}" if found.override else found.why


def _refuse_rare(codes: Indices, words: NDArray[Any], name: str, mixture: str) -> None:
    """Refuse classes of one member, unless enough others remain to be told apart.

    If most have one member, the column is probably no column of classes. If few have, their rows
    count as any others: as errors, where the class was not among the training rows.
    """
    counts = np.bincount(codes)
    rare: list[Any] = sorted(words[np.flatnonzero(counts == 1)].tolist())
    if len(rare) == 0 or np.count_nonzero(counts > 1) >= max(_ENOUGH_CLASSES, len(rare)):
        return
    if mixture:
        raise TableError(f"the target {name!r} is text: {mixture}")
    if len(rare) == len(codes):
        remedy = "predict another column"
        if words.dtype.kind in "iu":
            remedy += ", or say --task regression if it is a quantity"
        raise TableError(
            f"the target {name!r} is different in every row, as a name or an id is, so that no "
            f"class can be learnt: {remedy}"
        )
    shown = ", ".join(map(repr, rare[:3]))
    dots = ", ..." if len(rare) > 3 else ""
    remedy = "merge them with others or leave the rows out"
    if words.dtype.kind in "iu":
        remedy += "; if the target is a quantity, say --task regression"
    raise TableError(
        f"{len(rare):,} of the {np.count_nonzero(counts):,} classes of {name!r} have one member "
        f"only ({shown}{dots}): {remedy}"
    )
