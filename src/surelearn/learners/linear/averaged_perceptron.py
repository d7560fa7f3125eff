"""The averaged Perceptron: run the Perceptron, predict with the mean of its weights.

    w̄ = (w₂ + … + w_{T+1}) / T,   w_{t+1} the Perceptron's weights after round t

The mean needs no second look at the rows: an update Δ made after c rounds is missing from c of the
T terms, so w̄ = w − Σ c·Δ / T. Freund and Schapire (1999), who call the rule that votes "voted";
some texts give that name to this one.
"""

import math

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import OnlineLinearClassifier, perceptron_certificates
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate


@jit
def _learn_rows(
    X: Rows,
    signs: Vector,
    step: float,
    n_before: int,
    weights: Matrix,
    bias: Vector,
    radius: Vector,
    scores: Vector,
) -> None:
    """Score each row with the running weights, then learn; the last four change in place.

    The second row of `weights`, and of `bias`, sums the updates times the rounds before each.
    """
    for t in range(rows.count(X)):
        score, square = rows.dot_and_square(X, t, weights[0])
        scores[t] = score + bias[0]
        if signs[t] * scores[t] <= 0.0:  # a tie counts, or w = 0 would never move
            late = (n_before + t) * signs[t]
            rows.add(X, t, signs[t], weights[0])
            rows.add(X, t, late, weights[1])
            bias[0] += step * signs[t]
            bias[1] += step * late
        radius[0] = max(radius[0], square + step)


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

    def __init__(self, *, fit_intercept: bool = True, max_iter: int = 10) -> None:
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

        For each two-class problem: Novikoff's bound with the margin that the average weights
        achieve (if they separate the training rows), and the bound by the hinge loss of the best
        multiple of the average weights.

        Parameters
        ----------
        delta
            Not needed here: every statement holds surely.
        """
        check_is_fitted(self)
        _arguments.open_fraction("delta", delta)
        return tuple(perceptron_certificates(self)) if hasattr(self, "records_") else ()

    def _start(self, n_features: int, n_problems: int) -> None:
        self.coef_, self.intercept_ = np.zeros((n_problems, n_features)), np.zeros(n_problems)
        self.weights_ = np.zeros((n_problems, 2, n_features))
        self.biases_ = np.zeros((n_problems, 2))
        self.n_averaged_ = np.zeros(n_problems, dtype=np.int64)
        self.radius_ = 0.0

    def _learn(self, X: Rows, signs: Vector, problem: int, scores: Vector) -> None:
        squared_radius, step = np.array([self.radius_**2]), float(self._begun_as.fit_intercept)
        weights, bias, n_before = self.weights_[problem], self.biases_[problem], self.n_averaged_
        _learn_rows(X, signs, step, int(n_before[problem]), weights, bias, squared_radius, scores)
        self.n_averaged_[problem] += len(signs)
        self.coef_[problem] = weights[0] - weights[1] / self.n_averaged_[problem]
        self.intercept_[problem] = bias[0] - bias[1] / self.n_averaged_[problem]
        self.radius_ = max(self.radius_, math.sqrt(squared_radius[0]))

    def _record_run(self, X: Rows, index: Indices, counts: list[tuple[Indices, int]]) -> None:
        super()._record_run(X, index, counts)
        del self.compression_set_  # dropping other rows would change the average
