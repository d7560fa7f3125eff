"""The way of rows through a tree: level by level, which row arrives at which node."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy import sparse

from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.learners.trees._tree import Tree


@dataclass(frozen=True)
class Arrivals:
    """What arrives at one level of a tree: parts of rows, each at a node.

    Attributes
    ----------
    rows, nodes
        Which row, and at which node it arrives.
    shares
        How much of the row arrives there: less than 1 if it was divided further up.
    whole
        Whether the row was not divided.
    """

    rows: Indices
    nodes: Indices
    shares: Vector
    whole: Mask


def arrivals(tree: Tree, X: Matrix, *, divide: bool = True) -> Iterator[Arrivals]:
    """Send rows down a tree and tell of each level, the root first.

    Parameters
    ----------
    tree
        The tree.
    X
        Rows as `surelearn.base.tables.table` codes them.
    divide
        Whether a row without an answer is divided where the tree has no default branch; otherwise
        all of it goes to the heaviest child.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> [level.nodes.tolist() for level in arrivals(stump, np.array([[0.0], [1.0], [np.nan]]))]
    [[0, 0, 0], [1, 2, 1]]
    """
    tree.questions(X.shape[1])  # refuses what is no tree of these columns
    n = len(X)
    here = Arrivals(
        np.arange(n), np.zeros(n, dtype=np.int64), np.ones(n), np.ones(n, dtype=np.bool_)
    )
    while len(here.rows):
        yield here
        asking = ~tree.is_leaf[here.nodes]
        here = _descend(tree, X, _select(here, asking), divide=divide)


def count_correct(tree: Tree, X: Matrix, labels: Indices) -> Indices:
    """Return for each node how many rows arrive there whole and have the node's label.

    The rows count as they are, without weights. A subtree with leaves L is right on at least the
    sum over L of these rows, and on no other if none was divided.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> count_correct(stump, np.array([[0.0], [1.0]]), np.array([0, 0]))
    array([2, 1, 0])
    """
    predicted = tree.shares().argmax(axis=1)
    correct = np.zeros(tree.n_nodes, dtype=np.int64)
    for level in arrivals(tree, X):
        right = (labels[level.rows] == predicted[level.nodes]) & level.whole
        correct += np.bincount(level.nodes[right], minlength=tree.n_nodes)
    return correct


def paths_to(tree: Tree, leaves: Indices) -> Any:
    """Return a sparse table of rows by nodes: 1 where the way to a row's leaf passes a node.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> paths_to(stump, np.array([2, 1])).toarray()
    array([[1., 0., 1.],
           [1., 1., 0.]])
    """
    rows, nodes, parent = np.arange(len(leaves)), leaves, tree.parent
    passed: list[tuple[Indices, Indices]] = []
    while len(nodes) > 0:
        passed.append((rows, nodes))
        above = parent[nodes]
        rows, nodes = rows[above >= 0], above[above >= 0]
    places = np.concatenate(passed, axis=1)
    shape = (len(leaves), tree.n_nodes)
    return cast("Any", sparse.csr_array)((np.ones(places.shape[1]), places), shape=shape)


def _select(parts: Arrivals, chosen: Mask) -> Arrivals:
    """Return some of the parts."""
    return Arrivals(*(column[chosen] for column in vars(parts).values()))


def _descend(tree: Tree, X: Matrix, parts: Arrivals, *, divide: bool) -> Arrivals:
    """Return where the parts of rows at asking nodes go."""
    branch = _answers(tree, X, parts.rows, parts.nodes)
    branch = np.where(branch < 0, tree.default_child[parts.nodes], branch)
    if not divide:
        branch = np.where(branch < 0, _heaviest(tree, parts.nodes), branch)
    going, lost = _select(parts, branch >= 0), _select(parts, branch < 0)
    child = tree.first_child[going.nodes] + branch[branch >= 0]
    moved = Arrivals(going.rows, child, going.shares, going.whole)
    pairs = zip(vars(moved).values(), vars(_divided(tree, lost)).values(), strict=True)
    return Arrivals(*(np.concatenate(pair) for pair in pairs))


def _answers(tree: Tree, X: Matrix, rows: Indices, nodes: Indices) -> Indices:
    """Return the child that each question sends its row to, -1 where there is no answer."""
    cells, cut = X[rows, tree.feature[nodes]], tree.threshold[nodes]
    known = ~np.isnan(cells)
    branch = np.where(known, (cells > cut).astype(np.int64), -1)
    words = np.flatnonzero(np.isnan(cut))
    code = np.where(known[words], cells[words], -1.0).astype(np.int64)
    start, end = tree.route_start[nodes[words]], tree.route_start[nodes[words] + 1]
    listed = (code >= 0) & (code < end - start)
    branch[words] = -1
    branch[words[listed]] = tree.routes[(start + code)[listed]]
    return branch


def _divided(tree: Tree, parts: Arrivals) -> Arrivals:
    """Return a part of each row for each child, by the children's training weight."""
    counts = tree.n_children[parts.nodes]
    among = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(among)) - np.repeat(np.cumsum(counts) - counts, counts)
    child = tree.first_child[parts.nodes[among]] + place
    total = np.bincount(among, tree.weight[child], minlength=len(counts))
    shares = parts.shares[among] * tree.weight[child] / total[among]
    return Arrivals(parts.rows[among], child, shares, np.zeros(len(among), dtype=np.bool_))


def _heaviest(tree: Tree, nodes: Indices) -> Indices:
    """Return which child of each node has the most training weight; the first of several."""
    return np.array(
        [np.argmax(tree.weight[tree.children(node)]) for node in nodes.tolist()], dtype=np.int64
    )
