"""The column to predict: its task, and its cells as an array."""

from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types

from surelearn._typing import Indices
from surelearn.app._cells import describe_mixture
from surelearn.app._notes import TableError

Task: TypeAlias = Literal["binary", "multiclass", "regression"]

_FEW = 20  # different whole numbers, at most, that are classes


def read_target(
    column: Any, name: str, task: str | None, train: Indices
) -> tuple[NDArray[Any], Task, str]:
    """Return the targets, the task and why it is that one, judged by the training rows.

    Examples
    --------
    >>> column = pa.chunked_array([[0, 1, 1, 0, 1, 0, 0, 1, 0, 1]])
    >>> read_target(column, "ill", None, np.arange(8))[1:]
    ('binary', "'ill' holds 2 different whole numbers")
    """
    if task not in {None, "classification", "binary", "multiclass", "regression"}:
        raise TableError(f"there is no task {task!r}; classification and regression there are")
    if types.is_timestamp(column.type):
        raise TableError(f"the target {name!r} holds dates; turn them into numbers first")
    y = as_array(column)
    _refuse_constant(y, name, train)
    if task is None:
        classes, why = _looks_like_classes(y[train], name)
    else:
        classes, why = task != "regression", "--task says so"
    if not classes:
        return _as_numbers(y, name), "regression", why
    labels = _as_labels(y)
    _refuse_rare(labels, column, name)
    n_classes = len(pa.array(labels[train]).unique())
    found: Task = "binary" if n_classes == 2 else "multiclass"
    if task in {"binary", "multiclass"} and task != found:
        raise TableError(f"the target {name!r} has {n_classes} classes, so the task is not {task}")
    return labels, found, why


def as_array(column: Any) -> NDArray[Any]:
    """Return a column without missing cells as an array of numbers, truth values or text."""
    if types.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        return np.array(whole.dictionary.to_pylist(), dtype=np.str_)[whole.indices.to_numpy()]
    return column.to_numpy()


def _looks_like_classes(y: NDArray[Any], name: str) -> tuple[bool, str]:
    """Say whether the targets are classes, and why."""
    if y.dtype.kind not in "iuf":
        return True, f"{name!r} holds {'truth values' if y.dtype.kind == 'b' else 'text'}"
    if (y != np.floor(y)).any():
        return False, f"{name!r} holds numbers that are not whole"
    n_distinct = len(pa.array(y).unique())
    few = n_distinct == 2 or n_distinct <= min(_FEW, len(y) / 5)
    return bool(few), f"{name!r} holds {n_distinct:,} different whole numbers"


def _as_labels(y: NDArray[Any]) -> NDArray[Any]:
    """Return targets as classes: numbers as whole numbers, or as text if some are not whole."""
    if y.dtype.kind != "f":
        return y
    whole = bool((y == np.floor(y)).all())
    return y.astype(np.int64) if whole else np.array([repr(value) for value in y.tolist()])


def _as_numbers(y: NDArray[Any], name: str) -> NDArray[Any]:
    if y.dtype.kind not in "biuf":
        raise TableError(f"the target {name!r} holds text; a regression needs numbers")
    numbers = y.astype(np.float64)
    if np.isinf(numbers).any():
        raise TableError(f"the target {name!r} is infinite in some rows; leave them out")
    return numbers


def _refuse_constant(y: NDArray[Any], name: str, train: Indices) -> None:
    for rows, where in ((y, ""), (y[train], " of the training part")):
        if len(rows) == 0 or (rows == rows[0]).all():
            value = rows[0].item() if len(rows) else None
            raise TableError(
                f"the target {name!r} is {value!r} in all {len(rows):,} rows{where}, so there is "
                "nothing to learn"
            )


def _refuse_rare(labels: NDArray[Any], column: Any, name: str) -> None:
    """Refuse classes of one member; if most are, the column is probably no column of classes."""
    found = pa.array(labels).value_counts()
    classes, counts = found.field("values"), found.field("counts").to_numpy()
    rare: list[Any] = sorted(classes.filter(pa.array(counts == 1)).to_pylist())
    if len(rare) == 0:
        return
    mixture = describe_mixture(column, name) if types.is_dictionary(column.type) else None
    if mixture is not None:
        raise TableError(f"the target {name!r} is text: {mixture.why}; say {mixture.override}")
    shown = ", ".join(map(repr, rare[:3]))
    dots = ", ..." if len(rare) > 3 else ""
    remedy = "merge them with others or leave the rows out"
    if labels.dtype.kind in "iu":
        remedy += "; if the target is a quantity, say --task regression"
    raise TableError(
        f"{len(rare):,} of the {len(classes):,} classes of {name!r} have one member only "
        f"({shown}{dots}): {remedy}"
    )
