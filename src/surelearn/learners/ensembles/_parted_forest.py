"""Random forests of a table in parts: a look, a pass for bins and tests, then trees by the pass.

A tree is a function of the seed, its number and the rows of its bag. Whoever grows it goes through
the table once, keeps the bins of these rows and nothing else, and finds the tree that all rows in
memory would give, to the last bit.
"""

from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._jit import fingerprints
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import class_weights
from surelearn.base.parted import PartedTable, RowsOfPart
from surelearn.base.tables import table
from surelearn.learners.ensembles import _members
from surelearn.learners.ensembles._forest import bins as binning
from surelearn.learners.ensembles._forest import forest_growth, one_tree
from surelearn.learners.ensembles._forest.packed_trees import GrownTree, pack_trees
from surelearn.learners.ensembles._forest.sample import Sample
from surelearn.learners.ensembles._members import Bag
from surelearn.learners.ensembles._parted_tables import (
    Door,
    TableSurvey,
    rows_of,
    rows_that_count,
    survey_table,
)

_MOST_BYTES = 2**31  # that the growth of one tree may take
_AT_ONCE = 2**28  # bytes of the rows of trees that are grown in one pass
_FEWEST_PASSES = 16  # if there are as many trees: that many may grow at the same time
_GROWTH = 256  # bytes for each row of a tree: its nodes, and the order of its rows


class Tested(NamedTuple):
    """The rows that test trees, and for each tree which of these are outside its bag."""

    sample: Sample
    outside: Mask


class Gathered(NamedTuple):
    """Rows at some places, and what can be said of all rows that count."""

    X: Matrix
    y: NDArray[Any]
    weights: Vector
    targets: Vector
    weighted: bool
    checksums: NDArray[np.uint64]
    hashes: fingerprints.Hashes

    def __add__(self, other: Any) -> "Gathered":
        """Return the rows of both, in order, and what holds for all."""
        ends = np.array([self.targets, other.targets])
        return Gathered(
            np.concatenate([self.X, other.X]),
            np.concatenate([self.y, other.y]),
            np.concatenate([self.weights, other.weights]),
            np.array([ends[:, 0].min(), ends[:, 1].max()]),
            self.weighted or other.weighted,
            self.checksums + other.checksums,
            fingerprints.united(self.hashes, other.hashes),
        )


class Plan(NamedTuple):
    """What tasks must know: how rows are read, their bins, the units of targets, who tests."""

    door: Door
    bins: binning.SpannedBins | None
    units: one_tree.TargetUnits | None
    n_classes: int
    tested: Indices


class Planted(NamedTuple):
    """A tree, and which of the tested rows are outside its bag."""

    tree: GrownTree
    outside: Mask


def grow_parts(model: Any, fitted: Any, parts: PartedTable) -> Tested:
    """Grow the trees of a forest from a table in parts; return what tests them."""
    labels = hasattr(model, "class_weight")
    _check(model, fitted, labels=labels)
    survey = survey_table(model, parts, labels=labels)
    n_categories = table.n_categories(model.categories_)
    forest_growth.refuse_too_many(n_categories)
    door = _door(model, survey)
    counts = rows_that_count(door, parts, survey)
    model.n_training_rows_ = int(counts.sum())
    model.seed_, model.n_fits_ = _members.seed_of(model.random_state), 1
    model.bags_ = model._bags()  # noqa: SLF001 - a part of it
    forest_growth.columns_of(model, 0)  # it refuses what max_features does not mean
    groups = _groups(model)
    plan, tested = _plan(door, parts, counts, n_categories)
    model.weighted_ |= model.n_training_rows_ < int(survey.targets.n_rows.sum())
    planted = parts.map_passes(partial(_grow_some, plan), add, groups)
    model.trees_ = pack_trees(
        [each.tree for each in planted], forest_growth.route_width(n_categories)
    )
    return Tested(tested, np.array([each.outside for each in planted]))


