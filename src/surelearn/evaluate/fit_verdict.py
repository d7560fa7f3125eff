"""Over- or underfitting: a verdict from the losses on seen and unseen rows, as far as they tell.

A model that costs much even on the rows it learnt from underfits; one that costs clearly more on
others overfits. What is much is measured by the best constant guess, what is clear by an interval.
Underfitting and noise in the labels look the same: no curve can tell them apart.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn._wording import percent_exactly
from surelearn.bounds import inversions
from surelearn.evaluate._task import (
    LossName,
    PointwiseLoss,
    RowLoss,
    Task,
    answers_of,
    check_labels,
    find_loss,
)
from surelearn.evaluate.intervals import miss_rate, normal_quantile

Fit: TypeAlias = Literal["overfitting", "underfitting", "both", "neither", "cannot tell"]
"""What losses on seen and unseen rows say of a model."""

_HIGH = 0.5  # of what a constant costs: a training loss above this share of it is high
_SMALL = 0.1  # of what a constant costs: a gap below this share of it is none to speak of


class LossRange(NamedTuple):
    """A mean loss and an interval around what it estimates."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the mean and the ends of the interval."""
        return f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True, kw_only=True)
class FitVerdict(Shown, drawn_by="fit_verdict.plot_fit_verdict"):
    """Whether a model over- or underfits, and the numbers this rests on; an estimate.

    Attributes
    ----------
    kind
        "underfitting": the training loss is above half of what a constant costs. "overfitting":
        unseen rows cost more than rows learnt from, by over a tenth of what a constant costs.
        "both" and "neither" of these; "cannot tell": the intervals allow more than one answer.
    training, unseen
        The mean loss on the rows learnt from, and on others, each with an interval.
    baseline
        What the constant guess costs on unseen rows: the most frequent label, or the mean.
    level
        The level of the intervals. They treat rows as independent and are no certificate.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 3)), rng.integers(2, size=400)
    >>> model = DecisionTreeClassifier(random_state=0).fit(X[:200], y[:200])
    >>> judge_fit(model, X[:200], y[:200], X[200:], y[200:]).kind
    'overfitting'
    """

    kind: Fit
    training: LossRange
    unseen: LossRange
    baseline: float
    level: float

    @property
    def gap(self) -> LossRange:
        """How much more unseen rows cost than those learnt from."""
        return LossRange(*(value - self.training.mean for value in self.unseen))

    def __str__(self) -> str:
        """Return the verdict in sentences, with its numbers."""
        return (
            f"{_SENTENCES[self.kind]} Rows learnt from cost {self.training}, unseen rows "
            f"{self.unseen}, a constant guess {self.baseline:.4g}; the gap is {self.gap}. "
            f"The intervals have level {percent_exactly(self.level)}. This is an estimate, not a "
            "certificate."
        )


_SENTENCES: dict[Fit, str] = {
    "overfitting": "It overfits: unseen rows cost clearly more than those it learnt from. More "
    "rows, or a simpler model, would narrow the gap.",
    "underfitting": "It underfits, or the labels are noisy: even the rows it learnt from cost more "
    "than half of what a constant does. A richer model may help if it is not noise; more rows "
    "will not.",
    "both": "It fits the rows it learnt from badly and others worse: it learns noise, or asks the "
    "wrong features.",
    "neither": "Neither over- nor underfitting shows.",
    "cannot tell": "The rows are too few to tell whether it over- or underfits.",
}


def judge_fit(
    model: Any,
    X: Any,
    y: ArrayLike,
    X_unseen: Any,
    y_unseen: ArrayLike,
    *,
    loss: LossName | PointwiseLoss | None = None,
    level: float = 0.95,
) -> FitVerdict:
    """Say whether a fitted model over- or underfits, from its training rows and others.

    Parameters
    ----------
    model
        A fitted model.
    X, y
        The rows it learnt from.
    X_unseen, y_unseen
        Rows drawn from the same law that it has not seen.
    loss
        As for `cross_validate`.
    level
        Of the intervals that decide.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((200, 1)), np.array([0, 0, 0, 1, 1] * 40)
    >>> print(judge_fit(DummyClassifier().fit(X, y), X, y, X, y).kind)
    underfitting
    """
    seen, labels = check_labels(X, y), check_labels(X_unseen, y_unseen)
    judge = find_loss(loss, model, seen)
    losses = judge.of(seen, answers_of(model, X))
    others = judge.of(labels, answers_of(model, X_unseen))
    task = Task(model, np.zeros((len(seen), 1)), seen, judge)
    return verdict_of(
        range_of(losses, judge, level=level),
        range_of(others, judge, level=level),
        baseline=float(constant_losses(task, np.arange(len(seen)), labels).mean()),
        level=level,
    )


def constant_losses(task: Task, rows: Indices, labels: Any) -> Vector:
    """Return what the best constant of some rows costs on given labels."""
    guess: Any = DummyClassifier(strategy="most_frequent") if task.classifies else DummyRegressor()
    guess.fit(np.zeros((len(rows), 1)), task.y[rows])
    return task.loss.of(labels, np.asarray(guess.predict(np.zeros((len(labels), 1)))))


def range_of(losses: Vector, judge: RowLoss, *, level: float) -> LossRange:
    """Return the mean of losses with an interval: exact for errors of new rows, else normal."""
    alpha, n, mean = miss_rate(level), len(losses), float(losses.mean())
    if judge.counts_errors and np.isin(losses, (0.0, 1.0)).all():
        errors = int(losses.sum())
        low = float(inversions.binomial_lower(errors, n, alpha / 2.0))
        return LossRange(mean, low, float(inversions.binomial_upper(errors, n, alpha / 2.0)))
    if n < 2:
        return LossRange(mean, -np.inf, np.inf)  # one loss says nothing of how they spread
    reach = normal_quantile(alpha) * float(losses.std(ddof=1)) / np.sqrt(n)
    return LossRange(mean, mean - reach, mean + reach)


def verdict_of(
    training: LossRange, unseen: LossRange, *, baseline: float, level: float
) -> FitVerdict:
    """Return the verdict that the intervals allow.

    Examples
    --------
    >>> sure = LossRange(0.1, 0.09, 0.11)
    >>> verdict_of(sure, sure, baseline=0.5, level=0.95).kind
    'neither'
    >>> verdict_of(sure, LossRange(0.2, 0.05, 0.4), baseline=0.5, level=0.95).kind
    'cannot tell'
    """
    bearable = training.mean + _SMALL * baseline
    wide = unseen.low > bearable
    kind: Fit = "cannot tell"
    if training.low > _HIGH * baseline:
        kind = "both" if wide else "underfitting"
    elif wide:
        kind = "overfitting"
    elif training.high <= _HIGH * baseline and unseen.high <= bearable:
        kind = "neither"
    return FitVerdict(kind=kind, training=training, unseen=unseen, baseline=baseline, level=level)
