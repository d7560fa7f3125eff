"""The half-space with the fewest errors, exactly: an enumeration for few features.

Finding it is NP-hard when the dimension grows, and so is coming within any constant factor
(MinDisagreement); with d features and n rows there are only O(n^d) hyperplanes to look at. An
optimal rule can be moved, without changing the side of any row off the hyperplane, until the
hyperplane goes through as many independent rows as it can hold; the rows on it are then sides of a
problem of one dimension less, which is solved in the same way.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Mask, Matrix, Vector
from surelearn.base.hyperplanes import checked_signs
from surelearn.base.validation import checked_numbers
from surelearn.evaluate._arrangements import cheapest_sides


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MinimumDisagreement(Shown):
    """A half-space that errs on as few rows as any.

    Attributes
    ----------
    n_errors
        The least number of rows with y (⟨coef, x⟩ + intercept) <= 0, over all weights: exact.
    right
        The rows that an optimal rule gets right.
    coef, intercept
        An optimal rule, or None if the rows lie so close to each other that no rule with float
        weights was found.

    Examples
    --------
    >>> result = minimum_disagreement([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> result.n_errors, result.right.tolist()
    (1, [True, True, False, True])
    """

    n_errors: int
    right: Mask
    coef: Vector | None
    intercept: float | None


def minimum_disagreement(
    X: ArrayLike, y: ArrayLike, *, fit_intercept: bool = True, max_hyperplanes: int = 200_000
) -> MinimumDisagreement:
    """Return the half-space with the fewest errors on some rows, by looking at all of them.

    A row on the boundary counts as an error, whatever its label.

    Parameters
    ----------
    X
        Rows of a few features.
    y
        Labels -1 and +1.
    fit_intercept
        Whether the hyperplane may lie anywhere; otherwise it goes through 0.
    max_hyperplanes
        Refuse to look at more than so many: one for each set of as many different rows as there are
        features, one fewer without an intercept.

    Examples
    --------
    >>> corners, either = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
    >>> minimum_disagreement(corners, either).n_errors
    1
    """
    table: Matrix = checked_numbers(X)
    signs = checked_signs(y, len(table))
    rows = (
        np.hstack([table, np.ones((len(table), 1))])
        if _arguments.flag("fit_intercept", fit_intercept)
        else table
    )
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    place = place.ravel()
    _refuse_many(len(distinct), rows.shape[1] - 1, max_hyperplanes)
    costs = tuple(
        np.bincount(place[signs == sign], minlength=len(distinct)) for sign in (-1.0, 1.0)
    )
    sides = cheapest_sides(distinct, (costs[0], costs[1]))
    right = sides[place] == signs
    rule = _rule(rows, signs, right)
    coef, intercept = None, None
    if rule is not None:
        coef, intercept = (rule[:-1], float(rule[-1])) if fit_intercept else (rule, 0.0)
    n_errors = int(np.count_nonzero(~right))
    return MinimumDisagreement(n_errors=n_errors, right=right, coef=coef, intercept=intercept)


def _refuse_many(n: int, size: int, most: int) -> None:
    """Refuse an enumeration that would not end, and say what to do instead."""
    _arguments.at_least_one("max_hyperplanes", most)
    # C(n, k) >= (n / k)^k: a number of many digits need not be written out.
    huge = 0 < size < n and size * math.log(n / size) > 2.0 * math.log(most) + 50.0
    if huge or math.comb(n, size) > most:
        raise ValueError(
            f"there is a hyperplane for each {size} of {n} different rows, more than "
            f"max_hyperplanes={most}: finding the fewest errors is NP-hard, and this enumeration "
            "is for few features and rows. Halfspace decides whether some half-space makes no "
            "error; LogisticRegression and the Perceptron minimise other losses"
        )


def _rule(rows: Matrix, signs: Vector, right: Mask) -> Vector | None:
    """Return weights with the largest margin on rows that can be separated, if floats can."""
    scale = np.abs(rows).max(axis=0)
    columns = np.where(scale > 0.0, scale, 1.0)
    table = (signs[:, np.newaxis] * rows / columns)[right]
    lengths = np.abs(table).max(axis=1, initial=0.0)
    table = table / np.where(lengths > 0.0, lengths, 1.0)[:, np.newaxis]
    solve: Any = linprog
    found = solve(
        np.append(np.zeros(rows.shape[1]), -1.0),
        A_ub=np.hstack([-table, np.ones((len(table), 1))]),
        b_ub=np.zeros(len(table)),
        bounds=[(-1.0, 1.0)] * rows.shape[1] + [(None, 1.0)],
        method="highs",
    )
    if found.status != 0:
        return None
    with np.errstate(all="ignore"):  # weights beyond floats separate nothing
        rule = found.x[:-1] / columns
        separates = bool((signs * (rows @ rule) > 0.0)[right].all())
    return rule if separates and np.isfinite(rule).all() else None
