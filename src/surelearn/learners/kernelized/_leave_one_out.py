"""What one fit tells about models that lack a row: scores by retraining, and three estimates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.learners.kernelized._dual_solver.kernel_values import KernelValues
from surelearn.learners.kernelized._dual_solver.problem import Problem, judge
from surelearn.learners.kernelized._dual_solver.solver import Rules, solve
from surelearn.learners.kernelized._solved_problems import Solved

REFITTING = "refitting for support vectors alone"
"""How each row is predicted from all the others; the rest of the rows change no model."""

_ROOM = 1e-6  # a row so close to its margin is left out in truth, too


@dataclass(frozen=True)
class LeaveOneOutEstimates:
    """Estimates of the error of a model that lacks one row; none holds with a confidence.

    Attributes
    ----------
    support_fraction
        n_sv / m. In expectation over samples of m rows, the error of a machine fitted to m - 1 rows
        is at most the expectation of this.
    xi_alpha
        The share of rows with 2·alpha·R² + xi >= 1, R² the largest k(x, x): never below the
        leave-one-out error of machines without an intercept, or with a penalised one. Of others,
        for kernels that are never negative, if every machine that lacks a row has one on its margin
        whose alpha is neither 0 nor C: else its intercept is not determined (Joachims, 2000).
    radius_margin
        R²·‖w‖² / m: for a hard margin without intercept, never below the leave-one-out error.
        R is the radius of a ball around the origin.
    """

    support_fraction: float
    xi_alpha: float
    radius_margin: float

    @classmethod
    def of(
        cls, *, alpha: Vector, margins: Vector, norm: float, largest: float, n: int
    ) -> "LeaveOneOutEstimates":
        """Return the estimates from the support vectors of one problem.

        Examples
        --------
        >>> alpha, margins = np.array([0.1, 1.0]), np.array([1.0, -0.5])
        >>> LeaveOneOutEstimates.of(alpha=alpha, margins=margins, norm=1.0, largest=1.0, n=8)
        LeaveOneOutEstimates(support_fraction=0.25, xi_alpha=0.125, radius_margin=0.125)
        """
        slack = np.maximum(0.0, 1.0 - margins)
        doubtful = 2.0 * alpha * largest + slack >= 1.0
        return cls(len(alpha) / n, float(doubtful.sum()) / n, largest * (norm * norm) / n)


def without_each_row(solved: Sequence[Solved], values: KernelValues, rules: Rules) -> Matrix:
    """Return the score of each row in each problem by models that lack that row.

    The score of a row inside its half-space is that of the full model. For any other one the
    problem is solved again with no room for its coefficient, from where the full model ended.
    """
    scores = np.zeros((values.n, len(solved)))
    for number, one in enumerate(solved):
        covers = len(one.rows) == values.n
        own = values if covers else values.restricted(one.rows)
        scores[one.rows, number] = _of_one(one, own, rules)
        if not covers:
            scores[:, number] = _elsewhere(one, values, scores[:, number])
    return scores


def _of_one(one: Solved, values: KernelValues, rules: Rules) -> Vector:
    scores, n = one.solution.sums + one.optimality.intercept, values.n
    for row in np.flatnonzero(~_stays(one, n)):
        own = np.flatnonzero(one.problem.rows == row)
        bounds = one.problem.bounds.copy()
        bounds[:, own] = 0.0
        problem = replace(one.problem, bounds=bounds)
        found = solve(problem, values, rules, _moved(problem, one.solution.beta, own))
        scores[row] = found.sums[row] + judge(problem, found.beta, found.sums).intercept
    return scores


def _stays(one: Solved, n: int) -> Mask:
    """Say for which rows nothing changes if they are left out: their variables are 0, and more."""
    problem, beta = one.problem, one.solution.beta
    sides = np.sign(problem.bounds.sum(axis=0))
    pressure = sides * (problem.gradient(one.solution.sums) + one.optimality.intercept)
    stays = (beta == 0.0) & ((pressure > _ROOM) | (sides == 0.0))
    return np.bincount(problem.rows, weights=~stays, minlength=n) == 0.0


def _moved(problem: Problem, beta: Vector, own: Indices) -> Vector:
    """Return a feasible start: the weight of a row goes to others of its sign that have room."""
    start, left = beta.copy(), float(beta[own].sum())
    start[own] = 0.0
    if not problem.balanced or left == 0.0:
        return start
    low, high = problem.bounds
    room = (high - start) if left > 0.0 else (start - low)
    room = np.minimum(room, abs(left))
    if room.sum() >= abs(left):
        return start + left * room / room.sum()
    others = start * left < 0.0  # there is no room: what balanced the row is taken back
    start[others] *= max(0.0, 1.0 - abs(left) / np.abs(start[others]).sum())
    return start


def _elsewhere(one: Solved, values: KernelValues, scores: Vector) -> Vector:
    """Return the scores with those of rows that the problem is not about."""
    coef = one.coefficients(values.n)
    used = np.flatnonzero(coef)
    sums = values.sums(used, coef[used], double=True) + one.optimality.intercept
    sums[one.rows] = scores[one.rows]
    return sums
