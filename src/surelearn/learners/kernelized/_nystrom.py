"""Kernel ridge regression over the span of a few landmarks (Nyström): memory is rows of a chunk.

    f = Σ_j c_j·K(z_j, ·),   minimise  Σ s_i (y_i − b − f(x_i))² + α·cᵀK_zz c

With K_zz = UΛUᵀ and features φ(x) = Λ^{-½}Uᵀ K(z, x) this is ridge regression on φ, whose sums over
rows are found chunk by chunk. Williams and Seeger (2001).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.utils import gen_batches

from surelearn._typing import Matrix, Vector
from surelearn.learners.kernelized import _kernel_systems as systems
from surelearn.learners.kernelized._kernel_ridge_path import KernelRidgePath, Solution, Targets

_VALUES_AT_ONCE = 2**22  # kernel values held at once
_EPS = float(np.finfo(np.float64).eps)


class Features(NamedTuple):
    """The features of rows over landmarks, a chunk at a time.

    `block(part)` returns the kernel values of some rows with the landmarks, `lift` turns them into
    features.
    """

    block: Callable[[slice], Matrix]
    lift: Matrix
    n_rows: int

    def __iter__(self) -> Iterator[tuple[slice, Matrix]]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Yield which rows, and their features."""
        for part in gen_batches(self.n_rows, max(1, _VALUES_AT_ONCE // len(self.lift))):
            yield part, self.block(part) @ self.lift


class Sums(NamedTuple):
    """What the rows add up to, less their means if a constant term is free."""

    products: Matrix
    seen: Vector
    mean: Vector
    target_mean: float
    total: float


def features(gram: Matrix, block: Callable[[slice], Matrix], n_rows: int) -> Features:
    """Return the features of rows, given the kernel matrix of the landmarks, which is overwritten.

    Directions that the landmarks span by rounding alone are left out.

    Examples
    --------
    >>> made = features(np.ones((2, 2)), lambda part: np.ones((3, 2))[part], 3)
    >>> made.lift.shape
    (2, 1)
    """
    values, vectors = systems.decomposed(gram)
    if values[0] < 0.0:
        raise ValueError(
            f"the kernel matrix of the landmarks has smallest eigenvalue {values[0]:.6g}: it is "
            "not that of a kernel"
        )
    kept = values > len(values) * _EPS * values[-1]
    return Features(block, vectors[:, kept] / np.sqrt(values[kept]), n_rows)


def fit(
    rows: Features, targets: Targets, alphas: Vector, *, choose: bool
) -> tuple[KernelRidgePath | None, Solution, float]:
    """Return the errors by leaving out each row (if there is a choice), the model and its α.

    The landmarks stay when a row is left out, be it one of them.
    """
    sums = _summed(rows, targets)
    values, vectors = linalg.eigh(sums.products, driver="evd")
    values, seen = np.maximum(values, 0.0), vectors.T @ sums.seen
    weights = vectors @ (seen[:, np.newaxis] / (values[:, np.newaxis] + alphas))
    constants = sums.target_mean - sums.mean @ weights
    curve = None
    if choose:
        errors = _left_out(rows, targets, sums, vectors, values, alphas, weights, constants)
        curve = KernelRidgePath(alphas, errors)
    best = 0 if curve is None else curve.best
    found = rows.lift @ weights[:, best]
    return curve, Solution(found, float(constants[best]), 0.0), float(alphas[best])


def _summed(rows: Features, targets: Targets) -> Sums:
    side = rows.lift.shape[1]
    s = np.ones(rows.n_rows) if targets.weights is None else targets.weights
    products, seen, mean = np.zeros((side, side)), np.zeros(side), np.zeros(side)
    total, target_mean = float(s.sum()), float(s @ targets.y / s.sum()) * targets.free
    for part, phi in rows:
        heavy = phi * s[part, np.newaxis]
        products += phi.T @ heavy
        seen += heavy.T @ (targets.y[part] - target_mean)
        mean += heavy.sum(axis=0) / total
    if not targets.free:
        return Sums(products, seen, np.zeros(side), 0.0, total)
    return Sums(products - total * np.outer(mean, mean), seen, mean, target_mean, total)


def _left_out(
    rows: Features,
    targets: Targets,
    sums: Sums,
    vectors: Matrix,
    values: Vector,
    alphas: Vector,
    weights: Matrix,
    constants: Vector,
) -> Vector:
    """Return for each α the mean squared residual r_i / (1 − h_i), h_i the leverage of row i."""
    squares, shrunk = np.zeros(len(alphas)), 1.0 / (values[:, np.newaxis] + alphas)
    s = np.ones(rows.n_rows) if targets.weights is None else targets.weights
    for part, phi in rows:
        residuals = targets.y[part, np.newaxis] - constants - phi @ weights
        leverage = ((phi - sums.mean) @ vectors) ** 2 @ shrunk + targets.free / sums.total
        residuals /= 1.0 - s[part, np.newaxis] * leverage
        squares += s[part] @ residuals**2
    return squares / sums.total
