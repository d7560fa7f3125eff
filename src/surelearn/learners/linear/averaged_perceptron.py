"""The averaged Perceptron: run the Perceptron, predict with the mean of its weights.

    w̄ = (w₂ + … + w_{T+1}) / T,   w_{t+1} the Perceptron's weights after round t

The mean needs no second look at the rows: an update Δ made after c rounds is missing from c of the
T terms, so w̄ = w − Σ c·Δ / T. Freund and Schapire (1999), who call the rule that votes "voted";
some texts give that name to this one.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._stored import stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import OnlineLinearClassifier
from surelearn.base.online.mistakes import (
    MistakeRecord,
    Statement,
    of_linear_perceptron,
    sure_certificates,
)
from surelearn.base.online.passes import Run
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate


@stored("averaged-perceptron-state")
class State(NamedTuple):
    """All that one two-class problem has learnt.

    `weights` and `biases` are those of the running Perceptron, then the sums of their updates, each
    times the rounds before it; `coef` and `bias` are the averages over `n_averaged` rounds.
    """

    weights: Matrix
    biases: Vector
    n_averaged: Indices
    radius: Vector
    coef: Vector
    bias: Vector


@jit
def _learn_rows(
    X: Rows,
    signs: Vector,
    step: float,
    weights: Matrix,
    biases: Vector,
    n_averaged: Indices,
    radius: Vector,
    scores: Vector,
) -> None:
    """Score each row with the running weights, then learn; the last five change in place."""
    largest = 0.0
    for t in range(rows.count(X)):
        score, square = rows.dot_and_square(X, t, weights[0])
        scores[t] = score + biases[0]
        if signs[t] * scores[t] <= 0.0:  # a tie counts, or w = 0 would never move
            late = (n_averaged[0] + t) * signs[t]  # missing from as many terms of the mean
            rows.add(X, t, signs[t], weights[0])
            rows.add(X, t, late, weights[1])
            biases[0] += step * signs[t]
            biases[1] += step * late
        largest = max(largest, square + step)
    n_averaged[0] += len(signs)
    radius[0] = max(radius[0], math.sqrt(largest))


class AveragedPerceptron(OnlineLinearClassifier):
    """The Perceptron, predicting with the average of its weights over all rounds.

    Its mistakes while learning are the Perceptron's, and so are their bounds: `learn` returns the
    scores of the running weights. On noisy data the average errs less on new rows than the last
    weights do. No statement about that risk is issued: rows that change nothing still count in the
    average, so it is not determined by a few of them, as stable compression would need. Use a
    `Holdout`.

    Parameters
    ----------
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    coef_, intercept_
        The average weights, a row per two-class problem, and their constant terms.
    weights_, biases_
        For each problem the running weights, then the sum of their updates, each times the number
        of rounds before it; the constant terms likewise.
    n_averaged_
        The rounds of each problem, over which the average is taken.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes of the running weights, over all two-class problems; rows visited; the sum of the
        0-1 losses.
    radius_
        The largest norm of a row seen, the constant feature included.

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [-0.9, 0.4], [0.5, -1.0]], [1, 1, -1, -1]
    >>> model = AveragedPerceptron(fit_intercept=False).fit(X, y)
    >>> model.coef_.tolist(), model.weights_[0, 0].tolist()
    ([[1.0, 0.875]], [1.0, 1.0])
    >>> [certificate.bound >= model.n_mistakes_ for certificate in model.certificates()]
    [True, True]
    """

    _scores_tell = True
    _learns_by_other_weights = True

    def __init__(self, *, fit_intercept: bool = True, max_iter: int = 10) -> None:
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

        For each two-class problem: Novikoff's bound with the margin that the average weights
        achieve (if they separate the training rows), and the bound by the hinge loss of the best
        multiple of the average weights.

        Parameters
        ----------
        delta
            Not needed here: every statement holds surely.
        """
        return sure_certificates(self, delta)

    @property
    def weights_(self) -> NDArray[np.float64]:
        """For each problem the running weights, then their updates times the rounds before."""
        return np.array([state.weights for state in self.states_])

    @property
    def biases_(self) -> Matrix:
        """For each problem the running constant term, then its updates times the rounds before."""
        return np.array([state.biases for state in self.states_])

    @property
    def n_averaged_(self) -> Indices:
        """The rounds of each problem."""
        return np.array([state.n_averaged[0] for state in self.states_])

    def _statements(self, run: Run, state: State, record: MistakeRecord) -> Iterator[Statement]:
        return of_linear_perceptron(run, state, record)

    def _start(self, n_features: int) -> State:
        running = np.zeros((2, n_features)), np.zeros(2), np.zeros(1, dtype=np.int64), np.zeros(1)
        return State(*running, coef=np.zeros(n_features), bias=np.zeros(1))

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        weights, biases, n_averaged, radius, coef, bias = state
        step = float(self.fit_intercept)
        _learn_rows(X, signs, step, weights, biases, n_averaged, radius, scores)
        coef[:] = weights[0] - weights[1] / n_averaged[0]
        bias[0] = biases[0] - biases[1] / n_averaged[0]

    def _outcome(self, X: Any, wrong: Mask, used: Mask) -> tuple[int | None, Indices | None]:
        n_wrong, _ = super()._outcome(X, wrong, used)
        return n_wrong, None  # no compression set: dropping other rows would change the average
