"""Gradient boosting of classes: trees that follow the negative gradient of a loss.

    f ← f + ν · tree,   the tree fitted to y − p, each leaf a Newton step Σ(y − p) / Σ p(1 − p)

where p is the sigmoid of f, or with many classes the softmax of one f each. Friedman (2001),
"Greedy function approximation: a gradient boosting machine".
"""

from collections.abc import Iterator
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.base import ClassifierMixin

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, learn_classes, row_weights
from surelearn.base.parted import PartedTable, refuse_targets
from surelearn.base.tables.table import Categorical
from surelearn.learners.ensembles._boosting_losses import Descent, classification_descent
from surelearn.learners.ensembles._gradient_boosting import GradientBoosting, alike
from surelearn.learners.ensembles._parted_boosting import boost_parts
from surelearn.losses import Exponential, Loss


@at_one_moment
@holds(classes_="classes")
class GradientBoostingClassifier(ClassifierMixin, GradientBoosting):
    """Boosted histogram trees for classes, by the log loss or the exponential loss.

    Columns are cut into at most 255 bins, once. Gradients are added in whole numbers, so the model
    does not depend on the number of threads. Missing cells go to the side where they gain more, and
    if there were none in training, with unknown categories, to the side with more rows. Categories
    of few rows in a node, fewer than 5 or `min_samples_leaf`, go to one side together. Many
    classes have a score each, and a tree for each in every round.

    Parameters
    ----------
    loss
        "log_loss", "exponential" (two classes only), or `Logistic()`, `Multinomial()` or
        `Exponential()` of `surelearn.losses`.
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
        The penalty of squared leaf values; 0 takes whole Newton steps.
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
    class_weight
        A weight for each class, or "balanced"; it multiplies the sample weights.

    Attributes
    ----------
    classes_
        The sorted labels.
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
    >>> x, y = [[-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0, 1, 1]
    >>> model = GradientBoostingClassifier(
    ...     n_estimators=1, learning_rate=1.0, min_samples_leaf=1, l2_regularization=0.0
    ... )
    >>> model.set_params(max_leaf_nodes=2).fit(x, y).decision_function(x).round(6).tolist()
    [-2.0, -2.0, 1.0, 1.0, 1.0, 1.0]
    """

    classes_: NDArray[Any]

    def __init__(  # noqa: PLR0913 - users know these names
        self,
        *,
        loss: str | Loss = "log_loss",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int | None = None,
        l2_regularization: float = 1.0,
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
        class_weight: Any = None,
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
        self.class_weight = class_weight

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
            The label of each row.
        sample_weight
            How much each row counts, 1 if nothing is said; one of weight 0 is as if not there.
        """
        fresh = fresh_copy(self)
        if isinstance(X, PartedTable):
            refuse_targets(y, sample_weight)
            boost_parts(fresh, self, X)
            return adopt(self, fresh)
        rows = fresh._enter(self, X)  # noqa: SLF001 - our copy
        labels = learn_classes(fresh, cast("Any", y), n=rows.shape[0])
        validation.two_or_more(fresh.classes_)
        self._refuse_other_classes(fresh.classes_)
        weights = row_weights(
            sample_weight,
            class_weight=self.class_weight,
            labels=fresh.classes_[labels],
            n=rows.shape[0],
        )
        _refuse_one_class(fresh.classes_, labels[weights > 0.0])
        kind: Any = np.uint8 if len(fresh.classes_) == 2 else np.float64
        targets, strata = labels.astype(kind), labels if self.early_stopping else None
        weights = alike(weights)
        del labels  # memory that trees can use
        fresh._learn(self, rows, targets, weights, strata=strata)  # noqa: SLF001 - our copy
        return adopt(self, fresh)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of each row; of equals, the first one."""
        return self._labels(self._scores(X))

    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class."""
        return self._shares(self._scores(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row: of two classes that of the second, else one for each."""
        return self._in_rows(self._scores(X))

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round."""
        return (self._in_rows(scores) for scores in self._staged_scores(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predictions after each round."""
        return (self._labels(scores) for scores in self._staged_scores(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Matrix]:
        """Yield the probability of each class after each round."""
        return (self._shares(scores) for scores in self._staged_scores(X))

    def _in_rows(self, scores: Matrix) -> NDArray[np.float64]:
        return scores[0] if len(scores) == 1 else np.ascontiguousarray(scores.T)

    def _labels(self, scores: Matrix) -> NDArray[Any]:
        places = (scores[0] > 0.0).astype(np.int64) if len(scores) == 1 else scores.argmax(axis=0)
        return self.classes_[places]

    def _shares(self, scores: Matrix) -> Matrix:
        if len(scores) > 1:
            return special.softmax(scores.T, axis=1)
        twice = self.loss == "exponential" or isinstance(self.loss, Exponential)
        second: Vector = special.expit(scores[0] * (2.0 if twice else 1.0))
        return np.column_stack([1.0 - second, second])

    def _refuse_other_classes(self, classes: NDArray[Any]) -> None:
        """Refuse to go on from a fit of other classes."""
        goes_on = self.warm_start and hasattr(self, "trees_")
        if goes_on and not np.array_equal(self.classes_, classes):
            raise ValueError(
                f"y has classes {classes.tolist()}, and a warm start goes on from a fit of "
                f"{self.classes_.tolist()}: set warm_start=False"
            )

    def _descent(self) -> Descent:
        return classification_descent(self.loss, len(self.classes_))


def _refuse_one_class(classes: NDArray[Any], labels: Indices) -> None:
    """Refuse rows of which only those of one class count."""
    if (labels == labels[0]).all():
        raise ValueError(
            f"all rows of positive weight are of one class ({classes.tolist()[labels[0]]!r}): a "
            "classifier needs examples of two"
        )
