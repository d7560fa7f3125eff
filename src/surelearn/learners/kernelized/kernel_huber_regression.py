"""Kernel Huber regression: outliers cost their distance, not its square, in a kernel's space.

    minimise  Σ s_i·H(y_i − b − f(x_i)) + (α/2)‖f‖²,   H(r) = r²/2 up to |r| = δ, δ|r| − δ²/2 beyond

By iterated kernel ridge regressions in which an outlier weighs δ/|r|. Huber (1964).
"""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy
from surelearn.kernels import Kernel, Linear
from surelearn.learners.kernelized._kernel_expansion import KernelExpansion, Precomputed
from surelearn.learners.kernelized._reweighted_least_squares import learn
from surelearn.losses import Huber


class _ByResidual:
    """Huber's loss, with the curvature of the parabola that lies above it and touches it."""

    def __init__(self, threshold: float) -> None:
        self.loss, self.threshold = Huber(threshold=threshold), threshold

    def value(self, y: Vector, scores: Vector) -> Vector:
        return self.loss(y, scores)

    def slope(self, y: Vector, scores: Vector) -> Vector:
        return np.clip(scores - y, -self.threshold, self.threshold)

    def curvature(self, y: Vector, scores: Vector) -> Vector:
        return self.threshold / np.maximum(np.abs(scores - y), self.threshold)


@at_one_moment
@holds(
    dual_coef_="finite[support]",
    intercept_="number",
    objective_="number",
    gradient_norm_="number",
    n_iter_="count",
)
class KernelHuberRegression(RegressorMixin, KernelExpansion):
    """Regression in the space of a kernel that a few wild targets do not pull away.

    Parameters
    ----------
    kernel
        Any kernel, on tables or strings, or "precomputed".
    alpha
        The price of the squared norm of f, as in `KernelRidge`, which this is for a large
        `threshold`.
    threshold
        The residual from which on the loss grows linearly.
    fit_intercept
        Learn a constant term; it is not penalised.
    tol
        Stop when the gradient of the objective, divided by the sum of the weights, has at most this
        norm.
    max_iter
        The largest number of steps.

    Attributes
    ----------
    dual_coef_, intercept_
        The model: Σ dual_coef·K(support vector, x) + intercept.
    support_, support_vectors_
        The places, among the training rows, of those that f remembers, and the rows.
    objective_, gradient_norm_, n_iter_
        The objective reached, the norm of its gradient in the units of `tol`, and the steps.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 400.0]
    >>> model = KernelHuberRegression(alpha=1e-3, threshold=0.1).fit(X, y)
    >>> model.predict([[5.0]]).round(1).tolist()
    [5.2]
    """

    dual_coef_: Vector
    intercept_: float
    objective_: float

    def __init__(
        self,
        *,
        kernel: Kernel | Precomputed = Linear(),  # noqa: B008 - frozen
        alpha: float = 1.0,
        threshold: float = 1.0,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 500,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.threshold = threshold
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find f from all rows.

        Parameters
        ----------
        X
            Rows of numbers, strings, or a kernel matrix.
        y
            Their targets.
        sample_weight
            How much each row counts; 1 if left out.
        """
        fresh = fresh_copy(self)
        fresh._check_parameters()  # noqa: SLF001 - our own copy
        X, targets = fresh._enter(X, y, targets="numbers")  # noqa: SLF001
        validation.refuse_huge(targets, "targets")
        weights = validation.sample_weights(sample_weight, len(targets))
        loss, penalty = _ByResidual(float(self.threshold)), float(self.alpha)
        fresh.objective_ = learn(fresh, X, targets, weights, loss, penalty).objective
        return adopt(self, fresh)

    def predict(self, X: Any) -> Vector:
        """Return the predicted number for each row."""
        check_is_fitted(self)
        return self._function(self._enter_new(X))

    def _check_parameters(self) -> None:
        self._check_kernel()
        for name in ("alpha", "threshold", "tol"):
            _arguments.positive(name, getattr(self, name))
        _arguments.at_least_one("max_iter", self.max_iter)

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold."""
        self._check_support()
