"""Growth: the leaf whose split gains most is split first, until there are enough leaves."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._typing import Indices, Vector
from surelearn.learners.ensembles._histogram import partition, tickets
from surelearn.learners.ensembles._histogram.splitting import NO_GAIN, Room, write_left
from surelearn.learners.ensembles._histogram.tasks import (
    COLUMN,
    COUNT,
    DIVIDE,
    FIRST,
    KIND,
    LARGE,
    LARGE_FIRST,
    LARGE_LAST,
    LAST,
    MOVE,
    SMALL,
    SUBTRACT,
    Bench,
    BinnedRows,
    help_out,
    run_tasks,
)

START, STOP, DEPTH, SLOT, FEATURE, CUT, CHILD = range(7)
"""What is known of a node: its rows, its depth, its histogram, its question, its first child."""

FIELDS = 7
_NO_SLOT = -1


class Nodes(NamedTuple):
    """The nodes of the tree that grows.

    Attributes
    ----------
    facts
        Whole numbers of each node.
    gains
        The gain of each node's best split; no gain if it may not be split.
    left
        For each node the set of bins that go left, 256 bits.
    free
        Slots that no node uses, and at the end, how many these are.
    """

    facts: Indices
    gains: Vector
    left: NDArray[np.uint64]
    free: Indices


class Size(NamedTuple):
    """How large the tree may become, and how many workers grow it."""

    max_leaves: int
    max_depth: int
    most_features: int
    n_workers: int


@jit
def work_on_tree(
    worker: int, n_rows: int, size: Size, table: BinnedRows, bench: Bench, nodes: Nodes
) -> int:
    """Grow a tree of the first rows of the bench; return its number of nodes. Others help out."""
    if worker > 0:
        help_out(worker, table, bench)
        return 0
    n_nodes = _grow(n_rows, size, table, bench, nodes)
    tickets.end(bench.control)
    return n_nodes


@jit
def _grow(n_rows: int, size: Size, table: BinnedRows, bench: Bench, nodes: Nodes) -> int:
    """Split the leaf that gains most, until none gains or there are enough; return the nodes."""
    n_nodes, n_features_used = 1, 0
    facts = nodes.facts
    _add_node(nodes, 0, 0, n_rows, 0)
    if size.max_leaves > 1:
        _evaluate_root(0, size, table, bench, nodes)
    while n_nodes < 2 * size.max_leaves - 1:
        node = _most_gainful(nodes.gains, n_nodes)
        if nodes.gains[node] <= 0.0:
            break
        feature = facts[node, FEATURE]
        if not bench.allowed[feature]:  # it was chosen before others filled the tree's places
            _evaluate_root(node, size, table, bench, nodes)
            continue
        if bench.allowed[feature] == 1:
            bench.allowed[feature] = 2  # the tree asks about it
            n_features_used += 1
            if n_features_used == size.most_features:
                _close_others(bench.allowed)
        _split(node, n_nodes, size, table, bench, nodes)
        n_nodes += 2
        if n_nodes < 2 * size.max_leaves - 1:
            _evaluate_children(node, size, table, bench, nodes)
    return n_nodes


@jit
def _most_gainful(gains: Vector, n_nodes: int) -> int:
    """Return the leaf whose split gains most; of equals, the first."""
    best = 0
    for node in range(n_nodes):
        if gains[node] > gains[best]:
            best = node
    return best


@jit
def _close_others(allowed: NDArray[np.uint8]) -> None:
    """Let the tree ask about no other columns than it does already."""
    for j in range(len(allowed)):
        allowed[j] = 2 if allowed[j] == 2 else 0


@jit
def _add_node(nodes: Nodes, node: int, start: int, stop: int, depth: int) -> None:
    """Write what is known of a new leaf."""
    facts = nodes.facts
    facts[node, START], facts[node, STOP], facts[node, DEPTH] = start, stop, depth
    facts[node, SLOT], facts[node, CHILD], facts[node, FEATURE] = _NO_SLOT, 0, -1
    nodes.gains[node] = NO_GAIN


@jit
def _take_slot(nodes: Nodes) -> int:
    """Return a free slot, or -1."""
    if nodes.free[-1] == 0:
        return _NO_SLOT
    nodes.free[-1] -= 1
    return nodes.free[nodes.free[-1]]


@jit
def _give_back(nodes: Nodes, slot: int) -> None:
    """Let others use a slot."""
    if slot != _NO_SLOT:
        nodes.free[nodes.free[-1]] = slot
        nodes.free[-1] += 1


@jit
def _may_be_split(node: int, size: Size, bench: Bench, nodes: Nodes) -> bool:
    """Say whether a leaf has rows enough for two, and is not too deep."""
    facts = nodes.facts
    n = facts[node, STOP] - facts[node, START]
    return n >= 2 * bench.limits[1] and facts[node, DEPTH] < size.max_depth


@jit
def _n_count_tasks(table: BinnedRows, size: Size) -> int:
    """Return into how many tasks the words of the columns are dealt: not too many words each."""
    n_words = (len(table.starts) + 6) >> 3
    return max(min(n_words, 4 * size.n_workers if size.n_workers > 1 else 1), (n_words + 7) >> 3)


@jit
def _evaluate_root(node: int, size: Size, table: BinnedRows, bench: Bench, nodes: Nodes) -> None:
    """Count the rows of a node, whatever is known of its parent, and find its best split."""
    facts, order = nodes.facts, bench.order
    nodes.gains[node] = NO_GAIN
    if not _may_be_split(node, size, bench, nodes):
        return
    slot = facts[node, SLOT]
    slot = _take_slot(nodes) if slot == _NO_SLOT else slot
    facts[node, SLOT] = slot
    order[KIND], order[FIRST], order[LAST] = COUNT, facts[node, START], facts[node, STOP]
    order[SMALL], order[LARGE] = slot if slot >= 0 else len(bench.sums) - 2, -1
    run_tasks(_n_count_tasks(table, size), size.n_workers, table, bench)
    _choose(node, 0, order[SMALL], table, bench, nodes)


@jit
def _evaluate_children(
    node: int, size: Size, table: BinnedRows, bench: Bench, nodes: Nodes
) -> None:
    """Find the best split of both children of a node; only the smaller one's rows are counted."""
    facts, order, child = nodes.facts, bench.order, nodes.facts[node, CHILD]
    slot = facts[node, SLOT]
    if not (
        _may_be_split(child, size, bench, nodes) or _may_be_split(child + 1, size, bench, nodes)
    ):
        _give_back(nodes, slot)
        return
    n_left = facts[child, STOP] - facts[child, START]
    n_right = facts[child + 1, STOP] - facts[child + 1, START]
    small, large = (child, child + 1) if n_left <= n_right else (child + 1, child)
    facts[small, SLOT] = _take_slot(nodes)
    facts[large, SLOT] = slot if slot != _NO_SLOT else _take_slot(nodes)
    order[KIND], order[FIRST], order[LAST] = COUNT, facts[small, START], facts[small, STOP]
    order[LARGE_FIRST], order[LARGE_LAST] = facts[large, START], facts[large, STOP]
    order[SUBTRACT] = slot != _NO_SLOT
    # Without a free slot they are counted in one of the two spare ones, and forgotten.
    order[SMALL] = facts[small, SLOT] if facts[small, SLOT] >= 0 else len(bench.sums) - 2
    order[LARGE] = facts[large, SLOT] if facts[large, SLOT] >= 0 else len(bench.sums) - 1
    run_tasks(_n_count_tasks(table, size), size.n_workers, table, bench)
    for which, leaf in ((0, small), (1, large)):
        if _may_be_split(leaf, size, bench, nodes):
            _choose(leaf, which, order[SMALL + which], table, bench, nodes)
        else:
            _give_back(nodes, facts[leaf, SLOT])


