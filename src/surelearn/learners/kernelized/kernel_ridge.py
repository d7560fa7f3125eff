"""Kernel ridge regression: least squares in the space of a kernel, with a price on the norm.

    f = argmin Σ (y_i − b − f(x_i))² + α‖f‖²,   f = Σ c_i·K(x_i, ·),   (K + αI)c + b·1 = y

Saunders, Gammerman and Vovk (1998); leave-one-out residuals by Wahba (1990).
"""

import math
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import fingerprints, rows
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate
from surelearn.kernels import Kernel, Linear
from surelearn.learners.kernelized import _kernel_ridge_path as ridge
from surelearn.learners.kernelized import _nystrom
from surelearn.learners.kernelized import _ridge_statements as statements
from surelearn.learners.kernelized._kernel_expansion import KernelExpansion, Precomputed
from surelearn.learners.kernelized._kernel_ridge_path import KernelRidgePath, Solution, Targets


@at_one_moment
@holds(
    dual_coef_="finite[support]",
    intercept_="number",
    alpha_="number",
    path_=("maybe", KernelRidgePath),
    mean_squared_residual_="number",
    largest_target_="number",
    suboptimality_="number",
    outside_the_theorem_="text",
)
class KernelRidge(RegressorMixin, KernelExpansion):
    """Least squares in the space of a kernel, with a price α on the squared norm of f.

    Parameters
    ----------
    kernel
        Any kernel of `surelearn.kernels`, on tables or strings, or "precomputed": X is then the
        kernel matrix, and to predict, the kernel's values of new rows with all training rows.
    alpha
        The price, in the sum form. A list of prices is chosen from by the exact leave-one-out
        error; all of them cost one eigendecomposition. 0 is allowed if the kernel matrix is
        positive definite: f then passes through the targets.
    fit_intercept
        Learn a constant term, which is not penalised.
    landmarks
        Look for f only among sums over so many training rows, drawn at random: an approximation
        (Nyström), for rows whose kernel matrix would not fit into memory.
    random_state
        Draws the landmarks.

    Attributes
    ----------
    dual_coef_, intercept_
        The model: Σ dual_coef·K(support vector, x) + intercept.
    support_, support_vectors_
        The places, among the training rows, of those that f remembers, and the rows.
    alpha_
        The price used.
    path_
        With a list of prices: the leave-one-out error for each of them.
    mean_squared_residual_, n_training_rows_
        The mean squared residual on the training rows, and their number.
    suboptimality_
        The objective is above its minimum by at most this much.
    outside_the_theorem_
        Why `guarantee` does not cover this model; empty if it does.

    Examples
    --------
    >>> from surelearn.kernels import Gaussian
    >>> X, y = [[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]], [3.0, 1.0, 2.0, 5.0]
    >>> model = KernelRidge(kernel=Gaussian(gamma=0.1), alpha=0.5, fit_intercept=False).fit(X, y)
    >>> model.dual_coef_.round(4).tolist(), model.predict([[1.0, 1.0]]).round(4).tolist()
    ([0.9228, -2.107, 0.6126, 3.9442], [2.3081])
    >>> KernelRidge(kernel=Gaussian(gamma=0.1), alpha=[0.1, 1.0, 10.0]).fit(X, y).alpha_
    10.0
    """

    dual_coef_: Vector
    intercept_: float
    alpha_: float

    def __init__(
        self,
        *,
        kernel: Kernel | Precomputed = Linear(),  # noqa: B008 - frozen
        alpha: float | ArrayLike = 1.0,
        fit_intercept: bool = True,
        landmarks: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.landmarks = landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find f from all rows.

        Parameters
        ----------
        X
            Rows of numbers (an array, a data frame, a sparse matrix), strings, or a kernel matrix.
        y
            Their targets.
        sample_weight
            How much each row counts; 1 if left out.
        """
        fresh = fresh_copy(self)
        fresh._check_kernel()  # noqa: SLF001 - our own copy
        X, targets = fresh._enter(X, y, targets="numbers")  # noqa: SLF001
        validation.refuse_huge(targets, "targets")
        weights = None
        if sample_weight is not None:
            weights = validation.sample_weights(sample_weight, len(targets))
        fresh._learn(X, targets, weights)  # noqa: SLF001
        return adopt(self, fresh)

    def predict(self, X: Any) -> Vector:
        """Return the predicted number for each row."""
        check_is_fitted(self)
        return self._function(self._enter_new(X))

    def guarantee(
        self, *, label_bound: float, kernel_radius: float | None = None, delta: float = 0.05
    ) -> Guarantee:
        """Bound the expected squared loss of the predictions, clipped to the labels' range.

        It holds with confidence 1 − δ if no label exceeds `label_bound` and no row has a larger
        sqrt(K(x, x)) than `kernel_radius`, both known before the data were seen; a Gaussian or
        normalised kernel tells its radius itself. It speaks of a model without a free intercept,
        without landmarks, and whose alpha was not chosen on the same rows.
        """
        check_is_fitted(self)
        return statements.guarantee(self, label_bound, kernel_radius, delta)

    def stability_certificate(
        self, *, label_bound: float, kernel_radius: float | None = None, delta: float = 0.05
    ) -> Certificate:
        """State the risk of this model by its stability, as `guarantee` does.

        A model outside the theorem, or numbers that the training rows refute, give a void
        certificate, which says why.

        Parameters
        ----------
        label_bound
            No label, future ones included, is larger.
        kernel_radius
            No row, future ones included, has a larger sqrt(K(x, x)); known of a Gaussian or
            normalised kernel.
        delta
            The probability with which the statement may fail.
        """
        check_is_fitted(self)
        return statements.certificate(self, label_bound, kernel_radius, delta)

    def _leave_one_out(self, X: Any, y: Any, weights: Vector | None) -> tuple[Vector, str] | None:
        """Return what the others predict for each row and how; None if it takes refitting."""
        weightless = weights is not None and not weights.all()
        if np.ndim(self.alpha) or self.landmarks is not None or weightless:
            return None
        fresh, alpha = fresh_copy(self), float(_prices(self.alpha)[0])
        fresh._check_kernel()  # noqa: SLF001 - our own copy
        X, y = fresh._enter(X, y, targets="numbers")  # noqa: SLF001
        targets = Targets(y, weights, bool(self.fit_intercept))
        gram = fresh._gram(X)  # noqa: SLF001
        return y - ridge.leave_one_out_residuals(gram, targets, alpha), "the kernel matrix"

    def _learn(self, X: Any, y: Vector, weights: Vector | None) -> None:
        """Solve for the coefficients; rows of weight 0 are as if they were not there."""
        counted = np.arange(len(y)) if weights is None else np.flatnonzero(weights)
        used = self._rows_at(X, counted)
        own = None if weights is None else weights[counted]
        targets = Targets(y[counted], own, bool(self.fit_intercept))
        squares = self._squares(used)
        self.n_training_rows_, self.kernel_radius_ = len(y), float(np.sqrt(max(squares.max(), 0.0)))
        self.largest_target_ = float(np.abs(y).max())
        self.outside_the_theorem_ = self._outside(weighted=weights is not None)
        landmarks = self._drawn_landmarks(len(counted))
        if landmarks is None:
            solution = self._solve(used, targets, _prices(self.alpha))
            kept = np.flatnonzero(solution.coef)
            self._remember(X, counted[kept])
            self.dual_coef_ = solution.coef[kept]
            residuals = self.alpha_ * solution.coef / (1.0 if own is None else own)
        else:
            solution = self._approximate(used, targets, _prices(self.alpha), landmarks)
            self._remember(X, counted[landmarks])
            self.dual_coef_ = solution.coef
            fitted = self._expansion(used, solution.coef[np.newaxis])[:, 0]
            residuals = targets.y - solution.intercept - fitted
        self.intercept_ = solution.intercept
        mean_square = float(targets.mean_square(residuals[:, np.newaxis])[0])
        # They solve the equations up to what is left of those, which the true ones may add.
        room = solution.left / math.sqrt(len(counted))
        self.mean_squared_residual_ = (math.sqrt(mean_square) + room) ** 2
        # ‖gradient‖² = 4 eᵀKe for what is left of the equations, e, and eᵀKe <= trace(K) ‖e‖².
        excess = float(squares.sum()) * solution.left**2
        self.suboptimality_ = excess / self.alpha_ if self.alpha_ > 0.0 else math.inf
        self.training_rows_ = fingerprints.sketch(fingerprints.row_hashes(rows.of(X)))

    def _solve(self, X: Any, targets: Targets, alphas: Vector) -> Solution:
        gram = self._gram(X)
        if not np.ndim(self.alpha):
            self.alpha_ = float(alphas[0])
            return ridge.solve(gram, targets, self.alpha_)
        _refuse_single(targets)
        self.path_: KernelRidgePath
        self.path_, solution = ridge.path(gram, targets, alphas)
        self.alpha_ = float(alphas[self.path_.best])
        return solution

    def _drawn_landmarks(self, n: int) -> Indices | None:
        """Return the places of the landmarks, in order; None if all rows may serve."""
        if self.landmarks is None:
            return None
        m = _arguments.count("landmarks", self.landmarks, at_least=1)
        if m >= n:
            return None
        return np.sort(check_random_state(self.random_state).permutation(n)[:m])

    def _approximate(
        self, X: Any, targets: Targets, alphas: Vector, landmarks: Indices
    ) -> Solution:
        if alphas.min() == 0.0:
            raise ValueError("alpha=0 has no best f over landmarks; give a positive alpha")
        choose = bool(np.ndim(self.alpha))
        if choose:
            _refuse_single(targets)
        support = landmarks if self._is_precomputed else X[landmarks]
        gram = self._gram(self._rows_at(X, landmarks))
        made = _nystrom.features(gram, lambda part: self._block(X[part], support), X.shape[0])
        curve, solution, self.alpha_ = _nystrom.fit(made, targets, alphas, choose=choose)
        if curve is not None:
            self.path_ = curve
        return solution

    def _outside(self, *, weighted: bool) -> str:
        """Say what the theorem demands of a model and this one lacks, as it was fitted."""
        if self.landmarks is not None:
            return "that is the exact minimiser: this one is an approximation by landmarks"
        if self.fit_intercept:
            return "without a free intercept: fit_intercept=False, or add 1 to the kernel"
        if weighted:
            return "of rows that count alike: leave sample_weight out"
        if np.ndim(self.alpha):
            return "whose alpha was not chosen on the same rows: give one alpha"
        return "" if float(np.asarray(self.alpha)) > 0.0 else "with a price: alpha above 0"

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold."""
        self._check_support()
        if self.n_training_rows_ < 1 or not self.alpha_ >= 0.0 or not self.kernel_radius_ >= 0.0:
            raise ValueError("it has no rows, or a price or a length below 0")
        if not self.mean_squared_residual_ >= 0.0 or not self.suboptimality_ >= 0.0:
            raise ValueError("it has residuals below 0")


def _prices(alpha: Any) -> Vector:
    """Return the prices as an array; none may be negative."""
    try:
        values = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        values = np.array([np.nan])
    bad = values[~((values >= 0.0) & np.isfinite(values))]
    if values.ndim > 1 or values.size == 0 or bad.size:
        raise ValueError(
            f"alpha={alpha!r} must be a number, 0 or more, or a list of such numbers to choose from"
        )
    return values


def _refuse_single(targets: Targets) -> None:
    if len(targets.y) < 2:
        raise ValueError(
            "choosing among prices leaves each row out in turn, and there is only one "
            "(n_samples = 1): give one alpha, or more rows"
        )