def _check(model: Any, fitted: Any, *, labels: bool) -> None:
    forest_growth.check_parameters(model)
    if model.oob_score:
        raise ValueError(
            "oob_score=True keeps a prediction for each row, and parts may have more rows than fit "
            "into memory: fit parts with oob_score=False; certificates do not need it"
        )
    if model.warm_start and hasattr(fitted, "trees_"):
        raise ValueError("a warm start needs rows in memory: fit parts with warm_start=False")
    if model.splitter == "histogram":
        forest_growth.refuse_other_criteria(model, int(labels))


def _door(model: Any, survey: TableSurvey) -> Door:
    """Return how blocks are read; refuse class weights of which nothing or too much is left."""
    targets, given = survey.targets, getattr(model, "class_weight", None)
    if targets.classes is None:
        return Door(model, None)
    within = isinstance(given, str) and given == "balanced_subsample"
    each = class_weights(None if within else given, targets.classes, targets.n_there)
    total = float((each * targets.weight).sum())
    if not 0.0 < total < validation.MOST_WEIGHT:
        raise ValueError(
            f"class_weight={_arguments.short(given)} makes the weights of all rows sum to "
            f"{total:g}; give at least one class with rows a weight, and none a huge one"
        )
    return Door(model, each)


def _groups(model: Any) -> list[tuple[int, int]]:
    """Return which trees are grown in each pass; refuse bags that are too large for a process."""
    n_rows, n_trees = model.n_training_rows_, int(model.n_estimators)
    size = _members.count_of("max_samples", model.max_samples, n_rows)
    cell = 8 if model.splitter == "exact" else 1 if n_rows > binning.SMALL else 2
    row = model.n_features_in_ * cell + 16
    most = _MOST_BYTES // (row + _GROWTH)
    if size > most:
        raise ValueError(
            f"each tree is grown from {size:,} rows, which takes more than {_MOST_BYTES:,} bytes: "
            f"draw fewer of the {n_rows:,} for each, with max_samples={most} or less"
        )
    together = max(1, min(_AT_ONCE // (size * row), -(-n_trees // _FEWEST_PASSES)))
    return [(first, min(first + together, n_trees)) for first in range(0, n_trees, together)]


def _plan(
    door: Door, parts: PartedTable, counts: Indices, n_categories: Indices
) -> tuple[Plan, Sample]:
    """Find the bins by their reference rows, in a pass that brings the tested rows along."""
    model, numeric = door.learner, door.class_weights is None
    n, none = model.n_training_rows_, np.empty(0, dtype=np.int64)
    references = forest_growth.references_of(model)
    model.n_references_ = 0 if references is None else len(references)
    tested = none if numeric or not model._leaves_rows_out() else model._tested()  # noqa: SLF001
    shown = none
    if model.splitter == "histogram":
        shown = np.arange(n) if references is None else references
    places = np.union1d(shown, tested)
    found = _gathered(door, parts, counts, places)
    _know(model, found, hashes=not n_categories.any())
    bins = None
    if len(shown):
        X = found.X[np.searchsorted(places, shown)]
        known = None if references is None else np.arange(len(X))
        bins = binning.find_bins(X, n_categories, known, model.max_bins, 1)
    units = (
        one_tree.target_units(found.targets, forest_growth.most_weight(model, n))
        if numeric
        else None
    )
    n_classes, own = 0 if numeric else len(model.classes_), np.searchsorted(places, tested)
    sample = Sample(found.X[own], found.y[own], found.weights[own], n_classes)
    return Plan(door, bins, units, n_classes, tested), sample


def _know(model: Any, found: Gathered, *, hashes: bool) -> None:
    """Let a model know what tells its rows from others."""
    model.weighted_ = bool(found.weighted)
    model.training_digest_ = "".join(f"{int(one):016x}" for one in found.checksums)
    if hashes:
        model.training_rows_ = found.hashes


def _gathered(door: Door, parts: PartedTable, counts: Indices, places: Indices) -> Gathered:
    """Return the rows at some places among all that count."""
    starts = np.append(0, np.cumsum(counts))
    ends = np.searchsorted(places, starts)
    items = [
        (places[ends[i] : ends[i + 1]] - starts[i], int(starts[i])) for i in range(len(counts))
    ]
    return parts.map_parts(partial(_gather, door), add, items)


def _gather(door: Door, part: RowsOfPart) -> Gathered:
    (wanted, before), n = part.item, 0
    found = _nothing(door)
    for rows in rows_of(door, part):
        start, end = np.searchsorted(wanted, [n, n + len(rows.y)])
        own, hashes = wanted[start:end] - n, fingerprints.table_hashes(rows.X)
        numbers = np.ascontiguousarray(rows.y.astype(np.float64))
        bits = hashes, numbers.view(np.uint64), rows.weights.view(np.uint64)
        found += Gathered(
            rows.X[own],
            rows.y[own].astype(found.y.dtype),
            rows.weights[own],
            np.array([numbers.min(), numbers.max()]),
            bool((rows.weights != 1.0).any()),
            np.array([fingerprints.checksum_after(each, before + n) for each in bits]),
            fingerprints.sketch(hashes),
        )
        n += len(rows.y)
    return found


def _nothing(door: Door) -> Gathered:
    """Return what is gathered of no rows."""
    kind = np.float64 if door.class_weights is None else np.int64
    cells: Any = np.empty((0, door.learner.n_features_in_), dtype=np.float32)
    return Gathered(
        cells,
        np.empty(0, dtype=kind),
        np.empty(0),
        np.array([np.inf, -np.inf]),
        weighted=False,
        checksums=np.zeros(3, dtype=np.uint64),
        hashes=np.empty(0, dtype=np.uint64),
    )


def _grow_some(plan: Plan, part: RowsOfPart) -> list[Planted]:
    """Grow some trees in one pass over all rows."""
    model, places = plan.door.learner, range(*part.item)
    bags = [forest_growth.bag_of(model, place) for place in places]
    wanted = np.unique(np.concatenate([bag.rows for bag in bags]))
    member, planted = _grower(plan, wanted, part), list[Planted]()
    for place, bag in zip(places, bags, strict=True):
        outside = np.empty(len(plan.tested), dtype=np.bool_)
        _members.mark_outside(bag, model.n_training_rows_, plan.tested, outside)
        own = Bag(np.searchsorted(wanted, bag.rows), bag.times)
        planted.append(
            Planted(member(own, *forest_growth.columns_of(model, place), place), outside)
        )
    return planted


def _grower(plan: Plan, wanted: Indices, part: RowsOfPart) -> forest_growth.Member:
    """Keep the rows at some places, as bins if trees are grown from bins; return who grows them."""
    model, n, n_wanted = plan.door.learner, 0, len(wanted)
    kept: list[Any] = []
    targets = np.empty(n_wanted, dtype=np.int64 if plan.n_classes else np.float64)
    weights = np.empty(n_wanted)
    for rows in rows_of(plan.door, part):
        start, end = np.searchsorted(wanted, [n, n + len(rows.y)])
        own = wanted[start:end] - n
        X = rows.X[own]
        kept.append(X if plan.bins is None else plan.bins.encode(X, 1))
        targets[start:end], weights[start:end] = rows.y[own], rows.weights[own]
        n += len(rows.y)
    if n != model.n_training_rows_:
        raise ValueError(f"there are {n:,} rows, and {model.n_training_rows_:,} at the first look")
    cells = np.concatenate(kept, axis=0 if plan.bins is None else 1)
    sample = Sample(cells, targets, weights, plan.n_classes)
    if plan.bins is None:
        return forest_growth.grower_of_rows(model, sample, table.n_categories(model.categories_))
    return forest_growth.grower_of_bins(model, sample, plan.bins, cells, plan.units)