@jit
def _choose(
    node: int, which: int, slot: int, table: BinnedRows, bench: Bench, nodes: Nodes
) -> None:
    """Write the best split of all columns to the node; of equal gains the first column wins."""
    best, found = 0, bench.found[which]
    for j in range(len(found)):
        if found[j, 0] > found[best, 0]:
            best = j
    nodes.gains[node] = found[best, 0]
    if found[best, 0] <= 0.0:
        _give_back(nodes, nodes.facts[node, SLOT])
        nodes.facts[node, SLOT] = _NO_SLOT
        return
    nodes.facts[node, FEATURE], nodes.facts[node, CUT] = best, np.int64(found[best, 1])
    start = table.starts[best]
    split = np.array([np.int64(found[best, 1]), np.int64(found[best, 2])])
    write_left(
        bench.sums[slot],
        start,
        table.starts[best + 1] - start - 1,
        table.is_set[best],
        split,
        Room(bench.ordered[0], bench.cuts[0]),
        bench.left,
    )
    for b in range(256):
        bit = np.uint64(bench.left[b]) << np.uint64(b & 63)
        nodes.left[node, b >> 6] = (nodes.left[node, b >> 6] if b & 63 else np.uint64(0)) | bit


@jit
def _split(
    node: int, n_nodes: int, size: Size, table: BinnedRows, bench: Bench, nodes: Nodes
) -> None:
    """Divide the rows of a node between two new leaves."""
    facts, order, n_left = nodes.facts, bench.order, bench.n_left
    start, stop, depth = facts[node, START], facts[node, STOP], facts[node, DEPTH]
    for b in range(256):
        bench.left[b] = (nodes.left[node, b >> 6] >> np.uint64(b & 63)) & np.uint64(1)
    order[KIND], order[FIRST], order[LAST] = DIVIDE, start, stop
    order[COLUMN] = facts[node, FEATURE]
    n_chunks = (stop - start + partition.CHUNK - 1) // partition.CHUNK
    run_tasks(n_chunks, size.n_workers, table, bench)
    total = 0
    for k in range(n_chunks):
        total += n_left[k]
    n_left[-1] = total
    order[KIND] = MOVE
    run_tasks(n_chunks, size.n_workers, table, bench)
    facts[node, CHILD] = n_nodes
    nodes.gains[node] = -nodes.gains[node]  # it is no leaf any more, and its gain is remembered
    _add_node(nodes, n_nodes, start, start + total, depth + 1)
    _add_node(nodes, n_nodes + 1, start + total, stop, depth + 1)
