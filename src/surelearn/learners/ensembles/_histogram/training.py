"""Growing trees from one table, one after the other: what they share is laid out once."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn import _threads
from surelearn._jit import code_of
from surelearn._typing import Indices, Vector
from surelearn.learners.ensembles._histogram import grower, histogram, partition, records, tickets
from surelearn.learners.ensembles._histogram.binning import Bins
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.ensembles._histogram.grower import Nodes, Size
from surelearn.learners.ensembles._histogram.histogram import Rows
from surelearn.learners.ensembles._histogram.pacing import Pace
from surelearn.learners.ensembles._histogram.splitting import L2, MIN_HESSIAN, ROOM, SET_L2
from surelearn.learners.ensembles._histogram.tasks import (
    CHILD,
    CODE,
    FEATURE,
    FIELDS,
    LISTED,
    ORDER,
    START,
    STOP,
    TREE,
    Bench,
    BinnedRows,
    do_task,
    sets_of,
)
from surelearn.learners.ensembles._histogram.trees import HistogramTrees

MOST_ROWS = 2**26 - 1
"""The largest number of rows: a histogram counts them in 26 bits."""

_MEMORY = 2**28  # words of histograms that are kept; more leaves are counted again
FEW_ROWS = 60_000
"""Rows that one worker has gone through before another has begun."""

_FEW = 20_000  # cells of a table whose trees one worker finishes before another has begun
_DEEPEST = 2**31
_NOWHERE = np.zeros(0)
_CHANGING = ("gradients", "hessians", "scores", "steps", "terms")


class GrowthLimits(NamedTuple):
    """When a tree stops growing.

    Attributes
    ----------
    max_leaves, max_depth
        The largest number of leaves, and of questions on a path; None for no limit of depth.
    min_rows
        The least number of rows of a leaf.
    l2
        The penalty of squared leaf values.
    min_hessian
        The least sum of hessians of a leaf.
    most_features
        The largest number of columns that one tree asks about; None for no limit.
    set_l2
        What is added to that penalty where a split by a set of categories is judged, since that
        set was chosen among many.
    rare_rows
        The number of rows of a node below which a category goes with all other rare ones.
    """

    max_leaves: int = 31
    max_depth: int | None = None
    min_rows: int = 20
    l2: float = 0.0
    min_hessian: float = 0.0
    most_features: int | None = None
    set_l2: float = 0.0
    rare_rows: int = 1


class GrownTree(NamedTuple):
    """A tree without values, and the rows of its leaves.

    Attributes
    ----------
    facts, gains, left
        What is known of its nodes; see `surelearn.learners.ensembles._histogram.grower`.
    rows
        The places of all rows it was grown from, those of each node side by side.
    leaves, starts, stops
        The places of the leaves, and where the rows of each begin and end.
    """

    facts: Indices
    gains: Vector
    left: NDArray[np.uint64]
    rows: Rows
    leaves: Indices
    starts: Indices
    stops: Indices

    @classmethod
    def of(cls, nodes: Nodes, n_nodes: int, units: Vector, rows: Rows) -> "GrownTree":
        """Return a tree that has stopped growing; its gains are in units of gradients."""
        facts = nodes.facts[:n_nodes].copy()
        leaves = np.flatnonzero(facts[:, CHILD] == 0)
        gains = -nodes.gains[:n_nodes]
        gains[leaves] = 0.0
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # huge targets
            gains = np.minimum(gains * (units[1] / units[0] / units[0]), np.finfo(np.float64).max)
        starts, stops = facts[leaves, START], facts[leaves, STOP]
        return cls(facts, gains, nodes.left[:n_nodes].copy(), rows, leaves, starts, stops)

    def with_values(self, values: Vector) -> HistogramTrees:
        """Return the tree with a value for each of its nodes."""
        refuse_infinite(values)
        child, nodes = self.facts[:, CHILD].copy(), np.arange(len(self.facts))
        leaf = child == 0
        child[leaf] = nodes[leaf]
        left, feature = self.left.copy(), self.facts[:, FEATURE].copy()
        left[leaf], feature[leaf] = np.uint64(2**64 - 1), 0
        return HistogramTrees(
            feature,
            left,
            child,
            np.where(leaf, values, 0.0),
            np.where(leaf, 0.0, self.gains),
            self.facts[:, STOP] - self.facts[:, START],
            np.array([0, len(nodes)]),
        )


def refuse_infinite(sums: NDArray[np.float64]) -> None:
    """Refuse values of trees, or sums of them, that are beyond all floats.

    Examples
    --------
    >>> refuse_infinite(np.array([1e308, np.inf]))
    Traceback (most recent call last):
    ValueError: boosting went beyond all floats: lower learning_rate, or rescale the targets
    """
    if not np.isfinite(sums).all():
        raise ValueError(
            "boosting went beyond all floats: lower learning_rate, or rescale the targets"
        )


class Stepping(NamedTuple):
    """Newton steps that scores take as soon as a tree is grown.

    Attributes
    ----------
    scores
        What is predicted for the rows so far; it changes in place.
    rate, l2
        What part of each step is taken, and the penalty of squared steps.
    steps
        Room for the whole step of each node that is a leaf.
    """

    scores: Vector
    rate: float
    l2: float
    steps: Vector


class TreeGrower:
    """Grows trees from encoded rows by their gradients and hessians.

    Parameters
    ----------
    codes, bins
        The rows, and what encoded them.
    limits
        When a tree stops growing.
    signs
        1 or -1 for a column with which predictions may only grow, or fall; else 0.
    workers
        The threads that grow trees; the result does not depend on their number.
    """

    def __init__(
        self,
        codes: Codes,
        bins: Bins,
        limits: GrowthLimits,
        *,
        signs: Indices,
        workers: _threads.Workers,
    ) -> None:
        d, n = codes.shape
        starts = np.zeros(d + 1, dtype=np.int64)
        starts[1:] = np.cumsum(bins.n_bins + 1)
        self._workers = workers if codes.size > _FEW else _threads.Workers(None, 1)
        self._pace = Pace(self._workers, codes.size)
        self._fields = records.Fields.of(n)
        self._limits = limits
        self._table = BinnedRows(
            codes,
            records.empty_records(n, d),
            starts,
            sets_of(bins),
            np.asarray(signs, dtype=np.int64),
        )
        self._each(lambda first, last: records.pack_codes(codes, first, last, self._table.records))
        n_nodes = 2 * limits.max_leaves - 1
        facts = np.zeros((n_nodes, FIELDS), dtype=np.int64)
        crew, rows_added = self._workers.size, self._fields.rows_added
        self._bench = make_bench(self._table, facts, limits, crew, rows_added)
        self._bench.order[CODE] = code_of(do_task, 0, 0, self._table, self._bench)
        self._nodes = Nodes(
            facts,
            np.zeros(n_nodes),
            np.zeros((n_nodes, 4), dtype=np.uint64),
            np.zeros(len(self._bench.sums) - 1, dtype=np.int64),
            np.zeros(limits.max_leaves + 1, dtype=np.int64),
        )
        depth = _DEEPEST if limits.max_depth is None else limits.max_depth
        most = d + 1 if limits.most_features is None else limits.most_features
        self._size = Size(limits.max_leaves, depth, most, self._workers.size)

    def grow(
        self,
        gradients: Vector,
        hessians: Vector,
        *,
        number: int,
        rows: Indices | None = None,
        columns: Indices | None = None,
        stepping: "Stepping | None" = None,
    ) -> GrownTree:
        """Return the tree that lowers the loss's second-order expansion greedily.

        Parameters
        ----------
        gradients, hessians
            The derivatives of the loss of each row; hessians are not negative.
        number
            The number of the tree, by which gradients are rounded up or down.
        rows, columns
            The sorted places of the rows it grows from, and of the columns it may ask about; None
            means all.
        stepping
            Whose scores take the step of their leaf; without it nothing moves.
        """
        units = units_of(self._fields, *largest_slopes(gradients, hessians))
        moved = Stepping(_NOWHERE, 0.0, 0.0, _NOWHERE) if stepping is None else stepping
        terms = np.array([*units, moved.rate, moved.l2])
        changing = (gradients, hessians, moved.scores, moved.steps, terms)
        _refuse_other_kinds(changing)
        bench = self._bench._replace(**dict(zip(_CHANGING, changing, strict=True)))
        nodes = self._nodes
        n_rows = len(gradients) if rows is None else len(rows)
        if rows is not None:
            bench.rows[:n_rows] = rows
        bench.order[TREE], bench.order[LISTED] = number, rows is not None
        bench.allowed[:] = 1 if columns is None else 0
        bench.allowed[slice(None) if columns is None else columns] = 1
        write_limits(bench.limits, self._limits, float(units[1]))
        bench.control[:] = 0
        nodes.free[:-1], nodes.free[-1] = np.arange(len(nodes.free) - 1), len(nodes.free) - 1
        nodes.queue[-1] = 0

        def work(crew: _threads.Workers, worker: int) -> int:
            size = self._size._replace(n_workers=crew.size)
            return grower.work_on_tree(worker, n_rows, size, self._table, bench, nodes)

        def end() -> None:
            bench.control[tickets.OVER] = 1

        return GrownTree.of(nodes, self._pace.lead(work, end), units, bench.rows[:n_rows])

    def _each(self, work: Callable[[int, int], Any]) -> None:
        """Do work that is told first and last row on all rows, in equal parts."""
        n = len(self._table.records)
        parts = self._workers.size if n > FEW_ROWS else 1
        cuts = [n * i // parts for i in range(parts + 1)]
        self._workers.map(lambda i: work(cuts[i], cuts[i + 1]), range(parts))


def _refuse_other_kinds(arrays: tuple[Vector, ...]) -> None:
    """Refuse arrays of another kind than tasks are compiled for: their code is called unasked."""
    for each in arrays:
        if each.dtype != np.float64 or each.ndim != 1 or not each.flags.carray:
            raise TypeError("trees grow by arrays of doubles without gaps, which can be written to")


def largest_slopes(gradients: Vector, hessians: Vector) -> tuple[float, float]:
    """Return the size of the largest gradient, and the largest hessian."""
    return max(float(gradients.max()), -float(gradients.min())), float(hessians.max())


def units_of(fields: records.Fields, gradient: float, hessian: float) -> Vector:
    """Return how many units of a field the largest gradient, and hessian, is divided into."""
    return np.array(
        [fields.gradient / max(gradient, 1e-300), fields.hessian / max(hessian, 1e-300)]
    )


def write_limits(written: Vector, limits: GrowthLimits, unit: float) -> None:
    """Write what a split may do, hessians in units of those in histograms."""
    written[[L2, MIN_HESSIAN, SET_L2]] = (
        limits.l2 * unit,
        limits.min_hessian * unit,
        (limits.l2 + limits.set_l2) * unit,
    )


def make_bench(
    table: BinnedRows, facts: Indices, limits: GrowthLimits, n_workers: int, rows_added: int
) -> Bench:
    """Return what workers share; gradients are those of no tree yet."""
    d, n = table.codes.shape
    n_slots = max(1, min(limits.max_leaves, _MEMORY // int(2 * table.starts[-1])))
    return Bench(
        control=np.zeros(tickets.CONTROL, dtype=np.int64),
        order=np.zeros(ORDER, dtype=np.int64),
        rows=np.zeros(n, dtype=np.int32),
        sides=np.zeros(n, dtype=np.int32),
        n_left=np.zeros(-(-n // partition.CHUNK) + 1, dtype=np.int64),
        left=np.zeros(256, dtype=np.uint8),
        sums=np.zeros((n_slots + 2, 2, int(table.starts[-1])), dtype=np.int64),
        found=np.zeros((2, d, 3)),
        allowed=np.ones(d, dtype=np.uint8),
        limits=np.array([0.0, limits.min_rows, 0.0, rows_added, 0.0, limits.rare_rows]),
        facts=facts,
        gradients=_NOWHERE,
        hessians=_NOWHERE,
        scores=_NOWHERE,
        steps=_NOWHERE,
        terms=_NOWHERE,
        scratch=np.zeros((n_workers, histogram.SCRATCH), dtype=np.uint64),
        bounds=np.zeros((n_workers, 8), dtype=np.int64),
        ordered=np.zeros((n_workers, *ROOM), dtype=np.int64),
        gains=np.zeros((n_workers, ROOM[1])),
    )
