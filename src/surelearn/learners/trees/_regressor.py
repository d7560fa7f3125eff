"""What regression trees share: leaves that hold a number."""

from typing import Any, Self

from sklearn.base import RegressorMixin

from surelearn._typing import ArrayLike, Vector
from surelearn.base.fitting import adopt, at_one_moment, check_numbers, fresh_copy, row_weights
from surelearn.base.tables import table
from surelearn.learners.trees._estimator import TreeLearner


@at_one_moment
class TreeRegressor(RegressorMixin, TreeLearner):
    """A tree whose leaves hold a number."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X
            A table: an array or a data frame; cells may be missing, columns may hold categories.
        y
            The number to predict in each row.
        sample_weight
            How much each row counts, 1 if nothing is said; one of weight 0 is as if not there.
        """
        fresh = fresh_copy(self)
        rows = table.learn_table(
            fresh, X, categorical=self.categorical_features, most_categories=self.most_categories
        )
        targets = check_numbers(y, n=len(rows))
        weights = row_weights(sample_weight, n=len(rows))
        fresh._learn(rows, targets, weights, n_classes=0)  # noqa: SLF001 - our copy
        return adopt(self, fresh)

    def predict(self, X: Any) -> Vector:
        """Return the value of each row's leaf."""
        rows = self._read(X)
        return self._outcomes(rows, self.tree_.value)[:, 0]
