"""The code length of a tree, node by node: what each node costs as a leaf, and as a split.

The code is that of `surelearn.bounds.trees.code_length`. What a node costs depends on the way to it
alone, so the lengths of all subtrees of a tree are sums of the same numbers. Where default branches
are named, missing is one more category: a question may set it apart from all the others.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from surelearn._typing import Indices, Mask, Vector
from surelearn.learners.trees._export.paths import Cell, Interval, Members, branches
from surelearn.learners.trees._tree import Tree

Grid = Sequence[Vector] | None
"""For each feature its sorted cut points, fixed beforehand; None if they were learnt."""


@dataclass(frozen=True)
class CodeLengths:
    """What each node of a tree costs, in bits.

    Attributes
    ----------
    leaf, split
        The bits of each node as a leaf; as a split, without what is below it. A category without a
        child costs a leaf, which the split pays for.
    cut
        Whether a node asks about a number, at a cut point which is not part of `split` if it was
        learnt.
    """

    leaf: Vector
    split: Vector
    cut: Mask

    def bits(self, tree: Tree) -> float:
        """Return the length of the code of the whole tree."""
        return float(np.where(tree.is_leaf, self.leaf, self.split).sum())


@dataclass(frozen=True)
class TreeCode:
    """A schema: how many categories each feature has, which cut points, how many classes.

    Attributes
    ----------
    n_categories
        The number of categories of each feature, 0 if it is numeric.
    n_classes
        The number of labels.
    multiway
        Whether a categorical question has one branch for each category.
    defaults
        Whether the code names the branch of rows without an answer.
    grid
        The cut points, if they were fixed beforehand.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> code = TreeCode(n_categories=np.zeros(4, dtype=np.int64), n_classes=2)
    >>> code.lengths(stump).bits(stump)
    7.0
    """

    n_categories: Indices
    n_classes: int
    multiway: bool = False
    defaults: bool = False
    grid: Grid = None

    def lengths(self, tree: Tree) -> CodeLengths:
        """Return what each node of a tree costs."""
        leaf, split = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
        pending: list[tuple[int, Cell, int]] = [(0, {}, self._n_admissible())]
        while pending:
            node, cell, admissible = pending.pop()
            leaf[node] = self._leaf(admissible)
            if tree.n_children[node] == 0:
                continue
            feature = int(tree.feature[node])
            below, rest = branches(tree, node, cell, self.n_categories.tolist())
            left = [admissible - (not self._admissible(feature, part)) for part in below]
            split[node] = 1.0 + math.log2(admissible) + self._test(feature, cell)
            if rest is not None:
                split[node] += self._childless(feature, rest, admissible)
            pending.extend(zip(tree.children(node), below, left, strict=True))
        return CodeLengths(leaf, split, ~np.isnan(tree.threshold) & ~tree.is_leaf)

    def _n_admissible(self) -> int:
        """Return how many features the root may ask about."""
        return sum(self._admissible(feature, {}) for feature in range(len(self.n_categories)))

    def _admissible(self, feature: int, cell: Cell) -> bool:
        """Return whether a test of the feature is left in a cell."""
        if self.n_categories[feature] > 0:
            return self._n_left(feature, cell) + self.defaults >= 2
        return self.grid is None or self._n_left(feature, cell) >= 1

    def _n_left(self, feature: int, cell: Cell) -> int:
        """Return how many categories, or cut points of the grid, are left in a cell."""
        literal = cell.get(feature)
        if self.n_categories[feature] > 0:
            return len(literal.codes) if isinstance(literal, Members) else self._all(feature)
        inside = literal if isinstance(literal, Interval) else Interval()
        cuts = cast("Sequence[Vector]", self.grid)[feature]
        return int(np.searchsorted(cuts, inside.high) - np.searchsorted(cuts, inside.low, "right"))

    def _all(self, feature: int) -> int:
        return int(self.n_categories[feature])

    def _test(self, feature: int, cell: Cell) -> float:
        """Return the bits that choose among the tests of a feature, and its default branch."""
        if self.n_categories[feature] == 0:
            cuts = 1 if self.grid is None else self._n_left(feature, cell)
            return math.log2(cuts) + self.defaults
        if self.multiway:
            return 0.0
        r = self._n_left(feature, cell) + self.defaults - 1
        return r + math.log1p(-(2.0**-r)) / math.log(2.0)  # log2 of 2^r - 1 partitions

    def _leaf(self, admissible: int) -> float:
        return float(admissible > 0) + math.log2(self.n_classes)

    def _childless(self, feature: int, rest: Cell, admissible: int) -> float:
        """Return the bits of a leaf for each category without a child; it has one category left."""
        return len(cast("Members", rest[feature]).codes) * self._leaf(admissible - 1)
