"""Tables in parts at the door of boosted trees: their columns, targets, weights and bins."""

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial
from operator import add
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import fingerprints
from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices, Vector
from surelearn.base import validation
from surelearn.base.fitting import check_numbers, learn_classes
from surelearn.base.labels import joined_classes
from surelearn.base.parted import Block, PartedTable, RowsOfPart
from surelearn.base.summarising import refuse_other_columns
from surelearn.base.tables import table
from surelearn.learners.ensembles._histogram import tables
from surelearn.learners.ensembles._histogram.bin_learning import (
    bins_of_sample,
    category_sizes,
    sampled_places,
)
from surelearn.learners.ensembles._histogram.binning import Bins


@dataclass(frozen=True, eq=False)
class TargetSums:
    """What some targets show: labels and how many rows and how much weight each has, or numbers.

    `n_there` are the rows of each label with a weight above 0. Numbers have one entry: how many
    there are, their weight, and their weighted sum in `total`.
    """

    classes: NDArray[Any] | None
    n_rows: Indices
    n_there: Indices
    weight: Vector
    total: float
    largest: float

    def __add__(self, other: "TargetSums") -> "TargetSums":
        """Return what the targets of both show."""
        total, largest = self.total + other.total, max(self.largest, other.largest)
        if self.classes is None or other.classes is None:
            n_rows, n_there = self.n_rows + other.n_rows, self.n_there + other.n_there
            return TargetSums(None, n_rows, n_there, self.weight + other.weight, total, largest)
        classes = joined_classes(self.classes, other.classes)
        n_rows, n_there = np.zeros((2, len(classes)), dtype=np.int64)
        weight = np.zeros(len(classes))
        for each in (self, other):
            places = validation.index_among(classes, np.asarray(each.classes))
            n_rows[places] += each.n_rows
            n_there[places] += each.n_there
            weight[places] += each.weight
        return TargetSums(classes, n_rows, n_there, weight, total, largest)


@dataclass(frozen=True, eq=False)
class TableSurvey:
    """What a look at some parts shows; `counts` are the rows with a weight of each part."""

    columns: Mapping[str, Any]
    targets: TargetSums
    counts: Indices
    hashes: Hashes

    def __add__(self, other: "TableSurvey") -> "TableSurvey":
        """Return what the parts of both show, in order."""
        refuse_other_columns(self.columns, other.columns)
        mine, theirs = self.columns["categories_"], other.columns["categories_"]
        return TableSurvey(
            {**self.columns, "categories_": table.joined_categories(mine, theirs)},
            self.targets + other.targets,
            np.concatenate([self.counts, other.counts]),
            fingerprints.united(self.hashes, other.hashes),
        )


class WeighedRows(NamedTuple):
    """Checked rows with a weight, their targets and weights; the place says of which block."""

    X: Any
    y: NDArray[Any]
    weights: Vector
    place: tuple[str, int] | None = None


class Door(NamedTuple):
    """How tasks read blocks: by a learner that knows the columns, and what its classes weigh."""

    learner: Any
    class_weights: Vector | None

    def read(self, block: Block) -> WeighedRows:
        """Return the rows of a block that count."""
        X = tables.read_rows(self.learner, block.X)
        n = X.shape[0]
        weights = validation.sample_weights(block.weights, n, whole=False)
        if self.class_weights is None:
            y: NDArray[Any] = check_numbers(block.y, n=n)
        else:
            shown = SimpleNamespace()
            places = learn_classes(shown, block.y, n=n)
            codes = validation.index_among(self.learner.classes_, shown.classes_)[places]
            weights = weights * self.class_weights[codes]
            y = codes.astype(np.uint8 if len(self.class_weights) == 2 else np.float64)
        there = weights > 0.0
        return WeighedRows(X[there], y[there], weights[there])


def survey_table(learner: Any, parts: PartedTable, *, labels: bool) -> TableSurvey:
    """Look at all parts, and let the learner know its columns, their categories, its classes."""
    found = parts.map_parts(partial(_look_at_part, learner, labels), add)
    vars(learner).update(found.columns)
    for name, known in zip(table.column_names(learner), learner.categories_, strict=True):
        if known is not None and len(known) == 0:
            raise ValueError(f"column {name!r} has no value in any row; leave it out")
    validation.sample_weights(found.targets.weight, len(found.targets.weight))
    if found.targets.classes is not None:
        learner.classes_ = found.targets.classes
    else:
        n = int(found.targets.n_rows.sum())
        check_numbers(np.broadcast_to(found.targets.largest, (n,)), n=n)
    return found


