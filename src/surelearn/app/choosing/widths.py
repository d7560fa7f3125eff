"""Widths of intervals: learnt from the errors that the choice has made on training rows.

The cross-validation by which a learner was chosen has predicted each training row by a model that
had not seen it. A tree is fitted to the sizes of these errors, so that intervals are wide where the
model errs much, and no learner is fitted once more for that.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from surelearn._typing import Vector
from surelearn.app.problem.problem import Problem
from surelearn.app.tables.notes import Note
from surelearn.base.chunks import rows_at
from surelearn.evaluate.cross_validation import CrossValidation
from surelearn.learners.ensembles.locally_scaled_regressor import LocallyScaledRegressor

WIDTHS = ("adaptive", "constant")
"""What intervals of a regression can be: as wide as the row asks for, or all alike."""


class OutsideErrors(NamedTuple):
    """Training rows, and how far from the truth a model was that had not seen them."""

    X: Any
    sizes: Vector


def errors_outside(problem: Problem, result: CrossValidation) -> OutsideErrors | None:
    """Return the errors of a regression on training rows that were left out; None of classes.

    Rows before which there are none in time were never tested.
    """
    if problem.task != "regression":
        return None
    places = np.concatenate([fold.test for fold in result.folds])
    order, X = np.argsort(places, kind="stable"), problem.training.X
    if len(places) < len(problem.training.y):
        X = rows_at(X, places[order])
    return OutsideErrors(X, result.losses[order])


def with_widths(
    model: Any, learner: Any, errors: OutsideErrors | None
) -> tuple[Any, tuple[Note, ...]]:
    """Return a fitted regressor that says how wide its errors are, and a note on that.

    Parameters
    ----------
    model, learner
        The fitted model, and the learner it comes from.
    errors
        What is known of its errors; None if nothing, and then it stays as it is.
    """
    if errors is None:
        return model, ()
    try:
        wide = LocallyScaledRegressor(clone(learner)).fit_widths(model, *errors)
    except (TypeError, ValueError) as error:  # of learners and tables of any kind
        why = f"where it errs more cannot be learnt here: {error}"
        return model, (Note("intervals", "of one width for all rows", why),)
    n_leaves = int(wide.width_learner_.n_leaves_)
    several = "wider where it errs more" if n_leaves > 1 else "of one width for all rows"
    grown = f"a tree of {n_leaves} {'leaf' if n_leaves == 1 else 'leaves'}"
    why = f"{grown}, fitted to its errors on training rows that it had not seen"
    return wide, (Note("intervals", several, why, "--widths constant"),)
