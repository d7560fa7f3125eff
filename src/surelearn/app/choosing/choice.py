"""A choice among learners on the training rows, as a terminal and a report show it."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from surelearn.app.choosing.widths import OutsideErrors
from surelearn.app.problem.problem import Task
from surelearn.certificate import Certificate
from surelearn.evaluate.nested_cross_validation import NestedCrossValidation
from surelearn.losses import Absolute, Loss, ZeroOne

_Candidate = TypeVar("_Candidate")
_Trial = TypeVar("_Trial")
_Found = TypeVar("_Found")


class TaskLoss(NamedTuple):
    """The loss that models of a task are compared by, and the name of its mean."""

    loss: Loss
    in_words: str


def loss_of(task: Task) -> TaskLoss:
    """Return the loss of a task.

    Examples
    --------
    >>> loss_of("multiclass").in_words, loss_of("regression").in_words
    ('error rate', 'mean absolute error')
    """
    if task == "regression":
        return TaskLoss(Absolute(), "mean absolute error")
    return TaskLoss(ZeroOne(), "error rate")


class Tried(Protocol):
    """A learner that was just tried, for a progress display."""

    @property
    def name(self) -> str:
        """The learner."""
        ...

    @property
    def score(self) -> float:
        """What the choice goes by: the smaller, the better; infinite if it cannot be chosen."""
        ...

    @property
    def seconds(self) -> float:
        """How long it took."""
        ...

    @property
    def rates(self) -> bool:
        """Whether scores are shares of rows, shown in percent."""
        ...


OnTrial = Callable[[Tried, int, int], object]
"""Called after each learner with its trial, its number and how many there are."""


OnBegin = Callable[[str, int, int], object]
"""Called before each learner with its name, how many were tried and how many there are."""


class Line(NamedTuple):
    """One line of the table of learners.

    Attributes
    ----------
    name
        The learner, with its best setting.
    numbers
        What the columns of the choice say of it; NaN where there is nothing to say.
    seconds
        How long it took.
    note
        Why it could not be tried, or what it warned of.
    chosen
        Whether it was chosen.
    """

    name: str
    numbers: tuple[float, ...]
    seconds: float = 0.0
    note: str = ""
    chosen: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Choice:
    """What was chosen on the training rows, and why.

    Attributes
    ----------
    name, learner
        The winner with its setting, and as an estimator that is not fitted.
    title, columns, lines
        The table of all learners, best first; then what they are compared with.
    sentence
        How the choice was made.
    beforehand
        What the training rows say of the winner before the hold-out is asked.
    warnings
        What a reader should worry about.
    untried, at_the_edge
        Learners that were not tried, and why; and what was best at the first or the last of its
        settings, so that one beyond them might do better.
    nested
        The nested cross-validation of the whole choice, if it was made by one.
    errors
        Of a regression: how far from the truth the winner was on training rows it had not seen.
    bound, model
        If it was made by structural risk: the certificate from the training rows alone, and the
        fitted model it speaks of.
    """

    name: str
    learner: Any
    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    sentence: str
    beforehand: str
    warnings: tuple[str, ...] = ()
    untried: Mapping[str, str] = field(default_factory=dict[str, str])
    at_the_edge: tuple[str, ...] = ()
    nested: NestedCrossValidation | None = None
    errors: OutsideErrors | None = None
    bound: Certificate | None = None
    model: Any = None


def with_setting(name: str, setting: str) -> str:
    """Return the name of a learner with its setting, if it has one.

    Examples
    --------
    >>> with_setting("CARTClassifier", "8 leaves"), with_setting("MixedNaiveBayes", "")
    ('CARTClassifier (8 leaves)', 'MixedNaiveBayes')
    """
    return f"{name} ({setting})" if setting else name


def try_each(
    candidates: Mapping[str, _Candidate],
    try_one: Callable[[str, _Candidate], _Trial],
    on_trial: OnTrial | None,
    on_begin: OnBegin | None = None,
) -> list[_Trial]:
    """Return the trials of all candidates; before and after each of them who looks on is told.

    Examples
    --------
    >>> try_each({"a": 1, "b": 2}, lambda name, value: name * value, None)
    ['a', 'bb']
    """
    trials: list[_Trial] = []
    for name, candidate in candidates.items():
        if on_begin is not None:
            on_begin(name, len(trials), len(candidates))
        trials.append(try_one(name, candidate))
        if on_trial is not None:
            on_trial(cast("Tried", trials[-1]), len(trials), len(candidates))
    return trials


def attempt(work: Callable[[], _Found]) -> tuple[_Found | None, str]:
    """Return what the work gives and the first warning; or nothing, and why there is nothing.

    Examples
    --------
    >>> attempt(lambda: 7), attempt(lambda: int("seven"))
    ((7, ''), (None, "invalid literal for int() with base 10: 'seven'"))
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found, messages = work(), [warning.message for warning in caught]
        except (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError) as error:
            found, messages = None, [error]
    return found, str(messages[0]).partition("\n")[0] if messages else ""
