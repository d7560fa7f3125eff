"""ID3: ask about the feature that tells most about the label, with one branch per category.

    gain(A) = H(label) − H(label | A),   each feature at most once on a path

Quinlan (1986), "Induction of decision trees".
"""

from typing import Any, cast

import numpy as np
from sklearn.utils import Tags

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.fitting import at_one_moment
from surelearn.base.tables.table import Categorical, column_names
from surelearn.learners.trees import _walk
from surelearn.learners.trees._classifier import TreeClassifier
from surelearn.learners.trees._multiway.growth import Growth, MultiwayLimits
from surelearn.learners.trees._tree import LEAF, Tree

_TIE = 1e-9  # gains that differ by less are equal, and the first feature wins


@jit
def _find_stops(X: Matrix, questions: _walk.Questions, nodes: Indices) -> None:
    """Write the leaf of each row, or the node that has no branch for it."""
    for t in range(X.shape[0]):
        nodes[t] = _walk.follow(X, t, questions, 0)


@at_one_moment
class ID3Classifier(TreeClassifier):
    """Decision tree of information gain with one branch per category, not pruned.

    Every column is one of categories: distinct numbers are distinct categories, without an order
    (`C45Classifier` and `CARTClassifier` find cut points). There is no rule for missing cells:
    they are refused. A category without a branch ends the walk, and the majority of that node is
    predicted. Of equal gains the first column wins.

    Parameters
    ----------
    threshold
        A node whose best gain, in bits, is smaller is a leaf. At 0 a node is split even where no
        single feature tells anything, as long as one has two values there: the tree then
        reproduces the training labels wherever equal rows have equal labels.
    max_depth
        The largest number of questions on a path; None for no limit.
    categorical_features
        The columns that hold categories: names, places, a mask or "all". A column of text always
        does; one of numbers that is not named here is refused.
    most_categories
        The largest number of categories a column may have.
    class_weight
        The weight of each class, a mapping or "balanced"; None for 1 each.

    Attributes
    ----------
    tree_
        The nodes; see `surelearn.learners.trees._tree.Tree`.
    classes_
        The sorted labels.
    categories_
        For each column its sorted categories.
    n_leaves_, n_nodes_, depth_, feature_importances_
        The size of the tree, and how much each feature contributes.

    Examples
    --------
    >>> rows = [["sunny", "weak"], ["sunny", "strong"], ["rain", "weak"], ["rain", "strong"]]
    >>> model = ID3Classifier().fit(rows, ["out", "in", "out", "in"])
    >>> model.tree_.feature.tolist()
    [1, -1, -1]
    >>> model.predict([["hail", "weak"]]).tolist()
    ['out']
    """

    def __init__(
        self,
        *,
        threshold: float = 0.0,
        max_depth: int | None = None,
        categorical_features: Categorical = "all",
        most_categories: int = 1000,
        class_weight: Any = None,
    ) -> None:
        self.threshold = threshold
        self.max_depth = max_depth
        self.categorical_features = categorical_features
        self.most_categories = most_categories
        self.class_weight = class_weight

    def _grow(
        self, X: Matrix, n_categories: Indices, targets: Any, weights: Vector, n_classes: int
    ) -> Tree:
        self._check_parameters()
        self._refuse_numbers(n_categories)
        self._refuse_missing(X)
        depth = np.inf if self.max_depth is None else float(self.max_depth)
        growth = Growth(X, n_categories, targets, weights, n_classes=n_classes)
        return growth.grow(
            self._choose, MultiwayLimits(min_weight=0.0, charge=0.0, max_depth=depth)
        )

    def _choose(self, gain: Matrix, information: Matrix) -> Indices:  # noqa: ARG002 - C4.5 needs it
        """Return the feature of largest gain at each node, or `LEAF`."""
        gain = np.where(np.isnan(gain), -1.0, gain)
        best = gain.max(axis=1)
        first = np.argmax(gain >= best[:, np.newaxis] - _TIE, axis=1)
        return np.where((best >= 0.0) & (best >= self.threshold - _TIE), first, LEAF)

    def _leaves(self, X: Matrix) -> Indices:
        """Return the leaf of each row, or the node at which its walk ends."""
        nodes = np.empty(len(X), dtype=np.int64)
        _find_stops(X, self.tree_.questions(X.shape[1]), nodes)
        return nodes

    def _outcomes(self, X: Matrix, values: Matrix) -> Matrix:
        return values[self._leaves(X)]

    def _read(self, X: Any) -> Matrix:
        codes = super()._read(X)
        self._refuse_missing(codes)
        return codes

    def _refuse_missing(self, X: Matrix) -> None:
        holes = np.isnan(X).any(axis=0)
        if holes.any():
            raise ValueError(
                f"column {column_names(self)[holes.argmax()]!r} has missing cells (NaN), and ID3 "
                "has no rule for them; fill them with a category of their own, or use C45Classifier"
            )

    def _refuse_numbers(self, n_categories: Indices) -> None:
        numeric = n_categories == 0
        if numeric.any():
            raise ValueError(
                f"column {column_names(self)[numeric.argmax()]!r} holds numbers, and ID3 splits "
                "categories; name it in categorical_features, or use C45Classifier, which finds "
                "cut points"
            )

    def _check_parameters(self) -> None:
        for name, least in (("threshold", 0.0), ("max_depth", 1)):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise ValueError(f"{name}={value!r} must be {least} or more")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that missing cells are refused."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.allow_nan = False
        return tags
