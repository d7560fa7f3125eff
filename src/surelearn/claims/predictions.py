"""Recorded predictions: what a file of truths and answers holds, checked once."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surelearn import _arguments
from surelearn._typing import Indices, Vector
from surelearn.base.cell_bits import is_beyond_doubles
from surelearn.base.fitting import missing
from surelearn.base.labels import comparable, exact

Task = Literal["binary", "multiclass", "regression", "results"]

POSITIVE = ("1", "true", "yes", "y", "t", "positive", "pos", "+", "1.0")
"""Labels that are positive by their own words, in small letters."""


_WIDEST = 100  # letters of a label that is kept as it is


class Confusion(NamedTuple):
    """How often each of two labels was answered for each."""

    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int

    @property
    def positives(self) -> int:
        """The rows that are positive."""
        return self.true_positives + self.false_negatives

    @property
    def negatives(self) -> int:
        """The rows that are negative."""
        return self.false_positives + self.true_negatives


@dataclass(frozen=True, eq=False)
class Predictions:
    """Truths and what a model answered, row by row, with what else is known of each row.

    Make it with `record`, which checks the columns against each other.

    Attributes
    ----------
    truth, prediction
        What was true and what was answered; for results of an evaluation the truth is that all of
        them pass.
    task
        "binary", "multiclass", "regression", or "results": passed or failed.
    positive
        Of two labels the one that claims speak of as positive; None if nobody has said.
    score
        The larger, the more the model held the row to be positive.
    baseline
        What another model answered for the same rows.
    columns
        What else there is, by its role: "group", "cluster", "weight", "stratum", "time", "covered".
    """

    truth: NDArray[Any]
    prediction: NDArray[Any]
    task: Task
    positive: Any = None
    score: Vector | None = None
    baseline: NDArray[Any] | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.truth)

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Which rows were answered wrongly."""
        return differ(self.truth, self.prediction)

    @cached_property
    def is_positive(self) -> NDArray[np.bool_]:
        """Which rows are positive."""
        return ~differ(self.truth, np.full(1, self.positive))

    @cached_property
    def confusion(self) -> Confusion:
        """How often each label was answered for each."""
        true, wrong = self.is_positive, self.wrong
        missed, alarms = int((true & wrong).sum()), int((~true & wrong).sum())
        n_positive = int(true.sum())
        return Confusion(n_positive - missed, missed, alarms, self.n - n_positive - alarms)

    @cached_property
    def residuals(self) -> Vector:
        """The absolute errors of a regression."""
        return np.abs(self.truth - self.prediction)

    def errors_at(self, places: Indices) -> tuple[Indices, Indices]:
        """Return how many rows were answered wrongly, and how many there are, at each place."""
        return np.bincount(places[self.wrong], minlength=places.max() + 1), np.bincount(places)

    def codes(self, role: str) -> tuple[NDArray[Any], Indices]:
        """Return the distinct values of a column, and the place of each row's among them."""
        names, places = np.unique(self.columns[role], return_inverse=True)
        return names, places


