"""Learners tried on the training rows of a table: cross-validated estimates, no certificates."""

import math
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import KFold

from surelearn.app.parts import training_part, training_rows
from surelearn.app.profile import Problem
from surelearn.evaluate.cross_validation import CrossValidation, cross_validate

FOLDS = 5
LOSSES = ("error rate", "mean absolute error")
"""What is estimated for a classification, and for a regression."""


class Trial(NamedTuple):
    """One learner on the training part.

    Attributes
    ----------
    name
        The learner.
    result
        Its cross-validation; None if it could not be tried.
    seconds
        How long that took.
    note
        Why it could not be tried, or what it warned of.
    """

    name: str
    result: CrossValidation | None
    seconds: float
    note: str = ""

    @property
    def estimate(self) -> float:
        """The cross-validated loss; infinite if the learner could not be tried."""
        return math.inf if self.result is None else self.result.estimate

    @property
    def spread(self) -> float:
        """The standard error over the folds; NaN if the learner could not be tried."""
        if self.result is None:
            return math.nan
        means = self.result.fold_means
        return float(means.std(ddof=1) / math.sqrt(len(means)))


def try_learner(name: str, model: Any, problem: Problem, *, seed: int) -> Trial:
    """Cross-validate one learner; what it cannot do is told, and does not stop the others."""
    start = time.perf_counter()
    X, y = training_part(problem)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = cross_validate(model, X, y, **ways(problem, seed=seed))
            note = _first_line(caught[0].message) if caught else ""
        except (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError) as error:
            result, note = None, _first_line(error)
    return Trial(name, result, time.perf_counter() - start, note)


def try_constant(problem: Problem, *, seed: int) -> Trial:
    """Cross-validate the answer that needs no features: what a learner must beat."""
    if problem.task == "regression":
        return try_learner(
            "always the median", DummyRegressor(strategy="median"), problem, seed=seed
        )
    model = DummyClassifier(strategy="most_frequent")
    return try_learner("always the commonest class", model, problem, seed=seed)


def ways(problem: Problem, *, seed: int, folds: int = FOLDS) -> dict[str, Any]:
    """Return the arguments of `cross_validate` for a problem: folds as the hold-out was split."""
    rows = training_rows(problem)
    cv: Any = folds
    if problem.split.kind == "random" and _rarest(problem) < folds:
        cv = KFold(folds, shuffle=True, random_state=seed)  # too rare a class for each fold
    return {
        "cv": cv,
        "loss": "absolute" if problem.task == "regression" else "zero_one",
        "groups": None if problem.groups is None else problem.groups[rows],
        "ordered": problem.times is not None,
        "random_state": seed,
    }


def _rarest(problem: Problem) -> float:
    """Return the number of training rows of the rarest class."""
    if problem.task == "regression":
        return math.inf
    return float(np.unique(problem.y[problem.split.train], return_counts=True)[1].min())


def _first_line(message: object) -> str:
    return str(message).partition("\n")[0]
