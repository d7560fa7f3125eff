"""What classifiers by scores and their softmax have in common: predictions and probabilities."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surelearn._stored import holds
from surelearn._typing import Indices, Matrix
from surelearn.base.fitting import at_one_moment
from surelearn.learners.linear._softmax.objective import probabilities


@at_one_moment
@holds(
    n_features_in_="count",
    classes_="classes",
)
class SoftmaxClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that gives each class a score; probabilities are exp(score), made to sum to 1.

    A learner defines `_scores(X)`: checked rows in, a column per class out, or one column if the
    score of the first of two classes is always 0.
    """

    classes_: NDArray[Any]

    @abstractmethod
    def _scores(self, X: Any) -> Matrix:
        """Check rows and return their scores."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; of two equally probable ones the first."""
        chosen = decide(self._fitted_scores(X))
        return self.classes_[chosen]

    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class, in the order of `classes_`."""
        found = probabilities(self._fitted_scores(X))
        return np.column_stack([1.0 - found, found]) if found.shape[1] == 1 else found

    def predict_log_proba(self, X: Any) -> Matrix:
        """Return the logarithm of the probability of each class, exact where that is tiny."""
        scores = self._fitted_scores(X)
        if scores.shape[1] == 1:
            scores = np.column_stack([-scores, scores])
            return special.log_expit(scores)
        return special.log_softmax(scores, axis=1)

    def _fitted_scores(self, X: Any) -> Matrix:
        check_is_fitted(self)
        return self._scores(X)


def decide(scores: Matrix) -> Indices:
    """Return the class of each row; a single score must be positive for the last class.

    Examples
    --------
    >>> decide(np.array([[0.0], [0.1]])).tolist(), decide(np.array([[0.0, 2.0, 2.0]])).tolist()
    ([0, 1], [1])
    """
    return (scores[:, 0] > 0.0).astype(np.int64) if scores.shape[1] == 1 else scores.argmax(axis=1)
