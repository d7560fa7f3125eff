"""Online gradient descent: step against the gradient of each loss, then back into a ball.

    w ← Π(w - η·∇ℓ(w)),   Π the projection onto the ball of the given radius

Zinkevich (2003); adaptive steps by Streeter and McMahan (2010); 1/(μt) by Hazan, Agarwal and Kale
(2007); see `surelearn.bounds.online_convex`. The intercept is the weight of a constant feature 1:
ball, penalty and bounds cover it.
"""

import math
from typing import NamedTuple, cast

import numpy as np

from surelearn import _arguments
from surelearn._jit import inner, jit, rows
from surelearn._jit.rows import Rows
from surelearn._stored import stored
from surelearn._typing import Mask, Matrix, Vector
from surelearn._wording import exactly
from surelearn.base import OnlineLinearClassifier, OnlineLinearRegressor
from surelearn.bounds import Guarantee
from surelearn.learners.linear import schedules
from surelearn.learners.linear._gradient import (
    LONGEST,
    LOSS,
    N_COMMON,
    ROUNDS,
    GradientLearner,
    enter,
)
from surelearn.learners.linear.schedules import AdaptiveRate, Run, Schedule
from surelearn.losses import Hinge, Loss, Square, compiled
from surelearn.losses._loss import CompiledLoss

_SQUARES, _RATED, _SCALE, _NORM, _ROW, _N_COLUMNS = range(N_COMMON, N_COMMON + 6)
_SMALLEST_SCALE = 1e-100
_N_CONSTANTS = 7
_HINGE, _SQUARE, _ADAPTIVE = Hinge(), Square(), AdaptiveRate()


@stored("online-gradient-descent-state")
class State(NamedTuple):
    """All that one problem has learnt: the rule in numbers, weights up to a scale, the ledger.

    In `weights` the constant feature comes first; `coef` and `bias` are the weights meant, which
    are `weights` times the scale in the ledger.
    """

    rule: Vector
    weights: Vector
    ledger: Vector
    coef: Vector
    bias: Vector


class _Constants(NamedTuple):
    loss: CompiledLoss
    formula: int
    factor: float
    penalty: float
    radius: float
    constant: float


@jit
def _constants(rule: Vector) -> _Constants:
    """Give the constants their names; an array crosses into compiled code faster than they do."""
    loss = CompiledLoss(int(rule[0]), rule[1])
    return _Constants(loss, int(rule[2]), rule[3], rule[4], rule[5], rule[6])


@jit
def _learn_rows(
    X: Rows, targets: Vector, rule: Vector, weights: Vector, ledger: Vector, predictions: Vector
) -> None:
    """Predict each row, then step; the weights meant are `weights` times the ledger's scale."""
    constants, n, t = _constants(rule), rows.count(X), 0
    due = len(weights) - int(ledger[ROUNDS]) % len(weights)
    while t < n:
        t = _learn_stretch(X, t, min(n, due), targets, constants, weights, ledger, predictions)
        if t == due:  # every so many rounds, or rounding errors would pile up
            _measure(constants.radius, weights, ledger)
            due += len(weights)
        if ledger[_SCALE] < _SMALLEST_SCALE:
            weights *= ledger[_SCALE]
            ledger[_SCALE] = 1.0
    enter(constants.loss, targets, predictions, ledger)


