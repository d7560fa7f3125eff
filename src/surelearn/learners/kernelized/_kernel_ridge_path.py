"""Kernel ridge regression on rows that are all there: one price α, or many from one decomposition.

With K̃ = S^½ K S^½ for weights S, G = K̃ + αI and u the roots of the weights, the model and its free
constant b solve  G d + b·u = S^½ y,  uᵀd = 0;  the coefficients are S^½ d. Without row i the i-th
unknown is 0: the residual of predicting it from all others is d_i / H_ii, over the root of its
weight, with H the inverse of G bordered by u.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from surelearn._stored import holds, stored
from surelearn._typing import Matrix, Vector
from surelearn.learners.kernelized import _kernel_systems as systems


@stored("kernel-ridge-path")
@holds(
    alphas="finite[alphas]",
    leave_one_out_errors="float[alphas]",
)
@dataclass(frozen=True, eq=False)
class KernelRidgePath:
    """The exact leave-one-out error for each of several prices α.

    Attributes
    ----------
    alphas
        The prices, as given.
    leave_one_out_errors
        For each α the mean squared error of predicting each row from all others: an estimate of
        the risk, and a guarantee of nothing.
    """

    alphas: Vector
    leave_one_out_errors: Vector

    @property
    def best(self) -> int:
        """The place of the α with the smallest leave-one-out error; of equals, the largest α."""
        tied = np.flatnonzero(self.leave_one_out_errors == self.leave_one_out_errors.min())
        return int(tied[np.argmax(self.alphas[tied])])

    def _check_state(self) -> None:
        if not len(self.alphas):
            raise ValueError("it has no alpha")


class Solution(NamedTuple):
    """A model of all rows: their coefficients, the constant term, what is left of the equations."""

    coef: Vector
    intercept: float
    left: float


class Targets(NamedTuple):
    """What is to be predicted, and how much each row counts (None: all alike)."""

    y: Vector
    weights: Vector | None
    free: bool  # whether there is a constant term

    @property
    def roots(self) -> Vector | None:
        """The roots of the weights."""
        return None if self.weights is None else np.sqrt(self.weights)

    @property
    def columns(self) -> Matrix:
        """The right-hand sides: the targets, and the roots of the weights if a constant is free."""
        roots = np.ones(len(self.y)) if self.roots is None else self.roots
        columns = [self.y * roots, roots] if self.free else [self.y * roots]
        return np.asfortranarray(np.column_stack(columns))

    def mean_square(self, residuals: Matrix) -> Vector:
        """Return the mean of squared residuals, a column for each model."""
        return np.average(residuals**2, axis=0, weights=self.weights)


def solve(gram: Matrix, targets: Targets, alpha: float) -> Solution:
    """Return the model for one α; `gram` is overwritten.

    Examples
    --------
    >>> found = solve(np.eye(2), Targets(np.array([4.0, 8.0]), None, False), 3.0)
    >>> found.coef.tolist(), found.intercept
    ([1.0, 2.0], 0.0)
    """
    gram, columns = systems.scaled(gram, targets.roots), targets.columns
    found, left = systems.solved(gram, alpha, columns)
    coef, intercept = _bordered(found, columns)
    return _rescaled(targets, coef, intercept, left)


def leave_one_out_residuals(gram: Matrix, targets: Targets, alpha: float) -> Vector:
    """Return each target minus what all others predict for its row; `gram` is overwritten.

    Examples
    --------
    >>> targets = Targets(np.array([4.0, 8.0]), None, False)
    >>> leave_one_out_residuals(np.eye(2), targets, 3.0).tolist()
    [4.0, 8.0]
    """
    columns = targets.columns
    factor = systems.factored(systems.scaled(gram, targets.roots), alpha)
    found = factor.solve(columns)
    coef, _ = _bordered(found, columns)
    inverse = factor.inverse_diagonal()
    return _unweighted(targets, coef / _without_constant(inverse, found, columns))


def path(gram: Matrix, targets: Targets, alphas: Vector) -> tuple[KernelRidgePath, Solution]:
    """Return the leave-one-out errors for all α from one decomposition, and the best one's model.

    Examples
    --------
    >>> curve, best = path(np.eye(2), Targets(np.array([4.0, 8.0]), None, False), np.array([3.0]))
    >>> curve.leave_one_out_errors.tolist(), best.coef.tolist()
    ([40.0], [1.0, 2.0])
    """
    columns = targets.columns
    values, vectors = systems.decomposed(systems.scaled(gram, targets.roots))
    systems.refuse_negative(values, alphas)
    seen, errors = vectors.T @ columns, np.empty(len(alphas))
    shrunk = 1.0 / (values[:, np.newaxis] + alphas)
    inverses = vectors**2 @ shrunk
    solved = [vectors @ (column[:, np.newaxis] * shrunk) for column in seen.T]
    for k in range(len(alphas)):
        found = np.column_stack([each[:, k] for each in solved])
        coef, _ = _bordered(found, columns)
        left_out = coef / _without_constant(inverses[:, k], found, columns)
        errors[k] = targets.mean_square(_unweighted(targets, left_out)[:, np.newaxis])[0]
    curve = KernelRidgePath(alphas, errors)
    alpha = float(alphas[curve.best])
    coef, intercept = _bordered(vectors @ (seen / (values + alpha)[:, np.newaxis]), columns)
    residual = vectors @ ((values + alpha) * (vectors.T @ coef)) - columns[:, 0]
    residual += intercept * columns[:, -1] if targets.free else 0.0
    return curve, _rescaled(targets, coef, intercept, float(np.linalg.norm(residual)))


def _bordered(found: Matrix, columns: Matrix) -> tuple[Vector, float]:
    """Return d and b, given G⁻¹ times the right-hand sides."""
    if found.shape[1] == 1:
        return found[:, 0], 0.0
    pull = columns[:, 1]
    intercept = float(pull @ found[:, 0] / (pull @ found[:, 1]))
    return found[:, 0] - intercept * found[:, 1], intercept


def _without_constant(inverse: Vector, found: Matrix, columns: Matrix) -> Vector:
    """Return the diagonal of H, given that of G⁻¹."""
    if found.shape[1] == 1:
        return inverse
    return inverse - found[:, 1] ** 2 / float(columns[:, 1] @ found[:, 1])


def _unweighted(targets: Targets, residuals: Vector) -> Vector:
    return residuals if targets.roots is None else residuals / targets.roots


def _rescaled(targets: Targets, coef: Vector, intercept: float, left: float) -> Solution:
    roots = targets.roots
    return Solution(coef if roots is None else coef * roots, intercept, left)
