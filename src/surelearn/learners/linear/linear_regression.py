"""Least squares: the weights that leave the smallest sum of squared residuals.

    w = argmin Σ (y_i − b − ⟨w, x_i⟩)²,   of least norm if there are several

Solved from the triangular factor of [1 X y], so no condition number is squared.
Legendre (1805), Gauss (1809).
"""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse, special
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment, warn
from surelearn.base.validation import refuse_huge
from surelearn.learners.linear._linear_regressor import LinearRegressor
from surelearn.learners.linear._triangular_factor import TriangularFactor, triangular_factor

_HURTS = 1e8  # beyond this condition number half the digits of a coefficient may be lost


@at_one_moment
@holds(
    rank_="count",
    unscaled_root_="finite[features, rank]",
    condition_number_="number",
    residual_sum_of_squares_="number",
    r_squared_="number",
    degrees_of_freedom_=int,
    noise_variance_="number",
    standard_errors_="float[features]",
    intercept_standard_error_="number",
    record_=TriangularFactor,
)
class LinearRegression(LinearRegressor):
    """Ordinary least squares, with standard errors; the least-norm solution if there are many.

    Parameters
    ----------
    fit_intercept
        Learn a constant term, which no penalty and no norm touches.

    Attributes
    ----------
    coef_, intercept_
        The model: ⟨coef, x⟩ + intercept.
    rank_, condition_number_
        The rank of the (centred) features, and the ratio of the largest to the smallest singular
        value that counts.
    residual_sum_of_squares_, r_squared_
        The weighted sum of squared residuals on the training rows; the share of the variation of
        the target that the model explains.
    noise_variance_
        The unbiased estimate of the variance of the noise; NaN without a degree of freedom.
    standard_errors_, intercept_standard_error_
        Standard errors under the model y = b + ⟨w, x⟩ + Gaussian noise; NaN for coefficients the
        rows do not determine.
    record_
        The triangular factor of all rows seen.

    Examples
    --------
    >>> model = LinearRegression().fit([[1.0], [2.0], [3.0], [4.0]], [2.0, 3.0, 5.0, 4.0])
    >>> model.coef_.round(6).tolist(), round(model.intercept_, 6)
    ([0.8], 1.5)
    >>> model.confidence_intervals().round(2).tolist()
    [[-1.03, 2.63]]
    """

    def __init__(self, *, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    def confidence_intervals(self, *, level: float = 0.95) -> Matrix:
        """Return for each coefficient an interval that covers it with probability `level`.

        It rests on the Gaussian noise model: independent noise of one variance around a linear
        function. Each interval holds for itself; for all d at once ask for level 1 − (1 − level)/d.
        """
        check_is_fitted(self)
        level = _arguments.open_fraction("level", level)
        if self.degrees_of_freedom_ < 1 or self.rank_ < self.n_features_in_:
            raise ValueError(
                f"{self.record_.n_rows} rows of rank {self.rank_} do not determine "
                f"{self.n_features_in_} coefficients and the noise; give more rows, or leave out "
                "features that others determine"
            )
        quantile = float(special.stdtrit(self.degrees_of_freedom_, 0.5 + level / 2.0))
        reach = quantile * self.standard_errors_
        return np.column_stack([self.coef_ - reach, self.coef_ + reach])

    def leverage(self, X: Any) -> Vector:
        """Return how far each row pulls its own prediction, if it is one of the training rows.

        The leverages of the training rows sum to the number of parameters the rows determine.
        """
        check_is_fitted(self)
        rows = _dense(validation.check_rows(self, X))
        centre = self.record_.means[:-1] if self.fit_intercept else 0.0
        constant = 1.0 / self.record_.weight if self.fit_intercept else 0.0
        return constant + (((rows - centre) @ self.unscaled_root_) ** 2).sum(axis=1)

    def _leave_one_out(self, X: Any, y: Any, weights: Vector | None) -> tuple[Vector, str] | None:
        """Return what the others predict for each row and how; None if it takes refitting."""
        return self._without_each_row(X, y, weights, 0.0)

    def _summarise(self, X: Any, y: Vector, weights: Vector | None) -> TriangularFactor:
        return triangular_factor(_dense(X), y, weights)

    def _solve(self, record: TriangularFactor) -> None:
        square, target, rest = record.centred() if self.fit_intercept else record.raw()
        refuse_huge(np.append(target, rest), "targets")
        left, values, right = linalg.svd(square)
        largest = values[0] if len(values) else 0.0
        cut = max(record.n_rows, len(values)) * np.finfo(np.float64).eps * largest
        self.rank_ = int(np.count_nonzero(values > cut))
        kept = slice(self.rank_)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below, in a sentence
            self.unscaled_root_ = right[kept].T / values[kept]  # (XᵀX)⁺: this by its transpose
            self.coef_ = self.unscaled_root_ @ (left[:, kept].T @ target)
        if not (np.isfinite(self.unscaled_root_).all() and np.isfinite(self.coef_).all()):
            raise ValueError("the features are so small that coefficients overflow; rescale them")
        means = record.means
        self.intercept_ = float(means[-1] - means[:-1] @ self.coef_) if self.fit_intercept else 0.0
        self.condition_number_ = float(largest / values[self.rank_ - 1]) if self.rank_ else np.inf
        left_over = float(((square @ self.coef_ - target) ** 2).sum()) + rest**2
        total = float(target @ target) + rest**2
        self.residual_sum_of_squares_ = left_over
        self.r_squared_ = 1.0 - left_over / total if total > 0.0 else float(left_over == 0.0)
        self._state_errors(record)
        self._warn()

    def _state_errors(self, record: TriangularFactor) -> None:
        """Store what the Gaussian noise model says of the coefficients."""
        freedom = record.n_rows - self.rank_ - bool(self.fit_intercept)
        self.degrees_of_freedom_ = freedom
        variance = self.residual_sum_of_squares_ / freedom if freedom > 0 else np.nan
        self.noise_variance_ = float(variance)
        spread = np.hypot.reduce(self.unscaled_root_, axis=1) * np.sqrt(variance)  # no square
        self.standard_errors_ = np.where(self._determined(), spread, np.nan)
        at_zero = record.means[:-1] @ self.unscaled_root_
        constant = variance * (1.0 / record.weight + float(at_zero @ at_zero))
        known = self.fit_intercept and bool(self._determined().all())
        self.intercept_standard_error_ = float(np.sqrt(constant)) if known else np.nan

    def _determined(self) -> NDArray[np.bool_]:
        """Return which coefficients the rows determine: those their row space contains."""
        if self.rank_ == self.n_features_in_:
            return np.ones(self.n_features_in_, dtype=bool)
        basis = linalg.orth(self.unscaled_root_) if self.rank_ else self.unscaled_root_
        return (basis**2).sum(axis=1) > 1.0 - 1e-9

    def _warn(self) -> None:
        condition = self.condition_number_
        if self.rank_ == self.n_features_in_ and condition > _HURTS:
            warn(
                f"the features are nearly collinear (condition number {condition:.1e}): their "
                "coefficients may have lost half their digits. Leave out or rescale features, or "
                "use RidgeRegression",
                ConvergenceWarning,
            )


def _dense(X: Any) -> Matrix:
    """Return the rows as an array: the factor of sparse rows is dense anyway."""
    return cast("Any", X).toarray() if sparse.issparse(X) else X
