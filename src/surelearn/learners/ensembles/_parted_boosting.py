"""Gradient boosting of a table in parts: a pass for the slopes of a round, one for each level.

Histograms are whole numbers, so that they do not depend on who counts which part. Each pass has the
scores of its rows by all trees so far: what a process remembers of them, and of the bins of rows,
saves time, and a process that remembers nothing computes them anew. So no task relies on what one
before left.
"""

from functools import partial
from operator import add
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from surelearn._jit import jit
from surelearn._threads import alone
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import class_weights
from surelearn.base.parted import PartedTable, RowsOfPart
from surelearn.learners.ensembles import _boosting_settings as settings
from surelearn.learners.ensembles._boosting_losses import Descent
from surelearn.learners.ensembles._boosting_run import Plan, Rounds, leaf_values
from surelearn.learners.ensembles._code_memory import CODES
from surelearn.learners.ensembles._histogram import histogram, records
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.ensembles._histogram.parted_growth import Path, TreeInPasses, layout
from surelearn.learners.ensembles._histogram.predictor import add_values
from surelearn.learners.ensembles._histogram.training import (
    MOST_ROWS,
    GrownTree,
    largest_slopes,
    units_of,
)
from surelearn.learners.ensembles._histogram.trees import HistogramTrees, no_trees
from surelearn.learners.ensembles._parted_round import Round, first_round
from surelearn.learners.ensembles._parted_tables import (
    Door,
    TableSurvey,
    learn_bins_of_parts,
    rows_that_count,
    survey_table,
)
from surelearn.learners.ensembles._score_memory import MEMORY


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
            CODES.forget()
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
    if type(descent).steps is not Descent.steps:
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
    each = class_weights(learner.class_weight, targets.classes, targets.n_rows)
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
    rounds, starts = Rounds(), (np.cumsum(counts) - counts).tolist()
    now = first_round(door, int(counts.sum()))
    fields = records.Fields.of(now.n_rows)
    for number in range(plan.n_rounds):
        largest = parts.map_parts(partial(_largest_of, now), np.maximum)
        rng = np.random.default_rng([plan.seed, number])
        d = door.learner.n_features_in_
        growing = [
            TreeInPasses(
                door.learner.bins_,
                plan.limits,
                signs=plan.signs,
                units=units_of(fields, *pair),
                columns=_drawn(rng, d, plan.max_features),
            )
            for pair in largest.tolist()
        ]
        units = [units_of(fields, *pair) for pair in largest.tolist()]
        _grow(growing, parts, partial(_histograms_of, now, units, plan.signs), starts)
        grown = [tree.grown() for tree in growing]
        new = _with_values(now, parts, plan, grown)
        rounds.trees.extend(new)
        now = now.after(new)
    return rounds


def _drawn(rng: np.random.Generator, n: int, share: float) -> Indices | None:
    if share >= 1.0:
        return None
    return np.sort(rng.choice(n, max(1, round(share * n)), replace=False))


def _grow(growing: list[TreeInPasses], parts: PartedTable, task: Any, starts: list[int]) -> None:
    """Count what the trees ask for, all of them in one pass, until none asks any more."""
    while asked := [(k, path) for k, tree in enumerate(growing) for path in tree.wanted()]:
        sums = parts.map_parts(partial(task, asked), add, starts)
        for (k, path), one in zip(asked, sums, strict=True):
            growing[k].take(path, one)


def _with_values(
    now: Round, parts: PartedTable, plan: Plan, grown: list[GrownTree]
) -> list[HistogramTrees]:
    """Return trees with a Newton step in each leaf."""
    numbered = [tree.with_values(np.arange(len(tree.facts), dtype=np.float64)) for tree in grown]
    sums = parts.map_parts(partial(_leaf_sums_of, now, numbered), add)
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
    found = np.zeros((len(now.door.learner.baseline_), 2))
    for rows in now.rows_of(part):
        gradients, hessians = now.slopes(rows)
        pairs = [largest_slopes(*pair) for pair in zip(gradients, hessians, strict=True)]
        found = np.maximum(found, pairs)
    return found


def _histograms_of(
    now: Round,
    units: list[Vector],
    signs: Indices,
    asked: list[tuple[int, Path]],
    part: RowsOfPart,
) -> Any:
    """Return the histogram of each node asked for, over the rows of a part."""
    starts = layout(now.door.learner.bins_, signs).starts
    total, before = np.zeros((len(asked), 2, int(starts[-1])), dtype=np.int64), int(part.item)
    for rows in now.rows_of(part):
        codes, (gradients, hessians) = rows.codes, now.slopes(rows)
        packed = records.empty_records(len(rows.y), len(codes))
        records.pack_codes(codes, 0, len(rows.y), packed)
        for k in sorted({k for k, _ in asked}):
            slopes = np.ascontiguousarray(gradients[k]), np.ascontiguousarray(hessians[k])
            number = now.number * len(units) + k
            records.write_gradients(*slopes, units[k], number, 0, len(rows.y), packed, before)
            known: dict[Path, Any] = {(): np.arange(len(rows.y), dtype=np.int32)}
            for place, (tree, path) in enumerate(asked):
                if tree == k:
                    there = _reached(codes, path, known)
                    total[place] += _counted(there, packed, starts, now.n_rows)
        before += len(rows.y)
    return total


def _reached(codes: Codes, path: Path, known: dict[Path, Any]) -> Any:
    """Return the places of the rows that a path leads to; the nodes on it are remembered."""
    there = known[()]
    for n_asked, (split, side) in enumerate(path, 1):
        if path[:n_asked] not in known:
            goes_left = split.table()[codes[split.feature][there]]
            known[path[:n_asked]] = there[goes_left == (side == 0)]
        there = known[path[:n_asked]]
    return there


def _counted(rows: Any, packed: Any, starts: Indices, n_rows: int) -> Any:
    sums = np.zeros((2, int(starts[-1])), dtype=np.int64)
    scratch = np.zeros(histogram.SCRATCH, dtype=np.uint64)
    n_words, added = (len(starts) + 6) >> 3, records.Fields.of(n_rows).rows_added
    for w in range(0, n_words, histogram.MOST_WORDS):
        last = min(w + histogram.MOST_WORDS, n_words)
        bounds = np.array([0, len(rows), w, last])
        _count(rows, bounds, packed, starts, added, scratch, sums)
    return sums


@jit
def _count(
    rows: Any,
    bounds: Indices,
    packed: Any,
    starts: Indices,
    rows_added: int,
    scratch: Any,
    sums: Indices,
) -> None:
    """Add some words of some rows to a histogram."""
    histogram.count_words(rows, bounds, packed, starts, rows_added, scratch, sums)


def _leaf_sums_of(now: Round, numbered: list[HistogramTrees], part: RowsOfPart) -> Any:
    """Return the sums of gradients and hessians in each node of each tree."""
    most = max(len(tree.child) for tree in numbered)
    total = np.zeros((len(numbered), 2, most))
    for rows in now.rows_of(part):
        codes, slopes = rows.codes, now.slopes(rows)
        for k, tree in enumerate(numbered):
            places = np.zeros((1, len(rows.y)))
            add_values(tree, codes, places)
            leaves = places[0].astype(np.int64)
            total[k] += [np.bincount(leaves, each[k], minlength=most) for each in slopes]
    return total
