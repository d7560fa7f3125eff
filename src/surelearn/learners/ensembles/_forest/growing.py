"""The growth of one tree from the rows of its bag, depth first, in one compiled loop.

A row of the bag is one word: its place, its weight and its class. A split moves these words to the
two sides and keeps their order.
"""

from typing import Any, NamedTuple

import numpy as np

from surelearn._jit import inner, jit
from surelearn._typing import Indices, Matrix, Vector
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
from surelearn.learners.ensembles._histogram.cut_points import Codes

LARGEST_WEIGHT = 2**16 - 1
"""The largest weight of a row; classes have as many bits."""

_ONE = np.uint64(1)


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
    # Helpers take the arrays they need: to hand over all of them takes longer than a small node.
    start, end, depth, waiting, n_classes = (
        grown.start,
        grown.end,
        grown.depth,
        grown.waiting,
        rules.n_classes,
    )
    buffer, whole, question = np.empty_like(items), space.whole, space.question
    start[0], end[0], depth[0] = 0, len(items), 0
    n_nodes, n_waiting, n_routes = 1, 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        rows = items[start[node] : end[node]]
        gain = -1.0
        pure = _describe(rows, table.targets, n_classes, whole)
        if not (pure or len(rows) < rules.min_samples_split or depth[node] >= rules.max_depth):
            space.size[0] = len(rows)
            gain = search_node(rows, table, rules, space, state)
        if gain < 0.0 or n_nodes + 2 > len(start):
            _close(rows, table.numbers, n_classes, whole, grown.value, node)
            grown.feature[node] = -1
            continue
        n_left = _split(rows, buffer, table.codes, table.n_bins, question, space.route)
        more_right = int(2 * n_left <= len(rows))
        _write_question(
            question,
            more_right,
            node,
            grown.feature,
            grown.below,
            grown.above,
            grown.missing_right,
        )
        grown.gain[node], grown.route[node] = _decrease(gain, n_classes, whole), -1
        if question[BELOW] < 0:
            grown.route[node] = n_routes
            code = np.uint64(table.n_bins[question[FEATURE]])  # that of a missing cell
            _write_route(space.route, space.present, code, more_right, routes, n_routes)
            n_routes += 1
        grown.child[node] = n_nodes
        _write_span(start, end, depth, node, n_nodes, n_left)
        waiting[n_waiting], waiting[n_waiting + 1] = n_nodes + 1, n_nodes
        n_waiting += 2
        n_nodes += 2
    return n_nodes, n_routes


@inner
def _decrease(gain: float, n_classes: int, whole: Indices) -> float:
    """Return the decrease of impurity, times the weight and up to a factor, by a question."""
    if n_classes <= 2:
        return gain / float(whole[0])
    total, squares = 0, 0
    for c in range(len(whole)):
        total += whole[c]
        squares += whole[c] * whole[c]
    return max(0.0, gain - float(squares) / float(total))


@inner
def _describe(items: Indices, targets: Indices, n_classes: int, whole: Indices) -> bool:
    """Sum up the rows of a node; return whether all have the same target."""
    if n_classes > 2:
        return _count_classes(items, whole)
    weight, moment, pure = 0, 0, True
    if n_classes == 0:
        first = targets[items[0] >> 32]
        for i in range(len(items)):
            target = targets[items[i] >> 32]
            weight += (items[i] >> 16) & 0xFFFF
            moment += ((items[i] >> 16) & 0xFFFF) * target
            pure = pure and target == first
    else:
        for i in range(len(items)):
            weight += (items[i] >> 16) & 0xFFFF
            moment += ((items[i] >> 16) & 0xFFFF) * (items[i] & 0xFFFF)
        pure = moment * (weight - moment) == 0
    whole[0], whole[1] = weight, moment
    return pure


@inner
def _count_classes(items: Indices, whole: Indices) -> bool:
    """Sum up the weights of each class; return whether there is one only."""
    for c in range(len(whole)):
        whole[c] = 0
    pure = True
    for i in range(len(items)):
        whole[items[i] & 0xFFFF] += (items[i] >> 16) & 0xFFFF
        pure = pure and (items[i] & 0xFFFF) == (items[0] & 0xFFFF)
    return pure


