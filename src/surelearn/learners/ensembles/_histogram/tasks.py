"""What workers do for a tree: write, count, find, divide, move, step; and what they share."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing, compiled_apart, entrance
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._histogram import histogram, partition, tickets
from surelearn.learners.ensembles._histogram.binning import Bins
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.ensembles._histogram.histogram import Rows, Words
from surelearn.learners.ensembles._histogram.newton import newton_step
from surelearn.learners.ensembles._histogram.records import Records, write_words
from surelearn.learners.ensembles._histogram.splitting import (
    NO_GAIN,
    ROWS_ADDED,
    Room,
    Table,
    best_split,
    total,
)

COUNT, DIVIDE, MOVE, WRITE, STEP = range(5)
"""The kinds of tasks."""

KIND, N_TASKS, FIRST, LAST, COLUMN, SMALL, LARGE, SUBTRACT, LARGE_FIRST, LARGE_LAST = range(10)
"""What the order that workers carry out says, and where.

Rows FIRST to LAST - 1 are counted in slot SMALL, or divided by COLUMN. Slot LARGE, -1 if there is
none, has SMALL subtracted from it, or else LARGE_FIRST to LARGE_LAST - 1 are counted there. Steps
are those of the leaves among nodes 0 to LAST - 1.
"""

TREE, LISTED, CODE = 10, 11, 12
"""The number of the tree, whether the rows that it grows from are listed, or else it is all, and
where the code of `do_task` is."""

RATE, PENALTY = 2, 3
"""Where these stand among the terms, behind the units."""

WRITTEN = 2**14
"""The rows that one task writes."""

ORDER = 16
"""The length of an order."""

START, STOP, DEPTH, SLOT, FEATURE, CUT, CHILD, OPEN = range(8)
"""What is known of a node: its rows, its depth, its histogram, its question, its first child,
and whether it may be split."""

FIELDS = 8
"""How much that is."""


class BinnedRows(NamedTuple):
    """The training rows: the same for all trees, but for the gradient words.

    Attributes
    ----------
    codes
        The bin of each cell, column by column.
    records
        The same row by row, with gradient words.
    starts
        Where the bins of each column begin in a histogram; each has one for missing cells.
    is_set
        Which columns hold categories; None if none does.
    signs
        1 or -1 for a column with which predictions may only grow, or fall; else 0.
    """

    codes: Codes
    records: Records
    starts: Indices
    is_set: Indices | None
    signs: Indices


def sets_of(bins: Bins) -> Indices | None:
    """Return which columns hold categories; None if none does, so that less is compiled."""
    return bins.is_categorical.astype(np.int64) if bins.is_categorical.any() else None


class Bench(NamedTuple):
    """What all workers share; each has its own part of the last four.

    Attributes
    ----------
    control, order
        The ticket, and what its tasks are.
    rows, sides
        The places of rows, those of each node side by side, and room to divide them.
    n_left
        How many rows of each chunk go left; how many of the node do, at the end.
    left
        For each bin whether it goes left at the node that is divided.
    sums
        Histograms: slots, gradients and hessians, bins of all columns.
    found
        For the small and the large child, and each column, gain, cut and side of gaps.
    allowed
        Which columns may be asked about.
    limits
        Limits of splits, as `surelearn.learners.ensembles._histogram.splitting` has them.
    facts, gradients, hessians
        Those of the tree that grows.
    scores, steps
        Of the rows; of the nodes, before they are taken at a rate.
    terms
        The units of gradients and of hessians, the rate of steps and the penalty of their squares.
    """

    control: Indices
    order: Indices
    rows: Rows
    sides: Rows
    n_left: Indices
    left: Table
    sums: NDArray[np.int64]
    found: NDArray[np.float64]
    allowed: Table
    limits: Vector
    facts: Indices
    gradients: Vector
    hessians: Vector
    scores: Vector
    steps: Vector
    terms: Vector
    scratch: Words
    bounds: Indices
    ordered: NDArray[np.int64]
    gains: Matrix


@entrance
def do_task(worker: int, task: int, table: BinnedRows, bench: Bench) -> None:
    """Do one task of the order."""
    order = bench.order
    first, last, kind = order[FIRST], order[LAST], order[KIND]
    if kind == COUNT:
        count_and_find(worker, task, table, bench)
    elif kind == DIVIDE:
        start = first + task * partition.CHUNK
        stop = min(start + partition.CHUNK, last)
        column = table.codes[order[COLUMN]]
        bench.n_left[task] = partition.divide_chunk(
            bench.rows, start, stop, column, bench.left, bench.sides
        )
    elif kind == MOVE:
        partition.move_chunk(bench.rows, task, first, last, bench.n_left, bench.sides)
    elif kind == WRITE:
        first = task * WRITTEN
        last = min(first + WRITTEN, len(bench.gradients))
        write_words(
            bench.gradients, bench.hessians, bench.terms, order[TREE], first, last, table.records, 0
        )
        if not order[LISTED]:
            _list_rows(first, last, bench.rows)
    else:
        slopes, n_tasks = (bench.gradients, bench.hessians), order[N_TASKS]
        for node in range(last * task // n_tasks, last * (task + 1) // n_tasks):
            if not bench.facts[node, CHILD]:
                _step(node, bench.facts, bench.rows, slopes, bench.terms, bench.steps, bench.scores)


# Those that take few arrays are told these alone: a bench is handed over as two hundred numbers.


@borrowing
def _list_rows(first: int, last: int, rows: Rows) -> None:
    """List some rows, since all are wanted."""
    for i in range(first, last):
        rows[i] = np.int32(i)


@borrowing
def _step(
    leaf: int,
    facts: Indices,
    rows: Rows,
    slopes: tuple[Vector, Vector],
    terms: Vector,
    steps: Vector,
    scores: Vector,
) -> None:
    """Write a leaf's Newton step, summed in the order of its rows, and move their scores."""
    first, last, rate = facts[leaf, START], facts[leaf, STOP], terms[RATE]
    step = newton_step(rows, first, last, slopes[0], slopes[1], terms[PENALTY])
    steps[leaf] = step
    for i in range(first, last):
        scores[np.uint64(rows[i])] += rate * step


