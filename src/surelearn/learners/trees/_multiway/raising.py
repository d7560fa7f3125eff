"""Error-based pruning: close a node or raise its largest branch where that promises fewer errors.

Quinlan (1993), chapter 4. The nodes are visited children first; `begin`, `end` and `limit` place
the rows of a node in the pool, and where the rows of its children may stand.
"""

from typing import NamedTuple

import numpy as np

from surelearn._jit import borrowing, inner, jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.trees._multiway.fractions import Codes, Pool, Questions, count, send, weigh
from surelearn.learners.trees._multiway.gain_ratio import total_of

_SLACK = 0.1  # Quinlan's: a simpler tree may promise a tenth of an error more
_CONTINUITY = 0.5  # of the normal approximation to a binomial tail


class Data(NamedTuple):
    """The training rows."""

    table: Codes
    labels: Indices
    weights: Vector


class Terms(NamedTuple):
    """The terms of pruning; `quantile` is the normal one of 1 - confidence."""

    confidence: float
    quantile: float
    raising: bool


class Nodes(NamedTuple):
    """A tree whose nodes change in place: node v asks what node `question[v]` asked at first."""

    asked: Questions
    question: Indices
    parent: Indices
    first_child: Indices
    n_children: Indices
    counts: Matrix
    n_rows: Indices
    limit: Indices
    estimate: Vector


@jit
def added_errors(n: float, errors: float, terms: Terms) -> float:
    """Return the upper confidence limit of the errors among n, less those observed.

    Below one error the limit is interpolated between the exact one for none,
    n (1 - confidence^(1/n)), and that for one.
    """
    if errors >= 1.0:
        return normal_limit(n, errors, terms.quantile)
    none = n * (1.0 - terms.confidence ** (1.0 / n))
    return none + errors * (normal_limit(n, 1.0, terms.quantile) - none)


@borrowing
def normal_limit(n: float, errors: float, quantile: float) -> float:
    """Return Wilson's upper limit with continuity correction, less the errors."""
    if errors + _CONTINUITY >= n:
        return max(n - errors, 0.0)
    rate, square = (errors + _CONTINUITY) / n, quantile * quantile / n
    spread = quantile * np.sqrt(rate * (1.0 - rate) / n + square / (4.0 * n))
    return n * (rate + square / 2.0 + spread) / (1.0 + square) - errors


@borrowing
def pessimistic_errors(counts: Vector, terms: Terms) -> float:
    """Return the errors a leaf with these counts promises on as many new rows."""
    n, majority = 0.0, 0.0
    for weight in counts:
        n += weight
        majority = max(majority, weight)
    if n <= 0.0:
        return 0.0
    errors = n - majority
    return errors + added_errors(n, errors, terms)


@inner
def share_out(data: Data, nodes: Nodes, pool: Pool, v: int) -> Pool:
    """Send the rows of node v to its children; return the pool, which may have had to grow."""
    k, first = nodes.n_children[v], nodes.first_child[v]
    heft, size = np.zeros(k + 1), np.zeros(k + 1, dtype=np.int64)
    here = Pool(pool.rows, pool.shares, pool.begin[v : v + 1], pool.end[v : v + 1])
    asked, q = nodes.asked, nodes.question[v]
    asked = Questions(
        asked.feature[q : q + 1], asked.cut[q : q + 1], asked.start[q : q + 1], asked.routes
    )
    weigh(data.table, here, asked, np.array([0, k + 1]), heft, size)
    known, at = total_of(heft[:k]), nodes.limit[v]
    for b in range(k):
        pool.begin[first + b], pool.end[first + b] = at, at
        at += size[b] + size[k]  # rows without an answer may come to every child
        heft[b] = heft[b] / known if known > 0.0 else 1.0 / k  # now the part of such a row
    nodes.limit[first : first + k] = at
    pool = _with_room(pool, at)
    here = Pool(pool.rows, pool.shares, here.begin, here.end)
    below = slice(first, first + k)
    children = Pool(pool.rows, pool.shares, pool.begin[below], pool.end[below])
    send(data.table, data.weights, here, asked, np.array([0, k]), heft, children)
    return pool


@inner
def _with_room(pool: Pool, size: int) -> Pool:
    """Return a pool with at least this much room."""
    old = len(pool.rows)
    if size <= old:
        return pool
    rows, shares = np.empty(2 * size, dtype=np.int64), np.empty(2 * size)
    for i in range(old):  # a slice assignment takes seconds to compile
        rows[i], shares[i] = pool.rows[i], pool.shares[i]
    return Pool(rows, shares, pool.begin, pool.end)


