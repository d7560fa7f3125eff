"""A model beside the answer that needs no features, and what a small error rate hides."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Vector
from surelearn._wording import amount, listing
from surelearn.app.problem.baseline import Constant, baseline_of
from surelearn.app.problem.problem import Problem
from surelearn.base.error_sizes import absolute_errors
from surelearn.certificate import Certificate
from surelearn.evaluate.holdout import Answers
from surelearn.losses import ZeroOne

RARE = 0.1
"""If the commonest class errs on fewer rows than this, an error rate says little of the others."""

HARDLY = 20
"""Rows of a class, fewer than which tell hardly anything of it."""

SEVERAL = 5
"""Rows of a class that should not all be missed without a word."""

_BETTER = {"difference": 0.0, "closer-than-baseline": 0.5}  # what the bound must be beyond


class Comparison(NamedTuple):
    """A model and the baseline on the rows held out.

    Attributes
    ----------
    baseline
        The answer that needs no features.
    model_losses, baseline_losses
        The loss of each on every row: wrong or not, or the size of the error.
    proof
        The certificate that the model is better, whatever it proves; None if it was not asked for.
    """

    baseline: Constant
    model_losses: Vector
    baseline_losses: Vector
    proof: Certificate | None

    @property
    def is_proved(self) -> bool:
        """Whether the model is better than the baseline with confidence."""
        c = self.proof
        if c is None or c.violated:
            return False
        return c.bound < 0.0 if c.direction == "upper" else c.bound > 0.5


def compare(problem: Problem, answers: Answers) -> Comparison:
    """Return a model and the baseline on the rows held out."""
    baseline, y = baseline_of(problem), problem.held_out.y
    loss = absolute_errors if problem.task == "regression" else ZeroOne()
    found = (o.certificate for o in answers.claims if o.claim.name in _BETTER)
    constant: NDArray[np.generic] = np.full(len(y), baseline.answer)
    return Comparison(
        baseline,
        np.asarray(loss(y, answers.predicted), dtype=np.float64),
        np.asarray(loss(y, constant), dtype=np.float64),
        next(found, None),
    )


def mean_of(losses: Vector, problem: Problem) -> float:
    """Return the mean loss over the rows held out, where those of one group count together."""
    if problem.groups is None:
        return float(losses.mean())
    places = np.unique(problem.groups[problem.split.holdout], return_inverse=True)[1]
    return float(np.mean(np.bincount(places, weights=losses) / np.bincount(places)))


def of_which(problem: Problem) -> str:
    """Say of what such a mean is a share."""
    return {
        "distinct": "of the distinct rows held out, on average",
        "group": "of the rows of a group held out, on average",
    }.get(problem.split.kind, "of the rows held out")


def _averaged(problem: Problem) -> str:
    units = {"distinct": "distinct rows", "group": "groups"}.get(problem.split.kind)
    return "on the rows held out" if units is None else f"on average over the {units} held out"


def warn(problem: Problem, answers: Answers) -> Iterator[str]:
    """Yield what a reader should know before trusting the number: nothing of a void certificate."""
    if answers.certificate.violated:
        return
    found = compare(problem, answers)
    ours, others = (
        mean_of(losses, problem) for losses in (found.model_losses, found.baseline_losses)
    )
    if not found.is_proved and (found.proof is not None or ours >= others):
        yield (
            f"these rows do not prove that the model is better than {found.baseline.name}: "
            f"{_shown(ours, problem)} against {_shown(others, problem)} {_averaged(problem)}"
        )
    if problem.task != "regression":
        if others < RARE:
            yield _of_imbalance(problem, answers, found.baseline, others)
        yield from _of_classes_never_answered(problem, answers)


def _of_classes_never_answered(problem: Problem, answers: Answers) -> Iterator[str]:
    """Name the classes of several rows held out that the model never answers there."""
    labels, counts = np.unique(problem.held_out.y, return_counts=True)
    answered = set(answers.predicted.tolist())
    never = [
        f"{label} (true of {n:,} rows)"
        for label, n in zip(labels.tolist(), counts.tolist(), strict=True)
        if n >= SEVERAL and label not in answered
    ]
    if never:
        yield f"the model never answered {listing(never, most=5)} on the rows held out"


def _shown(mean: float, problem: Problem) -> str:
    if problem.task == "regression":
        return f"a mean absolute error of {amount(mean)}"
    return f"{100 * mean:.3g}% wrong"


def _of_imbalance(problem: Problem, answers: Answers, baseline: Constant, rate: float) -> str:
    """Say how the model does on the rows of other classes, which an error rate hardly counts."""
    y, predicted = problem.held_out.y, answers.predicted
    rest = y != baseline.answer
    n, missed = int(rest.sum()), int((predicted[rest] != y[rest]).sum())
    return (
        f"{baseline.name} would be wrong on only {100 * rate:.3g}% {of_which(problem)}, so a "
        f"small error rate says little here. Of the {n:,} rows of other classes the model gets "
        f"{missed:,} wrong: judge it by the rates of each class"
    )
