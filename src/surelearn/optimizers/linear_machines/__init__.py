"""Linear support vector machines for many rows, solved to a stated gap between primal and dual.

    classification   minimise ½‖w‖² + Σ C_i max(0, 1 − y_i(w·x_i + b))
    regression       minimise ½‖w‖² + Σ C_i max(0, |y_i − w·x_i − b| − ε)

b is free, penalised as the weight of a constant feature 1, or absent. Tables that are not too wide
are solved by Newton's method on smoothed losses, others by dual coordinate descent. The gap is
computed from feasible points of both problems, so it holds whatever the method did.
"""

from dataclasses import replace
from typing import Any, cast

import numpy as np
from scipy import sparse

from surelearn._typing import Vector
from surelearn.optimizers.linear_machines import _coordinate_descent, _newton
from surelearn.optimizers.linear_machines._newton import WIDEST
from surelearn.optimizers.linear_machines._problem import Intercept, Problem, Solution
from surelearn.optimizers.linear_machines._validation import checked

__all__ = ["Intercept", "Solution", "solve_linear_classification", "solve_linear_regression"]

_SOME, _FAR = 1000, 10.0  # rows that tell the centre; standard deviations from which it is far
_STEPS = 100  # of Newton's method
_PATIENCE, _LONG_PATIENCE = 200, 5000  # epochs before it, of short and of long wide tables


def solve_linear_classification(
    X: Any,
    signs: Vector,
    *,
    costs: Vector,
    intercept: Intercept = "free",
    tolerance: float = 1e-3,
    max_iter: int = 1000,
    start: Vector | None = None,
) -> Solution:
    """Minimise ½‖w‖² + Σ C_i max(0, 1 − y_i(w·x_i + b)).

    Parameters
    ----------
    X
        Finite rows, a float array or a CSR matrix, each entry once.
    signs
        1.0 or −1.0 for each row.
    costs
        C_i >= 0 for each row: C times its weight.
    intercept
        "free", "penalized" (½b² is added) or "none".
    tolerance
        The duality gap to reach, as a share of the primal value.
    max_iter
        The largest number of epochs, if rows are visited one by one.
    start
        Dual variables from which to begin, such as those of a smaller C; 0 if left out.

    Examples
    --------
    >>> X, signs = np.array([[1.0], [2.0], [4.0]]), np.array([-1.0, -1.0, 1.0])
    >>> found = solve_linear_classification(X, signs, costs=np.full(3, 10.0), tolerance=1e-9)
    >>> found.coef.round(6), round(found.intercept, 6), round(found.primal, 6)
    (array([1.]), -3.0, 0.5)
    """
    X, signs, costs = checked(X, signs, costs)
    low, high = np.minimum(signs * costs, 0.0), np.maximum(signs * costs, 0.0)
    problem = Problem(X=X, targets=signs, low=low, high=high, epsilon=0.0, intercept=intercept)
    return _solve_centred(problem, start, tolerance, max_iter)


def solve_linear_regression(
    X: Any,
    targets: Vector,
    *,
    costs: Vector,
    epsilon: float,
    intercept: Intercept = "free",
    tolerance: float = 1e-3,
    max_iter: int = 1000,
    start: Vector | None = None,
) -> Solution:
    """Minimise ½‖w‖² + Σ C_i max(0, |y_i − w·x_i − b| − ε).

    Parameters
    ----------
    X
        Finite rows, a float array or a CSR matrix, each entry once.
    targets
        A finite number for each row.
    costs
        C_i >= 0 for each row: C times its weight.
    epsilon
        Residuals up to this cost nothing.
    intercept, tolerance, max_iter, start
        As in `solve_linear_classification`.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.5, 1.5, 3.0])
    >>> found = solve_linear_regression(X, y, costs=np.ones(4), epsilon=0.1, tolerance=1e-9)
    >>> found.coef.round(6), round(found.intercept, 6), round(found.primal, 6)
    (array([0.933333]), 0.1, 1.168889)
    """
    X, targets, costs = checked(X, targets, costs)
    problem = Problem(
        X=X, targets=targets, low=-costs, high=costs, epsilon=epsilon, intercept=intercept
    )
    return _solve_centred(problem, start, tolerance, max_iter)


def _solve_centred(
    problem: Problem, start: Vector | None, tolerance: float, max_iter: int
) -> Solution:
    """Move rows that are far from 0 there first: a free b makes up for it, and no digits are lost.

    Any shift will do, so a few rows tell it.
    """
    X: Any = problem.X
    if problem.intercept != "free" or sparse.issparse(X):
        return _solve(problem, start, tolerance, max_iter)
    some = X[:: max(1, len(X) // _SOME)]
    centre = some.mean(axis=0)
    if not (np.abs(centre) > _FAR * some.std(axis=0)).any():
        return _solve(problem, start, tolerance, max_iter)
    found = _solve(replace(problem, X=X - centre), start, tolerance, max_iter)
    return found._replace(intercept=found.intercept - float(found.coef @ centre))


def _solve(problem: Problem, start: Vector | None, tolerance: float, max_iter: int) -> Solution:
    """Let the methods take turns, each from where the last one ended, until the gap is reached."""
    beta = np.zeros(len(problem.targets)) if start is None else problem.feasible(start)
    if problem.X.shape[1] <= WIDEST:
        turns = [(_newton.minimise, _STEPS), (_coordinate_descent.minimise, max_iter)]
    else:
        few = len(problem.targets) <= WIDEST  # then Newton's equations are small
        patience = _PATIENCE if few else _LONG_PATIENCE
        turns = [
            (_coordinate_descent.minimise, min(max_iter, patience)),
            (_newton.minimise, _STEPS),
            (_coordinate_descent.minimise, max_iter),
        ]
    best, n_steps = None, 0
    for method, limit in turns:
        found = method(problem, beta, tolerance, limit)
        n_steps += found.n_steps
        best = found if best is None or found.gap < best.gap else best
        if best.within(tolerance):
            break
        beta = best.dual_variables
    return cast("Solution", best)._replace(n_steps=n_steps)
