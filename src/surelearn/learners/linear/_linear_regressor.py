"""The base of linear models of a number: checked rows and targets, and a prediction."""

from typing import Any, cast

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment, row_weights
from surelearn.base.summarising import SummarisingLearner
from surelearn.base.validation import refuse_tiny
from surelearn.learners.linear._ridge_path import CentredRows, leave_one_out_predictions


@at_one_moment
@holds(
    n_features_in_="count",
    coef_="finite[features]",
    intercept_="number",
)
class LinearRegressor(RegressorMixin, SummarisingLearner[Any]):
    """A linear regressor whose weights are a function of a sum over examples."""

    _sums_tell = False  # whether a value that is not finite is found without looking for it
    coef_: Vector
    intercept_: float
    n_features_in_: int
    fit_intercept: bool

    def predict(self, X: Any) -> Vector:
        """Return the predicted number for each row."""
        check_is_fitted(self)
        return validation.check_rows(self, X) @ self.coef_ + self.intercept_

    def _without_each_row(
        self, X: Any, y: Any, weights: Vector | None, alpha: float
    ) -> tuple[Vector, str] | None:
        """Return what each row's others predict by the hat matrix, if refitting says the same."""
        weightless = weights is not None and not weights.all()
        if sparse.issparse(X) or weightless or not alpha >= 0.0:
            return None
        X, y = validation.check(clone(self), X, y, targets="numbers", reset=True)
        rows = CentredRows(X, y, weights, centre=self.fit_intercept)
        found = leave_one_out_predictions(rows, y, alpha)
        return None if found is None else (found, "the hat matrix")

    def _check_state(self) -> None:
        """Refuse sums over no rows or other ones, as a forged model file may hold them."""
        record = getattr(self, "record_", None)
        if record is None:
            return
        if record.n_columns != self.n_features_in_ + 1:
            raise ValueError("its sums are over rows of another width")
        if record.n_rows < 1 or not 0.0 < record.weight < np.inf:
            raise ValueError("its sums are over no rows")

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
