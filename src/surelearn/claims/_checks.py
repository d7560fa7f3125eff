"""Whether columns of truths and answers fit together, and what they hold."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.base.cell_bits import is_beyond_doubles
from surelearn.base.fitting import missing
from surelearn.base.labels import exact, kinds_of, label_named, refuse_unlike

Task = Literal["binary", "multiclass", "regression", "results"]

POSITIVE = ("1", "true", "yes", "y", "t", "positive", "pos", "+", "1.0")
"""Labels that are positive by their own words, in small letters."""

_WIDEST = 100  # letters of a label that is kept as it is


def task_of(
    truth: NDArray[Any], answered: NDArray[Any], task: Task | Literal["classification"] | None
) -> Task:
    """Return the task of columns: the one asked for, or the one found."""
    if task is not None and not isinstance(cast("object", task), str):
        raise TypeError(f"task is a word such as 'classification', no {type(task).__name__}")
    if task is not None and task != "classification":
        return task
    found = infer_task(truth, answered)
    return "multiclass" if task == "classification" and found == "regression" else found


def infer_task(truth: NDArray[Any], prediction: NDArray[Any]) -> Task:
    """Return what kind of truths there are: numbers with fractions, or many of them, are measured.

    Examples
    --------
    >>> infer_task(np.array([0.5, 2.25]), np.array([1.0, 2.0]))
    'regression'
    """
    labels = np.unique(truth)
    if truth.dtype.kind == "f" and not np.all(labels == np.round(labels)):
        return "regression"
    many = len(labels) > max(20, len(truth) // 20)
    if truth.dtype.kind in "iuf" and prediction.dtype.kind in "iuf" and many:
        return "regression"
    return "binary" if len(np.union1d(labels, _of_kind(prediction, truth))) <= 2 else "multiclass"


def _of_kind(prediction: NDArray[Any], truth: NDArray[Any]) -> NDArray[Any]:
    """Return the labels answered, if they can be sorted with the true ones."""
    alike = (prediction.dtype.kind in "biuf") == (truth.dtype.kind in "biuf")
    return np.unique(prediction) if alike else truth[:0]


def refuse_unlike_words(truth: NDArray[Any], answers: Mapping[str, NDArray[Any] | None]) -> None:
    """Refuse bytes or dates where the truths are text, or the other way round."""
    for name, column in answers.items():
        if column is not None and "numbers" not in kinds_of(truth) | kinds_of(column):
            refuse_unlike(truth, column, ("truths", f"{name}s"))


def refuse_other_kinds(truth: NDArray[Any], answered: NDArray[Any], task: Task, name: str) -> None:
    """Refuse answers that could never be right, and scores given for answers."""
    if task == "regression":
        for column, what in ((truth, "truth"), (answered, name)):
            if column.dtype.kind not in "biuf":
                raise ValueError(f"the {what} column holds words, where a regression has numbers")
            if column.dtype.kind in "iu" and is_beyond_doubles(column):
                raise ValueError(
                    f"the {what} column holds whole numbers above 2^53: their errors would be "
                    "rounded, some of them to 0. Give them in larger units"
                )
            if not np.isfinite(column).all():
                raise ValueError(f"the {what} column holds a number that is infinite: no error is")
            if column.dtype.itemsize > 8 and not _are_doubles(column):
                raise ValueError(
                    f"the {what} column holds numbers of more digits than doubles have: round it "
                    "first, with astype(float)"
                )
        return
    words = [column.dtype.kind not in "biuf" for column in (truth, answered)]
    if words[0] != words[1]:
        which = ("words", "numbers") if words[0] else ("numbers", "words")
        raise ValueError(
            f"the truths are {which[0]} and the {name}s {which[1]}: they can never be equal. Give "
            "columns of the same labels; a column of scores belongs to --score"
        )
    labels = np.unique(truth)
    unknown = np.setdiff1d(answered, labels)
    fractions = answered.dtype.kind == "f" and bool(np.any(answered != np.round(answered)))
    if fractions and not np.isin(answered, labels).all():
        raise ValueError(
            f"the {name} column holds fractions such as {unknown[0]:g}, which are no labels: it "
            "looks like a score. Give it as --score, and the labels answered as --prediction"
        )
    if len(unknown) and not np.isin(answered, labels).any():
        told = ", ".join(map(str, labels[:3].tolist()))
        raise ValueError(
            f"no {name} is one of the true labels ({told}): the columns are of different things"
        )


def _are_doubles(column: NDArray[Any]) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.all(column == column.astype(np.float64)))


def refuse_swapped(truth: NDArray[Any], answered: NDArray[Any]) -> None:
    """Refuse scores given as truths, with the labels as answers."""
    labels = answered.dtype.kind in "biuf" and bool(np.isin(answered, [0, 1]).all())
    if labels and truth.dtype.kind == "f" and truth.min() >= 0.0 and truth.max() <= 1.0:
        raise ValueError(
            "the truths are fractions between 0 and 1 and the predictions are 0 or 1: the columns "
            "look swapped, or a score was given as the truth. If the truths are measured, say that "
            "the task is regression"
        )


def as_labels(words: Sequence[str]) -> NDArray[Any]:
    """Return words as an array, long ones by their beginning and their hash.

    An array of text is as wide as its longest word, so that one answer of a page would take a page
    for each row; and it loses NULs at the end of a word.

    Examples
    --------
    >>> as_labels(["yes", "no " * 1000])[1][:40]
    'no no no no no no no no no no no no …f36'
    """
    return np.asarray([w if len(w) <= _WIDEST and w[-1:] != "\0" else _hashed(w) for w in words])


def _hashed(word: str) -> str:
    digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{word[:36]:36}…{digest}"  # longer than any word that is kept


def column_of(name: str, given: ArrayLike) -> NDArray[Any]:
    """Return a column of numbers or words without gaps, or say what it is instead."""
    if isinstance(given, list | tuple) and all(isinstance(one, str) for one in given):
        given = as_labels(cast("Sequence[str]", given))
    try:
        values = np.asarray(exact(given))
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} is no column, one value per row: {error}") from None
    if values.ndim != 1:
        raise ValueError(f"{name} has {values.ndim} dimensions; give one value per row")
    if not len(values):
        raise ValueError(f"{name} is empty: give at least one row")
    kind = values.dtype.kind
    if kind not in "biufUOMS":
        raise ValueError(f"{name} holds values of type {values.dtype}: give numbers or words")
    if kind == "f" and name in {"truth", "prediction", "baseline"} and np.isinf(values).any():
        raise ValueError(f"{name} has infinite values: give finite numbers")
    lacking = [missing(one) for one in values] if kind == "O" else values != values  # noqa: PLR0124
    n_missing = int(np.sum(lacking))
    if n_missing:
        raise ValueError(
            f"{name} has {n_missing} missing values of {len(values)}: count such rows as errors, "
            "or leave them out and narrow the claim to rows that have a value"
        )
    return _of_objects(name, values) if kind == "O" else values


def _of_objects(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return objects as numbers, if all are, or as text; refuse kinds that would become alike."""
    kinds, given = kinds_of(values), values.tolist()
    if {"text", "bytes"} <= kinds:
        raise ValueError(f"{name} holds text and bytes: bytes become text by label.decode()")
    if {"text", "numbers"} <= kinds:
        raise ValueError(f"{name} holds text and numbers: 1 and '1' differ, so make all of it text")
    numbers = np.asarray(exact(given)) if kinds <= {"numbers"} else values
    return numbers if numbers.dtype.kind in "biuf" else as_labels(list(map(str, given)))


def scores_of(given: ArrayLike) -> Vector:
    """Return scores as doubles, if none of them would be rounded."""
    try:
        exactly = np.asarray(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"score is no column, one number per row: {error}") from None
    if exactly.dtype.kind in "iu" and is_beyond_doubles(exactly):
        raise ValueError(
            "score holds whole numbers above 2^53, which would be rounded, and a threshold rounded "
            "up finds less than it says: give their ranks, or smaller numbers"
        )
    return _arguments.vector("score", given)


def positive_of(truth: NDArray[Any], answered: NDArray[Any], positive: Any) -> Any:
    """Return the positive label as the column has it; None if nobody has said which it is."""
    labels = np.union1d(truth, answered).tolist()
    if positive is not None:
        found = label_named(labels, positive)
        if found is None:
            told = " and ".join(map(str, labels))
            raise ValueError(f"positive={positive!r} is no label here: there are {told}")
        return found
    own = [label for label in labels if str(label).lower() in POSITIVE]
    return own[0] if len(own) == 1 else None
