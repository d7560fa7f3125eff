"""Gradient boosting of a table in parts: a pass for the slopes of a round, one for each level.

Histograms are whole numbers, so that they do not depend on who counts which part. What a process
remembers of its parts saves time: their bins, their scores by all trees so far, the nodes of their
rows. One that remembers nothing says so, is told all trees, and begins anew. So no result relies on
what a task before left.
"""

from functools import partial
from operator import add, or_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from surelearn._threads import alone
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import class_weights
from surelearn.base.parted import PartedTable, RowsOfPart, merge_in_order
from surelearn.learners.ensembles import _boosting_settings as settings
from surelearn.learners.ensembles._boosting_losses import Descent
from surelearn.learners.ensembles._boosting_run import Plan, Rounds, leaf_values
from surelearn.learners.ensembles._histogram import records
from surelearn.learners.ensembles._histogram.parted_growth import Path, TreeInPasses, layout
from surelearn.learners.ensembles._histogram.predictor import add_values
from surelearn.learners.ensembles._histogram.training import (
    MOST_ROWS,
    GrownTree,
    largest_slopes,
    units_of,
)
from surelearn.learners.ensembles._histogram.trees import HistogramTrees, no_trees
from surelearn.learners.ensembles._part_memory import MEMORY
from surelearn.learners.ensembles._parted_round import ForgottenError, Round, first_round
from surelearn.learners.ensembles._parted_tables import (
    Door,
    TableSurvey,
    learn_bins_of_parts,
    rows_that_count,
    survey_table,
)


def boost_parts(learner: Any, fitted: Any, parts: PartedTable) -> None:
    """Grow the trees of a learner from a table in parts."""
    settings.check(learner)
    _refuse_what_needs_all_rows(learner, fitted)
    survey = survey_table(learner, parts, labels=hasattr(learner, "class_weight"))
    door, weight = _door(learner, survey)
    counts = rows_that_count(door, parts, survey)
    n_rows = int(counts.sum())
    if n_rows > MOST_ROWS:
        raise ValueError(f"{n_rows} rows are more than {MOST_ROWS}: take a sample of them")
    learner.n_training_rows_ = int(survey.targets.n_rows.sum())
    if all(known is None for known in learner.categories_):
        learner.training_rows_ = survey.hashes
    descent: Descent = learner._descent()  # noqa: SLF001 - a part of it
    _refuse_line_search(learner, descent)
    with alone():  # or the last bits might depend on how many processors there are
        learner.bins_ = learn_bins_of_parts(door, parts, counts, settings.max_bins(learner))
        learner.baseline_ = _start(descent, survey, weight)
        seed = int(check_random_state(learner.random_state).randint(2**31 - 1))
        plan = learner._plan(no_trees(), n_rows, float(weight.sum()) / n_rows, seed)  # noqa: SLF001
        try:
            rounds = _boost(door, parts, plan, counts)
        finally:
            MEMORY.forget()  # in this process; others forget when they need the room
    learner._keep(no_trees(), rounds)  # noqa: SLF001


def _refuse_what_needs_all_rows(learner: Any, fitted: Any) -> None:
    if learner.early_stopping or learner.subsample < 1.0:
        raise ValueError(
            "early_stopping and subsample draw rows from all of them at once, and parts are read "
            "one by one: fit parts with early_stopping=False and subsample=1.0"
        )
    if learner.warm_start and hasattr(fitted, "trees_"):
        raise ValueError("a warm start needs rows in memory: fit parts with warm_start=False")


def _refuse_line_search(learner: Any, descent: Descent) -> None:
    if not descent.is_newton:
        raise ValueError(
            f"loss={learner.loss!r} looks at all residuals of a leaf together, and parts are read "
            "one by one: take loss='squared_error', or rows in memory"
        )


def _door(learner: Any, survey: TableSurvey) -> tuple[Door, Vector]:
    """Return how blocks are read, and the weight of the rows of each class, or of all numbers."""
    targets = survey.targets
    if targets.classes is None:
        return Door(learner, None), targets.weight
    validation.two_or_more(targets.classes)
    each = class_weights(learner.class_weight, targets.classes, targets.n_there)
    weight = each * targets.weight
    if np.count_nonzero(weight) < 2:
        raise ValueError(
            "all rows of positive weight are of one class, or there are none: a classifier needs "
            "examples of two"
        )
    return Door(learner, each), weight


def _start(descent: Descent, survey: TableSurvey, weight: Vector) -> Vector:
    """Return the constant scores of least loss, which the sums of targets tell."""
    if survey.targets.classes is None:
        return descent.start(np.array([survey.targets.total / weight[0]]), np.ones(1))
    return descent.start(np.arange(len(weight), dtype=np.float64), weight)


def _boost(door: Door, parts: PartedTable, plan: Plan, counts: Indices) -> Rounds:
    rounds, now = Rounds(), first_round(door, int(counts.sum()))
    table = _Passes(parts, (np.cumsum(counts) - counts).tolist())
    fields = records.Fields.of(now.n_rows)
    for number in range(plan.n_rounds):
        largest = table.ask(now, _largest_of, np.maximum, begun=False)
        units = [units_of(fields, *pair) for pair in largest.tolist()]
        rng = np.random.default_rng([plan.seed, number])
        d = door.learner.n_features_in_
        growing = [
            TreeInPasses(
                door.learner.bins_,
                plan.limits,
                signs=plan.signs,
                units=unit,
                columns=_drawn(rng, d, plan.max_features),
            )
            for unit in units
        ]
        starts = layout(door.learner.bins_, plan.signs).starts
        _grow(growing, table, now, partial(_histograms_of, units, starts))
        new = _with_values(now, table, plan, [tree.grown() for tree in growing])
        rounds.trees.extend(new)
        now = now.after(new)
    return rounds


