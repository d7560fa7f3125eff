"""The trees of a forest in a few arrays, as model files hold them and as rows walk through them.

A node is two words. The second: its left child (the right one follows it) from bit 32, its column
from bit 8, whether it asks for categories in bit 1, whether missing cells go right in bit 0. The
first: the cut point of a number; for categories and at a leaf a NaN, in whose lower bits stands the
place of the route or of the leaf. A leaf is its own left child, and nothing is above a NaN: rows
that have arrived stay where they are, so a walk needs no branch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._forest.workspace import Words

CHILD, COLUMN = 32, 8
MISSING_RIGHT, CATEGORIES = 1, 2
COLUMN_MASK = (1 << 24) - 1
PLACE_MASK = (1 << 48) - 1
MOST_NODES, MOST_COLUMNS = 2**31 - 1, 2**24
NAN = 0x7FF8 << 48


class GrownTree(NamedTuple):
    """One tree, its children and routes and leaves counted from its own first.

    Attributes
    ----------
    words
        Its nodes.
    leaves
        What each leaf predicts.
    routes
        For each question about categories the set of those on its left, as words.
    importances
        The decrease of impurity by each column.
    """

    words: Indices
    leaves: Matrix
    routes: Words
    importances: Vector


def pack_nodes(
    feature: Indices, cut: Vector, child: Indices, missing_right: Indices, route: Indices
) -> Indices:
    """Return the two words of each node of a tree; column -1 is a leaf, route -1 a number.

    Examples
    --------
    >>> none = np.full(3, -1)
    >>> words = pack_nodes(
    ...     np.array([4, -1, -1]), np.array([0.5, 0, 0]), np.array([1, -1, -1]), none * 0, none
    ... )
    >>> [int(word) >> CHILD for word in words[:, 1]], int(words[0, 1]) >> COLUMN & COLUMN_MASK
    ([1, 1, 2], 4)
    """
    leaf, asks_set = feature < 0, route >= 0
    words = np.empty((len(feature), 2), dtype=np.int64)
    place = np.where(leaf, np.cumsum(leaf) - 1, route)
    words[:, 0] = np.where(leaf | asks_set, NAN | place, cut.astype(np.float64).view(np.int64))
    target = np.where(leaf, np.arange(len(feature)), child)
    flags = np.where(leaf, 0, missing_right * MISSING_RIGHT) | np.where(asks_set, CATEGORIES, 0)
    words[:, 1] = (target << CHILD) | (np.where(leaf, 0, feature) << COLUMN) | flags
    return words


@stored("packed-trees")
@holds(
    words="int[nodes, 2]",
    leaves="finite[leaves, outcomes]",
    routes="hash[words]",
    route_width="count",
    first_node="int[trees+1]",
    importances="finite[trees, columns]",
)
@dataclass(frozen=True)
class PackedTrees:
    """The trees of a forest.

    Attributes
    ----------
    words
        The nodes of all trees, one tree after the other.
    leaves
        What each leaf predicts: the share of each class, or a number.
    routes, route_width
        The sets of categories, each as so many words.
    first_node
        Where each tree begins, and where the last one ends.
    importances
        For each tree the decrease of impurity by each column.
    """

    words: Indices
    leaves: Matrix
    routes: Words
    route_width: int
    first_node: Indices
    importances: Matrix

    @property
    def n_trees(self) -> int:
        """The number of trees."""
        return len(self.first_node) - 1

    @property
    def n_leaves(self) -> Indices:
        """The number of leaves of each tree: one more than half of its nodes."""
        return (np.diff(self.first_node) + 1) // 2

    def _check_state(self) -> None:
        refuse_wild_trees(self)


def pack_trees(trees: Sequence[GrownTree], route_width: int) -> PackedTrees:
    """Return trees one after the other."""
    sizes = np.array([len(tree.words) for tree in trees])
    first_node = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if first_node[-1] > MOST_NODES:
        raise ValueError(
            f"the trees have {first_node[-1]:,} nodes together, more than {MOST_NODES:,}: grow "
            "fewer, or limit them by max_depth or min_samples_leaf"
        )
    words = np.concatenate([tree.words for tree in trees])
    leaves_before, routes_before = 0, 0
    for tree, start in zip(trees, first_node, strict=False):
        own = words[start : start + len(tree.words)]
        own[:, 1] += int(start) << CHILD
        asks_set = (own[:, 1] & CATEGORIES) != 0
        leaf = (own[:, 1] >> CHILD) == np.arange(start, start + len(own))
        own[leaf, 0] += leaves_before
        own[asks_set, 0] += routes_before
        leaves_before += len(tree.leaves)
        routes_before += len(tree.routes) // max(1, route_width)
    return PackedTrees(
        words=words,
        leaves=np.concatenate([tree.leaves for tree in trees]),
        routes=np.concatenate([tree.routes for tree in trees]),
        route_width=route_width,
        first_node=first_node,
        importances=np.array([tree.importances for tree in trees]),
    )


def joined(first: PackedTrees, second: PackedTrees) -> PackedTrees:
    """Return the trees of two forests of the same columns in one."""
    nodes, leaves = len(first.words), len(first.leaves)
    words = second.words.copy()
    asks_set = (words[:, 1] & CATEGORIES) != 0
    leaf = (words[:, 1] >> CHILD) == np.arange(len(words))
    words[:, 1] += nodes << CHILD
    words[leaf, 0] += leaves
    words[asks_set, 0] += len(first.routes) // max(1, first.route_width)
    return PackedTrees(
        words=np.concatenate([first.words, words]),
        leaves=np.concatenate([first.leaves, second.leaves]),
        routes=np.concatenate([first.routes, second.routes]),
        route_width=first.route_width,
        first_node=np.concatenate([first.first_node, second.first_node[1:] + nodes]),
        importances=np.concatenate([first.importances, second.importances]),
    )


def refuse_wild_trees(trees: PackedTrees) -> None:
    """Refuse arrays that are no trees, as a forged file may hold them: a walk would leave them."""
    words, starts = trees.words, trees.first_node
    n_nodes, here = len(words), np.arange(len(words))
    sizes = np.diff(starts)
    if len(starts) < 2 or starts[0] != 0 or starts[-1] != n_nodes or (sizes < 1).any():
        raise ValueError("its trees do not lie one after the other")
    child, asks_set = words[:, 1] >> CHILD, (words[:, 1] & CATEGORIES) != 0
    leaf = child == here
    end = np.repeat(starts[1:], sizes)
    inner = np.flatnonzero(~leaf)
    if (child[inner] <= inner).any() or (child[inner] + 1 >= end[inner]).any():
        raise ValueError("a node has a child outside its tree, or before itself")
    arrivals = np.zeros(n_nodes, dtype=np.int64)
    np.add.at(arrivals, child[inner], 1)
    np.add.at(arrivals, child[inner] + 1, 1)
    arrivals[starts[:-1]] += 1
    if (arrivals != 1).any():
        raise ValueError("a node is the child of none, or of two")
    _refuse_wild_words(trees, leaf, asks_set)


def _refuse_wild_words(trees: PackedTrees, leaf: Indices, asks_set: Indices) -> None:
    """Refuse nodes whose columns, routes or leaves are not there."""
    words, inner = trees.words, ~leaf
    column = (words[:, 1] >> COLUMN) & COLUMN_MASK
    flags = words[:, 1] & 0xFF
    if (column >= trees.importances.shape[1]).any() or (flags > 3).any() or (words[:, 1] < 0).any():
        raise ValueError("a node asks for a column that is not there")
    if column[leaf].any() or flags[leaf].any():
        raise ValueError("a leaf asks a question")
    places = words[:, 0] & PLACE_MASK
    if not np.array_equal(words[leaf, 0], NAN | np.arange(len(trees.leaves))):
        raise ValueError("its leaves are not those of its nodes")
    n_routes = 0 if trees.route_width == 0 else len(trees.routes) // trees.route_width
    asked = asks_set & inner
    if n_routes * trees.route_width != len(trees.routes) or not np.array_equal(
        np.sort(words[asked, 0]), NAN | np.arange(n_routes)
    ):
        raise ValueError("its sets of categories are not those of its nodes")
    cuts = words[inner & ~asks_set, 0].view(np.float64)
    if np.isnan(cuts).any() or places.min(initial=0) < 0:
        raise ValueError("a cut point is not a number")
