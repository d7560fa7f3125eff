"""Grown trees, side by side in a few arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Vector
from surelearn.base.declared import refuse_unlike_declared


@stored("histogram-trees")
@holds(
    feature="int[nodes]",
    left="hash[nodes, 4]",
    child="int[nodes]",
    value="finite[nodes]",
    gain="finite[nodes]",
    n_rows="int[nodes]",
    first_node="int[trees+1]",
)
@dataclass(frozen=True)
class HistogramTrees:
    """Trees whose questions are whether the bin of a column is in a set.

    Attributes
    ----------
    feature
        The column that each node asks about; 0 for a leaf.
    left
        The set of bins that go to the first child, 256 bits; all bins for a leaf.
    child
        The first of a node's two children, which stand side by side; a leaf is its own.
    value
        What a leaf adds to the score; 0 for other nodes.
    gain
        By how much each question lowers the second-order expansion of the loss, twice.
    n_rows
        The number of training rows that reach each node.
    first_node
        Where each tree begins, and, at the end, the number of nodes.

    Examples
    --------
    >>> trees = no_trees()
    >>> trees.n_trees
    0
    """

    feature: Indices
    left: NDArray[np.uint64]
    child: Indices
    value: Vector
    gain: Vector
    n_rows: Indices
    first_node: Indices

    @property
    def n_trees(self) -> int:
        """The number of trees."""
        return len(self.first_node) - 1

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        return self.child == np.arange(len(self.child))

    @property
    def depths(self) -> Indices:
        """The number of questions on the longest path of each tree."""
        found = np.zeros(self.n_trees, dtype=np.int64)
        trees, nodes, is_leaf = np.arange(self.n_trees), self.first_node[:-1], self.is_leaf
        while True:  # the nodes of all trees at one level
            inner = ~is_leaf[nodes]
            trees, nodes = trees[inner], self.child[nodes[inner]]
            if not len(nodes):
                return found
            found[trees] += 1  # once for each tree, however many of its nodes there are
            trees, nodes = np.repeat(trees, 2), np.repeat(nodes, 2)
            nodes[1::2] += 1

    def importances(self, n_features: int) -> Vector:
        """Return the share of each feature in all gains; it sums to 1 unless no tree asks.

        Examples
        --------
        >>> no_trees().importances(2)
        array([0., 0.])
        """
        inner = ~self.is_leaf
        total = np.zeros(n_features)
        largest = self.gain[inner].max(initial=0.0) or 1.0  # sums of shares cannot overflow
        np.add.at(total, self.feature[inner], self.gain[inner] / largest)
        return total / total.sum() if total.sum() > 0.0 else total

    def first(self, n_trees: int) -> "HistogramTrees":
        """Return the first trees alone."""
        nodes = slice(self.first_node[n_trees])
        return HistogramTrees(
            self.feature[nodes].copy(),
            self.left[nodes].copy(),
            self.child[nodes].copy(),
            self.value[nodes].copy(),
            self.gain[nodes].copy(),
            self.n_rows[nodes].copy(),
            self.first_node[: n_trees + 1].copy(),
        )

    def one(self, tree: int) -> "HistogramTrees":
        """Return one tree alone."""
        first, last = self.first_node[tree], self.first_node[tree + 1]
        nodes = slice(first, last)
        return HistogramTrees(
            self.feature[nodes],
            self.left[nodes],
            self.child[nodes] - first,
            self.value[nodes],
            self.gain[nodes],
            self.n_rows[nodes],
            np.array([0, last - first]),
        )

    def refuse_unsound(self, n_features: int) -> None:
        """Refuse trees, changed by hand, through which a walk would leave its arrays or not end."""
        refuse_unlike_declared(self)
        if not _are_sound(self.feature, self.left, self.child, self.first_node, n_features):
            raise ValueError(
                f"its nodes are no trees of {n_features} columns: they were changed after fit. Fit "
                "it again"
            )

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: a walk that leaves its tree or never ends."""
        starts, nodes = self.first_node, np.arange(len(self.child))
        if starts[0] != 0 or starts[-1] != len(nodes) or (np.diff(starts) < 1).any():
            raise ValueError("its trees are not those of its nodes")
        ends = starts[1:][np.searchsorted(starts, nodes, side="right") - 1]
        inner = self.child != nodes
        if ((self.child[inner] <= nodes[inner]) | (self.child[inner] + 1 >= ends[inner])).any():
            raise ValueError("a child stands before its parent, or outside its tree")
        owned = np.concatenate([self.child[inner], self.child[inner] + 1])
        if len(np.unique(owned)) < len(owned):  # levels might double without end
            raise ValueError("a node is the child of two")
        if not (self.left[~inner] == np.uint64(2**64 - 1)).all():
            raise ValueError("a leaf sends rows on")


@jit
def _are_sound(
    feature: Indices,
    left: NDArray[np.uint64],
    child: Indices,
    first_node: Indices,
    n_features: int,
) -> bool:
    """Say whether every walk ends in its tree, and asks for columns that are there.

    No node is the child of two: levels might double without end.
    """
    n_trees, whole = len(first_node) - 1, np.uint64(2**64 - 1)
    owned = np.zeros(len(child), dtype=np.bool_)
    if first_node[0] != 0 or first_node[n_trees] != len(child):
        return False
    for tree in range(n_trees):
        end = first_node[tree + 1]
        if end <= first_node[tree] or end > len(child):
            return False
        for node in range(first_node[tree], end):
            if feature[node] < 0 or feature[node] >= n_features:
                return False
            if child[node] != node:
                first = child[node]
                if first < node or first >= end - 1 or owned[first] or owned[first + 1]:
                    return False
                owned[first], owned[first + 1] = True, True
            elif left[node, 0] & left[node, 1] & left[node, 2] & left[node, 3] != whole:
                return False
    return True


def no_trees() -> HistogramTrees:
    """Return an ensemble without trees."""
    whole, number = np.zeros(0, dtype=np.int64), np.zeros(0)
    left = np.zeros((0, 4), dtype=np.uint64)
    return HistogramTrees(whole, left, whole, number, number, whole, np.zeros(1, dtype=np.int64))


def joined(parts: list[HistogramTrees]) -> HistogramTrees:
    """Return the trees of all parts in one.

    Examples
    --------
    >>> joined([no_trees(), no_trees()]).n_trees
    0
    """
    sizes = np.cumsum([0, *(len(part.child) for part in parts)])
    shifted = [part.child + start for part, start in zip(parts, sizes, strict=False)]
    starts = [part.first_node[1:] + start for part, start in zip(parts, sizes, strict=False)]
    return HistogramTrees(
        np.concatenate([part.feature for part in parts]),
        np.concatenate([part.left for part in parts]),
        np.concatenate(shifted),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.gain for part in parts]),
        np.concatenate([part.n_rows for part in parts]),
        np.concatenate([np.zeros(1, dtype=np.int64), *starts]),
    )