def rows_that_count(door: Door, parts: PartedTable, survey: TableSurvey) -> Indices:
    """Return how many rows of each part count; classes of no weight are known after the survey."""
    if door.class_weights is None or (door.class_weights == 1.0).all():
        return survey.counts
    return parts.map_parts(partial(_count_rows, door), _in_a_row)


def _count_rows(door: Door, part: RowsOfPart) -> Indices:
    return np.array([sum(len(rows.y) for rows in rows_of(door, part))])


def _in_a_row(one: Indices, other: Indices) -> Indices:
    return np.concatenate([one, other])


def learn_bins_of_parts(door: Door, parts: PartedTable, counts: Indices, most: int) -> Bins:
    """Return the bins that all rows at once would have: from the same rows, in the same way."""
    starts = np.cumsum(counts) - counts
    places = sampled_places(int(counts.sum()))
    ends = np.searchsorted(places, np.append(starts, starts[-1] + counts[-1]))
    items = [places[ends[i] : ends[i + 1]] - starts[i] for i in range(len(counts))]
    n_categories = table.n_categories(door.learner.categories_)
    crowded = {int(j): int(n_categories[j]) for j in np.flatnonzero(n_categories > most)}
    sample, *sizes = parts.map_parts(partial(_sample_of_part, door, crowded), _joined, items)
    return bins_of_sample(
        sample, n_categories, dict(zip(crowded, sizes, strict=True)), (most, most)
    )


def _look_at_part(learner: Any, labels: bool, part: RowsOfPart) -> TableSurvey:  # noqa: FBT001
    found: TableSurvey | None = None
    for block in part.blocks:
        one = _look(learner, block, labels=labels)
        found = one if found is None else found + one
    if found is None:
        raise ValueError("there are no rows in it")
    return TableSurvey(found.columns, found.targets, found.counts.sum(keepdims=True), found.hashes)


def _look(learner: Any, block: Block, *, labels: bool) -> TableSurvey:
    shown = copy(learner)  # a check leaves the columns with whom it is for
    X = table.learn_table(shown, block.X, categorical=learner.categorical_features, whole=False)
    weights = validation.sample_weights(block.weights, len(X), whole=False)
    names = ("n_features_in_", "feature_names_in_", "categories_")
    return TableSurvey(
        {name: vars(shown)[name] for name in names if name in vars(shown)},
        _labels(block.y, weights) if labels else _numbers(block.y, weights),
        np.array([np.count_nonzero(weights)]),
        fingerprints.sketch(fingerprints.table_hashes(X)),
    )


def _labels(y: Any, weights: Vector) -> TargetSums:
    shown = SimpleNamespace()
    codes, n = learn_classes(shown, y, n=len(weights)), len(shown.classes_)
    total = np.bincount(codes, weights, minlength=n).astype(np.float64)
    n_rows, n_there = (np.bincount(each, minlength=n) for each in (codes, codes[weights > 0.0]))
    return TargetSums(shown.classes_, n_rows, n_there, total, 0.0, 0.0)


def _numbers(y: Any, weights: Vector) -> TargetSums:
    numbers = check_numbers(y, n=len(weights))
    largest = float(np.abs(numbers).max(initial=0.0))
    n_rows, n_there = np.array([len(numbers)]), np.array([np.count_nonzero(weights)])
    weight = np.array([weights.sum()])
    return TargetSums(None, n_rows, n_there, weight, float(weights @ numbers), largest)


def rows_of(door: Door, part: RowsOfPart) -> Iterator[WeighedRows]:
    """Yield the rows of each block of a part that has any that count."""
    for number, block in enumerate(part.blocks):
        rows = door.read(block)
        if len(rows.y):
            yield rows if part.key is None else rows._replace(place=(part.key, number))


def _sample_of_part(door: Door, crowded: Mapping[int, int], part: RowsOfPart) -> list[Any]:
    """Return the rows at some places of a part, and how many rows have each category."""
    d, start = door.learner.n_features_in_, 0
    picked: list[Any] = [np.empty((0, d), dtype=np.float32)]
    sizes = [np.zeros(n, dtype=np.int64) for n in crowded.values()]
    for rows in rows_of(door, part):
        inside = part.item[np.searchsorted(part.item, start) :]
        inside = inside[: np.searchsorted(inside, start + len(rows.y))]
        picked.append(rows.X[inside - start])
        for place, (j, n) in enumerate(crowded.items()):
            sizes[place] += category_sizes(np.asarray(rows.X[:, j], dtype=np.float64), n)
        start += len(rows.y)
    return [np.concatenate(picked), *sizes]


def _joined(one: list[Any], other: list[Any]) -> list[Any]:
    sums = (mine + theirs for mine, theirs in zip(one[1:], other[1:], strict=True))
    return [np.concatenate([one[0], other[0]]), *sums]
