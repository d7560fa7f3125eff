"""Growth: the leaf whose split gains most is split first, until there are enough leaves."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing, entrance
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._histogram import partition, tickets
from surelearn.learners.ensembles._histogram.queue import dequeue, enqueue
from surelearn.learners.ensembles._histogram.splitting import (
    MIN_ROWS,
    NO_GAIN,
    RARE,
    Room,
    Table,
    write_left,
)
from surelearn.learners.ensembles._histogram.tasks import (
    CHILD,
    COLUMN,
    COUNT,
    CUT,
    DEPTH,
    DIVIDE,
    FEATURE,
    FIRST,
    KIND,
    LARGE,
    LARGE_FIRST,
    LARGE_LAST,
    LAST,
    MOVE,
    OPEN,
    SLOT,
    SMALL,
    START,
    STEP,
    STOP,
    SUBTRACT,
    WRITE,
    WRITTEN,
    Bench,
    BinnedRows,
    help_out,
    run_tasks,
)

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
    queue
        The leaves that may be split, and at the end, how many these are.
    """

    facts: Indices
    gains: Vector
    left: NDArray[np.uint64]
    free: Indices
    queue: Indices


class Size(NamedTuple):
    """How large the tree may become, and how many workers grow it."""

    max_leaves: int
    max_depth: int
    most_features: int
    n_workers: int


