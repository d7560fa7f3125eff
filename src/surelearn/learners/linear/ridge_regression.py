"""Ridge regression: least squares with a price on the length of the weights.

    w = argmin Σ (y_i − b − ⟨w, x_i⟩)² + α‖w‖²

Found from moments, which add up over chunks, if there are more rows than features; from the rows'
inner products otherwise; from sparse rows by conjugate gradients. Hoerl and Kennard (1970).
"""

import math
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import rows as compiled_rows
from surelearn._stored import holds
from surelearn._threads import small_matrices
from surelearn._typing import ArrayLike, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment, check_iterations, warn
from surelearn.base.moments import Moments, moments
from surelearn.base.summarising import Summary
from surelearn.base.validation import refuse_huge, refuse_tiny
from surelearn.bounds import Guarantee, stability
from surelearn.learners.linear._linear_regressor import LinearRegressor
from surelearn.learners.linear._ridge_path import (
    CentredRows,
    RidgePath,
    conjugate_gradients,
    ridge_path,
)


@at_one_moment
@holds(
    outside_the_theorem_="text",
    mean_squared_residual_="number",
    n_training_rows_="count",
    alpha_="number",
    gradient_norm_="number",
    n_iter_="count",
    suboptimality_="number",
    record_=("maybe", Moments),
    path_=("maybe", RidgePath),
)
class RidgeRegression(LinearRegressor):
    """Least squares with a price α on the squared length of the weights; the intercept is free.

    Parameters
    ----------
    alpha
        The price, in the sum form: it does not grow with the number of rows by itself.
    alphas
        Prices to choose among by the exact leave-one-out error; `alpha` is not used then.
    fit_intercept
        Learn a constant term, which is not penalised.
    tolerance, max_iter
        For sparse rows: the residual, relative to the right-hand side, at which conjugate gradients
        stop, and the most steps they take.

    Attributes
    ----------
    coef_, intercept_
        The model: ⟨coef, x⟩ + intercept.
    alpha_
        The price used.
    path_
        With `alphas`: the weights and the leave-one-out error for each of them.
    gradient_norm_, suboptimality_
        The norm of the objective's gradient at the weights, and what follows from it: the objective
        is above its minimum by at most ‖gradient‖²/(4α).
    n_iter_
        The steps of conjugate gradients; 1 if the weights were found directly.
    mean_squared_residual_, n_training_rows_
        The mean squared residual on the training rows, and their number.
    outside_the_theorem_
        Why `guarantee` does not cover this model; empty if it does.
    record_
        The moments of all rows seen, to which `partial_fit` adds; absent if the model was found in
        another way.

    Examples
    --------
    >>> X, y = [[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]], [3.0, 1.0, 2.0, 5.0]
    >>> RidgeRegression(alpha=0.5).fit(X, y).coef_.round(6).tolist()
    [0.843137, 1.137255]
    >>> RidgeRegression(alphas=[0.01, 0.5, 100.0], fit_intercept=False).fit(X, y).alpha_
    0.5
    """

    _sums_tell = True

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        alphas: ArrayLike | None = None,
        fit_intercept: bool = True,
        tolerance: float = 1e-10,
        max_iter: int = 1000,
    ) -> None:
        self.alpha = alpha
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.tolerance = tolerance
        self.max_iter = max_iter

    def guarantee(self, *, label_bound: float, radius: float, delta: float = 0.05) -> Guarantee:
        """Bound the expected squared loss of the predictions, clipped to the labels' range.

        It holds with confidence 1 − δ if no label exceeds `label_bound` and no row's norm exceeds
        `radius`, both known before the data were seen, and if α was not chosen from them. It speaks
        of a model without a free intercept. Numbers that the training rows refute are refused.
        """
        check_is_fitted(self)
        if self.outside_the_theorem_:
            raise ValueError(f"the theorem speaks of a model {self.outside_the_theorem_}")
        largest, longest = self._largest_seen()
        _refuse_refuted("label_bound", label_bound, largest, "a label has absolute value")
        _refuse_refuted("radius", radius, longest, "a row has norm")
        return stability.kernel_ridge(
            empirical_risk=min(self.mean_squared_residual_, 4.0 * label_bound**2),
            regularization=self.alpha_ / self.n_training_rows_,
            label_bound=label_bound,
            kernel_radius=radius,
            n=self.n_training_rows_,
            delta=delta,
            duality_gap=self.suboptimality_,
        )

    def _leave_one_out(self, X: Any, y: Any, weights: Vector | None) -> tuple[Vector, str] | None:
        """Return what the others predict for each row and how; None if it takes refitting."""
        if self.alphas is not None:  # each refit would choose anew
            return None
        if not 0.0 < self.alpha < np.inf:  # no fit takes it: refitting says so
            return None
        return self._without_each_row(X, y, weights, self.alpha)

    def _admit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, first: bool
    ) -> tuple[Any, Vector, Vector | None]:
        chunk = super()._admit(X, y, sample_weight, first=first)
        before = "" if first else self.outside_the_theorem_
        self.outside_the_theorem_ = before or self._outside(weighted=chunk[2] is not None)
        if not self.outside_the_theorem_:  # only then is it ever asked for
            held = (0.0, 0.0) if first else self._largest_seen()
            longest = float(compiled_rows.largest_norm(compiled_rows.of(chunk[0])))
            self.largest_target_ = max(held[0], float(np.abs(chunk[1]).max()))
            self.longest_row_ = max(held[1], longest)
        return chunk

    def _join(self, one: Summary, other: Summary) -> Summary:
        mine, theirs = one.learnt, other.learnt
        outside = mine["outside_the_theorem_"] or theirs["outside_the_theorem_"]
        learnt = {**mine, "outside_the_theorem_": outside}
        for name in ("largest_target_", "longest_row_"):
            learnt.pop(name, None)
            if not outside:
                learnt[name] = max(mine[name], theirs[name])
        return Summary(learnt, one.record + other.record)

    def _largest_seen(self) -> tuple[float, float]:
        """Return the largest label and the longest row; of older files, what their sums imply."""
        if hasattr(self, "largest_target_"):
            return self.largest_target_, self.longest_row_
        if not hasattr(self, "record_"):
            return 0.0, 0.0
        mean, spread = self.record_.mean, np.diag(self.record_.scatter) / self.record_.weight
        *squares, of_labels = (mean * mean + spread).tolist()  # means: the largest are no smaller
        return math.sqrt(max(of_labels, 0.0)), math.sqrt(max(sum(squares), 0.0))

    def _outside(self, *, weighted: bool) -> str:
        """Say what the theorem demands of a model and this one lacks, as it was fitted."""
        if self.fit_intercept:
            return (
                "without a free intercept: fit_intercept=False; a constant feature is penalised "
                "like any other, and covered"
            )
        if self.alphas is not None:
            return "whose alpha was not chosen on the same rows: give alpha, not alphas"
        return "of rows that count alike: leave sample_weight out" if weighted else ""

    def _begin(self, X: Any, y: Vector, weights: Vector | None) -> None:
        """Take the shortest way by the kind and the shape of the table."""
        wide = X.shape[1] > X.shape[0]
        if self.alphas is None and not sparse.issparse(X) and not wide:
            super()._begin(X, y, weights)
            return
        assert_all_finite(X, input_name="X")
        validation.short_enough(X)
        refuse_huge(y, "targets")
        refuse_tiny(y, "targets")
        rows = CentredRows(X, y, weights, centre=self.fit_intercept)
        if self.alphas is not None:
            self._choose(rows)
        elif wide and not sparse.issparse(X):
            self._use(rows, ridge_path(rows, _prices([self.alpha])), 0)
        else:
            self._iterate(rows)

    def _choose(self, rows: CentredRows) -> None:
        """Take the price with the smallest leave-one-out error."""
        if sparse.issparse(rows.X):
            raise TypeError(
                "choosing among alphas decomposes dense rows, and these are sparse; X.toarray() "
                "makes them dense, or choose with select_by_cross_validation and parameter_grid"
            )
        if np.count_nonzero(rows.weights) < 2:
            raise ValueError(
                "choosing among alphas leaves each row out in turn, and there is only one "
                "(n_samples = 1): give alpha, or more rows"
            )
        self.path_: RidgePath = ridge_path(rows, _prices(self.alphas))
        self._use(rows, self.path_, self.path_.best)

    def _use(self, rows: CentredRows, path: RidgePath, place: int) -> None:
        self._store(rows, path.coefs[place], float(path.alphas[place]))

    def _iterate(self, rows: CentredRows) -> None:
        check_iterations(self)
        alpha = float(_prices([self.alpha])[0])
        coef, n_steps = conjugate_gradients(
            rows, alpha, tolerance=self.tolerance, max_iter=self.max_iter
        )
        self._store(rows, coef, alpha)
        self.n_iter_ = max(1, n_steps)
        allowed = 2.0 * self.tolerance * float(np.linalg.norm(rows.seen))
        if self.gradient_norm_ > 2.0 * allowed + np.finfo(np.float64).tiny:
            warn(
                f"conjugate gradients stopped after max_iter={self.max_iter} steps at gradient "
                f"norm {self.gradient_norm_:.3g}; raise max_iter, or alpha, or rescale features",
                ConvergenceWarning,
            )

    def _store(self, rows: CentredRows, coef: Vector, alpha: float) -> None:
        """Store the weights found from rows, and how far from the optimum they may be."""
        residual = rows.target - rows.times(coef)
        self.coef_, self.intercept_ = coef, float(rows.intercepts(coef[np.newaxis])[0])
        self.n_training_rows_ = int(np.count_nonzero(rows.weights))
        self.mean_squared_residual_ = float(residual @ residual) / rows.total
        self._state_gradient(rows.transposed_times(residual) - alpha * coef, alpha)

    def _state_gradient(self, half: Vector, alpha: float) -> None:
        self.alpha_, self.gradient_norm_ = alpha, 2.0 * float(linalg.norm(half))
        self.n_iter_ = 1
        self.suboptimality_ = self.gradient_norm_ / (2.0 * alpha) * self.gradient_norm_ / 2.0

    def _summarise(self, X: Any, y: Vector, weights: Vector | None) -> Moments:
        if self.alphas is not None:
            raise ValueError("choosing among alphas needs all rows at once; fix alpha for blocks")
        return moments(X, y, weights=weights)

    def _solve(self, record: Moments) -> None:
        alpha = float(_prices([self.alpha])[0])
        products = np.tril(record.scatter) + np.tril(record.scatter, -1).T
        if not self.fit_intercept:
            products += record.weight * np.outer(record.mean, record.mean)
        square, target = products[:-1, :-1] + alpha * np.eye(len(products) - 1), products[:-1, -1]
        try:
            with small_matrices(len(square)):
                coef = linalg.cho_solve(linalg.cho_factor(square, lower=True), target)
        except linalg.LinAlgError:
            raise ValueError(
                f"alpha={alpha!r} is lost in rounding beside features so large and collinear; "
                "rescale them, raise alpha, or use LinearRegression"
            ) from None
        ends = np.append(coef, -1.0)
        self.mean_squared_residual_ = max(0.0, float(ends @ products @ ends)) / record.weight
        self.coef_, self.n_training_rows_ = coef, record.n_rows
        shift = record.mean[-1] - record.mean[:-1] @ coef
        self.intercept_ = float(shift) if self.fit_intercept else 0.0
        self._state_gradient(target - square @ coef, alpha)


def _refuse_refuted(name: str, stated: float, seen: float, what: str) -> None:
    if seen > stated * (1.0 + 1e-12):
        raise ValueError(
            f"{name}={stated!r} is refuted by the training rows: {what} {seen:.6g}. It must hold "
            "for every row that can occur, and be known before any is seen"
        )


def _prices(alphas: Any) -> Vector:
    """Return the prices as an array; each must be positive."""
    values = np.atleast_1d(_arguments.numbers("alphas", alphas))
    if values.ndim > 1:
        raise ValueError("alpha is one number, and alphas a list of numbers")
    bad = values[~((values > 0.0) & np.isfinite(values))]
    if values.size == 0 or bad.size:
        found = "none is given" if values.size == 0 else f"there is {float(bad[0])!r}"
        raise ValueError(
            f"alpha must be a positive number, and {found}; its limit at 0 is LinearRegression"
        )
    return values
