"""AdaGrad: gradient descent in a box with a rate for each weight, by that weight's gradients.

    w_i ← clip(w_i - D·g_i/√(2Σg_i²)),   D the width of the box, the current g_i in the sum

Duchi, Hazan and Singer (2011); see `surelearn.bounds.online_convex`. The intercept is the weight of
a constant feature 1: box and bounds cover it.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit, rows
from surelearn._jit._decorator import compiled_as
from surelearn._jit.rows import Rows, SparseRows
from surelearn._stored import stored
from surelearn._typing import Mask, Matrix, Vector
from surelearn._wording import interval
from surelearn.base import OnlineLinearClassifier, OnlineLinearRegressor
from surelearn.bounds import Guarantee, online_convex
from surelearn.learners.linear._gradient import LONGEST, N_COMMON, GradientLearner, enter
from surelearn.losses import Hinge, Loss, Square, compiled
from surelearn.losses._loss import CompiledLoss

_ROW, _N_COLUMNS = N_COMMON, N_COMMON + 1
_HINGE, _SQUARE = Hinge(), Square()


@stored("adagrad-state")
class State(NamedTuple):
    """All that one problem has learnt; `squares`, per weight, has the constant feature first."""

    coef: Vector
    bias: Vector
    squares: Vector
    ledger: Vector


class _Constants(NamedTuple):
    loss: CompiledLoss
    limit: float
    constant: float


@jit
def _learn_rows(
    X: Rows,
    targets: Vector,
    constants: _Constants,
    coef: Vector,
    bias: Vector,
    squares: Vector,
    ledger: Vector,
    predictions: Vector,
) -> None:
    """Predict each row, then move the weights where it is not 0."""
    limit, constant = constants.limit, constants.constant
    for t in range(rows.count(X)):
        product, square = rows.dot_and_square(X, t, coef)
        predictions[t] = product + bias[0]
        slope = compiled.slope(constants.loss, targets[t], predictions[t])
        length = math.sqrt(square + constant)
        ledger[_ROW] = max(ledger[_ROW], length)
        ledger[LONGEST] = max(ledger[LONGEST], abs(slope) * length)
        if slope != 0.0:
            _move(0, slope * constant, limit, bias, squares)  # the constant feature, squares[0]
            _move_row(X, t, slope, limit, coef, squares[1:])
    enter(constants.loss, targets, predictions, ledger)


@jit
def _move(j: int, gradient: float, limit: float, weights: Vector, squares: Vector) -> None:
    """Move one weight against its gradient and back into [-limit, limit]."""
    squared = gradient * gradient
    if squared > 0.0:
        squares[j] += squared
        moved = weights[j] - limit * gradient * math.sqrt(2.0 / squares[j])
        weights[j] = min(max(moved, -limit), limit)


def _move_row(
    X: Rows, t: int, slope: float, limit: float, weights: Vector, squares: Vector
) -> None:
    """Move the weights of the features that row `t` has."""
    if isinstance(X, SparseRows):
        row = slice(X.indptr[t], X.indptr[t + 1])
        entries = zip(X.indices[row], X.data[row], strict=True)
    else:
        entries = enumerate(X[t])
    for j, x in entries:
        _move(j, slope * x, limit, weights, squares)


@compiled_as(_move_row)
def _compiled_move(X: Any, t: Any, slope: Any, limit: Any, weights: Any, squares: Any) -> Any:  # noqa: ARG001
    def sparse_move(X: Any, t: int, slope: float, limit: float, weights: Any, squares: Any) -> None:
        for i in range(np.uint64(X.indptr[t]), np.uint64(X.indptr[t + 1])):
            _move(X.indices[i], slope * X.data[i], limit, weights, squares)

    def dense_move(X: Any, t: int, slope: float, limit: float, weights: Any, squares: Any) -> None:
        for j in range(X.shape[1]):
            _move(j, slope * X[t, j], limit, weights, squares)

    return sparse_move if isinstance(X, types.BaseNamedTuple) else dense_move


class _BoxDescent(GradientLearner):
    """What the classifier and the regressor share."""

    limit: float

    def guarantee(self, *, gradient_norm: float, n_rounds: int) -> Guarantee:
        """Bound the regret to all weights of the box, if no gradient is longer than this.

        It is largest, √2·D·G·√(dT), when the squares of the gradients are spread evenly.

        Parameters
        ----------
        gradient_norm
            The largest length of a gradient: the slope of the loss times that of the row, the
            constant feature included.
        n_rounds
            The number of rounds.
        """
        check_is_fitted(self)
        begun = self.begun_
        d = self.n_features_in_ + bool(begun.fit_intercept)
        length = _arguments.non_negative("gradient_norm", gradient_norm)
        rounds, width = _arguments.count("n_rounds", n_rounds), 2.0 * begun.limit
        share = rounds * length * length / d
        return online_convex.adagrad(widths=[width] * d, sums_of_squares=[share] * d)

    @property
    def squares_(self) -> Matrix:
        """The sums of the squared gradients of each weight, that of the constant first."""
        return np.array([state.squares for state in self.states_])

    def _realised(self, state: State) -> Guarantee:
        squares, width = state.squares.tolist(), 2.0 * self.limit
        return online_convex.adagrad(widths=[width] * len(squares), sums_of_squares=squares)

    def _rivals(self) -> str:
        return f"within {interval(-self.limit, self.limit)}"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _arguments.positive("limit", self.limit)

    def _start(self, n_features: int) -> State:
        weights, squares = (np.zeros(n_features), np.zeros(1)), np.zeros(n_features + 1)
        return State(*weights, squares, np.zeros(_N_COLUMNS))

    def _learn(self, X: Rows, targets: Vector, state: State, predictions: Vector, /) -> None:
        constants = _Constants(self.loss.compiled(), float(self.limit), float(self.fit_intercept))
        _learn_rows(X, targets, constants, *state, predictions)

    def _longest(self, state: State) -> float:
        return float(state.ledger[_ROW])


class AdaGrad(_BoxDescent, OnlineLinearClassifier):
    """Linear classifier with a rate for each weight: rare features take large steps.

    Its loss stays near that of the best weights of a box, surely and with no rate to tune.

    Parameters
    ----------
    loss
        A convex loss of a score: `Hinge()`, `PerceptronLoss()`, `Logistic()`, or one of residuals
        to the labels ±1, `Square()`, `Absolute()`, `EpsilonInsensitive()`, `Huber()`.
    limit
        The size that no weight, nor the intercept, may exceed.
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The number of passes `fit` makes; it stops at a pass in which no weight changed.

    Attributes
    ----------
    coef_, intercept_
        The weights, a row per two-class problem, and their constant terms.
    n_mistakes_, n_rounds_, cumulative_loss_
        Scores of the wrong sign so far, over all two-class problems; rows visited; the sum of the
        losses.
    radius_
        The largest norm of a row seen, the constant feature included.
    squares_, ledger_
        The sums of the squared gradients of each weight, that of the constant first; what the run
        leaves behind for its certificates.

    Examples
    --------
    >>> model = AdaGrad(fit_intercept=False)
    >>> model.learn([[-1.0, 0.0], [4.0, 0.0], [4.0, 0.1]], ["no", "yes", "yes"])
    array([0., 4., 4.])
    >>> realised, a_priori = model.certificates()
    >>> realised.observed <= realised.bound <= a_priori.bound
    True
    """

    _scores_tell = True

    def __init__(
        self,
        *,
        loss: Loss = _HINGE,
        limit: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 10,
    ) -> None:
        self.loss = loss
        self.limit = limit
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        return self.loss.gradient(signs, scores) != 0.0


class AdaGradRegressor(_BoxDescent, OnlineLinearRegressor):
    """Linear regressor with a rate for each weight: rare features take large steps.

    Its loss stays near that of the best weights of a box, surely and with no rate to tune.

    Parameters
    ----------
    loss
        A convex loss of the residual: `Square()`, `Absolute()`, `EpsilonInsensitive()`, `Huber()`.
    limit
        The size that no weight, nor the intercept, may exceed.
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The number of passes `fit` makes.

    Attributes
    ----------
    coef_, intercept_
        The weights and their constant term, an array of one number.
    n_rounds_, cumulative_loss_
        Rows visited; the sum of the losses.
    squares_, ledger_
        The sums of the squared gradients of each weight, that of the constant first; what the run
        leaves behind for its certificates.

    Examples
    --------
    >>> model = AdaGradRegressor(fit_intercept=False, limit=0.5)
    >>> model.learn([[1.0], [1.0], [1.0]], [0.5, 0.5, 0.5])
    array([0. , 0.5, 0.5])
    """

    def __init__(
        self,
        *,
        loss: Loss = _SQUARE,
        limit: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 10,
    ) -> None:
        self.loss = loss
        self.limit = limit
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
