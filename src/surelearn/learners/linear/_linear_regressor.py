"""The base of linear models of a number: a door for rows and targets, and a prediction."""

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn._typing import Vector
from surelearn.base import validation
from surelearn.base.fitting import row_weights
from surelearn.base.summarising import SummarisingLearner
from surelearn.base.validation import refuse_tiny


class LinearRegressor(RegressorMixin, SummarisingLearner[Any]):
    """A linear regressor whose weights are a function of a sum over examples."""

    _sums_tell = False  # whether a value that is not finite is found without looking for it
    coef_: Vector
    intercept_: float
    n_features_in_: int

    def predict(self, X: Any) -> Vector:
        """Return the predicted number for each row."""
        check_is_fitted(self)
        return validation.check_rows(self, X) @ self.coef_ + self.intercept_

    def _begin(self, X: Any, y: Any, weights: Any) -> None:
        refuse_tiny(y, "targets")
        super()._begin(X, y, weights)

    def _admit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, first: bool
    ) -> tuple[Any, Vector, Vector | None]:
        finite = not self._sums_tell or sparse.issparse(X)
        rows, targets = validation.check(self, X, y, targets="numbers", reset=first, finite=finite)
        if sample_weight is None:
            return rows, targets, None
        weights = row_weights(sample_weight, n=len(targets))
        if np.ptp(weights) == 0.0 and weights[0] == 1.0:
            return rows, targets, None
        return rows, targets, weights

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that sparse matrices are welcome."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.sparse = True
        return tags
