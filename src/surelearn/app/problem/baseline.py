"""The answer that needs no features, which a model must beat, and the positive label."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._wording import amount
from surelearn.app.errors import TableError
from surelearn.app.problem.problem import Problem
from surelearn.base.labels import label_named
from surelearn.claims.predictions import POSITIVE


@dataclass(frozen=True)
class Constant:
    """A model that gives one answer to every row.

    Examples
    --------
    >>> Constant("cat").predict([1, 2]).tolist()
    ['cat', 'cat']
    """

    answer: Any

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the answer for each row."""
        return np.full(len(X), self.answer)

    @property
    def name(self) -> str:
        """The model in words."""
        answer = self.answer
        shown = amount(answer) if isinstance(answer, float) else str(answer)
        shown = f"'{shown}'" if isinstance(answer, str) else shown
        return f"always answering {shown}"


def baseline_of(problem: Problem) -> Constant:
    """Return the commonest class of the training rows, or the median of their targets."""
    y = problem.y[problem.split.train]
    if problem.task == "regression":
        return Constant(float(np.median(y)))
    labels, counts = np.unique(y, return_counts=True)
    return Constant(labels[np.argmax(counts)])


def positive_of(problem: Problem, named: str | None = None) -> Any:
    """Return which of two labels is positive: as named, as its words say, or the rarer one.

    Rarer among the training rows, so that the rows held out have no say in it.
    """
    if problem.task != "binary":
        if named is not None:
            raise TableError(
                f"--positive names one of two labels, and this is a {problem.task} task"
            )
        return None
    labels, counts = np.unique(problem.y[problem.split.train], return_counts=True)
    if named is not None:
        found = label_named(labels.tolist(), named)
        if found is None:
            told = " and ".join(map(str, labels))
            raise TableError(f"there is no label {named!r} to be the positive one, only {told}")
        return found
    own = [label for label in labels.tolist() if str(label).lower() in POSITIVE]
    return own[0] if len(own) == 1 else labels[np.argmin(counts)].item()