@entrance
def work_on_tree(
    worker: int, n_rows: int, size: Size, table: BinnedRows, bench: Bench, nodes: Nodes
) -> int:
    """Grow a tree of the first rows of the bench; return its number of nodes. Others help out.

    Worker 0 grows it. If there are scores, those of the rows of each leaf take their step.
    """
    if worker > 0:
        help_out(worker, table, bench)
        return 0
    bench.order[KIND] = WRITE
    run_tasks(worker, (len(bench.gradients) + WRITTEN - 1) // WRITTEN, table, bench)
    n_nodes = _grow(worker, n_rows, size, table, bench, nodes)
    if len(bench.scores):
        bench.order[KIND], bench.order[LAST] = STEP, n_nodes
        run_tasks(worker, min(n_nodes, tickets.MOST_TASKS), table, bench)
    tickets.end(bench.control)
    return n_nodes


@borrowing
def _grow(
    worker: int, n_rows: int, size: Size, table: BinnedRows, bench: Bench, nodes: Nodes
) -> int:
    """Split the leaf that gains most, until none gains or there are enough."""
    n_nodes, gains, facts = 1, nodes.gains, nodes.facts
    add_node(0, (0, n_rows, 0), size.max_depth, bench.limits, facts, gains)
    gains[0] = np.inf  # to be evaluated first
    enqueue(0, gains, nodes.queue)
    while n_nodes < 2 * size.max_leaves - 1:
        node = dequeue(gains, nodes.queue)
        if node < 0:
            break
        small, large, feature = node, -1, facts[node, FEATURE]
        if feature >= 0 and bench.allowed[feature]:
            remember_feature(feature, size.most_features, bench.allowed)
            _split(worker, node, n_nodes, size, table, bench, nodes)
            small, large = _by_size(facts, n_nodes)
            n_nodes += 2
        _evaluate(worker, small, large, size, table, bench, nodes)
        enqueue(small, gains, nodes.queue)
        if large >= 0:
            enqueue(large, gains, nodes.queue)
    return n_nodes


@borrowing
def remember_feature(feature: int, most: int, allowed: NDArray[np.uint8]) -> None:
    """Note that the tree asks about a feature; after enough of them it asks about no other."""
    allowed[feature] = 2
    n_used = 0
    for j in range(len(allowed)):
        n_used += allowed[j] == 2
    if n_used == most:
        for j in range(len(allowed)):
            allowed[j] = 2 if allowed[j] == 2 else 0


@borrowing
def _by_size(facts: Indices, child: int) -> tuple[int, int]:
    """Return the smaller and the larger of two siblings."""
    n_left = facts[child, STOP] - facts[child, START]
    swap = n_left > facts[child + 1, STOP] - facts[child + 1, START]
    return (child + 1, child) if swap else (child, child + 1)


@borrowing
def add_node(
    node: int,
    known: tuple[int, int, int],
    max_depth: int,
    limits: Vector,
    facts: Indices,
    gains: Vector,
) -> None:
    """Write what is known of a new leaf, its rows and its depth.

    It may be split if it has rows enough for two.
    """
    start, stop, depth = known
    facts[node, START], facts[node, STOP], facts[node, DEPTH] = start, stop, depth
    facts[node, SLOT], facts[node, CHILD], facts[node, FEATURE] = _NO_SLOT, 0, -1
    facts[node, OPEN] = stop - start >= 2 * limits[MIN_ROWS] and depth < max_depth
    gains[node] = NO_GAIN


@borrowing
def _take_slot(free: Indices) -> int:
    """Return a free slot, or -1."""
    if free[-1] == 0:
        return _NO_SLOT
    free[-1] -= 1
    return int(free[free[-1]])


@borrowing
def _give_back(free: Indices, slot: int) -> None:
    """Let others use a slot."""
    if slot != _NO_SLOT:
        free[free[-1]] = slot
        free[-1] += 1


@borrowing
def _n_count_tasks(n_columns: int, n_workers: int) -> int:
    """Return into how many tasks the words of the columns are dealt: not too many words each."""
    n_words = (n_columns + 7) >> 3
    # Every task reads all rows once more, so there are no more of them than workers need.
    return max(min(n_words, n_workers), (n_words + 7) >> 3)


@borrowing
def _evaluate(
    worker: int,
    small: int,
    large: int,
    size: Size,
    table: BinnedRows,
    bench: Bench,
    nodes: Nodes,
) -> None:
    """Find the best split of two new leaves, of which only the smaller one is counted; or of one.

    The larger one has the slot of its parent, if that had one. Without a free slot leaves are
    counted in one of the two spare ones, and their histograms are forgotten.
    """
    facts, order, spare = nodes.facts, bench.order, len(bench.sums) - 2
    facts[small, SLOT] = _take_slot(nodes.free) if facts[small, SLOT] < 0 else facts[small, SLOT]
    order[KIND], order[FIRST], order[LAST] = COUNT, facts[small, START], facts[small, STOP]
    order[SMALL] = facts[small, SLOT] if facts[small, SLOT] >= 0 else spare
    order[LARGE], order[SUBTRACT] = -1, 0
    if large >= 0:
        order[SUBTRACT] = facts[large, SLOT] >= 0
        facts[large, SLOT] = facts[large, SLOT] if order[SUBTRACT] else _take_slot(nodes.free)
        order[LARGE] = facts[large, SLOT] if facts[large, SLOT] >= 0 else spare + 1
        order[LARGE_FIRST], order[LARGE_LAST] = facts[large, START], facts[large, STOP]
    if facts[small, OPEN] or (large >= 0 and facts[large, OPEN]):
        run_tasks(worker, _n_count_tasks(len(table.starts) - 1, size.n_workers), table, bench)
    for which in range(2 if large >= 0 else 1):
        leaf = large if which else small
        nodes.gains[leaf] = NO_GAIN
        if facts[leaf, OPEN]:
            sums, found = bench.sums[order[SMALL + which]], bench.found[which]
            room = Room(bench.ordered[0], bench.gains[0])
            choose(leaf, table, sums, found, bench.limits, room, bench.left, nodes)
        if nodes.gains[leaf] <= 0.0:
            _give_back(nodes.free, facts[leaf, SLOT])
            facts[leaf, SLOT] = _NO_SLOT


@borrowing
def choose(
    node: int,
    table: BinnedRows,
    sums: Indices,
    found: Matrix,
    limits: Vector,
    room: Room,
    left: Table,
    nodes: Nodes,
) -> None:
    """Write the best split of all columns to the node; of equal gains the first column wins."""
    best = 0
    for j in range(len(found)):
        if found[j, 0] > found[best, 0]:
            best = j
    nodes.gains[node] = found[best, 0]
    if found[best, 0] <= 0.0:
        return
    start, split = table.starts[best], (best, np.int64(found[best, 1]), np.int64(found[best, 2]))
    nodes.facts[node, FEATURE], nodes.facts[node, CUT] = best, split[1]
    bins = start, table.starts[best + 1] - start - 1
    write_left(sums, bins, table.is_set, split, limits[RARE], room, left)
    for b in range(256):
        bit = np.uint64(left[b]) << np.uint64(b & 63)
        nodes.left[node, b >> 6] = (nodes.left[node, b >> 6] if b & 63 else np.uint64(0)) | bit


@borrowing
def _split(
    worker: int,
    node: int,
    n_nodes: int,
    size: Size,
    table: BinnedRows,
    bench: Bench,
    nodes: Nodes,
) -> None:
    """Divide the rows of a node between two new leaves."""
    facts, order, n_left = nodes.facts, bench.order, bench.n_left
    start, stop, depth = facts[node, START], facts[node, STOP], facts[node, DEPTH]
    for b in range(256):
        bench.left[b] = (nodes.left[node, b >> 6] >> np.uint64(b & 63)) & np.uint64(1)
    order[FIRST], order[LAST], order[COLUMN] = start, stop, facts[node, FEATURE]
    n_chunks = (stop - start + partition.CHUNK - 1) // partition.CHUNK
    total = 0
    for kind in (DIVIDE, MOVE):
        order[KIND] = kind
        run_tasks(worker, n_chunks, table, bench)
        total = 0
        for k in range(n_chunks):
            total += n_left[k]
        n_left[-1] = total
    facts[node, CHILD] = n_nodes
    nodes.gains[node] = -nodes.gains[node]  # it is no leaf any more, and its gain is remembered
    for side in range(2):
        known = (start + total, stop, depth + 1) if side else (start, start + total, depth + 1)
        add_node(n_nodes + side, known, size.max_depth, bench.limits, facts, nodes.gains)
    facts[_by_size(facts, n_nodes)[1], SLOT] = facts[node, SLOT]
