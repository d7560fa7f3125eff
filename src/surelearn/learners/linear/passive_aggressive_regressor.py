"""Passive-Aggressive regression: the least change of the weights that repairs a row's loss.

    w ← w + τ·sign(y − ⟨w, x⟩)·x   whenever   ℓ = max(0, |y − ⟨w, x⟩| − ε) > 0

    PA-I    τ = min(C, ℓ / ‖x‖²)
    PA-II   τ = ℓ / (‖x‖² + 1/(2C))

With C = ∞ both are PA, which repairs the loss whole. Crammer, Dekel, Keshet, Shalev-Shwartz and
Singer (2006); the bounds, for rows of any norm, are in `surelearn.bounds.mistakes_linear`.
"""

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._typing import Vector
from surelearn.base import OnlineLinearRegressor
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate
from surelearn.learners.linear import _passive_steps
from surelearn.learners.linear._passive_aggressive import (
    PassiveAggressiveRecord,
    cut,
    damped,
    no_sums,
    on_losses,
)
from surelearn.learners.linear._passive_steps import CONSTANT, EPSILON, LONGEST, Rule


@jit
def _learn_rows(
    X: Rows,
    targets: Vector,
    rule: tuple[float, ...],
    coef: Vector,
    bias: Vector,
    sums: Vector,
    said: Vector,
) -> None:
    """Predict each row, then repair its loss; the last four arguments change in place."""
    for t in range(rows.count(X)):
        product, square = rows.dot_and_square(X, t, coef)
        said[t] = product + bias[0]
        square += rule[CONSTANT]
        residual = targets[t] - said[t]
        loss = max(0.0, abs(residual) - rule[EPSILON])
        step = _passive_steps.step(loss, square, rule)
        if step > 0.0:
            rows.add(X, t, step * np.sign(residual), coef)
            bias[0] += step * np.sign(residual) * rule[CONSTANT]
        _passive_steps.note(loss, square, step, sums)


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

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Start anew and pass over the rows, in the order given, `max_iter` times.

        Parameters
        ----------
        X
            Rows of numbers: an array, a data frame or a sparse matrix.
        y
            A number per row.
        """
        super().fit(X, y)
        X, targets = self._check_rows(X, y)
        said = X @ self.coef_ + self.intercept_

        def losses(scale: float, part: slice) -> Vector:
            return self._errors(targets[part], scale * said[part])

        record = PassiveAggressiveRecord.of(self, 0, X, losses, scores=said, n_passes=self.n_iter_)
        self.records_ = (record,)
        return self

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
        radius = math.sqrt(self.sums_[0, LONGEST])
        return on_losses(self.rule_, radius=radius, norm=norm, comparator_loss=comparator_loss)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """Bound the losses of the last `fit` by the best multiple of the final weights.

        Parameters
        ----------
        delta
            Not needed here: every statement holds surely.
        """
        check_is_fitted(self)
        _arguments.open_fraction("delta", delta)
        return tuple(self.records_[0].certificates(self, 0)) if hasattr(self, "records_") else ()

    def _rule(self) -> Rule:
        return cut(self.C, constant=float(self.fit_intercept), epsilon=self.epsilon)

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, Any, dict[str, Any]]:
        self._rule()  # refuses bad parameters before anything changes
        return super()._check_first_rows(X, y)

    def _start(self, n_features: int) -> None:
        self.coef_, self.intercept_ = np.zeros(n_features), np.zeros(1)
        self.rule_, self.sums_ = self._rule(), no_sums(1)

    def _learn(self, X: Rows, targets: Vector, predictions: Vector) -> None:
        rule, coef, bias, sums = tuple(self.rule_), self.coef_, self.intercept_, self.sums_[0]
        _learn_rows(X, targets, rule, coef, bias, sums, predictions)

    def _errors(self, targets: Vector, predictions: Vector) -> Vector:
        return np.maximum(0.0, np.abs(targets - predictions) - self.rule_.epsilon)

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