@inner
def _close(
    items: Indices, numbers: Vector, n_classes: int, whole: Indices, value: Matrix, node: int
) -> None:
    """Write what a leaf predicts: the weight of each class, or the mean of the targets."""
    if n_classes > 2:
        for c in range(n_classes):
            value[node, c] = whole[c]
    elif n_classes > 0:
        value[node, 0] = whole[0] - whole[1]
        if n_classes == 2:
            value[node, 1] = whole[1]
    else:
        total = 0.0
        for i in range(len(items)):
            total += float((items[i] >> 16) & 0xFFFF) * numbers[items[i] >> 32]
        value[node, 0] = total / whole[0]


@inner
def _split(
    items: Indices, buffer: Indices, codes: Codes, n_bins: Indices, question: Indices, route: Words
) -> int:
    """Move the rows of a node to the sides of its question; return how many go left."""
    feature = question[FEATURE]
    if question[BELOW] < 0:
        return _split_categories(items, buffer, codes, feature, route)
    missing = int(n_bins[feature]) if question[MISSING_SIDE] == LEFT else -1
    return _split_numbers(items, buffer, codes, feature, question[BELOW], missing)


@inner
def _split_numbers(
    items: Indices, buffer: Indices, codes: Codes, feature: int, below: int, missing: int
) -> int:
    """Move rows whose bin is at most `below`, or is that of missing cells, to the left."""
    n_left, n_right = 0, 0
    for i in range(len(items)):
        item = items[i]
        code = np.int64(codes[feature, item >> 32])
        left = int(code <= below) | int(code == missing)
        items[n_left] = item  # both sides are written and one of them advances: no branch
        buffer[n_right] = item
        n_left += left
        n_right += 1 - left
    for i in range(n_right):
        items[n_left + i] = buffer[i]
    return n_left


@inner
def _split_categories(
    items: Indices, buffer: Indices, codes: Codes, feature: int, route: Words
) -> int:
    """Move rows whose category is in a set to the left."""
    n_left, n_right = 0, 0
    for i in range(len(items)):
        item = items[i]
        code = np.uint64(codes[feature, item >> 32])
        left = int((route[code >> np.uint64(6)] >> (code & np.uint64(63))) & _ONE)
        items[n_left] = item
        buffer[n_right] = item
        n_left += left
        n_right += 1 - left
    for i in range(n_right):
        items[n_left + i] = buffer[i]
    return n_left


@inner
def _write_question(
    question: Indices,
    more_right: int,
    node: int,
    feature: Indices,
    below: Indices,
    above: Indices,
    missing_right: Indices,
) -> None:
    """Write the question of a node; missing cells, if it has none, go to the side of more rows."""
    feature[node], below[node], above[node] = question[FEATURE], question[BELOW], question[ABOVE]
    side = question[MISSING_SIDE]
    missing_right[node] = more_right if side == NOWHERE else side


@inner
def _write_route(
    route: Words, present: Words, missing: Any, more_right: int, routes: Words, n_routes: int
) -> None:
    """Write a set of categories; what no row of the node has goes where missing cells go.

    So a tree answers alike about a category that its bag lacks and one that the table lacks. If
    the node has no missing cell either, they go to the side of more rows.
    """
    word, bit = missing >> np.uint64(6), missing & np.uint64(63)
    right = more_right
    if (present[word] >> bit) & _ONE:
        right = 1 - int((route[word] >> bit) & _ONE)
    for w in range(len(route)):
        routes[n_routes * len(route) + w] = route[w] if right else route[w] | ~present[w]


@inner
def _write_span(
    start: Indices, end: Indices, depth: Indices, node: int, child: int, n_left: int
) -> None:
    """Write where the rows of the children lie, and how deep they are."""
    middle = start[node] + n_left
    start[child], end[child] = start[node], middle
    start[child + 1], end[child + 1] = middle, end[node]
    depth[child] = depth[child + 1] = depth[node] + 1
