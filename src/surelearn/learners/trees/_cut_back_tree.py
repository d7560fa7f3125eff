"""A tree that is cut back to what its training rows can pay for."""

from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from surelearn._stored import holds, stored
from surelearn._typing import ArrayLike
from surelearn.base.fitting import at_one_moment
from surelearn.certificate import Certificate
from surelearn.learners.trees._classifier import TreeClassifier


@stored("cut-back-tree")
@at_one_moment
@holds(
    tree_=TreeClassifier,
    classes_="classes",
)
class CutBackTree(ClassifierMixin, BaseEstimator):
    """The subtree of a classification tree whose bound is smallest, all cuts at training values.

    Parameters
    ----------
    tree
        The tree to grow: a learner of this library that can `snap` and `prune_structural_risk`.
    delta
        The level of the bound by which it is cut back.

    Attributes
    ----------
    tree_
        The tree that is left.
    classes_
        The sorted labels.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.trees.cart_classifier import CARTClassifier
    >>> X, y = Noisy(n_features=1, bayes_risk=0.05).draw(500, seed=0)
    >>> tree = CARTClassifier()
    >>> tree.fit(X, y).n_leaves_, CutBackTree(tree).fit(X, y).tree_.n_leaves_
    (56, 2)
    """

    tree_: TreeClassifier
    classes_: NDArray[Any]

    def __init__(self, tree: Any, *, delta: float = 0.05) -> None:
        self.tree = tree
        self.delta = delta

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Grow the tree, move its cuts to training values, and cut it back."""
        grown = cast("Any", clone(self.tree)).fit(X, y)
        tree = grown.snap(X, y).prune_structural_risk(delta=self.delta)
        vars(self).update(tree_=tree, classes_=tree.classes_)  # one call: nobody sees half of it
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        return self.tree_.predict(X)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the risk of the tree that is left."""
        return self.tree_.certificates(delta=delta)

    def _check_state(self) -> None:
        if not np.array_equal(self.classes_, self.tree_.classes_):
            raise ValueError("its labels are not those of its tree")
