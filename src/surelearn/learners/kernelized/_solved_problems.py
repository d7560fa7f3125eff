"""The problems of a support vector machine: what they are about, and what solves them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surelearn._threads import Workers
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.fitting import warn
from surelearn.kernels import Gaussian, Linear
from surelearn.kernels.norms import is_ours
from surelearn.learners.kernelized import _linear_machine, _points
from surelearn.learners.kernelized._dual_solver.gaussian_sums import spread_out
from surelearn.learners.kernelized._dual_solver.gaussian_values import GaussianValues
from surelearn.learners.kernelized._dual_solver.hulls import NotSeparableError
from surelearn.learners.kernelized._dual_solver.kernel_values import (
    WHOLE,
    KeptValues,
    KernelValues,
    LinearValues,
    computed_values,
)
from surelearn.learners.kernelized._dual_solver.problem import (
    Optimality,
    Problem,
    Solution,
    judge,
)
from surelearn.learners.kernelized._dual_solver.solver import Rules, solve

_SMALL = 1000  # rows up to which all kernel values are kept
_PATIENCE = 30_000, 30  # steps of a linear machine, and steps a variable, before weights are sought
_NEAR = 1e-8  # the gap to which they are sought: few steps are left from there


class Task(NamedTuple):
    """What a machine is to learn: points, their targets and weights, and the problems they pose.

    Each problem comes with the places of the rows that it is about.
    """

    points: Any
    targets: Any
    weights: Vector
    problems: Sequence[tuple[Problem, Indices]]


class Solved(NamedTuple):
    """A problem, the training rows it is about, what solves it, and how well."""

    problem: Problem
    rows: Indices
    solution: Solution
    optimality: Optimality

    def coefficients(self, n: int) -> Vector:
        """Return the coefficient of each of n training rows."""
        sums = np.bincount(self.problem.rows, self.solution.beta, minlength=len(self.rows))
        found = np.zeros(n)
        found[self.rows] = sums
        return found


def values_of_points(model: Any, points: Any, crew: Workers) -> KernelValues:
    """Return the kernel values of the training points; a penalised intercept adds 1 to each."""
    kernel, n = model.kernel_, points.shape[0]
    offset = 1.0 if model.penalize_intercept else 0.0
    # What is known of a kernel is not known of one that inherits from it.
    if type(kernel) is Gaussian and n > _SMALL:
        return GaussianValues.of(spread_out(points), kernel.gamma, crew, offset=offset)
    if isinstance(kernel, str):
        return KeptValues(points + offset if offset else points)
    values_of = _points.values_of(kernel)

    def shifted(X: Any, Z: Any) -> Matrix:
        return values_of(X, Z) + offset

    diagonal = _points.diagonal(kernel, points) + offset
    if type(kernel) is Linear and n > WHOLE:
        return LinearValues(points, shifted, diagonal, offset)
    values = computed_values(points, shifted if offset else values_of, diagonal)
    if not is_ours(kernel) and isinstance(values, KeptValues):
        _points.refuse_asymmetric(values.gram, f"what {_points.named(kernel)} returns is")
        _points.refuse_indefinite(values.gram)
    return values


def rules_of(model: Any) -> Rules:
    """Return when the search of a machine stops."""
    return Rules(float(model.tol), int(model.max_iter))


def solve_all(
    model: Any, values: KernelValues, task: Task, starts: Sequence[Vector | None], crew: Workers
) -> list[Solved]:
    """Return what solves each problem about some of the rows."""
    problems = task.problems

    def work(number: int) -> Solved:
        problem, rows = problems[number]
        own = values if len(problems) == 1 else values.restricted(rows)
        about = task.points, rows
        return Solved(problem, rows, *_solve_one(model, problem, about, own, starts[number]))

    solved = crew.map(work, range(len(problems)))
    scale = float(np.abs(values.diagonal).max())
    _points.refuse_curvature(min(one.solution.curvature for one in solved), scale)
    return solved


def _solve_one(
    model: Any,
    problem: Problem,
    about: tuple[Any, Indices],
    values: KernelValues,
    start: Vector | None,
) -> tuple[Solution, Optimality]:
    """Return what solves a problem about some of the points, and how well."""
    soft = bool(np.isfinite(model.C))
    if isinstance(values, LinearValues) and soft:
        return _solve_weights(model, problem, values.points, start, model.tol, model.max_iter)
    try:
        if type(model.kernel_) is Linear and soft:
            found = _solve_with_weights(model, problem, about, values, start)
        else:
            found = solve(problem, values, rules_of(model), start)
    except NotSeparableError as error:  # it speaks of places among these rows
        places, weights = about[1][error.rows], error.weights
        raise NotSeparableError(places, weights, error.distance) from None
    return found, judge(problem, found.beta, found.sums)


def _solve_with_weights(
    model: Any,
    problem: Problem,
    about: tuple[Any, Indices],
    values: KernelValues,
    start: Vector | None,
) -> Solution:
    """Return the optimum of a linear machine with few rows.

    Steps on two coefficients get nowhere if C times the squared length of rows is very large.
    Newton's steps on the weights do, so the search begins again where those ended.
    """
    rules = rules_of(model)
    patience = max(_PATIENCE[0], _PATIENCE[1] * len(problem.targets))
    first = solve(problem, values, rules._replace(max_steps=min(patience, rules.max_steps)), start)
    left = rules.max_steps - first.n_steps
    if first.converged or left <= 0:
        return first
    points, rows = about
    found, reached = _solve_weights(model, problem, points[rows], None, _NEAR, patience)
    better = reached.dual > judge(problem, first.beta, first.sums).dual
    begin = found.beta if better else first.beta
    last = solve(problem, values, rules._replace(max_steps=left), begin)
    steps, curvature = first.n_steps + last.n_steps, min(first.curvature, last.curvature)
    return replace(last, n_steps=steps, curvature=curvature)


def _solve_weights(
    model: Any, problem: Problem, points: Any, start: Vector | None, tol: float, max_steps: int
) -> tuple[Solution, Optimality]:
    intercept = "free" if problem.balanced else "penalized" if model.penalize_intercept else "none"
    rules = _linear_machine.Rules(intercept, float(tol), int(max_steps))
    epsilon = float(getattr(model, "epsilon", 0.0))
    return _linear_machine.solve(problem, points, rules, epsilon, start)


def warn_of_unsolved(solved: Sequence[Solved], max_iter: int) -> None:
    """Warn if an optimum was not reached; more steps help only if all of them were taken."""
    unsolved = [one for one in solved if not one.solution.converged]
    if not unsolved:
        return
    worst = max(float(one.optimality.violation) for one in unsolved)
    taken = max(one.solution.n_steps for one in unsolved)
    steps, advice = f"in max_iter={max_iter} steps", "raise max_iter or tol"
    if taken < max_iter:
        steps, advice = f"and rounding ended the search after {taken} steps", "raise tol"
    warn(
        f"the optimum was not reached {steps}: the largest violation is {worst:.3g}; {advice}, or "
        "scale the features",
        ConvergenceWarning,
    )


def starts_of(model: Any, last: Any, task: Task) -> list[Vector | None]:
    """Return where each search begins: at 0, or where the last fit ended, if that is asked for."""
    n, cold = task.points.shape[0], [None] * len(task.problems)
    same = np.array_equal(getattr(last, "classes_", ()), getattr(model, "classes_", ()))
    if not (model.warm_start and same) or getattr(last, "n_training_rows_", -1) != n:
        return list(cold)
    coef = np.zeros((len(last.dual_coef_), n))
    finite = bool(np.isfinite([model.C, last.C_]).all())
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = np.float64(model.C) / last.C_ if finite else 1.0
        coef[:, last.support_] = ratio * last.dual_coef_
    if len(coef) != len(cold) or not np.isfinite(coef).all():
        return list(cold)
    return [_start_from(*pair) for pair in zip(coef, task.problems, strict=True)]


def _start_from(coef: Vector, about: tuple[Problem, Indices]) -> Vector | None:
    """Return where to begin: the coefficients of the last fit, brought into the new box.

    They grow with C, so that what was at its bound is there again.
    """
    problem, rows = about
    low, high = problem.bounds
    beta = np.clip(coef[rows][problem.rows], low, high)
    if problem.balanced:
        up, down = beta[beta > 0.0].sum(), -beta[beta < 0.0].sum()
        if min(up, down) == 0.0:
            return None
        beta[beta > 0.0] *= min(1.0, down / up)
        beta[beta < 0.0] *= min(1.0, up / down)
    return beta
