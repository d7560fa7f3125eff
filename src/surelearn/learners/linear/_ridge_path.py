"""Ridge regression on rows that are all there: every price from one decomposition.

With A the rows, centred and scaled by the roots of their weights, and c the targets likewise, the
weights are (AᵀA + αI)⁻¹Aᵀc. One eigendecomposition of AᵀA or, with fewer rows than features, of AAᵀ
gives them for every α, and the leave-one-out residuals r_i / (1 − h_i) with them.
"""

from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, cg

from surelearn._stored import holds, stored
from surelearn._typing import Matrix, Vector

_ROUNDING = 32.0 * np.finfo(np.float64).eps  # of a mean, and of what is left without it
_LOST = 1e-10  # a price this small beside the largest eigenvalue has lost half its digits
_PINNED = 1e-8  # a row of leverage this near 1 determines a coefficient alone


@stored("ridge-path")
@holds(
    alphas="finite[alphas]",
    coefs="finite[alphas, features]",
    intercepts="finite[alphas]",
    leave_one_out_errors="float[alphas]",
)
@dataclass(frozen=True)
class RidgePath:
    """The weights for each of several prices α, and their leave-one-out errors.

    Attributes
    ----------
    alphas
        The prices, as given.
    coefs, intercepts
        The weights for each α, a row each; the constant terms.
    leave_one_out_errors
        For each α the mean squared error of predicting each row from all others.
    """

    alphas: Vector
    coefs: Matrix
    intercepts: Vector
    leave_one_out_errors: Vector

    @property
    def best(self) -> int:
        """The place of the α with the smallest leave-one-out error; of equals, the largest α."""
        if not np.isfinite(self.coefs).all():
            raise ValueError("weights overflow at the smallest alpha; leave it out, or rescale X")
        tied = np.flatnonzero(self.leave_one_out_errors == self.leave_one_out_errors.min())
        return int(tied[np.argmax(self.alphas[tied])])


class CentredRows:
    """Rows and targets, dense or sparse, less their means and scaled by the roots of weights."""

    def __init__(self, X: Any, y: Vector, weights: Vector | None, *, centre: bool) -> None:
        self.X, self.weights = X, np.ones(len(y)) if weights is None else weights
        self.total = float(self.weights.sum())
        self.mean, self.target_mean = np.zeros(X.shape[1]), 0.0
        self.pull = np.zeros(len(y))  # of the constant term: its part of each row's leverage
        if centre:
            self.mean = np.asarray(X.T @ self.weights) / self.total
            self.target_mean = float(y @ self.weights) / self.total
            self.pull = self.weights / self.total
        self.root = np.sqrt(self.weights)
        self.target = (y - self.target_mean) * self.root
        self.seen = self.transposed_times(self.target)

    def dense(self) -> Matrix:
        """Return A; the column of a feature that varies by no more than rounding is 0."""
        A = (self.X - self.mean) * self.root[:, np.newaxis]
        spread, whole = np.linalg.norm(A, axis=0), np.abs(self.mean) * np.sqrt(self.total)
        A[:, spread <= _ROUNDING * whole] = 0.0
        return A

    def times(self, coef: Vector) -> Vector:
        """Return A w without making A."""
        return self.root * (self.X @ coef - self.mean @ coef)

    def transposed_times(self, values: Vector) -> Vector:
        """Return Aᵀ v without making A."""
        scaled = self.root * values
        return self.X.T @ scaled - self.mean * scaled.sum()

    def intercepts(self, coefs: Matrix) -> Vector:
        """Return the constant term of each row of weights."""
        return self.target_mean - coefs @ self.mean