@borrowing
def count_and_find(worker: int, task: int, table: BinnedRows, bench: Bench) -> None:
    """Count the small child, subtract it from its parent, find the best split of each column."""
    order, starts, limits = bench.order, table.starts, bench.limits
    n_words, n_tasks = (len(starts) + 6) >> 3, order[N_TASKS]
    w, last_word = n_words * task // n_tasks, n_words * (task + 1) // n_tasks
    end = min(8 * last_word, len(starts) - 1)
    for child in range(1 if order[LARGE] < 0 else 2):
        sums = bench.sums[order[SMALL + child]]
        if child == 1 and order[SUBTRACT]:
            small = bench.sums[order[SMALL]]
            histogram.subtract(sums, small, int(starts[8 * w]), int(starts[end]))
        else:
            bounds, at_once = bench.bounds[worker], int(limits[ROWS_ADDED])
            bounds[0] = order[LARGE_FIRST] if child else order[FIRST]
            bounds[1] = order[LARGE_LAST] if child else order[LAST]
            bounds[2], bounds[3] = w, last_word
            scratch = bench.scratch[worker]
            histogram.count_words(bench.rows, bounds, table.records, starts, at_once, scratch, sums)
        room = Room(bench.ordered[worker], bench.gains[worker])
        find_splits(8 * w, end, table, sums, bench.allowed, limits, room, bench.found[child])


@borrowing
def find_splits(
    column: int,
    end: int,
    table: BinnedRows,
    sums: Indices,
    allowed: Table,
    limits: Vector,
    room: Room,
    found: Matrix,
) -> None:
    """Write the best split of some columns of one child, whose histogram is given."""
    first = table.starts[column]
    whole = total(sums, first, table.starts[column + 1] - first - 1)
    for j in range(column, end):
        split, start = found[j], table.starts[j]
        split[0] = NO_GAIN
        if allowed[j]:
            n_bins = table.starts[j + 1] - start - 1
            best_split(
                sums,
                (start, n_bins),
                whole,
                (j, table.signs[j]),
                table.is_set,
                limits,
                room,
                split,
            )


@compiled_apart
def do_task_by(code: int, worker: int, task: int, table: BinnedRows, bench: Bench) -> None:
    """Do one task of the order by code that was compiled apart: half of all that is compiled."""
    del code
    do_task(worker, task, table, bench)


@borrowing
def take_part(worker: int, table: BinnedRows, bench: Bench) -> int:
    """Do tasks of the ticket until none is left; return how many."""
    n_done, task = 0, tickets.take(bench.control)
    while task >= 0:
        do_task_by(bench.order[CODE], worker, task, table, bench)
        tickets.finish(bench.control)
        n_done += 1
        task = tickets.take(bench.control)
    return n_done


@borrowing
def run_tasks(worker: int, n_tasks: int, table: BinnedRows, bench: Bench) -> None:
    """Have the order carried out, taking part, and return when all is done."""
    bench.order[N_TASKS] = n_tasks
    tickets.publish(bench.control, n_tasks)
    take_part(worker, table, bench)
    tickets.wait(bench.control)


@borrowing
def help_out(worker: int, table: BinnedRows, bench: Bench) -> None:
    """Take tasks until the tree is grown."""
    looks = 0
    while not tickets.is_over(bench.control):
        looks = 0 if take_part(worker, table, bench) else tickets.rest(looks)
