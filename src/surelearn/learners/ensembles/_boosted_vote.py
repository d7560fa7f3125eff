"""A vote of members that is added up round by round."""

from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.declared import refuse_unlike_declared
from surelearn.base.fitting import at_one_moment
from surelearn.base.tables import table
from surelearn.learners.ensembles._boosting_rounds import margins_of
from surelearn.learners.ensembles._member_kinds import places_of_answers
from surelearn.learners.ensembles._stumps import Stumps, add_votes
from surelearn.learners.ensembles._weak_learners import admitted, dense, n_rows_of


@at_one_moment
class BoostedVote(ClassifierMixin, BaseEstimator):
    """The answers of a fitted vote: its members are stumps, or classifiers of any kind."""

    classes_: NDArray[Any]
    stumps_: Stumps | None
    estimators_: tuple[Any, ...]
    errors_: Vector
    alphas_: Vector
    normalisers_: Vector
    edge_: float | None

    @property
    def estimator_weights_(self) -> Vector:
        """The weights of the votes as scikit-learn has them, 2α_t."""
        check_is_fitted(self)
        return 2.0 * self.alphas_

    @property
    def estimator_errors_(self) -> Vector:
        """The weighted errors of the members, by scikit-learn's name."""
        check_is_fitted(self)
        return self.errors_.copy()

    @property
    def training_error_bounds_(self) -> Vector:
        """The product of the normalisers up to each round; the training error lies below it."""
        check_is_fitted(self)
        return np.cumprod(self.normalisers_, dtype=np.float64)

    def decision_function(self, X: Any) -> Vector | Matrix:
        """Return Σ α_t h_t(x) with h_t = ±1, or of many classes the weight of each one's votes."""
        return self._shown(self._scores(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the heaviest vote; of equal ones, the first."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Matrix:
        """Return e^{2 votes} of each class, normalised: what the exponential loss estimates.

        For two classes it is the logistic function of twice the score. With many rounds such
        probabilities are too bold; calibrate them on rows that were held out.
        """
        return special.softmax(2.0 * self._scores(X), axis=1)

    def staged_decision_function(self, X: Any) -> Iterator[Vector | Matrix]:
        """Yield the scores after each round."""
        for scores in self._stages(X):
            yield self._shown(scores.copy())

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predictions after each round."""
        for scores in self._stages(X):
            yield self.classes_[scores.argmax(axis=1)]

    def margins(self, X: Any, y: ArrayLike) -> Vector:
        """Return the share of the votes for the true class minus that for the best other one.

        It lies in [-1, 1]; for two classes it is y Σ α_t h_t(x) / Σ α_t. Rows at 0 or below are
        errors.
        """
        scores = self._scores(X)
        codes = validation.index_among(self.classes_, _arguments.labels("y", y))
        if len(codes) != len(scores):
            raise ValueError(f"there are {len(scores)} rows and {len(codes)} labels")
        return margins_of(scores, codes)

    @property
    def _votes(self) -> Vector:
        return self.alphas_ if self.edge_ is None else np.ones(len(self.alphas_))

    def _stages(self, X: Any) -> Iterator[Matrix]:
        """Yield the votes for each class after each round, in one array that changes."""
        check_is_fitted(self)
        answer, n_rows = self._answers(X)
        scores = np.zeros((n_rows, len(self.classes_)))
        for t, vote in enumerate(self._votes):
            add_votes(answer(t), float(vote), scores)
            yield scores

    def _scores(self, X: Any) -> Matrix:
        *_, scores = self._stages(X)
        return scores

    def _answers(self, X: Any) -> tuple[Any, int]:
        """Return what names the class of each row for member t, and the number of rows."""
        refuse_unlike_declared(self)
        if len(self.stumps_ or self.estimators_) != len(self.alphas_):
            raise ValueError("it has not as many members as votes: fit it again")
        if self.stumps_ is not None:
            known = table.n_categories(cast("Any", self).categories_)
            self.stumps_.refuse_wild(known, len(self.classes_))  # they may have been set by hand
            stumps, rows = self.stumps_, table.read_table(self, dense(X))
            return partial(stumps.answer, X=rows), len(rows)
        X = admitted(self, X, reset=False)

        def answer(t: int) -> Indices:
            return places_of_answers(self.estimators_[t], X, self.classes_)

        return answer, n_rows_of(X)

    def _shown(self, scores: Matrix) -> Vector | Matrix:
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
