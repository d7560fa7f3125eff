"""Machines with the linear kernel and many rows: solved by their weights, not by kernel values.

What is kept are the weights that were found and a feasible point of the dual beside them, so the
gap between the two objectives is that of the machine that predicts.
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from surelearn._typing import Vector
from surelearn.learners.kernelized._dual_solver.problem import Optimality, Problem, Solution
from surelearn.optimizers import linear_machines

_EPOCH = 1000  # steps that a visit of all rows counts as


class Rules(NamedTuple):
    """What there is of an intercept, how near to come, and in how many steps."""

    intercept: Literal["free", "penalized", "none"]
    tol: float
    max_steps: int


def solve(
    problem: Problem, points: Any, rules: Rules, epsilon: float, start: Vector | None
) -> tuple[Solution, Optimality]:
    """Return the optimum of a problem, and how near it is: the gap is `tol` of the primal at most.

    Parameters
    ----------
    problem
        The dual problem: a variable for each row, or in regression two.
    points
        The rows.
    rules
        How to solve it.
    epsilon
        Half the width of the tube in regression.
    start
        Where to begin; from 0 if None.
    """
    n = points.shape[0]
    how: dict[str, Any] = {
        "intercept": rules.intercept,
        "tolerance": rules.tol,
        "max_iter": max(1, rules.max_steps // _EPOCH),
        "start": None if start is None else start.reshape(-1, n).sum(axis=0),
    }
    costs = problem.bounds[1, :n] - problem.bounds[0, :n]
    if len(problem.targets) == n:
        found = linear_machines.solve_linear_classification(
            points, problem.targets, costs=costs, **how
        )
        beta = found.dual_variables
    else:
        targets = problem.targets.reshape(2, n).mean(axis=0)
        found = linear_machines.solve_linear_regression(
            points, targets, costs=costs, epsilon=epsilon, **how
        )
        beta = np.concatenate([found.dual_variables.clip(min=0), found.dual_variables.clip(max=0)])
    return _as_solution(problem, points, found, beta, rules)


def _as_solution(
    problem: Problem, points: Any, found: linear_machines.Solution, beta: Vector, rules: Rules
) -> tuple[Solution, Optimality]:
    """Return what was found in the words of the dual solver.

    A penalised intercept is part of the sums there, as the weight of a constant feature.
    """
    free = rules.intercept == "free"
    sums = np.asarray(points @ found.coef) + (0.0 if free else found.intercept)
    shift = found.intercept if free else 0.0
    lowest, highest = problem.extremes(beta, problem.gradient(sums))
    violation = max(0.0, highest + shift, -(lowest + shift))
    share = found.gap / found.primal if found.primal > 0.0 else 0.0
    weights = np.append(found.coef, found.intercept)
    steps = found.n_steps * _EPOCH
    solution = Solution(beta, sums, steps, found.within(rules.tol), np.inf, weights)
    return solution, Optimality(shift, found.primal, found.dual, share, violation)