def ridge_path(rows: CentredRows, alphas: Vector) -> RidgePath:
    """Return the weights and leave-one-out errors for every α, from one decomposition.

    Examples
    --------
    >>> X, y = np.array([[1.0, 2], [2, 0], [0, 1], [3, 1]]), np.array([3.0, 1, 2, 5])
    >>> path = ridge_path(CentredRows(X, y, None, centre=False), np.array([0.5]))
    >>> path.coefs.round(6).tolist(), path.leave_one_out_errors.round(6).tolist()
    ([[0.938628, 1.277978]], [2.609091])
    """
    A = rows.dense()
    tall = A.shape[0] >= A.shape[1]
    values, vectors = linalg.eigh(A.T @ A if tall else A @ A.T)
    values = np.maximum(values, 0.0)
    if alphas.min() < _LOST * values[-1]:  # beside such products a price is lost in rounding
        left, roots, right = linalg.svd(A, full_matrices=False)
        values, lift, scores = roots * roots, right.T, left * roots
        seen = scores.T @ rows.target
    elif tall:
        lift, scores = vectors, A @ vectors
        seen = scores.T @ rows.target
    else:
        lift, scores = A.T @ vectors, vectors * np.sqrt(values)
        seen = vectors.T @ rows.target
    with np.errstate(over="ignore", invalid="ignore"):  # refused when one of them is chosen
        shrunk = 1.0 / (values[:, np.newaxis] + alphas)
        coefs = (lift @ (seen[:, np.newaxis] * shrunk)).T
        residuals = rows.target[:, np.newaxis] - A @ coefs.T
        kept = 1.0 - rows.pull[:, np.newaxis] - scores**2 @ shrunk
    counted = rows.weights > 0.0
    with np.errstate(invalid="ignore"):  # a row that is alone cannot be left out: 0 / 0
        errors = ((residuals[counted] / kept[counted]) ** 2).sum(axis=0) / rows.total
    return RidgePath(alphas, coefs, rows.intercepts(coefs), errors)


def leave_one_out_predictions(rows: CentredRows, y: Vector, alpha: float) -> Vector | None:
    """Return y_i − r_i / (1 − h_ii) for each row, or None where refitting might say otherwise.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2], [3], [4]]), np.array([2.0, 3, 5, 4])
    >>> leave_one_out_predictions(CentredRows(X, y, None, centre=True), y, 0.0).round(4).tolist()
    [3.0, 3.1429, 3.4286, 6.3333]
    """
    # Not from AᵀA as above: without a price, squaring the condition number would show.
    left, values, _ = linalg.svd(rows.dense(), full_matrices=False)
    largest = values[0] if len(values) else 0.0
    kept = values > max(rows.X.shape) * np.finfo(np.float64).eps * largest
    if alpha == 0.0 and not kept.all():  # leaving a row out may change which weights are least
        return None
    left, shrunk = left[:, kept], values[kept] ** 2 / (values[kept] ** 2 + alpha)
    fitted = (left * shrunk) @ (left.T @ rows.target)
    free = 1.0 - rows.pull - (left**2) @ shrunk
    if free.min() < _PINNED:
        return None
    return y - (rows.target - fitted) / free / rows.root


def conjugate_gradients(
    rows: CentredRows, alpha: float, *, tolerance: float, max_iter: int
) -> tuple[Vector, int]:
    """Return the weights, from products with the rows alone, and the number of steps.

    Examples
    --------
    >>> X, y = np.array([[1.0, 2], [2, 0], [0, 1], [3, 1]]), np.array([3.0, 1, 2, 5])
    >>> rows = CentredRows(X, y, None, centre=False)
    >>> coef, n_steps = conjugate_gradients(rows, 0.5, tolerance=1e-12, max_iter=10)
    >>> coef.round(6).tolist(), n_steps
    ([0.938628, 1.277978], 2)
    """
    d, steps = rows.X.shape[1], count()

    def normal(coef: Vector) -> Vector:
        return rows.transposed_times(rows.times(coef)) + alpha * coef

    def tick(_: Vector) -> None:
        next(steps)

    solve: Any = cg
    operator = LinearOperator((d, d), matvec=normal, dtype=np.float64)
    coef, _ = solve(
        operator,
        rows.seen,
        rtol=tolerance,
        atol=0.0,
        maxiter=max_iter,
        callback=tick,
    )
    return coef, next(steps)
