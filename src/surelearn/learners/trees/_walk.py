"""The walk of rows through a tree, from the root to a leaf."""

from typing import NamedTuple

import numpy as np

from surelearn._jit import borrowing, jit
from surelearn._typing import Indices, Matrix, Vector

_LEAF = -1


class Questions(NamedTuple):
    """The arrays of a tree that a walk needs, in a form that compiled code accepts."""

    feature: Indices
    threshold: Vector
    first_child: Indices
    n_children: Indices
    route_start: Indices
    routes: Indices
    default_child: Indices
    weight: Vector


@borrowing
def answer(
    cell: float, node: int, route_start: Indices, routes: Indices, default_child: Indices
) -> int:
    """Return the child, counted from the first, of a cell that no cut point can place.

    It holds a category or nothing; -1 if it belongs to all children.
    """
    start, child = route_start[node], -1
    # False for NaN, for a category that was not there in training, and for a numeric question.
    if 0.0 <= cell < route_start[node + 1] - start:
        child = routes[start + int(cell)]
    return int(child if child >= 0 else default_child[node])


@jit
def are_sound(questions: Questions, n_columns: int) -> bool:
    """Say whether every walk by these questions ends, and stays among them and the columns.

    Children come after their parents, and each has one: stacks have room for each node once.
    """
    feature, threshold, first_child, n_children, starts, routes, default_child, _ = questions
    n, owned = len(feature), np.zeros(len(feature), dtype=np.bool_)
    sound = n > 0 and starts[0] == 0 and starts[n] == len(routes)
    for node in range(n):
        sound &= starts[node] <= starts[node + 1]
    node = 0
    while sound and node < n:
        sound &= (feature[node] != _LEAF) | (n_children[node] == 0)
        if feature[node] != _LEAF:
            first, k = first_child[node], n_children[node]
            sound &= (feature[node] >= 0) & (feature[node] < n_columns)
            sound &= (node < first) & (first <= n - k) & (k > 0) & (default_child[node] < k)
            sound &= (k == 2) | (threshold[node] != threshold[node])
            for child in range(first, first + k if sound else first):
                sound &= not owned[child]
                owned[child] = True
            for place in range(starts[node], starts[node + 1]):
                sound &= routes[place] < k
        node += 1
    return sound


@borrowing
def heaviest(questions: Questions, node: int) -> int:
    """Return the child of largest training weight; ties to the first."""
    best = questions.first_child[node]
    for child in range(best, best + questions.n_children[node]):
        if questions.weight[child] > questions.weight[best]:
            best = child
    return best


@jit
def find_leaves(X: Matrix, questions: Questions, leaves: Indices) -> None:
    """Write the leaf of each row; one that would be spread over children follows the heaviest."""
    feature, threshold, first_child, _, route_start, routes, default_child, _ = questions
    for t in range(X.shape[0]):
        node = 0
        while feature[np.uint64(node)] != _LEAF:  # unsigned: never counted from the end
            place = np.uint64(node)
            cell, cut = X[t, np.uint64(feature[place])], threshold[place]
            child = 1 if cell > cut else 0
            # Neither holds if the cell is missing or the cut is NaN, that is, the question is
            # categorical; most questions are numeric, and they need no table.
            if not (cell <= cut or cell > cut):
                child = answer(cell, node, route_start, routes, default_child)
                if child < 0:
                    child = heaviest(questions, node) - first_child[node]
            node = first_child[place] + child
        leaves[t] = node


@borrowing
def follow(X: Matrix, t: int, questions: Questions, node: int) -> int:
    """Return the leaf below `node` that row `t` reaches, or the node where it chooses no child."""
    while questions.feature[node] != _LEAF:
        cell, cut = X[t, questions.feature[node]], questions.threshold[node]
        child = 1 if cell > cut else 0
        if not (cell <= cut or cell > cut):
            child = answer(
                cell, node, questions.route_start, questions.routes, questions.default_child
            )
            if child < 0:
                break
        node = questions.first_child[node] + child
    return node


@jit
def spread_rows(X: Matrix, questions: Questions, values: Matrix, output: Matrix) -> None:
    """Add to each row of `output` the values of its leaves, each by the share that reaches it.

    A row that chooses no child at a node goes to all of them, by their training weight (C4.5).
    """
    # A stack of (node, share); it never holds more than one entry per node of the tree.
    waiting, shares = np.empty(len(values), dtype=np.int64), np.empty(len(values))
    for t in range(X.shape[0]):
        waiting[0], shares[0], n_waiting = 0, 1.0, 1
        while n_waiting > 0:
            n_waiting -= 1
            node, share = follow(X, t, questions, waiting[n_waiting]), shares[n_waiting]
            if questions.feature[node] == _LEAF:
                for k in range(values.shape[1]):
                    output[t, k] += share * values[node, k]
            else:
                n_waiting = _divide(questions, node, share, waiting, shares, n_waiting)


@borrowing
def _divide(
    questions: Questions,
    node: int,
    share: float,
    waiting: Indices,
    shares: Vector,
    n_waiting: int,
) -> int:
    """Put the children of a node that have training weight on the stack; return its height."""
    first, total = questions.first_child[node], 0.0
    for child in range(first, first + questions.n_children[node]):
        total += questions.weight[child]
    for child in range(first, first + questions.n_children[node]):
        if questions.weight[child] > 0.0:
            waiting[n_waiting] = child
            shares[n_waiting] = share * questions.weight[child] / total
            n_waiting += 1
    return n_waiting
