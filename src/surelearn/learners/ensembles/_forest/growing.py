"""The growth of one tree from the rows of its bag, depth first, in one compiled loop.

A row of the bag is one word: its place, its weight and its class. A split moves these words to the
two sides and keeps their order.
"""

from typing import NamedTuple

import numpy as np

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._forest.bins import Codes
from surelearn.learners.ensembles._forest.searching import (
    ABOVE,
    BELOW,
    FEATURE,
    LEFT,
    MISSING_SIDE,
    NOWHERE,
    BinnedTable,
    Rules,
    Words,
    Workspace,
    search_node,
)

LARGEST_WEIGHT = 2**16 - 1
"""The largest weight of a row; classes have as many bits."""

_ONE = np.uint64(1)


class Grown(NamedTuple):
    """The nodes of a tree while it grows; there is room for more than there are.

    Attributes
    ----------
    feature, below, above
        The column of each question and the bins around its cut; -1 at a leaf, for a question about
        categories, and above the last bin.
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
    spans = [np.full(n_nodes, -1, dtype=np.int64) for _ in range(8)]
    return Grown(
        *spans,
        gain=np.zeros(n_nodes),
        route=np.full(n_nodes, -1, dtype=np.int64),
        value=np.zeros((n_nodes, n_values)),
        waiting=np.zeros(n_nodes, dtype=np.int64),
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


@jit
def grow_tree(
    items: Indices,
    table: BinnedTable,
    rules: Rules,
    space: Workspace,
    grown: Grown,
    routes: Words,
    state: Words,
) -> tuple[int, int]:
    """Grow the tree of a bag; return the numbers of nodes and of questions about categories."""
    buffer, width = np.empty_like(items), len(space.route)
    grown.start[0], grown.end[0], grown.depth[0] = 0, len(items), 0
    n_nodes, n_waiting, n_routes = 1, 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node = grown.waiting[n_waiting]
        rows = items[grown.start[node] : grown.end[node]]
        pure = _describe(rows, table, rules.n_classes, space)
        if (
            pure
            or len(rows) < rules.min_samples_split
            or grown.depth[node] >= rules.max_depth
            or n_nodes + 2 > len(grown.feature)
        ):
            _close(rows, table, rules.n_classes, space, grown.value[node])
            continue
        gain = search_node(rows, table, rules, space, state)
        if gain < 0.0:
            _close(rows, table, rules.n_classes, space, grown.value[node])
            continue
        n_left = _split(rows, buffer, table, space)
        _write_question(space, n_left, len(rows), grown, node)
        grown.gain[node] = _decrease(gain, rules.n_classes, space.whole)
        if grown.below[node] < 0:
            grown.route[node] = n_routes
            for w in range(width):
                routes[n_routes * width + w] = space.route[w]
            n_routes += 1
        _add_children(grown, node, n_nodes, n_left)
        grown.waiting[n_waiting], grown.waiting[n_waiting + 1] = n_nodes + 1, n_nodes
        n_waiting += 2
        n_nodes += 2
    return n_nodes, n_routes


@jit
def _decrease(gain: float, n_classes: int, whole: Indices) -> float:
    """Return the decrease of impurity, times the weight and up to a factor, by a question."""
    if n_classes <= 2:
        return gain / float(whole[0])
    total, squares = 0, 0
    for c in range(len(whole)):
        total += whole[c]
        squares += whole[c] * whole[c]
    return max(0.0, gain - float(squares) / float(total))


@jit
def _describe(items: Indices, table: BinnedTable, n_classes: int, space: Workspace) -> bool:
    """Sum up the rows of a node; return whether all have the same target."""
    space.whole[:] = 0
    space.size[0] = len(items)
    pure = True
    if n_classes > 2:
        for i in range(len(items)):
            space.whole[items[i] & 0xFFFF] += (items[i] >> 16) & 0xFFFF
            pure = pure and (items[i] & 0xFFFF) == (items[0] & 0xFFFF)
        return pure
    weight, moment = 0, 0
    if n_classes == 0:
        first = table.targets[items[0] >> 32]
        for i in range(len(items)):
            target = table.targets[items[i] >> 32]
            weight += (items[i] >> 16) & 0xFFFF
            moment += ((items[i] >> 16) & 0xFFFF) * target
            pure = pure and target == first
    else:
        for i in range(len(items)):
            weight += (items[i] >> 16) & 0xFFFF
            moment += ((items[i] >> 16) & 0xFFFF) * (items[i] & 0xFFFF)
        pure = moment * (weight - moment) == 0
    space.whole[0], space.whole[1] = weight, moment
    return pure


@jit
def _close(
    items: Indices, table: BinnedTable, n_classes: int, space: Workspace, value: Vector
) -> None:
    """Write what a leaf predicts: the weight of each class, or the mean of the targets."""
    if n_classes > 2:
        for c in range(n_classes):
            value[c] = space.whole[c]
    elif n_classes > 0:
        value[0] = space.whole[0] - space.whole[1]
        if n_classes == 2:
            value[1] = space.whole[1]
    else:
        total = 0.0
        for i in range(len(items)):
            total += float((items[i] >> 16) & 0xFFFF) * table.numbers[items[i] >> 32]
        value[0] = total / space.whole[0]


@jit
def _split(items: Indices, buffer: Indices, table: BinnedTable, space: Workspace) -> int:
    """Move the rows of a node to the sides of its question; return how many go left."""
    column = table.codes[space.question[FEATURE]]
    if space.question[BELOW] < 0:
        return _split_categories(items, buffer, column, space.route)
    goes_left = space.question[MISSING_SIDE] == LEFT
    missing = table.n_bins[space.question[FEATURE]] if goes_left else -1
    return _split_numbers(items, buffer, column, space.question[BELOW], missing)


@jit
def _split_numbers(items: Indices, buffer: Indices, column: Codes, below: int, missing: int) -> int:
    """Move rows whose bin is at most `below`, or is that of missing cells, to the left."""
    n_left, n_right = 0, 0
    for i in range(len(items)):
        item = items[i]
        code = np.int64(column[item >> 32])
        left = int(code <= below) | int(code == missing)
        items[n_left] = item  # both sides are written and one of them advances: no branch
        buffer[n_right] = item
        n_left += left
        n_right += 1 - left
    for i in range(n_right):
        items[n_left + i] = buffer[i]
    return n_left


@jit
def _split_categories(items: Indices, buffer: Indices, column: Codes, route: Words) -> int:
    """Move rows whose category is in a set to the left."""
    n_left, n_right = 0, 0
    for i in range(len(items)):
        item = items[i]
        code = np.uint64(column[item >> 32])
        left = np.int64((route[code >> np.uint64(6)] >> (code & np.uint64(63))) & _ONE)
        items[n_left] = item
        buffer[n_right] = item
        n_left += left
        n_right += 1 - left
    for i in range(n_right):
        items[n_left + i] = buffer[i]
    return n_left


@jit
def _write_question(space: Workspace, n_left: int, n: int, grown: Grown, node: int) -> None:
    """Write the question of a node; what none of its rows has goes to the side of more rows."""
    question, more_right = space.question, int(2 * n_left <= n)
    grown.feature[node] = question[FEATURE]
    grown.below[node], grown.above[node] = question[BELOW], question[ABOVE]
    side = question[MISSING_SIDE]
    grown.missing_right[node] = more_right if side == NOWHERE else side
    if question[BELOW] < 0 and not more_right:
        for w in range(len(space.route)):
            space.route[w] |= ~space.present[w]


@jit
def _add_children(grown: Grown, node: int, child: int, n_left: int) -> None:
    """Write where the rows of the children lie."""
    grown.child[node] = child
    middle = grown.start[node] + n_left
    grown.start[child], grown.end[child] = grown.start[node], middle
    grown.start[child + 1], grown.end[child + 1] = middle, grown.end[node]
    grown.depth[child] = grown.depth[child + 1] = grown.depth[node] + 1
