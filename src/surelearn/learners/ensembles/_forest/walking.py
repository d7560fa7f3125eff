"""The walk of rows through the trees of a forest, several rows side by side.

Each step of a row waits for its node to arrive from memory; so sixteen rows go down a tree
together, and go on until none of them has moved.
"""

import numpy as np

from surelearn._jit import inner, jit
from surelearn._jit.rows import unlocked
from surelearn._typing import Indices, Matrix
from surelearn.learners.ensembles._forest.packed_trees import (
    CATEGORIES,
    CHILD,
    COLUMN,
    COLUMN_MASK,
    MISSING_RIGHT,
    PLACE_MASK,
    PackedTrees,
)
from surelearn.learners.ensembles._forest.walkable import Walkable, walkable
from surelearn.learners.ensembles._forest.workspace import Words

_TOGETHER = 16
ROWS = 16384
"""Rows that go through one tree before the next: the tree stays in the cache meanwhile."""


@jit
def descend(X: Matrix, words: Indices, cuts: Matrix, root: int, at: Indices) -> None:
    """Write the leaf of each row of numbers in the tree below `root`."""
    for first in range(0, len(X), _TOGETHER):
        last = min(first + _TOGETHER, len(X))
        for t in range(first, last):
            at[t] = root
        moved = 1
        while moved != 0:
            moved = 0
            for t in range(first, last):
                node = np.uint64(at[t])
                word = words[node, 1]
                cell = X[t, np.uint64((word >> COLUMN) & COLUMN_MASK)]
                missing = int(cell != cell) & word  # noqa: PLR0124 - NaN
                after = (word >> CHILD) + (int(cell > cuts[node, 0]) | (missing & MISSING_RIGHT))
                moved |= after ^ at[t]
                at[t] = after


@jit
def descend_categories(
    X: Matrix, words: Indices, cuts: Matrix, root: int, routes: Words, width: int, at: Indices
) -> None:
    """Write the leaf of each row of a table with categories in the tree below `root`."""
    for t in range(len(X)):
        node, before = root, -1
        while node != before:
            before, word = node, words[node, 1]
            cell = X[t, (word >> COLUMN) & COLUMN_MASK]
            right = int(cell > cuts[node, 0])
            if word & CATEGORIES:
                right = _goes_right(cell, words[node, 0] & PLACE_MASK, routes, width)
            elif cell != cell:  # noqa: PLR0124 - NaN
                right = word & MISSING_RIGHT
            node = (word >> CHILD) + right
        at[t] = node


@inner
def _goes_right(code: float, place: int, routes: Words, width: int) -> int:
    """Return whether a category is not in a set; the code of a missing one is put in before."""
    if not 0.0 <= code < 64.0 * width:  # no code: someone set other categories by hand
        return 1
    bit = np.uint64(code)
    word = routes[place * width + np.int64(bit >> np.uint64(6))]
    return 1 - int((word >> (bit & np.uint64(63))) & np.uint64(1))


@jit
def add_leaves(at: Indices, words: Indices, leaves: Matrix, sums: Matrix) -> None:
    """Add what the leaf of each row predicts."""
    for t in range(len(at)):
        leaf = words[at[t], 0] & PLACE_MASK
        for k in range(leaves.shape[1]):
            sums[t, k] += leaves[leaf, k]


def leaves_of(trees: PackedTrees, tree: int, X: Matrix) -> Indices:
    """Return the leaf of each row in one tree, a place among all leaves; `X` is `ready`."""
    at = np.empty(len(X), dtype=np.int64)
    arrays = walkable(trees)
    walk(arrays, tree, X, at)
    return arrays.words[at, 0] & PLACE_MASK


def walk(arrays: Walkable, tree: int, X: Matrix, at: Indices) -> None:
    """Write the node where each row ends in one tree."""
    root, width = int(arrays.first_node[tree]), arrays.width
    if width:
        descend_categories(X, arrays.words, arrays.cuts, root, arrays.routes, width, at)
    else:
        descend(X, arrays.words, arrays.cuts, root, at)


def ready(X: Matrix, n_categories: Indices) -> Matrix:
    """Return rows as walks read them: doubles, a category without a code in its own place."""
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if not n_categories.any():
        return rows
    rows = rows.copy() if rows is X else rows
    for feature in np.flatnonzero(n_categories):
        codes = rows[:, feature]
        codes[~((codes >= 0.0) & (codes < n_categories[feature]))] = n_categories[feature]
    return rows


def add_all(trees: PackedTrees, X: Matrix, said: Matrix, sums: Matrix) -> None:
    """Add for each row what its leaves say, tree by tree; `X` as `ready` makes it."""
    at = np.empty(len(X), dtype=np.int64)
    arrays, table = walkable(trees), unlocked(said)
    for tree in range(trees.n_trees):
        walk(arrays, tree, X, at)
        add_leaves(at, arrays.words, table, sums)
