"""Empirical risk in the space of a kernel, by kernel ridge regressions with changing weights.

    minimise  Σ s_i·V(y_i, f(x_i) + b) + (λ/2)‖f‖²,   f = Σ c_i·K(x_i, ·)

By the representer theorem the minimiser is such a sum, with c_i = −s_i·V'(y_i, f(x_i) + b)/λ. Each
step replaces V by a parabola at the current scores and halves the step until the objective falls.
With the second derivative of V as curvature these are Newton's steps; with V'(r)/r, for a V that is
flatter than its parabola, they need no halving.
"""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surelearn._jit import fingerprints, rows
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.fitting import warn
from surelearn.learners.kernelized import _kernel_ridge_path as ridge
from surelearn.learners.kernelized._kernel_ridge_path import Targets

_HALVINGS = 40
_ROUNDING = 1e-13  # of an objective, which is a sum


class ScoreLoss(Protocol):
    """A convex loss of scores: its value, its slope, and the curvature of a parabola to use."""

    def value(self, y: Vector, scores: Vector) -> Vector:
        """Return the loss of each row."""
        ...

    def slope(self, y: Vector, scores: Vector) -> Vector:
        """Return its derivative by the score."""
        ...

    def curvature(self, y: Vector, scores: Vector) -> Vector:
        """Return a positive curvature."""
        ...


class Problem(NamedTuple):
    """What is to be minimised: rows by their kernel matrix, targets, weights, and the price λ."""

    gram: Matrix
    y: Vector
    weights: Vector
    loss: ScoreLoss
    penalty: float
    free: bool

    def objective(self, coef: Vector, pulled: Vector, intercept: float) -> float:
        """Return the penalised sum of losses; `pulled` is K times the coefficients."""
        losses = self.weights @ self.loss.value(self.y, pulled + intercept)
        return float(losses + 0.5 * self.penalty * (coef @ pulled))

    def gradient_norm(self, coef: Vector, scores: Vector) -> float:
        """Return the norm of the gradient, by f in the kernel's space and by b, over Σ s_i."""
        slopes = self.weights * self.loss.slope(self.y, scores)
        left = slopes + self.penalty * coef
        unit = math.ldexp(1.0, min(1000, math.frexp(float(np.abs(left).max()))[1]))
        left /= unit  # a power of two: squares of huge weights would overflow
        root = unit * math.sqrt(max(0.0, float(left @ (self.gram @ left))))
        return float(np.hypot(root, self.free * slopes.sum()) / self.weights.sum())


class Minimum(NamedTuple):
    """Where the search ended."""

    coef: Vector
    intercept: float
    objective: float
    gradient_norm: float
    n_steps: int
    converged: bool


def minimise(problem: Problem, *, tol: float, max_iter: int) -> Minimum:
    """Search from f = 0 until the gradient is at most `tol`, or nothing can be gained."""
    coef, intercept, pulled = np.zeros(len(problem.y)), 0.0, np.zeros(len(problem.y))
    value = problem.objective(coef, pulled, intercept)
    norm, n_steps = problem.gradient_norm(coef, pulled), 0
    while norm > tol and n_steps < max_iter:
        found = _step(problem, pulled + intercept)
        ahead = problem.gram @ found.coef
        for halving in range(_HALVINGS):
            share = 0.5**halving
            there = coef + share * (found.coef - coef)
            then = pulled + share * (ahead - pulled)
            constant = intercept + share * (found.intercept - intercept)
            reached = problem.objective(there, then, constant)
            if reached < value or (
                # Close to the minimum the objective is all rounding; the gradient still tells.
                reached <= value + _ROUNDING * abs(value)
                and problem.gradient_norm(there, then + constant) < norm
            ):
                break
        else:
            return Minimum(coef, intercept, value, norm, n_steps, converged=False)
        coef, pulled, intercept, value = there, then, constant, reached
        norm, n_steps = problem.gradient_norm(coef, pulled + intercept), n_steps + 1
    return Minimum(coef, intercept, value, norm, n_steps, converged=norm <= tol)


def _step(problem: Problem, scores: Vector) -> ridge.Solution:
    """Return the minimiser with the loss of each row replaced by a parabola at its score."""
    slopes = problem.loss.slope(problem.y, scores)
    curvatures = problem.loss.curvature(problem.y, scores)
    targets = Targets(scores - slopes / curvatures, problem.weights * curvatures, problem.free)
    return ridge.solve(problem.gram.copy(), targets, problem.penalty)


def learn(
    model: Any, X: Any, y: Vector, weights: Vector, loss: ScoreLoss, penalty: float
) -> Minimum:
    """Find the minimum for a model and keep it there; rows of weight 0 are as if not there."""
    counted = np.flatnonzero(weights)
    gram, free = model._gram(model._rows_at(X, counted)), bool(model.fit_intercept)  # noqa: SLF001 - of this family
    problem = Problem(gram, y[counted], weights[counted], loss, penalty, free)
    found = minimise(problem, tol=float(model.tol), max_iter=int(model.max_iter))
    _keep(model, X, counted, found)
    return found


def _keep(model: Any, X: Any, counted: Indices, found: Minimum) -> None:
    """Store what a search has found in a model, and say so if it did not end at the minimum."""
    kept = np.flatnonzero(found.coef)
    model._remember(X, counted[kept])  # noqa: SLF001 - of this family
    model.dual_coef_, model.intercept_ = found.coef[kept], found.intercept
    model.gradient_norm_, model.n_iter_ = found.gradient_norm, found.n_steps
    model.n_training_rows_ = X.shape[0]
    model.kernel_radius_ = float(np.sqrt(max(model._squares(X).max(), 0.0)))  # noqa: SLF001
    model.training_rows_ = fingerprints.sketch(fingerprints.row_hashes(rows.of(X)))
    if not found.converged:
        warn(
            f"the minimum was not reached: the gradient has norm {found.gradient_norm:.3g} after "
            f"{found.n_steps} steps; raise max_iter or tol",
            ConvergenceWarning,
        )
