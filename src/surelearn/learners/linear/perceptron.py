"""The Perceptron: add to the weights every example they get wrong.

    w ← w + y·x   whenever   y·⟨w, x⟩ ≤ 0

Rosenblatt (1958); mistake bound by Novikoff (1962), see `surelearn.bounds.mistakes`.
"""

import math

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._typing import Matrix, Vector
from surelearn.base import (
    OnlineLinearClassifier,
    compression_certificate,
    perceptron_certificates,
)
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate


@jit
def _learn_rows(
    X: Rows, signs: Vector, step: float, problem: int, coef: Matrix, bias: Vector, scores: Vector
) -> float:
    """Score each row, then learn from it; return the largest squared norm of a row."""
    weights, largest = coef[problem], 0.0
    for t in range(rows.count(X)):
        product, square = rows.dot_and_square(X, t, weights)
        scores[t] = product + bias[problem]
        if signs[t] * scores[t] <= 0.0:  # a tie counts, or w = 0 would never move
            rows.add(X, t, signs[t], weights)
            bias[problem] += step * signs[t]
        largest = max(largest, square + step)
    return largest


@jit
def _learn_row(
    row: Matrix, sign: float, step: float, problem: int, coef: Matrix, bias: Vector
) -> tuple[float, float]:
    """Learn from the only row of a matrix, if it is short; return its score and squared norm."""
    if not rows.is_short(row):
        return np.nan, np.nan
    scores = np.empty(1)
    square = _learn_rows(row, np.full(1, sign), step, problem, coef, bias, scores)
    return scores[0], square


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
        radius = self.radius_ * math.sqrt(len(self.coef_))
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
        check_is_fitted(self)
        if not hasattr(self, "records_"):
            return ()
        return (*perceptron_certificates(self), compression_certificate(self, delta=delta))

    def _start(self, n_features: int, n_problems: int) -> None:
        self.coef_, self.intercept_ = np.zeros((n_problems, n_features)), np.zeros(n_problems)
        self.radius_ = 0.0

    def _learn(self, X: Rows, signs: Vector, problem: int, scores: Vector) -> None:
        step = float(bool(self._begun_as.fit_intercept))
        largest = _learn_rows(X, signs, step, problem, self.coef_, self.intercept_, scores)
        self.radius_ = max(self.radius_, math.sqrt(largest))

    def _learn_single(self, row: Matrix, sign: float, problem: int) -> tuple[float, float]:
        step = 1.0 if self._begun_as.fit_intercept else 0.0
        score, square = _learn_row(row, sign, step, problem, self.coef_, self.intercept_)
        if (norm := math.sqrt(square)) > self.radius_:
            self.radius_ = norm
        return score, 1.0 if sign * score <= 0.0 else 0.0
