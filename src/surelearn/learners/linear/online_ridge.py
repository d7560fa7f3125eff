"""Online ridge regression: the forecaster of Vovk, Azoury and Warmuth.

    ŷ = x'A⁻¹b,   A = α·I + Σxx' with the current x,   b = Σyx without the current y

Vovk (2001), Azoury and Warmuth (2001); see `surelearn.bounds.online_second_order`. A is kept as a
triangle R with R'R = A, into which each row is rotated (Givens), and b as R⁻ᵀb: an explicit A⁻¹
would lose its small eigenvalues to rounding. The intercept is the weight of a constant feature 1.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._typing import Matrix, Vector
from surelearn._wording import outward
from surelearn.base import OnlineLinearRegressor, fingerprint
from surelearn.bounds import Guarantee, online_second_order
from surelearn.certificate import Certificate, Status, certify

_EXCESS, _TARGETS, _PREDICTIONS, _LARGEST, _LONGEST, _N_COLUMNS = range(6)


@jit
def _learn_rows(
    X: Rows,
    targets: Vector,
    constant: float,
    triangle: Matrix,
    rotated: Vector,
    ledger: Vector,
    row: Vector,
    predictions: Vector,
) -> None:
    """Predict each row, then learn it; `row` is working space, its first entry for the constant."""
    for t in range(rows.count(X)):
        _write_out(X, t, constant, row)
        ledger[_LONGEST] = max(ledger[_LONGEST], rows.squared_norm(X, t) + constant)
        predictions[t] = _rotate_in(row, targets[t], triangle, rotated, ledger)


@jit
def _write_out(X: Rows, t: int, constant: float, row: Vector) -> None:
    """Write a row out, behind the constant feature."""
    row[:] = 0.0
    row[0] = constant
    rows.add(X, t, 1.0, row[1:])


@jit
def _rotate_in(
    row: Vector, target: float, triangle: Matrix, rotated: Vector, ledger: Vector
) -> float:
    """Rotate a row and its target into the triangle and return the prediction made before.

    What rotation leaves of a target y is `share`·y - `known`.
    """
    known, share, leverage = 0.0, 1.0, 0.0
    for i in range(len(row)):
        if row[i] != 0.0:
            length = math.sqrt(triangle[i, i] ** 2 + row[i] ** 2)
            cosine, sine = triangle[i, i] / length, row[i] / length
            for j in range(i, len(row)):
                kept = triangle[i, j]
                triangle[i, j] = cosine * kept + sine * row[j]
                row[j] = cosine * row[j] - sine * kept
            leverage += (sine * share) ** 2  # x'A⁻¹x = 1 - share² in the end, without cancellation
            kept = rotated[i]
            rotated[i] = cosine * kept + sine * (share * target - known)
            known, share = cosine * known + sine * kept, cosine * share
    prediction = share * known
    ledger[_EXCESS] += (target - prediction) ** 2 - (share * target - known) ** 2
    ledger[_TARGETS] += target * target * leverage
    ledger[_PREDICTIONS] += known * known * leverage
    ledger[_LARGEST] = max(ledger[_LARGEST], abs(target))
    return prediction


@jit
def _solve(triangle: Matrix, rotated: Vector, weights: Vector) -> None:
    """Write the ridge solution R⁻¹(R⁻ᵀb) into `weights`, from the last to the first."""
    for i in range(len(rotated) - 1, -1, -1):
        total = rotated[i]
        for j in range(i + 1, len(rotated)):
            total -= triangle[i, j] * weights[j]
        weights[i] = total / triangle[i, i]


@jit
def _forecast_rows(
    X: Rows, constant: float, triangle: Matrix, rotated: Vector, row: Vector, forecasts: Vector
) -> None:
    """Forecast each row as if it came next: x'A⁻¹b/(1 + x'A⁻¹x), with R⁻ᵀx found on the way."""
    for t in range(rows.count(X)):
        _write_out(X, t, constant, row)
        ridge, stretch = 0.0, 1.0
        for i in range(len(row)):
            side = row[i] / triangle[i, i]
            ridge += side * rotated[i]
            stretch += side * side
            for j in range(i + 1, len(row)):
                row[j] -= side * triangle[i, j]
        forecasts[t] = ridge / stretch


class OnlineRidge(OnlineLinearRegressor):
    """Least squares learnt row by row, with loss near that of the best weights on any sequence.

    Each prediction is that of ridge regression on the rows so far, shrunk by 1 - x'A⁻¹x: the
    forecaster of Vovk, Azoury and Warmuth. `learn` and `predict` both follow it; `coef_` is the
    ridge solution itself.

    Parameters
    ----------
    alpha
        The weight of the penalty α(‖w‖² + b²) in ridge regression, above 0.
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.

    Attributes
    ----------
    coef_, intercept_
        The ridge solution on all rows so far; its constant term, an array of one number.
    n_rounds_, cumulative_loss_
        Rows visited; the sum of the squared errors of the predictions.
    triangle_, rotated_, ledger_
        R with R'R = A, the constant first; R⁻ᵀb; what the run leaves behind for its certificates.

    Examples
    --------
    >>> model = OnlineRidge(fit_intercept=False)
    >>> model.learn([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]], [1.0, -1.0, 2.0]).round(6)
    array([ 0.      ,  0.2     , -0.352941])
    >>> exact, volume, a_priori = model.certificates()
    >>> round(exact.observed, 6), round(volume.bound, 6)
    (3.564567, 11.332853)
    """

    max_iter = 1  # a second pass would count every row twice

    def __init__(self, *, alpha: float = 1.0, fit_intercept: bool = True) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def guarantee(self, *, target_bound: float, input_norm: float, n_rounds: int) -> Guarantee:
        """Bound the excess over min of α‖u‖² + square loss of u, if targets and rows are bounded.

        Parameters
        ----------
        target_bound
            The largest absolute value of a target.
        input_norm
            The largest norm of a row, the constant feature included.
        n_rounds
            The number of rounds.
        """
        check_is_fitted(self)
        return online_second_order.vovk_azoury_warmuth_apriori(
            target_bound=target_bound,
            input_norm=input_norm,
            regularization=self._begun_as.alpha,
            dimension=self.n_features_in_ + bool(self._begun_as.fit_intercept),
            n_rounds=n_rounds,
        )

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the whole run since the start proves about its loss.

        First the excess over the best weights in hindsight as an identity, then its bound by the
        volume of the rows seen, then the one known beforehand to those who know the largest target
        and the longest row.

        Parameters
        ----------
        delta
            Not used, the statements hold surely; every learner takes it.
        """
        check_is_fitted(self)
        _arguments.open_fraction("delta", delta)
        ledger = self.ledger_
        largest, longest = float(ledger[_LARGEST]), math.sqrt(ledger[_LONGEST])
        code: tuple[Status, str] = ("by-construction", "the code does exactly this")
        bounded: tuple[Status, str] = ("checked", f"the largest is {largest:.6g}")
        exact = online_second_order.vovk_azoury_warmuth_realised(
            target_sum=float(ledger[_TARGETS]), prediction_sum=float(ledger[_PREDICTIONS])
        )
        volume = online_second_order.vovk_azoury_warmuth(
            target_bound=largest, log_determinant=self._log_determinant()
        )
        a_priori = self.guarantee(target_bound=largest, input_norm=longest, n_rounds=self.n_rounds_)
        return (
            self._certify(exact, code, code),
            self._certify(volume, code, bounded, code),
            self._certify(a_priori, code, bounded, ("checked", f"the longest is {longest:.6g}")),
        )

    def predict(self, X: Any) -> Vector:
        """Return the forecast for each row, as `learn` would give it if that row came next."""
        check_is_fitted(self)
        return self._forecast(rows.of(self._check_features(X)))

    def predict_one(self, x: Mapping[str, float] | ArrayLike) -> float:
        """Return the forecast for one row, an array or a mapping from names to numbers."""
        return float(self._forecast(self._check_one(x))[0])

    def _forecast(self, X: Rows) -> Vector:
        constant, forecasts = float(self._begun_as.fit_intercept), np.empty(rows.count(X))
        space = np.empty(len(self.rotated_))
        _forecast_rows(X, constant, self.triangle_, self.rotated_, space, forecasts)
        return forecasts

    def _certify(self, guarantee: Guarantee, *statuses: tuple[Status, str]) -> Certificate:
        most = outward(guarantee.bound, "upper")
        return certify(
            replace(guarantee, trivial=self.cumulative_loss_),  # no loss is negative
            kind="regret",
            subject="this run of OnlineRidge",
            observed=float(self.ledger_[_EXCESS]),
            n=self.n_rounds_,
            claim=f"With certainty, the square loss of this run is at most {most} above the least "
            f"of {self._begun_as.alpha:g}‖u‖² + square loss of u over all weights u.",
            statuses=statuses,
            reproduce={"model": fingerprint(self)},
        )

    def _log_determinant(self) -> float:
        """Return ln det(A/α), 0 or more."""
        grown = self.triangle_.diagonal() / math.sqrt(self._begun_as.alpha)
        return max(0.0, float(2.0 * np.log(grown).sum()))

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], dict[str, Any]]:
        _arguments.positive("alpha", self.alpha)  # before anything learnt is forgotten
        return super()._check_first_rows(X, y)

    def _start(self, n_features: int) -> None:
        self.triangle_ = math.sqrt(self.alpha) * np.eye(n_features + 1)
        self.rotated_, self.ledger_ = np.zeros(n_features + 1), np.zeros(_N_COLUMNS)
        self.coef_, self.intercept_ = np.zeros(n_features), np.zeros(1)

    def _learn(self, X: Rows, targets: Vector, predictions: Vector) -> None:
        constant, space = float(self._begun_as.fit_intercept), np.empty(len(self.rotated_))
        state = self.triangle_, self.rotated_, self.ledger_
        _learn_rows(X, targets, constant, *state, space, predictions)
        _solve(self.triangle_, self.rotated_, space)
        self.coef_[:], self.intercept_[:] = space[1:], space[:1]

    def _losses(self, targets: Vector, predictions: Vector) -> Vector:
        return (targets - predictions) ** 2