@inner
def _learn_stretch(
    X: Rows,
    first: int,
    last: int,
    targets: Vector,
    constants: _Constants,
    weights: Vector,
    ledger: Vector,
    predictions: Vector,
) -> int:
    """Learn from rows `first` .. `last` - 1, or fewer if the scale gets small; return the next.

    The next prediction waits for this row's scale and norm: in an array they would take a quarter
    longer than as numbers.
    """
    coef, constant, penalty = weights[1:], constants.constant, constants.penalty
    scale, norm, squares, rated = ledger[_SCALE], ledger[_NORM], ledger[_SQUARES], ledger[_RATED]
    n_before, longest, row = ledger[ROUNDS], 0.0, ledger[_ROW]
    for t in range(first, last):
        product, square = rows.dot_and_square(X, t, coef)
        prediction = scale * (product + constant * weights[0])
        slope = compiled.slope(constants.loss, targets[t], prediction)
        along, squared = slope * prediction, slope * slope * (square + constant)
        if penalty > 0.0:
            ledger[LOSS] += 0.5 * penalty * norm
            squared += penalty * (2.0 * along + penalty * norm)
            along += penalty * norm
        predictions[t], row = prediction, max(row, square + constant)
        if squared > 0.0:
            squares += squared
            rate = schedules.rate(constants.formula, constants.factor, n_before + t + 1, squares)
            longest, rated = max(longest, squared), rated + rate * squared
            if penalty > 0.0 and n_before + t > 0.0:  # in the first round the weights are 0
                scale *= 1.0 - rate * penalty
            step = -rate * slope / scale
            rows.add(X, t, step, coef)
            weights[0] += step * constant
            norm -= rate * (2.0 * along - rate * squared)
            scale, norm = _projected(constants.radius, scale, norm)
        if scale < _SMALLEST_SCALE:
            last = t + 1
            break
    ledger[_SCALE], ledger[_NORM], ledger[_SQUARES], ledger[_RATED] = scale, norm, squares, rated
    ledger[LONGEST], ledger[_ROW] = max(ledger[LONGEST], math.sqrt(longest)), row
    return last


@inner
def _projected(radius: float, scale: float, norm: float) -> tuple[float, float]:
    """Bring the weights back into the ball by their scale, so that a sparse row costs no more."""
    if norm > radius * radius:
        return scale * (radius / math.sqrt(norm)), radius * radius
    return scale, norm


@inner
def _measure(radius: float, weights: Vector, ledger: Vector) -> None:
    """Enter the squared norm of the weights, which else is followed by updates."""
    total = 0.0
    for weight in weights:
        total += weight * weight
    norm = ledger[_SCALE] * ledger[_SCALE] * total
    ledger[_SCALE], ledger[_NORM] = _projected(radius, ledger[_SCALE], norm)


@jit
def _learn_row(
    row: Matrix,
    target: float,
    rule: Vector,
    weights: Vector,
    ledger: Vector,
    coef: Vector,
    bias: Vector,
) -> tuple[float, float]:
    """Learn from the only row of a matrix, if it is short; return the prediction and its loss.

    Arrays that were set by hand, and that the row would leave, are as good as a row too long.
    """
    n = len(coef)
    fits = row.shape[1] == n and len(weights) == n + 1 and len(bias) == 1
    fits = fits and len(ledger) == _N_COLUMNS and len(rule) == _N_CONSTANTS
    if not (fits and rows.is_short(row)):
        return np.nan, np.nan
    predictions = np.empty(1)
    _learn_rows(row, np.full(1, target), rule, weights, ledger, predictions)
    for j in range(len(coef)):
        coef[j] = ledger[_SCALE] * weights[j + 1]
    bias[0] = ledger[_SCALE] * weights[0]
    return predictions[0], compiled.value(_constants(rule).loss, target, predictions[0])


class _Descent(GradientLearner):
    """What the classifier and the regressor share."""

    schedule: Schedule
    radius: float

    def guarantee(self, *, gradient_norm: float, n_rounds: int) -> Guarantee:
        """Bound the regret to every vector of the ball, if no gradient is longer than this.

        Parameters
        ----------
        gradient_norm
            The largest length of a gradient: the slope of the loss times that of the row, the
            constant feature included.
        n_rounds
            The number of rounds.
        """
        begun = self.begun_
        return begun.schedule.a_priori(
            radius=begun.radius, gradient_norm=gradient_norm, n_rounds=n_rounds
        )

    @property
    def rule_(self) -> Vector:
        """The constants of the step in numbers, as the compiled loop reads them."""
        return self.states_[0].rule.copy()

    @property
    def weights_(self) -> Matrix:
        """The weights up to a scale, that of the constant first, a row per problem."""
        return np.array([state.weights for state in self.states_])

    def _realised(self, state: State) -> Guarantee:
        sums = float(state.ledger[_SQUARES]), float(state.ledger[_RATED])
        return self.schedule.realised(Run(self.radius, int(state.ledger[ROUNDS]), *sums))

    def _rivals(self) -> str:
        penalty, ball = self.schedule.penalty, f"of norm at most {exactly(self.radius)}"
        return f"{ball}, both charged {exactly(penalty / 2)}‖w‖² a round" if penalty else ball

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _arguments.positive("radius", self.radius)
        if not isinstance(cast("object", self.schedule), Schedule):
            raise TypeError(f"schedule={self.schedule!r} is none; use for example AdaptiveRate()")

    def _start(self, n_features: int) -> State:
        loss, schedule, ledger = self.loss.compiled(), self.schedule, np.zeros(_N_COLUMNS)
        shape = schedule.formula, schedule.factor(self.radius), schedule.penalty
        rule = np.array([*loss, *shape, self.radius, self.fit_intercept], dtype=np.float64)
        ledger[_SCALE] = 1.0
        return State(rule, np.zeros(n_features + 1), ledger, np.zeros(n_features), np.zeros(1))

    def _learn(self, X: Rows, targets: Vector, state: State, predictions: Vector, /) -> None:
        rule, weights, ledger, coef, bias = state
        _learn_rows(X, targets, rule, weights, ledger, predictions)
        np.multiply(weights[1:], ledger[_SCALE], out=coef)
        np.multiply(weights[:1], ledger[_SCALE], out=bias)

    def _longest(self, state: State) -> float:
        return math.sqrt(state.ledger[_ROW])


