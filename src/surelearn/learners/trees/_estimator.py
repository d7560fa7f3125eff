"""What every decision tree shares: tables, the walk of rows, reading and pruning."""

import copy
from abc import abstractmethod
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import fingerprints
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Mask, Matrix, Vector
from surelearn.base.fitting import at_one_moment
from surelearn.base.seal import refuse_changed, sealed
from surelearn.base.tables import table
from surelearn.impurities import Entropy, Impurity
from surelearn.learners.trees import _walk
from surelearn.learners.trees._arrivals import paths_to
from surelearn.learners.trees._binary import limits
from surelearn.learners.trees._export import formula, rules, text
from surelearn.learners.trees._export.formula import Formula
from surelearn.learners.trees._export.rules import Backend
from surelearn.learners.trees._export.vocabulary import vocabulary_of
from surelearn.learners.trees._pruning import pruning
from surelearn.learners.trees._pruning.cost_complexity import PruningPath, weakest_link
from surelearn.learners.trees._pruning.cross_validated_path import CrossValidatedPath
from surelearn.learners.trees._pruning.held_out import node_losses, read_held_out
from surelearn.learners.trees._pruning.optimal_subtree import close_where_cheaper
from surelearn.learners.trees._tree import Tree, cut_below


@at_one_moment
@holds(
    n_features_in_="count",
    tree_=Tree,
    categories_="categories",
    training_rows_="maybe hash[kept]",
    grid_="maybe anything",
)
class TreeLearner(BaseEstimator):
    """A tree: a table walks through its questions; a learner says how they are found.

    A learner defines `_grow(X, n_categories, targets, weights, n_classes)`, which returns the
    `Tree`. Its rows have positive weight; targets are places among the classes, or, if `n_classes`
    is 0, numbers. It stores `categorical_features` and `most_categories`.

    A fitted tree can be read and pruned. A pruned copy predicts, prints and certifies like any
    other tree. Prices of a leaf are in units of weight times impurity: scikit-learn's `ccp_alpha`
    times the total weight of the rows.

    Attributes
    ----------
    tree_
        The nodes.
    categories_
        For each column its sorted categories, or None if it is numeric.
    training_rows_
        A sketch of the rows it was grown and pruned by, if all columns are numbers: a hold-out
        recognises them.

    Examples
    --------
    >>> from surelearn.learners.trees.cart_classifier import CARTClassifier
    >>> model = CARTClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "yes", "no"])
    >>> print(model.dnf())
    0.5 < x0 <= 2.5
    >>> model.rules(backend="pyarrow")["conditions"].to_pylist()
    ['x0 <= 0.5', '0.5 < x0 <= 2.5', 'x0 > 2.5']
    >>> model = CARTClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "a"])
    >>> model.pruning_path().n_leaves.tolist()
    [3, 1]
    >>> model.prune(alpha=1.0).to_text()
    'a (4, 1 wrong)'
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
        leaves = self.apply(X)  # it says so if the tree was not grown
        return paths_to(self.tree_, leaves)

    def rules(self, *, digits: int = 6, backend: Backend | None = None) -> Any:
        """Return the leaves as rules, a row each, in a data frame.

        Its columns are `conditions`, the literals on the way to the leaf, one for each feature;
        `class` with `support`, the number of training rows of the leaf, and `confidence`, the share
        of that class in their weight. A regressor has `value` and `impurity` instead of `class` and
        `confidence`.

        Parameters
        ----------
        digits
            How many digits of a cut point are written.
        backend
            The library of the data frame: "pandas", "polars" or "pyarrow"; None means the first of
            these that is installed.
        """
        check_is_fitted(self)
        return rules.rules(self.tree_, vocabulary_of(self, digits=digits), backend=backend)

    def dnf(self, *, label: Any = None, digits: int = 6) -> Formula:
        """Return the condition under which the tree predicts one of its two classes.

        Intervals of a feature are merged; literals and conjunctions without which the formula says
        the same are dropped. Where missing cells go is told if there were any in training.

        Parameters
        ----------
        label
            The class to describe; None means the last one in sorted order.
        digits
            How many digits of a cut point are written.
        """
        check_is_fitted(self)
        return formula.formula_of(self.tree_, vocabulary_of(self, digits=digits), label=label)

    def to_text(self, *, digits: int = 6) -> str:
        """Return the tree as indented lines; a leaf tells the weight of its rows and of the errors.

        Parameters
        ----------
        digits
            How many digits of a number are written.
        """
        check_is_fitted(self)
        return text.text(self.tree_, vocabulary_of(self, digits=digits))

    def to_dot(self, *, digits: int = 6) -> str:
        """Return the tree in the language of Graphviz; `dot -Tsvg` draws it.

        Parameters
        ----------
        digits
            How many digits of a number are written.
        """
        check_is_fitted(self)
        return text.dot(self.tree_, vocabulary_of(self, digits=digits))

    def pruning_path(self, *, impurity: Impurity | None = None) -> PruningPath:
        """Return the nested subtrees of weakest-link pruning, with the prices that lead to them.

        Parameters
        ----------
        impurity
            What leaves are charged for, such as `surelearn.impurities.Misclassification()`; None
            means the criterion the tree was grown by.
        """
        check_is_fitted(self)
        pruning.check_charge(self, impurity)
        return weakest_link(self.tree_, pruning.leaf_costs(self.tree_, impurity)).path

    def prune(self, *, alpha: float, impurity: Impurity | None = None) -> Self:
        """Return the smallest subtree that minimises Σ weight × impurity + alpha × leaves.

        Parameters
        ----------
        alpha
            The price of a leaf.
        impurity
            What leaves are charged for; None means the criterion the tree was grown by.
        """
        check_is_fitted(self)
        pruning.check_charge(self, impurity)
        return self._pruned(pruning.close_at_price(self.tree_, alpha=alpha, impurity=impurity))

    def cross_validate_pruning(
        self,
        X: Any,
        y: ArrayLike,
        *,
        n_folds: int = 10,
        seed: int = 0,
        sample_weight: ArrayLike | None = None,
        impurity: Impurity | None = None,
    ) -> CrossValidatedPath:
        """Return the error of each subtree of the path on rows that it was not grown from.

        Parameters
        ----------
        X, y, sample_weight
            The training rows.
        n_folds
            Into how many parts they are dealt, at random and each class evenly.
        seed
            Where the deal comes from.
        impurity
            What leaves are charged for; None means the criterion the tree was grown by.
        """
        check_is_fitted(self)
        return pruning.cross_validate(
            self,
            X,
            y,
            n_folds=n_folds,
            seed=seed,
            sample_weight=sample_weight,
            impurity=impurity,
        )

    def prune_cross_validated(
        self,
        X: Any,
        y: ArrayLike,
        *,
        n_folds: int = 10,
        one_standard_error: bool = True,
        seed: int = 0,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Return the subtree of the weakest-link path that cross-validation chooses.

        Parameters
        ----------
        X, y, sample_weight
            The training rows.
        n_folds, seed
            Into how many parts they are dealt, and where the deal comes from.
        one_standard_error
            Take the smallest subtree within one standard error of the best, not the best itself.
        """
        result = self.cross_validate_pruning(
            X, y, n_folds=n_folds, seed=seed, sample_weight=sample_weight
        )
        pruned = self.prune(alpha=result.alpha(one_standard_error=one_standard_error))
        return pruned._remember(self._read(X))  # noqa: SLF001 - our own copy

    def prune_entropy_cost(self, *, alpha: float) -> Self:
        """Return the smallest subtree that minimises Σ N_t H_t + alpha × leaves, H_t in nats.

        Parameters
        ----------
        alpha
            The price of a leaf, in nats.
        """
        check_is_fitted(self)
        pruning.check_charge(self, Entropy())
        return self._pruned(pruning.close_at_entropy_cost(self.tree_, alpha=alpha))

    def prune_reduced_error(
        self, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Return the smallest subtree that loses least on rows it was not grown from.

        Parameters
        ----------
        X, y, sample_weight
            Rows that were kept apart from the training rows.
        """
        check_is_fitted(self)
        held_out = read_held_out(self, X, y, sample_weight)
        pruned = self._pruned(close_where_cheaper(self.tree_, node_losses(self, held_out)))
        return pruned._remember(held_out.rows)  # noqa: SLF001 - our own copy

    def _pruned(self, closed: Mask) -> Self:
        """Return a copy in which the marked nodes are leaves."""
        refuse_changed(self)
        pruned = copy.copy(self)
        pruned.tree_, kept = cut_below(self.tree_, closed)
        pruned._keep(kept)  # noqa: SLF001 - our own copy
        return sealed(pruned)

    def _remember(self, rows: Matrix) -> Self:
        """Count rows that chose the subtree among those that it was trained on."""
        if hasattr(self, "training_rows_"):
            hashes = fingerprints.sketch(fingerprints.table_hashes(rows))
            self.training_rows_ = fingerprints.united(self.training_rows_, hashes)
        return sealed(self)

    def _keep(self, kept: Indices) -> None:
        """Take over what is known of the nodes that were kept."""

    def _read(self, X: Any) -> Matrix:
        """Return the codes of a table that came for prediction."""
        check_is_fitted(self)
        return table.read_table(self, X)

    def _leaves(self, X: Matrix) -> Indices:
        leaves = np.empty(len(X), dtype=np.int64)
        _walk.find_leaves(X, self.tree_.questions(X.shape[1]), leaves)
        return leaves

    def _outcomes(self, X: Matrix, values: Matrix) -> Matrix:
        """Return the values of the leaf of each row, or the mean over the leaves it reaches."""
        if not self.tree_.spreads:
            return values[self._leaves(X)]
        outcomes = np.zeros((len(X), values.shape[1]))
        questions = self.tree_.questions(X.shape[1], len(values))
        _walk.spread_rows(X, questions, values, outcomes)
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

    def _check_state(self) -> None:
        """Refuse a tree, as a forged model file may hold it, that asks about cells not there."""
        tree, inner = self.tree_, ~self.tree_.is_leaf
        if len(self.categories_) != self.n_features_in_ or self.n_features_in_ < 1:
            raise ValueError("its columns are not as many as their categories")
        _arguments.places("feature", tree.feature[inner], self.n_features_in_)
        n_categories = table.n_categories(self.categories_)[tree.feature[inner]]
        asked = np.isnan(tree.threshold[inner])
        if not np.array_equal(asked, n_categories > 0) or not np.array_equal(
            np.diff(tree.route_start)[inner], n_categories
        ):
            raise ValueError("it asks a column of numbers for categories, or the other way round")
        n_outcomes = len(cast("Any", self).classes_) if hasattr(self, "classes_") else 1
        if tree.value.shape[1] != n_outcomes:
            raise ValueError(f"its leaves have {tree.value.shape[1]} values, not {n_outcomes}")
        limits.refuse_wild_grid(getattr(self, "grid_", None), self.n_features_in_)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that cells may be missing or hold categories."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
