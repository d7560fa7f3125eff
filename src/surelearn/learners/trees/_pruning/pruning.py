"""Pruning of fitted trees: every method returns a smaller tree and leaves the old one as it was."""

import copy
import math
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from surelearn._arguments import at_least_one
from surelearn._typing import Indices, Mask, Vector
from surelearn.impurities import Entropy, Impurity
from surelearn.learners.trees._pruning.cost_complexity import (
    PruningPath,
    WeakestLinks,
    weakest_link,
)
from surelearn.learners.trees._pruning.cross_validated_path import (
    CrossValidatedPath,
    cross_validate_path,
    deal,
)
from surelearn.learners.trees._pruning.held_out import node_losses, read_held_out
from surelearn.learners.trees._pruning.optimal_subtree import close_where_cheaper
from surelearn.learners.trees._tree import Tree, cut_below


class TreePruning:
    """The ways to prune a fitted tree.

    A pruned copy predicts, prints and certifies like any other tree. Prices of a leaf are in units
    of weight times impurity: scikit-learn's `ccp_alpha` times the total weight of the rows.

    Examples
    --------
    >>> from surelearn.learners.trees.cart_classifier import CARTClassifier
    >>> model = CARTClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "a"])
    >>> model.pruning_path().n_leaves.tolist()
    [3, 1]
    >>> model.prune(alpha=1.0).to_text()
    'a (4, 1 wrong)'
    """

    tree_: Tree

    def pruning_path(self, *, impurity: Impurity | None = None) -> PruningPath:
        """Return the nested subtrees of weakest-link pruning, with the prices that lead to them.

        Parameters
        ----------
        impurity
            What leaves are charged for, such as `surelearn.impurities.Misclassification()`; None
            means the criterion the tree was grown by.
        """
        return self._links(impurity).path

    def prune(self, *, alpha: float, impurity: Impurity | None = None) -> Self:
        """Return the smallest subtree that minimises Σ weight × impurity + alpha × leaves.

        Parameters
        ----------
        alpha
            The price of a leaf.
        impurity
            What leaves are charged for; None means the criterion the tree was grown by.
        """
        _check_price(alpha)
        return self._pruned(self._links(impurity).closing <= alpha)

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
        at_least_one("n_folds", n_folds)
        held_out = read_held_out(self, X, y, sample_weight)
        if not 2 <= n_folds <= len(held_out.rows):
            raise ValueError(
                f"n_folds={n_folds} must lie between 2 and the {len(held_out.rows)} rows"
            )
        groups = held_out.targets if hasattr(self, "classes_") else np.zeros(len(held_out.rows))
        return cross_validate_path(
            self,
            X,
            y,
            held_out,
            partial(_costs, impurity=impurity),
            folds=deal(groups, n_folds, seed),
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
        return self.prune(alpha=result.alpha(one_standard_error=one_standard_error))

    def prune_entropy_cost(self, *, alpha: float) -> Self:
        """Return the smallest subtree that minimises Σ N_t H_t + alpha × leaves, H_t in nats.

        Parameters
        ----------
        alpha
            The price of a leaf, in nats.
        """
        _check_price(alpha)
        costs = math.log(2.0) * self._charged(Entropy()) + alpha
        return self._pruned(close_where_cheaper(self.tree_, costs))

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
        return self._pruned(close_where_cheaper(self.tree_, node_losses(self, held_out)))

    def _links(self, impurity: Impurity | None) -> WeakestLinks:
        costs = self._charged(impurity)
        return weakest_link(self.tree_, costs)

    def _charged(self, impurity: Impurity | None) -> Vector:
        """Return what each node is charged for as a leaf."""
        check_is_fitted(self)
        if impurity is not None and not hasattr(self, "classes_"):
            raise ValueError(
                "an impurity measures classes, and this is a regressor: its leaves are charged for "
                "by the criterion it was grown by"
            )
        return _costs(self.tree_, impurity)

    def _pruned(self, closed: Mask) -> Self:
        """Return a copy in which the marked nodes are leaves."""
        pruned = copy.copy(self)
        pruned.tree_, kept = cut_below(self.tree_, closed)
        pruned._keep(kept)  # noqa: SLF001 - our own copy
        return pruned

    def _keep(self, kept: Indices) -> None:
        """Take over what is known of the nodes that were kept."""


def _costs(tree: Tree, impurity: Impurity | None) -> Vector:
    return tree.weight * (tree.impurity if impurity is None else impurity(tree.value))


def _check_price(alpha: float) -> None:
    if not alpha >= 0.0:
        raise ValueError(f"alpha={alpha!r} must be 0 or more: it is the price of a leaf")
