"""Online ridge regression: the forecaster of Vovk, Azoury and Warmuth.

    ŷ = x'A⁻¹b,   A = α·I + Σxx' with the current x,   b = Σyx without the current y

Vovk (2001), Azoury and Warmuth (2001); see `surelearn.bounds.online_second_order`. A is kept as a
triangle R with R'R = A, into which each row is rotated (Givens), and b as R⁻ᵀb: an explicit A⁻¹
would lose its small eigenvalues to rounding. The intercept is the weight of a constant feature 1.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import inner, jit, rows
from surelearn._jit.rows import Rows
from surelearn._stored import stored
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn._wording import exactly, outward
from surelearn.base import OnlineLinearRegressor
from surelearn.base.seal import fingerprint_of_fit
from surelearn.bounds import Guarantee, online_second_order
from surelearn.certificate import Certificate, Evidence, by_construction, certify, checked

_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)
_EXCESS, _TARGETS, _PREDICTIONS, _LARGEST, _LONGEST, _N_COLUMNS = range(6)


@stored("online-ridge-state")
class State(NamedTuple):
    """All that was learnt: the triangle R, R⁻ᵀb, the ledger, and the ridge solution they give."""

    triangle: Matrix
    rotated: Vector
    ledger: Vector
    coef: Vector
    bias: Vector


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


@inner
def _rotate_in(
    row: Vector, target: float, triangle: Matrix, rotated: Vector, ledger: Vector
) -> float:
    """Rotate a row and its target into the triangle and return the prediction made before.

    What rotation leaves of a target y is `share`·y - `known`.
    """
    known, share, leverage = 0.0, 1.0, 0.0
    for i in range(len(row)):
        if row[i] != 0.0:  # a zero needs no rotation: sparse rows cost what they hold, and fill-in
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
            regularization=self.begun_.alpha,
            dimension=self.n_features_in_ + bool(self.begun_.fit_intercept),
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
        state, begun = self.states_[0], self.begun_
        largest, longest = float(state.ledger[_LARGEST]), math.sqrt(state.ledger[_LONGEST])
        code = by_construction("the code does exactly this")
        targets = checked(f"the largest is {largest:.6g}")
        exact = online_second_order.vovk_azoury_warmuth_realised(
            target_sum=float(state.ledger[_TARGETS]),
            prediction_sum=float(state.ledger[_PREDICTIONS]),
        )
        volume = online_second_order.vovk_azoury_warmuth(
            target_bound=largest,
            log_determinant=_log_determinant(begun.alpha, state, self.n_rounds_),
        )
        a_priori = self.guarantee(target_bound=largest, input_norm=longest, n_rounds=self.n_rounds_)
        radius = checked(f"the longest is {longest:.6g}")
        return (
            self._certify(exact, {"algorithm": code, "measured": code}),
            self._certify(volume, {"algorithm": code, "targets": targets, "measured": code}),
            self._certify(
                a_priori,
                {"algorithm": code, "targets": targets, "radius": radius},
                measured=["target_bound", "input_norm"],
            ),
        )

    @property
    def triangle_(self) -> Matrix:
        """R with R'R = A, the constant first."""
        return self.states_[0].triangle.copy()

    @property
    def rotated_(self) -> Vector:
        """R⁻ᵀb, the constant first."""
        return self.states_[0].rotated.copy()

    @property
    def ledger_(self) -> Vector:
        """What the run leaves behind for its certificates."""
        return self.states_[0].ledger.copy()

    def predict(self, X: Any) -> Vector:
        """Return the forecast for each row, as `learn` would give it if that row came next."""
        check_is_fitted(self)
        X, learnt = self._check_features(X)
        return _forecast(rows.of(X), float(learnt.begun.fit_intercept), learnt.states[0])

    def predict_one(self, x: Mapping[str, float] | ArrayLike) -> float:
        """Return the forecast for one row, an array or a mapping from names to numbers."""
        learnt = self._own
        row, constant = self._check_one(learnt, x), float(learnt.begun.fit_intercept)
        return float(_forecast(row, constant, learnt.states[0])[0])

    def _certify(
        self,
        guarantee: Guarantee,
        evidence: dict[str, Evidence],
        measured: list[str] | None = None,
    ) -> Certificate:
        most = outward(guarantee.bound, "upper")
        return certify(
            replace(guarantee, trivial=self.cumulative_loss_),  # no loss is negative
            kind="regret",
            subject="this run of OnlineRidge",
            observed=float(self.states_[0].ledger[_EXCESS]),
            n=self.n_rounds_,
            amount=self.cumulative_loss_,
            claim=f"With certainty, the square loss of this run is at most {most} above the least "
            f"of {exactly(self.begun_.alpha)}‖u‖² + square loss of u over all weights u.",
            evidence=evidence,
            reproduce={
                "model": fingerprint_of_fit(self),
                **({"measured": measured} if measured else {}),
            },
        )

    def _check_parameters(self) -> None:
        _arguments.positive("alpha", self.alpha)

    def _start(self, n_features: int) -> State:
        width = n_features + 1  # the constant feature comes first
        _arguments.pairs_of_features(width)
        triangle = math.sqrt(self.alpha) * np.eye(width)
        weights = np.zeros(n_features), np.zeros(1)
        return State(triangle, np.zeros(width), np.zeros(_N_COLUMNS), *weights)

    def _learn(self, X: Rows, targets: Vector, state: State, predictions: Vector) -> None:
        triangle, rotated, ledger, coef, bias = state
        constant, space = float(self.fit_intercept), np.empty(len(rotated))
        _learn_rows(X, targets, constant, triangle, rotated, ledger, space, predictions)
        _solve(triangle, rotated, space)
        coef[:], bias[:] = space[1:], space[:1]

    def _losses(self, targets: Vector, predictions: Vector) -> Vector:
        return (targets - predictions) ** 2


def _forecast(X: Rows, constant: float, state: State) -> Vector:
    """Return the forecast for each row, as if it came next."""
    forecasts, space = np.empty(rows.count(X)), np.empty(len(state.rotated))
    _forecast_rows(X, constant, state.triangle, state.rotated, space, forecasts)
    return forecasts


def _log_determinant(alpha: float, state: State, n_rounds: int) -> float:
    """Return ln det(A/α), outward by the rounding of the rotations.

    A row that is short in units of √α adds to a diagonal near 1 less than its last digit, and a
    long one leaves errors of its own size: then less is hidden than all that such rows can add.
    """
    grown, width = state.triangle.diagonal() / math.sqrt(alpha), len(state.triangle)
    length = math.sqrt(state.ledger[_LONGEST]) / math.sqrt(alpha)
    hidden = _ROUNDING * width * n_rounds * max(1.0, length)
    known = max(0.0, float(2.0 * np.log(grown).sum()))
    return known + min(hidden, n_rounds * length * length)
