"""The growth of a tree from sorted columns: search every column, divide, go on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix
from surelearn.learners.trees._binary.categories import Desk, Route
from surelearn.learners.trees._binary.columns import MISSING, key_of, partition, row_of
from surelearn.learners.trees._binary.gains import DISTANCES, Rules
from surelearn.learners.trees._binary.nodes import (
    ABOVE,
    BELOW,
    DEFAULT,
    DEPTH,
    END,
    FEATURE,
    FIRST_CHILD,
    OPEN,
    ROUTE,
    START,
    TOTAL,
    Nodes,
    describe,
)
from surelearn.learners.trees._binary.search import Columns, Offers, choose, search


@jit
def mark(
    column: Indices,
    key: int,
    missing_left: int,
    route: Route,
    goes_left: NDArray[np.uint8],
    wholes: Indices,
) -> int:
    """Mark which rows of a node go left; return how many. A question without route is numeric."""
    n_left = 0
    for i in range(len(column)):
        here, row = key_of(column[i]), row_of(column[i])
        if here == MISSING:
            left = missing_left
        elif len(route) > 0:
            left = 1 - route[here]
        else:
            left = 1 if here <= key else 0
            if left:
                wholes[BELOW] = row
            elif wholes[ABOVE] < 0:
                wholes[ABOVE] = row
        goes_left[row] = left
        n_left += left
    wholes[DEFAULT] = 1 - missing_left if key_of(column[-1]) == MISSING else -1
    return n_left


@jit
def name_children(nodes: Nodes, node: int, child: int, n_left: int) -> None:
    """Write where the two children of a node begin and end."""
    parent, left, right = nodes.wholes[node], nodes.wholes[child], nodes.wholes[child + 1]
    parent[FIRST_CHILD] = child
    left[START], left[END] = parent[START], parent[START] + n_left
    right[START], right[END] = left[END], parent[END]
    left[DEPTH], right[DEPTH] = parent[DEPTH] + 1, parent[DEPTH] + 1


@jit
def describe_children(
    column: Indices,
    nodes: Nodes,
    node: int,
    n_left: int,
    facts: Matrix,
    rules: Rules,
    table: Indices,
) -> None:
    """Describe the two parts of a column; a row without an answer goes to the heavier child."""
    child = nodes.wholes[node, FIRST_CHILD]
    left, right = nodes.numbers[child], nodes.numbers[child + 1]
    describe(column[:n_left], facts, rules, table, nodes.wholes[child], left)
    describe(column[n_left:], facts, rules, table, nodes.wholes[child + 1], right)
    if nodes.wholes[node, DEFAULT] < 0:
        nodes.wholes[node, DEFAULT] = 0 if left[TOTAL] > right[TOTAL] else 1


@jit
def divide(
    columns: Columns,
    nodes: Nodes,
    node: int,
    child: int,
    rules: Rules,
    table: Indices,
    offers: Offers,
    buffer: Indices,
) -> None:
    """Divide a node by the offer of its feature; only the column of that feature is partitioned."""
    feature = nodes.wholes[node, FEATURE]
    start, end = nodes.wholes[node, START], nodes.wholes[node, END]
    column = columns.entries[feature, start:end]
    n_left = mark(
        column,
        int(offers.keys[feature]),
        int(offers.missing_left[feature]),
        offers.routes[feature, : columns.n_categories[feature]],
        columns.goes_left,
        nodes.wholes[node],
    )
    name_children(nodes, node, child, n_left)
    partition(column, columns.goes_left, buffer)
    if rules.keeps == DISTANCES:
        column = columns.entries[-1, start:end]
        partition(column, columns.goes_left, buffer)
    describe_children(column, nodes, node, n_left, columns.facts, rules, table)


@jit
def partition_others(
    columns: Columns,
    nodes: Nodes,
    node: int,
    features: Indices,
    buffer: Indices,
) -> None:
    """Partition some columns of a divided node, but not again that of its feature."""
    start, end = nodes.wholes[node, START], nodes.wholes[node, END]
    for feature in features:
        if feature != nodes.wholes[node, FEATURE]:
            partition(columns.entries[feature, start:end], columns.goes_left, buffer)


@jit
def grow(
    columns: Columns, root: Nodes, rules: Rules, desk: Desk, offers: Offers, buffer: Indices
) -> tuple[Nodes, NDArray[np.int8]]:
    """Return the nodes below and including a described node, breadth first.

    The second table has the route of each categorical question.
    """
    nodes, routes = root, offers.routes[:1].copy()
    features, n_nodes = np.arange(len(columns.n_categories)), len(root.wholes)
    n_routes, node = 0, 0
    while node < n_nodes:
        if nodes.wholes[node, OPEN]:
            search(columns, nodes, node, features, rules, desk, offers)
            nodes.wholes[node, FEATURE] = choose(nodes.numbers[node], rules, offers)
        feature = nodes.wholes[node, FEATURE]
        if feature >= 0:
            if n_nodes + 2 > len(nodes.wholes):
                nodes = Nodes(_longer(nodes.wholes), _longer(nodes.numbers))
            divide(columns, nodes, node, n_nodes, rules, desk.table, offers, buffer)
            if nodes.wholes[n_nodes, OPEN] or nodes.wholes[n_nodes + 1, OPEN]:
                partition_others(columns, nodes, node, features, buffer)
            n_nodes += 2
            if columns.n_categories[feature] > 0:
                if n_routes == len(routes):
                    routes = _longer(routes)
                for code in range(columns.n_categories[feature]):
                    routes[n_routes, code] = offers.routes[feature, code]
                nodes.wholes[node, ROUTE] = n_routes
                n_routes += 1
        node += 1
    return Nodes(nodes.wholes[:n_nodes], nodes.numbers[:n_nodes]), routes[:n_routes]


@jit
def _longer(array: Any) -> Any:
    """Return a table with room for twice as many rows and more."""
    longer = np.empty((2 * len(array) + 62, array.shape[1]), array.dtype)
    for i in range(len(array)):
        for j in range(array.shape[1]):
            longer[i, j] = array[i, j]
    return longer
