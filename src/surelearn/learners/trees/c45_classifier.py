"""C4.5: ask the question of largest gain ratio, then prune where a leaf promises fewer errors.

    ratio = (information gain) / (information of the split),   among those of average gain or more

Quinlan (1993), "C4.5: Programs for Machine Learning"; the charge for cut points is that of
release 8 (Quinlan 1996, "Improved use of continuous attributes in C4.5").
"""

from typing import Any

import numpy as np

from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base.fitting import at_one_moment
from surelearn.base.tables.table import Categorical
from surelearn.learners.trees._classifier import TreeClassifier
from surelearn.learners.trees._multiway.growth import Growth, MultiwayLimits
from surelearn.learners.trees._pruning.error_based import collapse, prune_by_errors
from surelearn.learners.trees._tree import LEAF, Tree

_NEARLY_AVERAGE = 1e-3  # Quinlan's: a gain this much below the average still competes
_TIE = 1e-9  # ratios that differ by less are equal, and the first feature wins
_MANY_VALUES = 0.3  # Quinlan's: categories per row from which a feature has no part in the average


@at_one_moment
class C45Classifier(TreeClassifier):
    """Decision tree with one branch per category, two per cut point, pruned by expected errors.

    A question competes if at least two of its branches hold `min_samples_branch` rows and its
    information gain is at least the average of those that do; the largest gain ratio wins, and of
    equals the first column. A missing cell costs its column part of the gain, and its row goes to
    every branch, by the weight of each: in training, and in prediction, where a category that was
    not there in training is treated alike. Weights count rows: a row of weight 2 is two rows.

    Parameters
    ----------
    threshold
        A node whose best gain ratio is smaller is a leaf; so is one where nothing is gained.
    min_samples_branch
        The weight that at least two branches must hold. A side of a cut point must hold a tenth of
        the mean class too, but never more than 25.
    confidence
        The level of the pessimistic error estimates that prune the tree, at most 0.5: the smaller,
        the smaller the tree. None leaves it unpruned.
    subtree_raising
        Whether pruning may replace a node by its largest branch.
    charge_cuts
        Whether the gain of a numeric column pays log2(cut points) / rows bits for the choice.
    average_gain
        Whether only features of average gain or more compete.
    max_depth
        The largest number of questions on a path; None for no limit.
    categorical_features
        The columns that hold categories: names, places or a mask, or "all"; None means text.
    most_categories
        The largest number of categories a column may have.
    class_weight
        The weight of each class, a mapping or "balanced"; None for 1 each.

    Attributes
    ----------
    tree_
        The nodes of the pruned tree; see `surelearn.learners.trees._tree.Tree`.
    classes_
        The sorted labels.
    categories_
        For each column its sorted categories, or None if it is numeric.
    n_leaves_, n_nodes_, depth_, feature_importances_
        The size of the tree, and how much each feature contributes.

    Examples
    --------
    >>> rows = [["sunny", 85.0], ["sunny", 70.0], ["rain", 90.0], ["rain", 65.0]] * 2
    >>> model = C45Classifier().fit(np.array(rows, dtype=object), ["no", "yes", "no", "yes"] * 2)
    >>> model.tree_.feature.tolist(), float(model.tree_.threshold[0])
    ([1, -1, -1], 77.5)
    >>> model.predict(np.array([["hail", 60.0], ["sunny", None]], dtype=object)).tolist()
    ['yes', 'no']
    """

    def __init__(  # noqa: PLR0913 - each is a choice of its own
        self,
        *,
        threshold: float = 0.0,
        min_samples_branch: float = 2.0,
        confidence: float | None = 0.25,
        subtree_raising: bool = True,
        charge_cuts: bool = True,
        average_gain: bool = True,
        max_depth: int | None = None,
        categorical_features: Categorical = None,
        most_categories: int = 1000,
        class_weight: Any = None,
    ) -> None:
        self.threshold = threshold
        self.min_samples_branch = min_samples_branch
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.charge_cuts = charge_cuts
        self.average_gain = average_gain
        self.max_depth = max_depth
        self.categorical_features = categorical_features
        self.most_categories = most_categories
        self.class_weight = class_weight

    def _grow(
        self, X: Matrix, n_categories: Indices, targets: Any, weights: Vector, n_classes: int
    ) -> Tree:
        self._check_parameters()
        growth = Growth(X, n_categories, targets, weights, n_classes=n_classes)
        averaged = _few_valued(n_categories, weights)
        depth = np.inf if self.max_depth is None else float(self.max_depth)
        limits = MultiwayLimits(float(self.min_samples_branch), float(self.charge_cuts), depth)
        tree = collapse(
            growth.grow(lambda gain, information: self._choose(gain, information, averaged), limits)
        )
        if self.confidence is None:
            return tree
        return prune_by_errors(
            tree, growth, confidence=self.confidence, raising=self.subtree_raising
        )

    def _choose(self, gain: Matrix, information: Matrix, averaged: Mask) -> Indices:
        """Return the feature of largest gain ratio at each node, or `LEAF`."""
        competes = (gain > _TIE) & (information > _TIE)
        if self.average_gain:
            heard = averaged & ~np.isnan(gain)
            average = np.where(heard, gain, 0.0).sum(axis=1) / np.maximum(1, heard.sum(axis=1))
            competes &= gain >= average[:, np.newaxis] - _NEARLY_AVERAGE
        ratio = np.divide(gain, information, out=np.zeros_like(gain), where=competes)
        best = ratio.max(axis=1)
        first = np.argmax(ratio >= best[:, np.newaxis] - _TIE, axis=1)
        return np.where((best > 0.0) & (best >= self.threshold), first, LEAF)

    def _check_parameters(self) -> None:
        if self.confidence is not None and not 0.0 < self.confidence <= 0.5:
            raise ValueError(
                f"confidence={self.confidence!r} must lie in (0, 0.5]; with None no node is pruned"
            )
        for name, least in (("threshold", 0.0), ("min_samples_branch", 0.0), ("max_depth", 1)):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise ValueError(f"{name}={value!r} must be {least} or more")


def _few_valued(n_categories: Indices, weights: Vector) -> Mask:
    """Return which features make the average gain: not those with about as many values as rows."""
    few = n_categories < _MANY_VALUES * weights.sum()
    return few if few.any() else np.ones_like(few)
