"""Gradient boosting of numbers: trees that follow the negative gradient of a loss.

    f ← f + ν · tree,   the tree fitted to −∂loss(y, f)/∂f, each leaf set to its best step

Friedman (2001), "Greedy function approximation: a gradient boosting machine".
"""

from collections.abc import Iterator
from typing import Any, Self, cast

from sklearn.base import RegressorMixin

from surelearn._typing import ArrayLike, Vector
from surelearn.base.fitting import adopt, at_one_moment, check_numbers, fresh_copy, row_weights
from surelearn.base.parted import PartedTable, refuse_targets
from surelearn.base.tables.table import Categorical
from surelearn.learners.ensembles._boosting_losses import Descent, regression_descent
from surelearn.learners.ensembles._gradient_boosting import GradientBoosting
from surelearn.learners.ensembles._parted_boosting import boost_parts
from surelearn.losses import Loss


@at_one_moment
class GradientBoostingRegressor(RegressorMixin, GradientBoosting):
    """Boosted histogram trees for numbers, by any convex loss.

    Columns are cut into at most 255 bins, once. Gradients are added in whole numbers, so the model
    does not depend on the number of threads. Missing cells go to the side where they gain more, and
    if there were none in training, with unknown categories, to the side with more rows. Categories
    of few rows in a node, fewer than 5 or `min_samples_leaf`, go to one side together.

    Parameters
    ----------
    loss
        "squared_error", "absolute_error", or a convex loss of `surelearn.losses` such as
        `Huber(threshold=1.0)` or `QuantileLoss(level=0.9)`; leaves of the absolute and the quantile
        loss are exact quantiles.
    n_estimators
        The number of rounds: trees for each score.
    learning_rate
        What part of each step is taken; 1 is the algorithm as first written.
    max_leaf_nodes
        The largest number of leaves of a tree; the split that gains most comes first. None means
        no limit.
    max_depth
        The largest number of questions on a path; None for no limit.
    min_samples_leaf
        The least number of rows of a leaf; None means 5 where there are more than 10,000 rows, and
        20 where there are fewer.
    l2_regularization
        The penalty of squared leaf values.
    max_features, subsample
        The share of columns, and of rows, drawn anew for each tree.
    max_bins
        The largest number of bins of a column, at most 255; missing cells have one more.
    categorical_features
        The columns that hold categories: names, places or a mask, or "all"; None means text.
    monotonic_cst
        Along which columns predictions may only grow (1) or fall (-1): a number for each column, or
        a mapping of names; None for none.
    interactions
        The largest number of features one tree may ask about. With 1 the model is a sum of curves,
        with 2 of curves and surfaces: `effects` returns them. None for no limit.
    early_stopping
        Keep a part of the rows for validation, stop when their loss falls no more, and keep the
        rounds up to its least value.
    validation_fraction, n_iter_no_change, tol
        The share of these rows; for how many rounds, and by how much, their loss must fall.
    warm_start
        Keep the trees of the last fit and add rounds to them, up to `n_estimators`.
    random_state
        Where draws of rows and columns come from.
    n_jobs
        The number of threads; None means one per core. The result is the same.

    Attributes
    ----------
    trees_, bins_
        The trees, and how cells become bins.
    baseline_
        The constant score that the trees start from.
    categories_
        For each column its sorted categories, or None if it is numeric.
    validation_losses_
        The loss on the validation rows before the first round and after each, if there were any.
    n_estimators_, feature_importances_
        The number of rounds that were kept, and how much each feature contributes.

    Examples
    --------
    >>> x = [[float(i)] for i in range(1, 11)]
    >>> y = [5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05]
    >>> model = GradientBoostingRegressor(
    ...     n_estimators=6, learning_rate=1.0, max_leaf_nodes=2, min_samples_leaf=1
    ... ).fit(x, y)
    >>> model.predict(x[:2]).round(2).tolist()
    [5.63, 5.63]
    """

    def __init__(  # noqa: PLR0913 - users know these names
        self,
        *,
        loss: str | Loss = "squared_error",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int | None = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        subsample: float = 1.0,
        max_bins: int = 255,
        categorical_features: Categorical = None,
        monotonic_cst: Any = None,
        interactions: int | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.subsample = subsample
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interactions = interactions
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X
            A table: an array, a data frame or a sparse matrix; cells may be missing, columns may
            hold categories. Or its parts, with a few passes for each tree: see
            `surelearn.scale.parts`.
        y
            The number to predict in each row.
        sample_weight
            How much each row counts, 1 if nothing is said; one of weight 0 is as if not there.
        """
        fresh = fresh_copy(self)
        if isinstance(X, PartedTable):
            refuse_targets(y, sample_weight)
            boost_parts(fresh, self, X)
            return adopt(self, fresh)
        rows = fresh._enter(self, X)  # noqa: SLF001 - our copy
        targets = check_numbers(cast("Any", y), n=rows.shape[0])
        weights = row_weights(sample_weight, n=rows.shape[0])
        fresh._learn(self, rows, targets, weights, strata=None)  # noqa: SLF001 - our copy
        return adopt(self, fresh)

    def predict(self, X: Any) -> Vector:
        """Return the prediction for each row."""
        return self._scores(X)[0]

    def staged_predict(self, X: Any) -> Iterator[Vector]:
        """Yield the predictions after each round."""
        return (scores[0] for scores in self._staged_scores(X))

    def _descent(self) -> Descent:
        return regression_descent(self.loss)
