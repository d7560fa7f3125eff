"""CART for numbers: ask the yes-or-no question that lowers the loss most, then ask again.

    gain = Σ loss(y, c) − Σ_left loss(y, c_left) − Σ_right loss(y, c_right)

where c is the mean of a node (squared error) or its median (absolute error). Breiman, Friedman,
Olshen and Stone (1984), "Classification and Regression Trees".
"""

from collections.abc import Sequence
from typing import Any

from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.base.fitting import at_one_moment
from surelearn.base.tables.table import Categorical
from surelearn.base.validation import refuse_huge
from surelearn.learners.trees._binary import errors
from surelearn.learners.trees._binary.cart import grow_cart
from surelearn.learners.trees._binary.limits import grid_of, limits_of
from surelearn.learners.trees._regressor import TreeRegressor
from surelearn.learners.trees._tree import Tree
from surelearn.losses import Loss, Square


@at_one_moment
class CARTRegressor(TreeRegressor):
    """Regression tree of yes-or-no questions; a node is split whenever it can be.

    A number is compared with a cut point, the midpoint of two neighbouring values. A categorical
    column is divided into two sets of categories: the best two for the squared error, or if the
    node has at most ten; otherwise the best two along the order of the categories' means. Of equal
    gains the first column wins, then the smallest cut point. Missing cells go together to the side
    where they gain more, and if there were none in training, with categories that were not there,
    to the heavier side.

    Parameters
    ----------
    criterion
        The loss: "squared_error", whose leaves predict means, or "absolute_error", whose leaves
        predict medians; both exactly, in O(log n) or less for each row and column of a node. Or
        the object: `surelearn.losses.Square()` or `Absolute()`.
    max_depth
        The largest number of questions on a path; None for no limit.
    max_leaf_nodes, max_nodes
        The largest number of leaves, or of all nodes. With either, the split that gains most comes
        first.
    min_samples_split, min_samples_leaf
        The least number of rows of a node that is split, and of each of its children.
    min_weight_fraction_leaf
        The least share of the total weight that each child must have.
    min_gain
        The least decrease of the mean loss, times the node's share of the total weight.
    thresholds
        The cut points to choose from: a list of numbers for all numeric columns, or a list of such
        lists, one for each column. None means any midpoint.
    categorical_features
        The columns that hold categories: names, places or a mask, or "all"; None means text.
    most_categories
        The largest number of categories a column may have.

    Attributes
    ----------
    tree_
        The nodes; see `surelearn.learners.trees._tree.Tree`.
    categories_
        For each column its sorted categories, or None if it is numeric.
    grid_
        The cut points of each column, if they were given.
    n_leaves_, n_nodes_, depth_, feature_importances_
        The size of the tree, and how much each feature contributes.

    Examples
    --------
    >>> rows, values = [[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]], [3.0, 1.0, 2.0, 5.0]
    >>> model = CARTRegressor(max_depth=1).fit(rows, values)
    >>> int(model.tree_.feature[0]), float(model.tree_.threshold[0])
    (0, 2.5)
    >>> model.predict([[2.0, 1.0], [4.0, 1.0]]).tolist()
    [2.0, 5.0]
    """

    def __init__(  # noqa: PLR0913 - users know these names
        self,
        *,
        criterion: str | Loss = "squared_error",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        thresholds: Sequence[float] | Sequence[ArrayLike] | None = None,
        categorical_features: Categorical = None,
        most_categories: int = 1000,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_nodes = max_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.thresholds = thresholds
        self.categorical_features = categorical_features
        self.most_categories = most_categories

    def _grow(
        self, X: Matrix, n_categories: Indices, targets: Any, weights: Vector, n_classes: int
    ) -> Tree:
        loss = errors.loss_of(self.criterion)
        if isinstance(loss, Square):
            refuse_huge(targets, "targets")
        self.grid_ = grid_of(self, n_categories)
        return grow_cart(
            X,
            n_categories,
            targets,
            weights,
            n_classes=n_classes,
            criterion=errors.code_of(loss),
            limits=limits_of(self),
            grid=self.grid_,
        )
