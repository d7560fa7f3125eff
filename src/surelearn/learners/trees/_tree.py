"""The structure of a fitted tree: arrays over its nodes, and the walk of rows through them."""

from dataclasses import dataclass

import numpy as np

from surelearn._stored import holds, stored
from surelearn._typing import ArrayLike, Indices, Mask, Matrix, Vector
from surelearn.learners.trees._walk import Questions, are_sound

LEAF = -1
"""The feature of a node that asks no question."""

_NUMBERS, _PLACES = np.dtype(np.float64), np.dtype(np.int64)


@stored("tree")
@holds(
    feature="int[nodes]",
    threshold="float[nodes]",
    first_child="int[nodes]",
    n_children="int[nodes]",
    route_start="int[nodes+1]",
    routes="int[routes]",
    default_child="int[nodes]",
    value="finite[nodes, outcomes]",
    weight="finite[nodes]",
    n_rows="int[nodes]",
    impurity="finite[nodes]",
    depth="int[nodes]",
)
@dataclass(frozen=True)
class Tree:
    """A tree as arrays over its nodes; node 0 is the root and the children of a node adjoin.

    A numeric question sends a row with `x[feature] <= threshold` to the first of two children. A
    categorical one, whose threshold is NaN, sends category c to child `routes_of(node)[c]`, counted
    from the first child: there is one child per category (ID3, C4.5) or there are two (CART).
    A row without an answer, because the cell is missing or the category was not there in training,
    goes to `default_child`, or to every child by its share of the training weight.

    Attributes
    ----------
    feature
        The column each node asks about; `LEAF` at a leaf.
    threshold
        The cut point of a numeric question, NaN otherwise; infinity asks whether a cell is known.
    first_child, n_children
        Where the children of a node begin, and how many there are; 0 at a leaf.
    route_start, routes
        The answers of node v are `routes[route_start[v]:route_start[v + 1]]`: the child of each
        category, -1 for a category that no training row at this node had; none if v is numeric.
    default_child
        The child, counted from the first, of a row without an answer; -1 sends it to all of them.
    value
        For each node the weight of each class (classification), or the prediction (regression).
    weight, n_rows
        The total weight and the number of the training rows of each node.
    impurity
        The impurity of each node.
    depth
        The depth of each node; the root has 0.
    """

    feature: Indices
    threshold: Vector
    first_child: Indices
    n_children: Indices
    route_start: Indices
    routes: Indices
    default_child: Indices
    value: Matrix
    weight: Vector
    n_rows: Indices
    impurity: Vector
    depth: Indices

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.feature)

    @property
    def is_leaf(self) -> Mask:
        """Which nodes ask no question."""
        return self.feature == LEAF

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(np.count_nonzero(self.is_leaf))

    @property
    def spreads(self) -> bool:
        """Whether a row without an answer goes to several children at some node."""
        return bool((self.default_child[~self.is_leaf] < 0).any())

    @property
    def parent(self) -> Indices:
        """The parent of each node; -1 for the root."""
        parent = np.full(self.n_nodes, -1, dtype=np.int64)
        inner = np.flatnonzero(~self.is_leaf)
        n_children = self.n_children[inner]
        before = np.cumsum(n_children) - n_children
        place = np.arange(n_children.sum()) - np.repeat(before, n_children)
        parent[np.repeat(self.first_child[inner], n_children) + place] = np.repeat(
            inner, n_children
        )
        return parent

    def questions(self, n_columns: int, n_values: int | None = None) -> Questions:
        """Return the arrays that a walk through so many columns needs.

        Someone may have set them by hand: a walk through arrays that are no tree of these columns,
        to leaves that are not as many as their values, would never end, or leave them.
        """
        found = Questions(*(getattr(self, name) for name in Questions._fields))
        n = self.n_nodes if n_values is None else n_values
        if not _are_vectors(found, n) or not are_sound(found, n_columns):
            raise ValueError(
                f"its nodes are no tree of {n_columns} columns: they were changed after fit. Fit "
                "it again"
            )
        return found

    def shares(self) -> Matrix:
        """Return the share of each class at each node; a node without weight has its parent's."""
        totals = self.value.sum(axis=1, keepdims=True)
        shares = np.divide(self.value, totals, out=np.zeros_like(self.value), where=totals > 0.0)
        for node in np.flatnonzero(totals[1:, 0] <= 0.0) + 1:  # a parent comes before its children
            shares[node] = shares[self.parent[node]]
        return shares

    def importances(self, n_features: int) -> Vector:
        """Return each feature's share of the total decrease of impurity; zeros if there is none."""
        self.questions(n_features)  # NumPy counts the largest of all integers before its array
        lost = self.weight * self.impurity
        kept = np.bincount(self.parent[1:], weights=lost[1:], minlength=self.n_nodes)
        inner = ~self.is_leaf
        decrease = np.bincount(
            self.feature[inner], weights=(lost - kept)[inner], minlength=n_features
        )
        return np.asarray(decrease / (decrease.sum() or 1.0), dtype=np.float64)

    def children(self, node: int) -> range:
        """Return the children of a node."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def categories_to(self, node: int, child: int) -> Indices:
        """Return the codes of the categories that a categorical node sends to one of its children.

        `child` is counted from the first.
        """
        return np.flatnonzero(self.routes_of(node) == child)

    def routes_of(self, node: int) -> Indices:
        """Return the child of each category at a node, -1 where no training row had it."""
        return self.routes[self.route_start[node] : self.route_start[node + 1]]

    def _check_state(self) -> None:
        refuse_wild_nodes(self)


def _are_vectors(questions: Questions, n: int) -> bool:
    """Say whether all arrays are of their types, and have a place for each node."""
    feature, threshold, first, count, start, routes, default, weight = questions
    for array in (feature, first, count, start, routes, default, threshold, weight):
        if type(array) not in {np.ndarray, np.memmap} or array.ndim != 1:
            return False
    places = {each.dtype for each in (feature, first, count, start, routes, default)}
    if places != {_PLACES} or not threshold.dtype == weight.dtype == _NUMBERS:
        return False
    lengths = {len(each) for each in (feature, first, count, default, threshold, weight)}
    return lengths == {n} and len(start) == n + 1


def refuse_wild_nodes(tree: Tree) -> None:
    """Refuse arrays that are no tree: a walk would never end, or leave them.

    Every node but the root is the child of one node, which comes before it, and every answer leads
    to a child.

    Examples
    --------
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> from dataclasses import replace
    >>> refuse_wild_nodes(replace(stump, first_child=np.array([0, LEAF, LEAF])))
    Traceback (most recent call last):
    ValueError: its nodes are not a tree in which children come after their parents
    """
    inner, counts = np.flatnonzero(~tree.is_leaf), tree.n_children
    order = inner[np.argsort(tree.first_child[inner], kind="stable")]
    first = tree.first_child[order]
    if (
        tree.n_nodes == 0
        or (tree.feature < LEAF).any()
        or (counts[inner] < 1).any()
        or counts[tree.is_leaf].any()
        or not np.array_equal(first, 1 + np.cumsum(counts[order]) - counts[order])
        or counts.sum() != tree.n_nodes - 1
        or (first <= order).any()
        or tree.depth[0] != 0
        or (tree.depth[1:] != 1 + tree.depth[tree.parent[1:]]).any()
    ):
        raise ValueError("its nodes are not a tree in which children come after their parents")
    _refuse_wild_answers(tree, inner)


def _refuse_wild_answers(tree: Tree, inner: Indices) -> None:
    """Refuse answers that lead to no child."""
    lengths = np.diff(tree.route_start)
    if tree.route_start[0] != 0 or (lengths < 0).any() or tree.route_start[-1] != len(tree.routes):
        raise ValueError("its answers do not belong to its nodes")
    numeric = ~np.isnan(tree.threshold)
    numeric[tree.is_leaf] = False
    if (tree.n_children[numeric] != 2).any():
        raise ValueError("a question about a number has two answers")
    default, counts = tree.default_child[inner], tree.n_children[inner]
    wild = (tree.routes < -1) | (tree.routes >= np.repeat(tree.n_children, lengths))
    if wild.any() or (default < -1).any() or (default >= counts).any():
        raise ValueError("an answer leads to no child")
    if (tree.weight < 0.0).any() or (tree.n_rows < 0).any():
        raise ValueError("a node has less than no row")


def cut_below(tree: Tree, closed: Mask) -> tuple[Tree, Indices]:
    """Turn the marked nodes into leaves; return the smaller tree and the old place of each node.

    Examples
    --------
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> smaller, kept = cut_below(stump, np.array([True, False, False]))
    >>> smaller.n_nodes, smaller.value.tolist(), kept.tolist()
    (1, [[3.0, 2.0]], [0])
    """
    closed = closed | tree.is_leaf
    kept = [0]
    for node in kept:  # breadth first, while `kept` grows, so that children adjoin again
        kept.extend([] if closed[node] else tree.children(node))
    old = np.array(kept, dtype=np.int64)
    leaf = closed[old]
    n_children = np.where(leaf, 0, tree.n_children[old])
    routes = [
        tree.routes_of(node)[: None if n else 0] for node, n in zip(old, n_children, strict=True)
    ]
    kept_arrays = {
        name: getattr(tree, name)[old]
        for name in ("value", "weight", "n_rows", "impurity", "depth")
    }
    return Tree(
        feature=np.where(leaf, LEAF, tree.feature[old]),
        threshold=np.where(leaf, np.nan, tree.threshold[old]),
        first_child=np.where(leaf, LEAF, 1 + np.cumsum(n_children) - n_children),
        n_children=n_children,
        route_start=np.concatenate([[0], np.cumsum([len(route) for route in routes])]).astype(
            np.int64
        ),
        routes=np.concatenate(routes),
        default_child=np.where(leaf, LEAF, tree.default_child[old]),
        **kept_arrays,
    ), old


def binary_stump(*, feature: int, threshold: float, value: ArrayLike) -> Tree:
    """Return the tree with one numeric question; `value` has a row for the root and each leaf.

    Examples
    --------
    >>> binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]]).n_leaves
    2
    """
    weights = np.asarray(value, dtype=np.float64)
    return Tree(
        feature=np.array([feature, LEAF, LEAF]),
        threshold=np.array([threshold, np.nan, np.nan]),
        first_child=np.array([1, LEAF, LEAF]),
        n_children=np.array([2, 0, 0]),
        route_start=np.zeros(4, dtype=np.int64),
        routes=np.zeros(0, dtype=np.int64),
        default_child=np.array([0, LEAF, LEAF]),
        value=weights,
        weight=weights.sum(axis=1),
        n_rows=weights.sum(axis=1).astype(np.int64),
        impurity=np.zeros(3),
        depth=np.array([0, 1, 1]),
    )
