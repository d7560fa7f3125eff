"""Growing a tree from histograms that others count: which nodes to count next, and where to split.

The leaf whose split gains most is split first, as in `grower`. Children of all leaves that may be
split are asked for together, so that a tree takes about as many passes as it has levels.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import entrance, jit
from surelearn._typing import Indices
from surelearn.learners.ensembles._histogram.binning import Bins
from surelearn.learners.ensembles._histogram.grower import Nodes, choose, remember_feature
from surelearn.learners.ensembles._histogram.histogram import COUNT_BITS
from surelearn.learners.ensembles._histogram.records import Fields
from surelearn.learners.ensembles._histogram.splitting import NO_GAIN, Room
from surelearn.learners.ensembles._histogram.tasks import (
    CHILD,
    DEPTH,
    FEATURE,
    FIELDS,
    OPEN,
    START,
    STOP,
    Bench,
    BinnedRows,
    find_splits,
    sets_of,
)
from surelearn.learners.ensembles._histogram.training import (
    GrownTree,
    GrowthLimits,
    make_bench,
    write_limits,
)

Sums = NDArray[np.int64]
"""Gradients, and hessians with counts, of all bins: two rows."""

_COUNT_MASK = (1 << COUNT_BITS) - 1
_DEEPEST = 2**31


class Split(NamedTuple):
    """A question: its column, and the bins that go left, 256 bits."""

    feature: int
    left: bytes

    def table(self) -> NDArray[np.uint8]:
        """Return for each bin whether it goes left."""
        return np.unpackbits(np.frombuffer(self.left, dtype=np.uint8), bitorder="little")


Path = tuple[tuple[Split, int], ...]
"""The questions that lead to a node, each with its side: 0 for left."""


def layout(bins: Bins, signs: Indices) -> BinnedRows:
    """Return where the bins of each column stand in a histogram; there are no rows."""
    d = bins.n_features
    starts = np.zeros(d + 1, dtype=np.int64)
    starts[1:] = np.cumsum(bins.n_bins + 1)
    codes, records = np.zeros((d, 0), dtype=np.uint8), np.zeros((0, 1), dtype=np.uint64)
    return BinnedRows(codes, records, starts, sets_of(bins), np.asarray(signs, dtype=np.int64))


@entrance
def _best_of_node(n_columns: int, node: int, table: BinnedRows, bench: Bench, nodes: Nodes) -> None:
    """Write the best split of the histogram in the first slot to a node."""
    sums, found, limits = bench.sums[0], bench.found[0], bench.limits
    room = Room(bench.ordered[0], bench.gains[0])
    find_splits(0, n_columns, table, sums, bench.allowed, limits, room, found)
    choose(node, table, sums, found, limits, room, bench.left, nodes)


class TreeInPasses:
    """A tree that grows as histograms of its nodes arrive.

    Parameters
    ----------
    bins, limits, signs
        As for `TreeGrower`.
    units
        Of gradients and hessians.
    columns
        The columns that it may ask about; None for all.
    """

    def __init__(
        self,
        bins: Bins,
        limits: GrowthLimits,
        *,
        signs: Indices,
        units: Any,
        columns: Indices | None,
    ) -> None:
        self._limits, self._units, self._columns = limits, units, columns
        self._table = layout(bins, signs)
        n_nodes = 2 * limits.max_leaves - 1
        facts = np.zeros((n_nodes, FIELDS), dtype=np.int64)
        small = limits._replace(max_leaves=1)
        self._bench = make_bench(self._table, facts, small, 1, Fields.of(1).rows_added)
        write_limits(self._bench.limits, limits, float(units[1]))
        self._nodes = Nodes(
            facts,
            np.zeros(n_nodes),
            np.zeros((n_nodes, 4), dtype=np.uint64),
            np.zeros(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )
        self._known: dict[Path, Sums] = {}
        self.paths: list[Path] = [()]
        self.n_nodes = 0

    def take(self, path: Path, sums: Sums) -> None:
        """Take the histogram of a node that was asked for; that of its sibling follows."""
        self._known[path] = sums
        if path:
            split, side = path[-1]
            self._known[(*path[:-1], (split, 1 - side))] = self._known[path[:-1]] - sums

    def wanted(self) -> list[Path]:
        """Grow as far as the histograms tell; return the nodes to be counted, none at the end."""
        if () not in self._known:
            return [()]
        if self.n_nodes == 0:
            self._begin()
        facts, gains, limits = self._nodes.facts, self._nodes.gains, self._limits
        while self.n_nodes < 2 * limits.max_leaves - 1:
            node = int(np.argmax(gains[: self.n_nodes]))
            if gains[node] <= 0.0:
                return []
            if not self._bench.allowed[facts[node, FEATURE]]:
                self._evaluate(node)  # the tree asks about other columns by now
                continue
            if self._child(node, 0) not in self._known:
                return self._to_be_counted()
            self._split(node)
        return []

    def grown(self) -> GrownTree:
        """Return the tree that has stopped growing; it knows how many rows it has, not which."""
        return GrownTree.of(self._nodes, self.n_nodes, self._units, np.zeros(0, dtype=np.int32))

    def _begin(self) -> None:
        self._bench.allowed[:] = 1 if self._columns is None else 0
        self._bench.allowed[slice(None) if self._columns is None else self._columns] = 1
        self.paths, self.n_nodes = [()], 1
        self._add(0, 0)

    def _split_of(self, node: int) -> Split:
        return Split(int(self._nodes.facts[node, FEATURE]), self._nodes.left[node].tobytes())

    def _child(self, node: int, side: int) -> Path:
        return (*self.paths[node], (self._split_of(node), side))

    def _to_be_counted(self) -> list[Path]:
        """Return the smaller child of each leaf that may be split; the best of them are enough."""
        gains = self._nodes.gains[: self.n_nodes]
        n_more = self._limits.max_leaves - (self.n_nodes + 1) // 2
        best = np.argsort(-gains, kind="stable")[:n_more]
        found = [self._smaller_child(int(node)) for node in best if gains[node] > 0.0]
        return [path for path in found if path not in self._known]

    def _smaller_child(self, node: int) -> Path:
        """Return the child with fewer rows, by the counts of the bins of its parent."""
        split = self._split_of(node)
        start, stop = self._table.starts[split.feature : split.feature + 2]
        counts = self._known[self.paths[node]][1, start:stop] & _COUNT_MASK
        table = split.table().astype(bool)
        goes_left = np.append(table[: stop - start - 1], table[255])
        return self._child(node, int(2 * counts[goes_left].sum() > counts.sum()))

    def _split(self, node: int) -> None:
        most = self._limits.most_features
        d = len(self._bench.allowed)
        feature = int(self._nodes.facts[node, FEATURE])
        _remember(feature, d + 1 if most is None else most, self._bench.allowed)
        children = [self._child(node, side) for side in range(2)]
        first, depth = self.n_nodes, int(self._nodes.facts[node, DEPTH]) + 1
        self._nodes.facts[node, CHILD] = first
        self._nodes.gains[node] = -self._nodes.gains[node]
        self.paths.extend(children)
        self.n_nodes += 2
        for child in (first, first + 1):
            self._add(child, depth)

    def _add(self, node: int, depth: int) -> None:
        """Write what is known of a new leaf, and find its best split."""
        facts, limits = self._nodes.facts, self._limits
        n_rows = _n_rows(self._known[self.paths[node]], int(self._table.starts[1]))
        deepest = _DEEPEST if limits.max_depth is None else limits.max_depth
        facts[node] = 0
        facts[node, START], facts[node, STOP], facts[node, DEPTH] = 0, n_rows, depth
        facts[node, FEATURE] = -1
        facts[node, OPEN] = n_rows >= 2 * limits.min_rows and depth < deepest
        self._evaluate(node)

    def _evaluate(self, node: int) -> None:
        self._nodes.gains[node] = NO_GAIN
        if self._nodes.facts[node, OPEN]:
            self._bench.sums[0] = self._known[self.paths[node]]
            _best_of_node(len(self._bench.allowed), node, self._table, self._bench, self._nodes)


@jit
def _remember(feature: int, most: int, allowed: NDArray[np.uint8]) -> None:
    """Allow no other columns once a tree asks about as many as it may."""
    remember_feature(feature, most, allowed)


def _n_rows(sums: Sums, end: int) -> int:
    """Return the number of rows of a histogram, by its first column."""
    return int((sums[1, :end] & _COUNT_MASK).sum())
