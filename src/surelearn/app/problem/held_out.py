"""The hold-out of a problem, set up with what this use case makes true of it."""

import math
from typing import Any

import numpy as np

from surelearn.app.errors import TableError
from surelearn.app.problem.problem import Problem
from surelearn.certificate import Evidence, by_construction
from surelearn.evaluate.holdout import Holdout, Quantile
from surelearn.evaluate.planning import plan_groups, plan_holdout
from surelearn.losses import ZeroOne

ALPHA = 0.1
"""The fraction of new rows that may have a larger error than the one certified for a regression."""

_USEFUL = 0.25  # an error rate; if not even this can be certified, there are too few rows
_DRAWN = {
    "random": "drawn from the number of rows and seed {seed} alone",
    "group": "whole groups, drawn from their number and seed {seed} alone",
    "time": "the last rows, by their time alone",
}


def set_up_holdout(problem: Problem, *, delta: float) -> Holdout:
    """Return the hold-out of a problem, to be asked once; a classifier also class by class.

    Rows may coincide with training rows by chance, so that alone refuses nothing.
    """
    regression, rows = problem.task == "regression", problem.split.holdout
    groups = None if problem.groups is None else problem.groups[rows]
    # Groups are drawn with their labels, so the number of classes must not come from the hold-out.
    known = True if groups is None else np.unique(problem.y[problem.split.train])
    return _HoldoutOfProblem(
        problem,
        delta=delta,
        loss=Quantile(ALPHA) if regression else ZeroOne(),
        allow_duplicates=True,
        groups=groups,
        random_state=problem.split.seed,
        by_class=False if regression else known,
    )


class _HoldoutOfProblem(Holdout):
    """The rows that a use case set apart before it looked at the table."""

    def __init__(self, problem: Problem, **rules: Any) -> None:
        self._problem = problem
        super().__init__(*problem.held_out, **rules)

    def _made_true(self) -> dict[str, Evidence]:
        return _known(self._problem)


def refuse_if_too_few(problem: Problem, *, delta: float, share: float) -> None:
    """Say how many rows would certify anything useful, if the hold-out has too few."""
    unit, n = "rows", len(problem.split.holdout)
    if problem.groups is not None:
        unit, n = "groups", len(np.unique(problem.groups[problem.split.holdout]))
    aim = f"an error rate of at most {_USEFUL:.0%}, even if none of them is wrong"
    if problem.task == "regression":
        # The largest of n errors bounds all but a fraction alpha if (1 - alpha)^n <= delta.
        least = math.ceil(math.log(delta) / math.log1p(-ALPHA))
        aim = f"a limit on {1 - ALPHA:.0%} of the errors"
    elif problem.groups is None:
        least = plan_holdout(target=_USEFUL, delta=delta).n
    else:
        least = plan_groups(target=_USEFUL, delta=delta)
    if n < least:
        raise TableError(
            f"the hold-out has {n} {unit}, and {least} are needed to certify {aim}: give "
            f"{math.ceil(least / share):,} {unit} or more, or a larger --holdout"
        )


def _known(problem: Problem) -> dict[str, Evidence]:
    """Return what this use case makes true, where a hold-out alone would have to assume it."""
    split = problem.split
    apart = f"{len(split.train):,} rows train, {len(split.holdout):,} others are held out"
    decided = "types, features and learner were decided on the training rows; it was asked once"
    evidence = {
        "unseen": by_construction(apart),
        "blind_split": by_construction(_DRAWN[split.kind].format(seed=split.seed)),
        "untouched": by_construction(decided),
    }
    if problem.task == "regression":
        evidence["alpha"] = by_construction(f"it is {ALPHA:g} for every table")
    return evidence