def _drawn(rng: np.random.Generator, n: int, share: float) -> Indices | None:
    if share >= 1.0:
        return None
    return np.sort(rng.choice(n, max(1, round(share * n)), replace=False))


class _Told(NamedTuple):
    """The record of some parts, None if there is none, and the numbers of those forgotten."""

    record: Any
    forgotten: tuple[int, ...]


class _Passes(NamedTuple):
    """Passes over all parts of a table; `starts` are the numbers of rows before each part."""

    parts: PartedTable
    starts: list[int]

    def ask(self, now: Round, task: Any, merge: Any, *, begun: bool = True) -> Any:
        """Return the sum of what a task of a round, begun before or not, finds in all parts.

        Those who remember their parts are told in short; then those who do not, are told all. Sums
        have to be the same in any order.
        """
        items: list[Any] = list(enumerate(self.starts))
        both = partial(_both, merge)
        told = self._map(partial(_told, task, now.in_short(begun=begun)), both, items)
        if told.forgotten:
            again = [item if item[0] in told.forgotten else None for item in items]
            told = both(told, self._map(partial(_told, task, now), both, again))
        return told.record

    def _map(self, task: Any, merge: Any, items: list[Any]) -> Any:
        return self.parts.map_parts(task, merge, items, quick=True)


def _told(task: Any, now: Round, part: RowsOfPart) -> _Told:
    """Return what a task finds in a part, unless the item says that it was asked before."""
    if part.item is None:
        return _Told(None, ())
    try:
        return _Told(task(now, part), ())
    except ForgottenError:
        return _Told(None, (part.item[0],))


def _both(merge: Any, one: _Told, other: _Told) -> _Told:
    there = [each.record for each in (one, other) if each.record is not None]
    record = merge(*there) if len(there) > 1 else next(iter(there), None)
    return _Told(record, one.forgotten + other.forgotten)


def _grow(growing: list[TreeInPasses], table: _Passes, now: Round, task: Any) -> None:
    """Count what the trees ask for, all of them in one pass, until none asks any more."""
    while asked := [(k, path) for k, tree in enumerate(growing) for path in tree.wanted()]:
        sums = table.ask(now, partial(task, asked), add)
        for (k, path), one in zip(asked, sums, strict=True):
            growing[k].take(path, one)


def _with_values(
    now: Round, table: _Passes, plan: Plan, grown: list[GrownTree]
) -> list[HistogramTrees]:
    """Return trees with a Newton step in each leaf."""
    numbered = [tree.with_values(np.arange(len(tree.facts), dtype=np.float64)) for tree in grown]
    of_parts = table.ask(now, partial(_leaf_sums_of, numbered), or_)
    sums = merge_in_order([of_parts[number] for number in sorted(of_parts)], add)
    found: list[HistogramTrees] = []
    for tree, (gradients, hessians) in zip(grown, sums, strict=True):
        leaves = tree.leaves
        hessian = hessians[leaves] + plan.limits.l2
        there = hessian > 1e-300
        steps = np.divide(-gradients[leaves], hessian, out=np.zeros(len(leaves)), where=there)
        found.append(tree.with_values(leaf_values(tree, steps, plan)))
    return found


def _largest_of(now: Round, part: RowsOfPart) -> Matrix:
    """Return the largest gradient and hessian of each output."""
    found = np.zeros((now.n_outputs, 2))
    for block in now.blocks_of(part):
        pairs = [largest_slopes(*pair) for pair in zip(*block.growing.slopes, strict=True)]
        found = np.maximum(found, pairs)
    return found


def _histograms_of(
    units: list[Vector],
    starts: Indices,
    asked: list[tuple[int, Path]],
    now: Round,
    part: RowsOfPart,
) -> Any:
    """Return the histogram of each node asked for, over the rows of a part."""
    total = np.zeros((len(asked), 2, int(starts[-1])), dtype=np.int64)
    rows_added, before = records.Fields.of(now.n_rows).rows_added, int(part.item[1])
    for block in now.blocks_of(part):
        for place, (k, path) in enumerate(asked):  # those of a tree stand side by side
            block.growing.write(k, units[k], now.number * now.n_outputs + k, before)
            total[place] += block.growing.histogram(k, path, starts, rows_added)
        before += len(block.y)
    return total


def _leaf_sums_of(
    numbered: list[HistogramTrees], now: Round, part: RowsOfPart
) -> dict[int, NDArray[np.float64]]:
    """Return the sums of gradients and hessians in each node of each tree, by the part's number."""
    most = max(len(tree.child) for tree in numbered)
    total = np.zeros((len(numbered), 2, most))
    for block in now.blocks_of(part):
        for k, tree in enumerate(numbered):
            places = np.zeros((1, len(block.y)))
            add_values(tree, block.growing.codes, places)
            leaves = places[0].astype(np.int64)
            sums = [np.bincount(leaves, each[k], minlength=most) for each in block.growing.slopes]
            total[k] += sums
    return {part.item[0]: total}
