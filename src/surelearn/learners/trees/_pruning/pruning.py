"""Pruning of fitted trees: which nodes each method turns into leaves."""

import math
from functools import partial
from numbers import Real
from typing import Any, cast

import numpy as np

from surelearn import _arguments
from surelearn._arguments import at_least_one
from surelearn._typing import ArrayLike, Mask, Vector
from surelearn.impurities import Entropy, Impurity
from surelearn.learners.trees._pruning.cost_complexity import weakest_link
from surelearn.learners.trees._pruning.cross_validated_path import (
    CrossValidatedPath,
    cross_validate_path,
    deal,
)
from surelearn.learners.trees._pruning.held_out import read_held_out
from surelearn.learners.trees._pruning.optimal_subtree import close_where_cheaper
from surelearn.learners.trees._tree import Tree


def leaf_costs(tree: Tree, impurity: Impurity | None) -> Vector:
    """Return what each node costs as a leaf: its weight times its impurity.

    Without an impurity it is that of the criterion the tree was grown by.

    Examples
    --------
    >>> from surelearn.impurities import Misclassification
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> leaf_costs(stump, Misclassification())
    array([2., 0., 0.])
    """
    return tree.weight * (tree.impurity if impurity is None else impurity(tree.value))


def check_charge(model: Any, impurity: Impurity | None) -> None:
    """Refuse to charge nodes that are no tree, or the leaves of a regressor for classes."""
    model.tree_.questions(model.n_features_in_)
    if not isinstance(cast("Any", impurity), Impurity | None):
        raise TypeError(f"impurity={_arguments.short(impurity)} must be an impurity, or None")
    if impurity is not None and not hasattr(model, "classes_"):
        raise ValueError(
            "an impurity measures classes, and this is a regressor: its leaves are charged for "
            "by the criterion it was grown by"
        )


def close_at_price(tree: Tree, *, alpha: float, impurity: Impurity | None) -> Mask:
    """Return the nodes that weakest-link pruning closes at a price of a leaf."""
    _check_price(alpha)
    return weakest_link(tree, leaf_costs(tree, impurity)).closing <= alpha


def close_at_entropy_cost(tree: Tree, *, alpha: float) -> Mask:
    """Return the nodes to close for least Σ N_t H_t + alpha × leaves, H_t in nats."""
    _check_price(alpha)
    costs = math.log(2.0) * leaf_costs(tree, Entropy()) + alpha
    return close_where_cheaper(tree, costs)


def cross_validate(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_folds: int,
    seed: int,
    sample_weight: ArrayLike | None,
    impurity: Impurity | None,
) -> CrossValidatedPath:
    """Return the error of each subtree of a path on rows that it was not grown from."""
    at_least_one("n_folds", n_folds)
    check_charge(model, impurity)
    held_out = read_held_out(model, X, y, sample_weight)
    n = len(held_out.rows)
    if not 2 <= n_folds <= n:
        raise ValueError(f"n_folds={n_folds} must lie between 2 and the {n} rows")
    groups = held_out.targets if hasattr(model, "classes_") else np.zeros(n)
    costs, folds = partial(leaf_costs, impurity=impurity), deal(groups, n_folds, seed)
    return cross_validate_path(model, X, y, held_out, costs, folds=folds)


def _check_price(alpha: float) -> None:
    if not (isinstance(alpha, Real) and alpha >= 0.0 and (alpha < 1e308 or alpha == math.inf)):
        told = f"alpha={_arguments.short(alpha)}"
        raise ValueError(f"{told} must be 0 or more: it is the price of a leaf")
