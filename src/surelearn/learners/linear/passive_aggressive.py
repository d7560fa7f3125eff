"""Passive-Aggressive classification: the least change of the weights that repairs a row's loss.

    w ← w + τ·y·x   whenever   ℓ = max(0, 1 − y·⟨w, x⟩) > 0

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
from surelearn._typing import Mask, Matrix, Vector
from surelearn.base import OnlineLinearClassifier
from surelearn.base.online.mistakes import Statement, run_and_risk_certificates
from surelearn.base.online.passes import Run, Visits
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate
from surelearn.learners.linear import _passive_aggressive as passive_aggressive
from surelearn.learners.linear._passive_aggressive import (
    CONSTANT,
    EPSILON,
    LONGEST,
    MISTAKES,
    SHORTEST,
    PassiveAggressiveRecord,
    Rule,
    State,
    cut,
    damped,
    on_mistakes,
)


@jit
def _learn_rows(
    X: Rows,
    signs: Vector,
    rule: Vector,
    coef: Vector,
    bias: Vector,
    sums: Vector,
    scores: Vector,
) -> None:
    """Score each row, then repair its loss; the last four arguments change in place."""
    for t in range(rows.count(X)):
        product, square = rows.dot_and_square(X, t, coef)
        scores[t] = product + bias[0]
        square += rule[CONSTANT]  # the constant feature is part of the row, so of its norm
        loss = max(0.0, 1.0 - signs[t] * scores[t])
        step = passive_aggressive.step(loss, square, rule)
        if step > 0.0:
            rows.add(X, t, step * signs[t], coef)
            bias[0] += step * signs[t] * rule[CONSTANT]
        passive_aggressive.note(loss, square, step, sums)
        sums[MISTAKES] += signs[t] * scores[t] <= 0.0


@jit
def _learn_row(
    row: Matrix, sign: float, rule: Vector, coef: Vector, bias: Vector, sums: Vector
) -> float:
    """Learn from the only row of a matrix, if it is short; return its score.

    Arrays that were set by hand, and that the row would leave, are as good as a row too long.
    """
    fits = row.shape[1] == len(coef) and len(bias) == 1
    if not (fits and len(rule) > EPSILON and len(sums) > SHORTEST and rows.is_short(row)):
        return np.nan
    scores = np.empty(1)
    _learn_rows(row, np.full(1, sign), rule, coef, bias, sums, scores)
    return scores[0]


class PassiveAggressive(OnlineLinearClassifier):
    """PA-I: repair the hinge loss of each row by the least change, of size at most `C`.

    Parameters
    ----------
    C
        The largest step; smaller values resist noise. `math.inf` repairs every loss whole.
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without any loss.

    Attributes
    ----------
    coef_, intercept_
        The weights, a row per two-class problem, and their constant terms.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far over all two-class problems; rows visited; the sum of the losses.
    radius_
        The largest norm of a row seen, the constant feature included.
    rule_, sums_
        The step in numbers; for each problem the mistakes, the sum of steps times losses, that of
        squared losses, and the largest and least squared norm of a row.
    compression_set_
        After `fit`: the training rows that ever had a loss or are still wrong.

    Examples
    --------
    >>> model = PassiveAggressive(C=0.5).fit([[-1.0], [3.0]], ["no", "yes"])
    >>> model.predict([[2.0]]).tolist()
    ['yes']
    >>> model.guarantee(norm=1.0).allows(model.n_mistakes_)
    True
    >>> [certificate.kind for certificate in model.certificates()]
    ['mistakes', 'regret', 'risk']
    """

    _record_kind = PassiveAggressiveRecord
    _scores_tell = True

    def __init__(self, *, C: float = 1.0, fit_intercept: bool = True, max_iter: int = 10) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def guarantee(self, *, norm: float, comparator_loss: float = 0.0) -> Guarantee:
        """Bound the mistakes of each two-class problem, given what one comparator achieves.

        Parameters
        ----------
        norm
            The comparator's norm, its constant term included: 1 / margin if it has no loss.
        comparator_loss
            The sum of its hinge losses over the rounds; for PA-II of their squares, for C = inf of
            their squares divided by the squared norms of the rows.
        """
        check_is_fitted(self)
        return on_mistakes(
            self.rule_, radius=self.radius_, norm=norm, comparator_loss=comparator_loss
        )

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem a bound on the mistakes and one on the losses, both by the best
        multiple of the final weights. Then the risk of the model by stable compression.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        return run_and_risk_certificates(self, delta)

    @property
    def rule_(self) -> Rule:
        """The step in numbers."""
        return Rule(*self.states_[0].rule.tolist())

    @property
    def sums_(self) -> Matrix:
        """The sums over the run of each problem, a row per problem."""
        return np.array([state.sums for state in self.states_])

    def _statements(
        self, run: Run, state: State, record: PassiveAggressiveRecord
    ) -> Iterator[Statement]:
        del run, state
        return record.statements(of_mistakes=True)

    def _rule(self) -> Rule:
        return cut(self.C, constant=float(self.fit_intercept))

    def _check_parameters(self) -> None:
        self._rule()

    def _start(self, n_features: int) -> State:
        return passive_aggressive.start(self._rule(), n_features)

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        _learn_rows(X, signs, *state, scores)

    def _learn_row(self, row: Matrix, sign: float, state: State) -> tuple[float, float]:
        score = _learn_row(row, sign, *state)
        return score, max(0.0, 1.0 - sign * score)

    def _longest(self, state: State) -> float:
        return math.sqrt(state.sums[LONGEST])

    def _losses(self, signs: Vector, scores: Vector) -> Vector:
        losses = signs * scores
        np.subtract(1.0, losses, out=losses)
        return np.maximum(0.0, losses, out=losses)

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        return signs * scores < 1.0

    def _record(
        self, X: Any, margins: Vector, visits: Visits, state: State
    ) -> PassiveAggressiveRecord:
        def losses(scale: float, part: slice) -> Vector:
            return np.maximum(0.0, 1.0 - scale * margins[part])

        return PassiveAggressiveRecord.of(
            X, state, losses, scores=margins, n_passes=visits.n_passes
        )


class PassiveAggressiveSquared(PassiveAggressive):
    """PA-II: as PA-I, with a soft limit: steps are damped by 1 / (2 C) instead of cut at C.

    The bounds speak of squared hinge losses. Parameters and attributes are those of
    `PassiveAggressive`.

    Examples
    --------
    >>> model = PassiveAggressiveSquared(C=0.5).fit([[-1.0], [3.0]], ["no", "yes"])
    >>> model.predict([[2.0]]).tolist()
    ['yes']
    """

    def _rule(self) -> Rule:
        return damped(self.C, constant=float(self.fit_intercept))

    def _losses(self, signs: Vector, scores: Vector) -> Vector:
        return np.square(super()._losses(signs, scores))

    def _learn_row(self, row: Matrix, sign: float, state: State) -> tuple[float, float]:
        score, loss = super()._learn_row(row, sign, state)
        return score, loss * loss