@inner
def recount(
    data: Data,
    nodes: Nodes,
    pool: Pool,
    top: int,
    terms: Terms,
    counts: Matrix,
) -> tuple[Pool, float]:
    """Pass the rows of a node down its subtree; write the counts, return the errors promised."""
    errors, todo, n_todo = 0.0, np.empty(len(nodes.parent), dtype=np.int64), 1
    todo[0] = top
    while n_todo > 0:
        n_todo -= 1
        v = todo[n_todo]
        counts[v] = 0.0
        here = Pool(pool.rows, pool.shares, pool.begin[v : v + 1], pool.end[v : v + 1])
        count(data.labels, here, counts[v : v + 1])
        nodes.n_rows[v] = pool.end[v] - pool.begin[v]
        if nodes.n_children[v] == 0:
            errors += pessimistic_errors(counts[v], terms)
            continue
        pool = share_out(data, nodes, pool, v)
        for child in range(nodes.first_child[v], nodes.first_child[v] + nodes.n_children[v]):
            todo[n_todo] = child
            n_todo += 1
    return pool, errors


@inner
def settle(
    data: Data,
    nodes: Nodes,
    pool: Pool,
    v: int,
    terms: Terms,
    trial: Matrix,
) -> tuple[Pool, bool]:
    """Keep a node, close it or raise its largest branch; return whether a branch was raised."""
    first, after = nodes.first_child[v], nodes.first_child[v] + nodes.n_children[v]
    as_leaf = pessimistic_errors(nodes.counts[v], terms)
    as_tree, largest = total_of(nodes.estimate[first:after]), first
    for child in range(first, after):
        if total_of(nodes.counts[child]) > total_of(nodes.counts[largest]):
            largest = child
    as_branch = as_leaf
    if terms.raising and nodes.n_children[largest] > 0:
        place_at(nodes, pool, largest, v)
        pool, as_branch = recount(data, nodes, pool, largest, terms, trial)
    nodes.estimate[v] = as_tree
    # Of what promises equally few errors, within the slack, a leaf is simplest, then a branch.
    if as_leaf <= min(as_tree, as_branch) + _SLACK:
        nodes.n_children[v], nodes.estimate[v] = 0, as_leaf
    elif as_branch <= as_tree + _SLACK:
        replace_by(nodes, v, largest)
        pool, _ = recount(data, nodes, pool, v, terms, nodes.counts)
        return pool, True
    return pool, False


@borrowing
def place_at(nodes: Nodes, pool: Pool, child: int, v: int) -> None:
    """Give a child the rows of its parent."""
    pool.begin[child], pool.end[child] = pool.begin[v], pool.end[v]
    nodes.limit[child] = nodes.limit[v]


@borrowing
def replace_by(nodes: Nodes, v: int, child: int) -> None:
    """Let a node ask what its child asks, of the children of the child."""
    for values in (nodes.question, nodes.first_child, nodes.n_children):
        values[v] = values[child]
    nodes.parent[nodes.first_child[v] : nodes.first_child[v] + nodes.n_children[v]] = v


@jit
def prune(data: Data, nodes: Nodes, pool: Pool, root: int, terms: Terms, trial: Matrix) -> None:
    """Prune the tree below a node, and count the rows of what is left of it."""
    _settle_all(data, nodes, pool, root, terms, trial)
    recount(data, nodes, pool, root, terms, nodes.counts)


@inner
def _settle_all(
    data: Data, nodes: Nodes, pool: Pool, root: int, terms: Terms, trial: Matrix
) -> None:
    """Settle every node, children first; a node whose branch was raised is settled again."""
    v, n_visited = root, np.zeros(len(nodes.parent), dtype=np.int64)
    while v >= 0:
        if n_visited[v] < nodes.n_children[v]:
            if n_visited[v] == 0:
                pool = share_out(data, nodes, pool, v)
            n_visited[v] += 1
            v = nodes.first_child[v] + n_visited[v] - 1
            n_visited[v] = 0
            continue
        raised = False
        if nodes.n_children[v] > 0:
            pool, raised = settle(data, nodes, pool, v, terms, trial)
        else:
            nodes.estimate[v] = pessimistic_errors(nodes.counts[v], terms)
        n_visited[v] = 0
        v = v if raised else nodes.parent[v]  # -1 above the root ends it
