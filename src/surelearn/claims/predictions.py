"""Recorded predictions: what a file of truths and answers holds, checked once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.base.error_sizes import absolute_errors
from surelearn.base.labels import comparable
from surelearn.claims._checks import (
    POSITIVE,
    Task,
    as_labels,
    column_of,
    infer_task,
    positive_of,
    refuse_other_kinds,
    refuse_swapped,
    refuse_unlike_words,
    scores_of,
    task_of,
)

__all__ = [
    "POSITIVE",
    "Confusion",
    "Predictions",
    "Task",
    "as_labels",
    "differ",
    "infer_task",
    "record",
    "refuse_other_kinds",
    "results",
]


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
    challengers
        What other models answered for the same rows, by their names.
    third
        Which rows are of neither of the two labels that a model knows; None if none is.
    """

    truth: NDArray[Any]
    prediction: NDArray[Any]
    task: Task
    positive: Any = None
    score: Vector | None = None
    baseline: NDArray[Any] | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    challengers: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    third: NDArray[np.bool_] | None = None

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
    def mistaken(self) -> NDArray[np.bool_]:
        """Which rows are positive and were not called so, or are not and were.

        A row of a third label is answered wrongly, and yet may rightly not be called positive.
        """
        if self.third is None:
            return self.wrong
        called = ~differ(self.prediction, np.full(1, self.positive))
        return self.wrong & (called | ~self.third)

    @cached_property
    def confusion(self) -> Confusion:
        """How often each label was answered for each; a third one is not the positive one."""
        true, wrong = self.is_positive, self.mistaken
        missed, alarms = int((true & wrong).sum()), int((~true & wrong).sum())
        n_positive = int(true.sum())
        return Confusion(n_positive - missed, missed, alarms, self.n - n_positive - alarms)

    @cached_property
    def residuals(self) -> Vector:
        """The absolute errors of a regression, none smaller than it is."""
        return absolute_errors(self.truth, self.prediction)

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
    challengers: Mapping[str, ArrayLike] | None = None,
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
    challengers
        What other models answered for the same rows, by their names.
    **columns
        Other columns by their role.

    Examples
    --------
    >>> rows = record(["sick", "well", "sick"], ["sick", "sick", "sick"], positive="sick")
    >>> rows.task, rows.confusion
    ('binary', Confusion(true_positives=2, false_negatives=0, false_positives=1, true_negatives=0))
    """
    true, answered = column_of("truth", truth), column_of("prediction", prediction)
    others = {name: column_of(name, given) for name, given in columns.items() if given is not None}
    other = None if baseline is None else column_of("baseline", baseline)
    rivals = {name: column_of(name, given) for name, given in _named(challengers).items()}
    numbers = None if score is None else scores_of(score)
    found = {"prediction": answered, "baseline": other, "score": numbers, **others, **rivals}
    for name, column in found.items():
        if column is not None and len(column) != len(true):
            raise ValueError(f"{name} has {len(column)} values for {len(true)} truths")
    refuse_unlike_words(true, {"prediction": answered, "baseline": other, **rivals})
    kind = task_of(true, answered, task)
    if task is None and kind == "regression":
        refuse_swapped(true, answered)
    if kind != "results":  # all of which may be failed
        _refuse_unlike(true, {"prediction": answered, "baseline": other}, rivals, kind)
    if kind == "regression":
        true, answered = _numbers(true, answered)
    named = positive_of(true, answered, positive) if kind == "binary" else None
    return Predictions(true, answered, kind, named, numbers, other, others, rivals)


def _refuse_unlike(
    truth: NDArray[Any],
    answers: Mapping[str, NDArray[Any] | None],
    rivals: Mapping[str, NDArray[Any]],
    task: Task,
) -> None:
    """Refuse answers of the model and of others that could never be right."""
    for name, column in answers.items():
        if column is not None:
            refuse_other_kinds(truth, column, task, name)
    for name, column in rivals.items():
        try:
            refuse_other_kinds(truth, column, task, "challenger")
        except ValueError as error:
            raise ValueError(f"challenger {name!r}: {error}") from None


def _numbers(truth: NDArray[Any], answered: NDArray[Any]) -> tuple[Vector, Vector]:
    """Return numbers as doubles, if all errors are numbers, too."""
    true, said = truth.astype(np.float64), answered.astype(np.float64)
    with np.errstate(over="ignore"):
        if not np.isfinite(true - said).all():
            raise ValueError("an error is beyond floating-point numbers: give larger units")
    return true, said


def results(
    passed: ArrayLike,
    *,
    challengers: Mapping[str, ArrayLike] | None = None,
    **columns: ArrayLike | None,
) -> Predictions:
    """Return the results of an evaluation, passed or failed, as claims take them.

    Examples
    --------
    >>> results([1, 0, 1]).wrong.tolist()
    [False, True, False]
    """
    answered = _passed("passed", passed)
    other, rivals = columns.pop("baseline", None), _named(challengers)
    return record(
        np.ones(len(answered), dtype=np.bool_),
        answered,
        task="results",
        baseline=None if other is None else _passed("baseline", other),
        challengers={name: _passed(name, given) for name, given in rivals.items()},
        **columns,
    )


def _named(challengers: Any) -> Mapping[str, Any]:
    """Return the answers of challengers by their names; none if there are no challengers."""
    if challengers is None:
        return {}
    if not isinstance(challengers, Mapping) or sparse.issparse(challengers):
        told = _arguments.short(challengers)
        raise TypeError(f"challengers={told} must be a mapping of names to answers")
    return cast("Mapping[str, Any]", challengers)


def _passed(name: str, column: ArrayLike) -> NDArray[np.bool_]:
    """Return which results are passed, whatever words say so."""
    given = column_of(name, column)
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
