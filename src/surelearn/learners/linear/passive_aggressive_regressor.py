"""Passive-Aggressive regression: the least change of the weights that repairs a row's loss.

    w ← w + τ·sign(y − ⟨w, x⟩)·x   whenever   ℓ = max(0, |y − ⟨w, x⟩| − ε) > 0

    PA-I    τ = min(C, ℓ / ‖x‖²)
    PA-II   τ = ℓ / (‖x‖² + 1/(2C))

With C = ∞ both are PA, which repairs the loss whole. Crammer, Dekel, Keshet, Shalev-Shwartz and
Singer (2006); the bounds, for rows of any norm, are in `surelearn.bounds.mistakes_linear`.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._typing import Matrix, Vector
from surelearn.base import OnlineLinearRegressor
from surelearn.base.online.mistakes import Statement, sure_certificates
from surelearn.base.online.passes import Run
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate
from surelearn.learners.linear import _passive_aggressive as passive_aggressive
from surelearn.learners.linear._passive_aggressive import (
    CONSTANT,
    EPSILON,
    LONGEST,
    PassiveAggressiveRecord,
    Rule,
    State,
    cut,
    damped,
    on_losses,
)


@jit
def _learn_rows(
    X: Rows,
    targets: Vector,
    rule: Vector,
    coef: Vector,
    bias: Vector,
    sums: Vector,
    predictions: Vector,
) -> None:
    """Predict each row, then repair its loss; the last four arguments change in place."""
    for t in range(rows.count(X)):
        product, square = rows.dot_and_square(X, t, coef)
        predictions[t] = product + bias[0]
        square += rule[CONSTANT]
        residual = targets[t] - predictions[t]
        loss = max(0.0, abs(residual) - rule[EPSILON])
        step = passive_aggressive.step(loss, square, rule)
        if step > 0.0:
            rows.add(X, t, step * np.sign(residual), coef)
            bias[0] += step * np.sign(residual) * rule[CONSTANT]
        passive_aggressive.note(loss, square, step, sums)


class PassiveAggressiveRegressor(OnlineLinearRegressor):
    """PA-I for numbers: repair each error beyond `epsilon` by the least change, at most `C`.

    Parameters
    ----------
    C
        The largest step; smaller values resist noise. `math.inf` repairs every loss whole.
    epsilon
        Errors up to this size cost nothing.
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The number of passes `fit` makes.

    Attributes
    ----------
    coef_, intercept_
        The weights and their constant term.
    n_rounds_, cumulative_loss_
        Rows visited; the sum of the losses.
    rule_, sums_
        The step in numbers; the sum of steps times losses, that of squared losses, and the largest
        and least squared norm of a row (after a 0).

    Examples
    --------
    >>> model = PassiveAggressiveRegressor(epsilon=0.1).fit([[1.0], [2.0]], [1.0, 2.0])
    >>> bool(abs(model.predict([[1.5]])[0] - 1.5) < 0.2)
    True
    >>> [certificate.status for certificate in model.certificates()]
    ['valid']
    """

    _record_kind = PassiveAggressiveRecord

    def __init__(
        self,
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
        max_iter: int = 10,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def guarantee(self, *, norm: float, comparator_loss: float = 0.0) -> Guarantee:
        """Bound the sum of the run's losses, given what one comparator achieves.

        Of steps times losses for PA-I, of squared losses for PA-II and for C = inf.

        Parameters
        ----------
        norm
            The comparator's norm, its constant term included.
        comparator_loss
            The sum of its losses over the rounds; for PA-II of their squares, for C = inf of their
            squares divided by the squared norms of the rows.
        """
        check_is_fitted(self)
        radius = math.sqrt(self.states_[0].sums[LONGEST])
        return on_losses(self.rule_, radius=radius, norm=norm, comparator_loss=comparator_loss)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """Bound the losses of the last `fit` by the best multiple of the final weights.

        Parameters
        ----------
        delta
            Not needed here: every statement holds surely.
        """
        return sure_certificates(self, delta)

    @property
    def rule_(self) -> Rule:
        """The step in numbers."""
        return Rule(*self.states_[0].rule.tolist())

    @property
    def sums_(self) -> Matrix:
        """The sums over the run, in a single row."""
        return self.states_[0].sums[np.newaxis].copy()

    def _statements(
        self, run: Run, state: State, record: PassiveAggressiveRecord
    ) -> Iterator[Statement]:
        del run, state
        return record.statements(of_mistakes=False)

    def _rule(self) -> Rule:
        return cut(self.C, constant=float(self.fit_intercept), epsilon=self.epsilon)

    def _check_parameters(self) -> None:
        self._rule()

    def _start(self, n_features: int) -> State:
        return passive_aggressive.start(self._rule(), n_features)

    def _learn(self, X: Rows, targets: Vector, state: State, predictions: Vector) -> None:
        _learn_rows(X, targets, *state, predictions)

    def _record(
        self, X: Any, targets: Vector, state: State, n_passes: int
    ) -> PassiveAggressiveRecord:
        predictions = X @ state.coef + state.bias

        def losses(scale: float, part: slice) -> Vector:
            return self._errors(targets[part], scale * predictions[part])

        return PassiveAggressiveRecord.of(X, state, losses, scores=predictions, n_passes=n_passes)

    def _errors(self, targets: Vector, predictions: Vector) -> Vector:
        return np.maximum(0.0, np.abs(targets - predictions) - self.epsilon)

    def _losses(self, targets: Vector, predictions: Vector) -> Vector:
        return self._errors(targets, predictions)


class PassiveAggressiveSquaredRegressor(PassiveAggressiveRegressor):
    """PA-II for numbers: steps are damped by 1 / (2 C) instead of cut at C.

    The bound speaks of squared losses. Parameters and attributes are those of
    `PassiveAggressiveRegressor`.

    Examples
    --------
    >>> model = PassiveAggressiveSquaredRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
    >>> bool(abs(model.predict([[1.5]])[0] - 1.5) < 0.2)
    True
    """

    def _rule(self) -> Rule:
        return damped(self.C, constant=float(self.fit_intercept), epsilon=self.epsilon)

    def _losses(self, targets: Vector, predictions: Vector) -> Vector:
        return np.square(self._errors(targets, predictions))
