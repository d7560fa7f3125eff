"""The Perceptron: add to the weights every example they get wrong.

    w ← w + y·x   whenever   y·⟨w, x⟩ ≤ 0

Rosenblatt (1958); mistake bound by Novikoff (1962), see `surelearn.bounds.mistakes`.
"""

import math
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._typing import Vector
from surelearn.base import (
    MistakeRecord,
    OnlineLinearClassifier,
    compression_certificate,
    fingerprint,
)
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate, Status, certify


@jit
def _learn_rows(
    X: Rows, signs: Vector, step: float, coef: Vector, bias: Vector, radius: Vector, scores: Vector
) -> None:
    """Score each row, then learn from it; `coef`, `bias`, `radius`, `scores` change in place."""
    for t in range(rows.count(X)):
        scores[t] = rows.dot(X, t, coef) + bias[0]
        if signs[t] * scores[t] <= 0.0:  # a tie counts, or w = 0 would never move
            rows.add(X, t, signs[t], coef)
            bias[0] += step * signs[t]
        radius[0] = max(radius[0], rows.squared_norm(X, t) + step)


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

    def __init__(self, *, fit_intercept: bool = True, max_iter: int = 1000) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def guarantee(self, *, margin: float) -> Guarantee:
        """Bound `n_mistakes_`, if a unit vector separates the rows by `margin`."""
        check_is_fitted(self)
        return mistakes.novikoff(radius=self.radius_, margin=margin)

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
        sure = [c for i, record in enumerate(self.records_) for c in self._of_run(i, record)]
        return (*sure, compression_certificate(self, delta=delta))

    def _of_run(self, problem: int, record: MistakeRecord) -> list[Certificate]:
        """Return the certificates on the number of mistakes in one two-class problem."""
        norm = math.hypot(float(np.linalg.norm(self.coef_[problem])), self.intercept_[problem])
        start: tuple[Status, str] = ("by-construction", "the code does exactly this")
        longest: tuple[Status, str] = ("checked", f"the longest row has norm {self.radius_:.6g}")
        loss: tuple[Status, str] = ("checked", "the final weights, on all rounds of this run")
        any_comparator = mistakes.perceptron(
            radius=self.radius_, norm=record.scale * norm, hinge_loss=record.hinge_loss
        )
        proved = [(any_comparator, [start, longest, loss])]
        if record.smallest_margin > 0.0:
            margin = record.smallest_margin / norm
            apart: tuple[Status, str] = ("checked", f"the final weights achieve {margin:.6g}")
            novikoff = mistakes.novikoff(radius=self.radius_, margin=margin)
            proved.insert(0, (novikoff, [start, longest, apart]))
        n_rounds = record.n_passes * self.n_training_rows_
        return [
            certify(
                replace(guarantee, trivial=float(n_rounds)),
                kind="mistakes",
                subject=self._subject(problem),
                observed=record.total_updates,
                n=n_rounds,
                statuses=statuses,
                reproduce={"model": fingerprint(self)},
            )
            for guarantee, statuses in proved
        ]

    def _subject(self, problem: int) -> str:
        if len(self.classes_) == 2:
            return "this run of the Perceptron"
        return f"this run of the Perceptron, class {self.classes_[problem]!r} against the rest"

    def _start(self, n_features: int, n_problems: int) -> None:
        self.coef_, self.intercept_ = np.zeros((n_problems, n_features)), np.zeros(n_problems)
        self.radius_ = 0.0

    def _learn(self, X: Rows, signs: Vector, problem: int, scores: Vector) -> None:
        squared_radius, bias = np.array([self.radius_**2]), self.intercept_[problem : problem + 1]
        step, coef = float(self.fit_intercept), self.coef_[problem]
        _learn_rows(X, signs, step, coef, bias, squared_radius, scores)
        self.radius_ = max(self.radius_, math.sqrt(squared_radius[0]))
