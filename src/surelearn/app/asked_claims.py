"""Claims that were asked for: as they are stored, and refused before anything is trained."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from surelearn.app.errors import TableError
from surelearn.app.problem.baseline import positive_of
from surelearn.app.problem.problem import Problem
from surelearn.claims import Claim, Predictions, Target, parse
from surelearn.evaluate.audit import gather

_MOST_ROWS = 10_000  # by which it is seen whether a claim suits a table


def in_one_form(asked: Sequence[Claim | Target | str]) -> tuple[str, ...]:
    """Return claims as they are stored: the same question in other words is the same one.

    Examples
    --------
    >>> in_one_form(["recall>=90%"])
    ('sensitivity>=0.9',)
    """
    if isinstance(asked, str) or not isinstance(cast("object", asked), Sequence):
        raise TypeError("claims is a list of claims, such as ['sensitivity>=0.9']")
    try:
        return tuple(str(parse(one if isinstance(one, str) else str(one))) for one in asked)
    except (TypeError, ValueError) as error:
        raise TableError(str(error)) from None


def refuse_claims(
    problem: Problem, asked: Sequence[str], positive: str | None, *, widths: bool = False
) -> None:
    """Refuse claims that rows of such a table cannot show; those held out are not looked at.

    Parameters
    ----------
    problem, asked, positive
        The problem, the claims, and the positive label if one was named.
    widths
        Whether the model will say how wide its errors are.
    """
    named = positive_of(problem, positive)
    if not asked:
        return
    rows = _as_answered_by_truth(problem, named)
    if widths:
        rows = replace(rows, columns={"width": np.ones(rows.n)})
    try:
        gather(rows, asked)
    except (TypeError, ValueError) as error:
        raise TableError(str(error)) from None


def _as_answered_by_truth(problem: Problem, positive: Any) -> Predictions:
    """Return training rows as if a model had answered each of them rightly."""
    y = problem.y[problem.split.train][:_MOST_ROWS]
    score = None if positive is None else (y == positive).astype(np.float64)
    return Predictions(y, y, problem.task, positive, score, baseline=y)