def record(
    truth: ArrayLike,
    prediction: ArrayLike,
    *,
    task: Task | Literal["classification"] | None = None,
    positive: Any = None,
    score: ArrayLike | None = None,
    baseline: ArrayLike | None = None,
    **columns: ArrayLike | None,
) -> Predictions:
    """Return truths and predictions as claims take them, or say why they do not fit together.

    Parameters
    ----------
    truth, prediction
        What was true and what was answered, row by row.
    task
        What kind of truths there are; found out if left out.
    positive
        Of two labels the positive one; found out if its own words say so, such as 1, True or yes.
    score
        The larger, the more the model held the row to be positive.
    baseline
        What another model answered for the same rows.
    **columns
        Other columns by their role.

    Examples
    --------
    >>> rows = record(["sick", "well", "sick"], ["sick", "sick", "sick"], positive="sick")
    >>> rows.task, rows.confusion
    ('binary', Confusion(true_positives=2, false_negatives=0, false_positives=1, true_negatives=0))
    """
    true, answered = _column("truth", truth), _column("prediction", prediction)
    others = {name: _column(name, given) for name, given in columns.items() if given is not None}
    other = None if baseline is None else _column("baseline", baseline)
    numbers = None if score is None else _scores(score)
    for name, column in {
        "prediction": answered,
        "baseline": other,
        "score": numbers,
        **others,
    }.items():
        if column is not None and len(column) != len(true):
            raise ValueError(f"{name} has {len(column)} values for {len(true)} truths")
    found = _task(true, answered, task)
    if task is None and found == "regression":
        _refuse_swapped(true, answered)
    refuse_other_kinds(true, answered, found, "prediction")
    if other is not None:
        refuse_other_kinds(true, other, found, "baseline")
    if found == "regression":
        true, answered = true.astype(np.float64), answered.astype(np.float64)
    named = _positive(true, answered, positive) if found == "binary" else None
    return Predictions(true, answered, found, named, numbers, other, others)


def results(passed: ArrayLike, **columns: ArrayLike | None) -> Predictions:
    """Return the results of an evaluation, passed or failed, as claims take them.

    Examples
    --------
    >>> results([1, 0, 1]).wrong.tolist()
    [False, True, False]
    """
    answered = _passed("passed", passed)
    other = columns.pop("baseline", None)
    baseline = None if other is None else _passed("baseline", other)
    true = np.ones(len(answered), dtype=np.bool_)
    return record(true, answered, task="results", baseline=baseline, **columns)


def _passed(name: str, column: ArrayLike) -> NDArray[np.bool_]:
    """Return which results are passed, whatever words say so."""
    given = _column(name, column)
    words = {"pass": True, "passed": True, "fail": False, "failed": False}
    words |= dict.fromkeys(("1", "1.0", "true", "yes"), True)
    words |= dict.fromkeys(("0", "0.0", "false", "no"), False)
    texts = [str(value).strip().lower() for value in given.tolist()]
    if unknown := sorted(set(texts) - set(words)):
        raise ValueError(
            f"a result is passed or failed (true or false, 1 or 0, yes or no), not {unknown[0]!r}"
        )
    return np.array([words[text] for text in texts])


def differ(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where two columns of labels differ; whole numbers are not rounded to compare.

    Examples
    --------
    >>> differ(np.array([1, 0]), np.array([1.0, 1.0])).tolist()
    [False, True]
    """
    a, b = comparable(first, second)
    return np.asarray(a != b, dtype=np.bool_)


def _task(
    truth: NDArray[Any], answered: NDArray[Any], task: Task | Literal["classification"] | None
) -> Task:
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


def _refuse_swapped(truth: NDArray[Any], answered: NDArray[Any]) -> None:
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


def _column(name: str, given: ArrayLike) -> NDArray[Any]:
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
    return as_labels(list(map(str, values.tolist()))) if values.dtype.kind == "O" else values


def _scores(given: ArrayLike) -> Vector:
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


def _positive(truth: NDArray[Any], answered: NDArray[Any], positive: Any) -> Any:
    """Return the positive label as the column has it; None if nobody has said which it is."""
    labels = np.union1d(truth, answered).tolist()
    if positive is not None:
        found = [label for label in labels if str(label) == str(positive)]
        found = found or [label for label in labels if _is_alike(label, positive)]
        if len(found) != 1:
            told = " and ".join(map(str, labels))
            raise ValueError(f"positive={positive!r} is no label here: there are {told}")
        return found[0]
    own = [label for label in labels if str(label).lower() in POSITIVE]
    return own[0] if len(own) == 1 else None


def _is_alike(label: Any, positive: Any) -> bool:
    """Return whether a label is the same number, or the same word in other letters."""
    try:
        return isinstance(label, int | float) and float(positive) == label
    except (TypeError, ValueError):
        return str(label).lower() == str(positive).lower()
