"""The growth of one tree from the rows of its bag, depth first, in one compiled loop.

A row of the bag is one word: its place, its weight and its class. A split moves these words to the
two sides and keeps their order.
"""

from typing import Any, NamedTuple

import numpy as np

from surelearn._jit import borrowing, entrance
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._forest.leaves import close, decrease, describe
from surelearn.learners.ensembles._forest.moving import split
from surelearn.learners.ensembles._forest.searching import search_node
from surelearn.learners.ensembles._forest.workspace import (
    ABOVE,
    BELOW,
    FEATURE,
    MISSING_SIDE,
    NOWHERE,
    ONE,
    BinnedTable,
    Rules,
    Words,
    Workspace,
)

LARGEST_WEIGHT = 2**16 - 1
"""The largest weight of a row."""

MOST_CLASSES = 2**16
"""The largest number of classes: the number of one stands beside the weight of a row."""


class Grown(NamedTuple):
    """The nodes of a tree while it grows; there is room for more than there are.

    Attributes
    ----------
    feature, below, above
        The column of each question, -1 at a leaf, where nothing else is written but the value; the
        bins around its cut, -1 for a question about categories, and above the last bin.
    missing_right
        Whether a missing cell goes right.
    child
        The left child; the right one follows it.
    start, end, depth
        Where the rows of a node lie, and how deep it is.
    gain
        The decrease of the impurity, times the weight.
    route
        The place of a question about categories among these.
    value
        The weights of the classes, or the prediction, at each node that is a leaf.
    waiting
        Nodes that are still to be looked at.
    """

    feature: Indices
    below: Indices
    above: Indices
    missing_right: Indices
    child: Indices
    start: Indices
    end: Indices
    depth: Indices
    gain: Vector
    route: Indices
    value: Matrix
    waiting: Indices


def room_for(n_nodes: int, n_values: int) -> Grown:
    """Return room for so many nodes."""
    spans = [np.empty(n_nodes, dtype=np.int64) for _ in range(8)]
    waiting = np.empty(n_nodes, dtype=np.int64)
    waiting[0] = 0
    return Grown(
        *spans,
        gain=np.empty(n_nodes),
        route=np.empty(n_nodes, dtype=np.int64),
        value=np.empty((n_nodes, n_values)),
        waiting=waiting,
    )


def pack_items(rows: Indices, weights: Indices, labels: Indices | None) -> Indices:
    """Return a word for each row of a bag: its place, its whole weight, its class.

    Examples
    --------
    >>> word = int(pack_items(np.array([3]), np.array([2]), np.array([0, 0, 0, 1]))[0])
    >>> word >> 32, word >> 16 & 0xFFFF, word & 0xFFFF
    (3, 2, 1)
    """
    classes = 0 if labels is None else labels[rows]
    return (rows << 32) | (weights << 16) | classes


@entrance
def grow_tree(
    items: Indices,
    buffer: Indices,
    table: BinnedTable,
    rules: Rules,
    space: Workspace,
    grown: Grown,
    routes: Words,
    state: Words,
) -> tuple[int, int]:
    """Grow the tree of a bag; return the numbers of nodes and of questions about categories.

    In the buffer there is room for as many items.
    """
    question, n_classes = space.question, rules.n_classes
    grown.start[0], grown.end[0], grown.depth[0] = 0, len(items), 0
    n_nodes, n_waiting, n_routes = 1, 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node = grown.waiting[n_waiting]
        rows = items[grown.start[node] : grown.end[node]]
        gain = _best_gain(rows, int(grown.depth[node]), table, rules, space, state)
        if gain < 0.0 or n_nodes + 2 > len(grown.start):
            close(rows, table.numbers, n_classes, space.whole, grown.value, node)
            grown.feature[node] = -1
            continue
        n_left = split(rows, buffer, table.codes, table.n_bins, question, space.route)
        more_right = int(2 * n_left <= len(rows))
        _write_question(question, more_right, node, grown)
        grown.gain[node] = decrease(gain, n_classes, space.whole)
        if question[BELOW] < 0:
            code = np.uint64(table.n_bins[question[FEATURE]])  # that of a missing cell
            _write_route(space.route, space.present, code, more_right, routes, n_routes)
            grown.route[node] = n_routes
            n_routes += 1
        _write_children(grown, node, n_nodes, n_left)
        grown.waiting[n_waiting], grown.waiting[n_waiting + 1] = n_nodes + 1, n_nodes
        n_waiting += 2
        n_nodes += 2
    return n_nodes, n_routes


@borrowing
def _best_gain(
    rows: Indices, depth: int, table: BinnedTable, rules: Rules, space: Workspace, state: Words
) -> float:
    """Sum up the rows of a node, write its best question; return its gain, negative if none."""
    pure = describe(rows, table.targets, rules.n_classes, space.whole)
    if pure or len(rows) < rules.min_samples_split or depth >= rules.max_depth:
        return -1.0
    space.size[0] = len(rows)
    return search_node(rows, table, rules, space, state)


@borrowing
def _write_question(question: Indices, more_right: int, node: int, grown: Grown) -> None:
    """Write the question of a node; missing cells, if it has none, go to the side of more rows."""
    grown.feature[node], grown.below[node] = question[FEATURE], question[BELOW]
    grown.above[node], grown.route[node] = question[ABOVE], -1
    side = question[MISSING_SIDE]
    grown.missing_right[node] = more_right if side == NOWHERE else side


@borrowing
def _write_route(
    route: Words, present: Words, missing: Any, more_right: int, routes: Words, n_routes: int
) -> None:
    """Write a set of categories; what no row of the node has goes where missing cells go.

    So a tree answers alike about a category that its bag lacks and one that the table lacks. If
    the node has no missing cell either, they go to the side of more rows.
    """
    word, bit = missing >> np.uint64(6), missing & np.uint64(63)
    right = more_right
    if (present[word] >> bit) & ONE:
        right = 1 - np.int64((route[word] >> bit) & ONE)
    for w in range(len(route)):
        routes[n_routes * len(route) + w] = route[w] if right else route[w] | ~present[w]


@borrowing
def _write_children(grown: Grown, node: int, child: int, n_left: int) -> None:
    """Write where the rows of the children lie, and how deep they are."""
    start, end, middle = grown.start, grown.end, grown.start[node] + n_left
    grown.child[node] = child
    start[child], end[child] = start[node], middle
    start[child + 1], end[child + 1] = middle, end[node]
    grown.depth[child] = grown.depth[child + 1] = grown.depth[node] + 1
