"""What every decision tree shares: the door, the walk, and what can be read off its nodes."""

from abc import abstractmethod
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import fingerprints
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.fitting import adopt, check_numbers, fresh_copy, learn_classes, row_weights
from surelearn.base.tables import table
from surelearn.learners.trees import _walk
from surelearn.learners.trees._certificates import TreeCertificates
from surelearn.learners.trees._export.reading import TreeReading
from surelearn.learners.trees._pruning.pruning import TreePruning
from surelearn.learners.trees._tree import Tree


class TreeLearner(BaseEstimator):
    """A tree: a table walks through its questions; a learner says how they are found.

    A learner defines `_grow(X, n_categories, targets, weights, n_classes)`, which returns the
    `Tree`. Its rows have positive weight; targets are places among the classes, or, if `n_classes`
    is 0, numbers. It stores `categorical_features` and `most_categories`.

    Attributes
    ----------
    tree_
        The nodes.
    categories_
        For each column its sorted categories, or None if it is numeric.
    training_rows_
        A sketch of the training rows, if all columns are numbers: a hold-out recognises them.
    """

    categorical_features: table.Categorical
    most_categories: int
    tree_: Tree
    categories_: table.Categories
    n_features_in_: int

    @abstractmethod
    def _grow(
        self, X: Matrix, n_categories: Indices, targets: Any, weights: Vector, n_classes: int
    ) -> Tree:
        """Return the tree of checked rows."""

    @property
    def n_leaves_(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def n_nodes_(self) -> int:
        """The size of the tree: the number of its nodes, leaves included."""
        check_is_fitted(self)
        return self.tree_.n_nodes

    @property
    def depth_(self) -> int:
        """The number of questions on the longest path."""
        check_is_fitted(self)
        return int(self.tree_.depth.max())

    @property
    def feature_importances_(self) -> Vector:
        """The share of each feature in the total decrease of the impurity; it sums to 1.

        It is measured on the training rows, so it favours features with many cut points; scikit-
        learn's `permutation_importance` on other rows does not.
        """
        check_is_fitted(self)
        return self.tree_.importances(self.n_features_in_)

    def apply(self, X: Any) -> Indices:
        """Return the leaf of each row.

        Where a row would be spread over several children, this follows the heaviest one.
        """
        return self._leaves(self._read(X))

    def decision_path(self, X: Any) -> Any:
        """Return a sparse table of rows by nodes: 1 where a row passes through a node."""
        nodes = self.apply(X)
        rows, parent = np.arange(len(nodes)), self.tree_.parent
        shape = (len(nodes), self.tree_.n_nodes)
        passed: list[tuple[Indices, Indices]] = []
        while len(nodes) > 0:
            passed.append((rows, nodes))
            above = parent[nodes]
            rows, nodes = rows[above >= 0], above[above >= 0]
        places = np.concatenate(passed, axis=1)
        return cast("Any", sparse.csr_array)((np.ones(places.shape[1]), places), shape=shape)

    def _read(self, X: Any) -> Matrix:
        """Return the codes of a table that came for prediction."""
        check_is_fitted(self)
        return table.read_table(self, X)

    def _leaves(self, X: Matrix) -> Indices:
        leaves = np.empty(len(X), dtype=np.int64)
        _walk.find_leaves(X, self.tree_.questions(), leaves)
        return leaves

    def _outcomes(self, X: Matrix, values: Matrix) -> Matrix:
        """Return the values of the leaf of each row, or the mean over the leaves it reaches."""
        if not self.tree_.spreads:
            return values[self._leaves(X)]
        outcomes = np.zeros((len(X), values.shape[1]))
        _walk.spread_rows(X, self.tree_.questions(), values, outcomes)
        return outcomes

    def _learn(self, X: Matrix, targets: Any, weights: Vector, *, n_classes: int) -> None:
        """Grow the tree from the rows of positive weight."""
        there = weights > 0.0
        if not there.all():
            X, targets, weights = X[there], targets[there], weights[there]
        n_categories = table.n_categories(self.categories_)
        self.tree_ = self._grow(X, n_categories, targets, weights, n_classes)
        if not n_categories.any():  # rows of categories coincide by chance
            self.training_rows_ = fingerprints.sketch(fingerprints.table_hashes(X))

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that cells may be missing or hold categories."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class TreeClassifier(ClassifierMixin, TreeReading, TreeCertificates, TreeLearner):
    """A tree whose leaves hold the weight of each class; it also stores `class_weight`.

    Attributes
    ----------
    classes_
        The sorted labels.
    """

    class_weight: Any
    classes_: NDArray[Any]

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X
            A table: an array or a data frame; cells may be missing, columns may hold categories.
        y
            The label of each row.
        sample_weight
            How much each row counts, 1 if nothing is said; one of weight 0 is as if not there.
        """
        fresh = fresh_copy(self)
        rows = table.learn_table(
            fresh, X, categorical=self.categorical_features, most_categories=self.most_categories
        )
        labels = learn_classes(fresh, y, n=len(rows))
        weights = row_weights(
            sample_weight,
            class_weight=self.class_weight,
            labels=fresh.classes_[labels],
            n=len(rows),
        )
        fresh._learn(rows, labels, weights, n_classes=len(fresh.classes_))  # noqa: SLF001 - our copy
        fresh._remember(rows, labels, weights)  # noqa: SLF001
        return adopt(self, fresh)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the heaviest class of each row's leaf; of equals, the first one."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Matrix:
        """Return the share of each class in each row's leaf."""
        rows = self._read(X)
        return self._outcomes(rows, self.tree_.shares())


class TreeRegressor(RegressorMixin, TreeReading, TreePruning, TreeLearner):
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