class OnlineGradientDescent(_Descent, OnlineLinearClassifier):
    """Linear classifier whose loss stays near that of the best weights of a ball, surely.

    Parameters
    ----------
    loss
        A convex loss of a score: `Hinge()`, `PerceptronLoss()`, `Logistic()`, or one of residuals
        to the labels ±1, `Square()`, `Absolute()`, `EpsilonInsensitive()`, `Huber()`.
    schedule
        The step sizes: `AdaptiveRate()`, `FixedRate(...)`, `InverseSquareRootRate(...)` or
        `StronglyConvexRate(...)`.
    radius
        The norm that weights and intercept together may not exceed.
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
        losses, penalties not counted.
    radius_
        The largest norm of a row seen, the constant feature included.
    weights_, ledger_
        The weights up to a scale, that of the constant first; what the run leaves behind for its
        certificates.

    Examples
    --------
    >>> model = OnlineGradientDescent()
    >>> model.learn([[-1.0], [3.0], [2.0]], ["no", "yes", "yes"]).round(3)
    array([0.   , 1.414, 0.707])
    >>> model.predict([[2.0]]).tolist()
    ['yes']
    >>> realised, a_priori = model.certificates()
    >>> realised.observed <= realised.bound <= a_priori.bound
    True
    """

    _scores_tell = True

    def __init__(
        self,
        *,
        loss: Loss = _HINGE,
        schedule: Schedule = _ADAPTIVE,
        radius: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 10,
    ) -> None:
        self.loss = loss
        self.schedule = schedule
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def _learn_row(self, row: Matrix, sign: float, state: State) -> tuple[float, float]:
        return _learn_row(row, sign, *state)

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        return (self.loss.gradient(signs, scores) != 0.0) | (self.schedule.penalty > 0.0)


class OnlineGradientDescentRegressor(_Descent, OnlineLinearRegressor):
    """Linear regressor whose loss stays near that of the best weights of a ball, surely.

    Parameters
    ----------
    loss
        A convex loss of the residual: `Square()`, `Absolute()`, `EpsilonInsensitive()`, `Huber()`.
    schedule
        The step sizes: `AdaptiveRate()`, `FixedRate(...)`, `InverseSquareRootRate(...)` or
        `StronglyConvexRate(...)`.
    radius
        The norm that weights and intercept together may not exceed.
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The number of passes `fit` makes.

    Attributes
    ----------
    coef_, intercept_
        The weights and their constant term, an array of one number.
    n_rounds_, cumulative_loss_
        Rows visited; the sum of the losses, penalties not counted.
    weights_, ledger_
        The weights up to a scale, that of the constant first; what the run leaves behind for its
        certificates.

    Examples
    --------
    >>> from surelearn.losses import Absolute
    >>> model = OnlineGradientDescentRegressor(loss=Absolute(), fit_intercept=False)
    >>> model.learn([[1.0], [1.0], [1.0]], [0.5, 0.5, 0.5])
    array([0., 1., 0.])
    """

    def __init__(
        self,
        *,
        loss: Loss = _SQUARE,
        schedule: Schedule = _ADAPTIVE,
        radius: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 10,
    ) -> None:
        self.loss = loss
        self.schedule = schedule
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
