"""The Perceptron: add to the weights every example they get wrong.

    w ← w + y·x   whenever   y·⟨w, x⟩ ≤ 0

Rosenblatt (1958); mistake bound by Novikoff (1962), see `surelearn.bounds.mistakes`.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._stored import stored
from surelearn._typing import Matrix, Vector
from surelearn.base import OnlineLinearClassifier
from surelearn.base.online.mistakes import (
    MistakeRecord,
    Statement,
    of_linear_perceptron,
    run_and_risk_certificates,
)
from surelearn.base.online.passes import Run
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate


@stored("perceptron-state")
class State(NamedTuple):
    """All that one two-class problem has learnt; `radius` is the norm of its longest row."""

    coef: Vector
    bias: Vector
    radius: Vector


@jit
def _learn_rows(
    X: Rows, signs: Vector, step: float, coef: Vector, bias: Vector, radius: Vector, scores: Vector
) -> None:
    """Score each row, then learn from it; the last four arguments change in place."""
    largest = 0.0
    for t in range(rows.count(X)):
        product, square = rows.dot_and_square(X, t, coef)
        scores[t] = product + bias[0]
        if signs[t] * scores[t] <= 0.0:  # a tie counts, or w = 0 would never move
            rows.add(X, t, signs[t], coef)
            bias[0] += step * signs[t]
        largest = max(largest, square + step)  # the constant feature is `step`, 1 or 0
    radius[0] = max(radius[0], math.sqrt(largest))


@jit
def _learn_row(
    row: Matrix, sign: float, step: float, coef: Vector, bias: Vector, radius: Vector
) -> float:
    """Learn from the only row of a matrix, if it is short; return its score.

    Arrays that were set by hand, and that the row would leave, are as good as a row too long.
    """
    fits = row.shape[1] == len(coef) and len(bias) == 1 and len(radius) > 0
    if not (fits and rows.is_short(row)):
        return np.nan
    scores = np.empty(1)
    _learn_rows(row, np.full(1, sign), step, coef, bias, radius, scores)
    return scores[0]


class Perceptron(OnlineLinearClassifier):
    """Mistake-driven linear classifier; there is no learning rate to tune.

    Parameters
    ----------
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    coef_, intercept_
        The weights, a row per two-class problem, and their constant terms.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, each an update, over all two-class problems; rows visited; the sum of
        the 0-1 losses.
    radius_
        The largest norm of a row seen, the constant feature included.
    compression_set_
        After `fit`: the training rows that ever changed the weights or are still wrong.

    Examples
    --------
    >>> model = Perceptron().fit([[-1.0], [3.0]], ["no", "yes"])
    >>> model.predict([[2.0]]).tolist()
    ['yes']
    >>> model.guarantee(margin=0.5).allows(model.n_mistakes_)
    True
    >>> [certificate.status for certificate in model.certificates()]
    ['vacuous', 'vacuous', 'valid']
    """

    _scores_tell = True

    def __init__(self, *, fit_intercept: bool = True, max_iter: int = 1000) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def guarantee(self, *, margin: float) -> Guarantee:
        """Bound `n_mistakes_`, if in each two-class problem a unit vector has this `margin`."""
        check_is_fitted(self)
        # With C two-class problems the mistakes of all are at most C (R / margin)^2.
        radius = self.radius_ * math.sqrt(len(self.states_))
        return mistakes.novikoff(radius=radius, margin=margin)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem: Novikoff's bound with the margin that the final weights achieve
        (if they separate the training rows), and the bound by the hinge loss of the best multiple
        of the final weights. Then the risk of the model by stable compression.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        return run_and_risk_certificates(self, delta)

    def _statements(self, run: Run, state: State, record: MistakeRecord) -> Iterator[Statement]:
        return of_linear_perceptron(run, state, record)

    def _start(self, n_features: int) -> State:
        return State(np.zeros(n_features), np.zeros(1), np.zeros(1))

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        _learn_rows(X, signs, 1.0 if self.fit_intercept else 0.0, *state, scores)

    def _learn_row(self, row: Matrix, sign: float, state: State) -> tuple[float, float]:
        score = _learn_row(row, sign, 1.0 if self.fit_intercept else 0.0, *state)
        return score, 1.0 if sign * score <= 0.0 else 0.0
