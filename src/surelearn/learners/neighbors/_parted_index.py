"""Training rows that stay in their parts: each search goes through them, and lists are merged.

A part finds the nearest of its own rows. Of two lists the nearest k of both are kept, by distance
and number as in memory, so the answers are those of all rows at once, to the last bit.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial
from operator import add
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import fingerprints
from surelearn._jit import rows as jit_rows
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import learn_classes
from surelearn.base.labels import joined_classes
from surelearn.base.parted import Block, PartedTable, RowsOfPart
from surelearn.base.summarising import refuse_other_columns
from surelearn.learners.neighbors._search.blocks import BlockIndex, Nearest
from surelearn.learners.neighbors._search.distances import Metric
from surelearn.learners.neighbors._search.index import build_index
from surelearn.learners.neighbors._search.space import Space, learn_space

_FEW = 64  # queries, for which a scan is faster than to build something better
_CELLS = 2**22  # of lists of tied rows, at once
_COLUMNS = {"n_features_in_", "feature_names_in_"}


@dataclass(frozen=True, eq=False)
class Look:
    """What a look at some parts shows: columns, targets, rows of each part, and what rows are."""

    columns: Mapping[str, Any]
    classes: NDArray[Any] | None
    targets: NDArray[Any]
    counts: Indices
    largest: float
    hashes: fingerprints.Hashes

    def __add__(self, other: "Look") -> "Look":
        """Return what a look at both shows, in order."""
        refuse_other_columns(self.columns, other.columns)
        classes, both = None, [self.targets, other.targets]
        if self.classes is not None and other.classes is not None:
            classes = joined_classes(self.classes, other.classes)
            known = self.classes, other.classes
            both = [
                validation.index_among(classes, own)[codes]
                for own, codes in zip(known, both, strict=True)
            ]
        return Look(
            self.columns,
            classes,
            np.concatenate(both),
            np.concatenate([self.counts, other.counts]),
            max(self.largest, other.largest),
            fingerprints.united(self.hashes, other.hashes),
        )


def look_at_parts(learner: Any, parts: PartedTable) -> Look:
    """Check all parts, and return what their rows and targets show."""
    _refuse_what_needs_all_rows(learner)
    found = parts.map_parts(partial(_look_at_part, learner), add)
    if learner.metric == "euclidean":
        validation.refuse_tiny(np.array([found.largest]), "features")
    return found


def _refuse_what_needs_all_rows(learner: Any) -> None:
    """Refuse what only rows in memory can do."""
    if learner.metric == "gower":
        raise ValueError(
            "metric='gower' scales columns by all rows at once, and parts are read one by one: "
            "encode them by TableEncoder, or take another metric"
        )
    if learner.categorical_features is not None:
        raise ValueError("categorical_features needs metric='gower', which does not read parts")
    if learner.ties == "random":
        raise ValueError(
            "ties='random' draws a tag for each row of the table: fit parts with ties='first', "
            "which is the same if the rows are in random order, or with ties='all'"
        )
    if learner.n_neighbors == "cross-validation":
        raise ValueError(
            "n_neighbors='cross-validation' looks for the neighbours of each training row: give "
            "parts a number, or 'schedule'"
        )


def _look_at_part(learner: Any, part: RowsOfPart) -> Look:
    found: Look | None = None
    for block in part.blocks:
        one = _look(learner, block)
        found = one if found is None else found + one
    if found is None:
        raise ValueError("there are no rows in it")
    return Look(
        found.columns,
        found.classes,
        found.targets,
        found.counts.sum(keepdims=True),
        found.largest,
        found.hashes,
    )


def _look(learner: Any, block: Block) -> Look:
    if block.weights is not None:
        raise ValueError("nearest neighbours know no weights: list the parts without weight=")
    shown, known = copy(learner), SimpleNamespace()
    kind = learner._kind  # noqa: SLF001 - our own learner
    rows, targets = _checked(shown, block, kind)
    if kind == "labels":
        targets = learn_classes(known, targets, n=len(rows))
    Space(learner.metric).points(rows)  # it refuses rows without a direction, and long ones
    return Look(
        {name: value for name, value in vars(shown).items() if name in _COLUMNS},
        getattr(known, "classes_", None),
        targets,
        np.array([len(rows)]),
        float(np.abs(rows).max(initial=0.0)),
        fingerprints.sketch(fingerprints.row_hashes(jit_rows.of(rows))),
    )


def _checked(learner: Any, block: Block, kind: Any) -> tuple[Matrix, NDArray[Any]]:
    """Return the numbers of a block and its targets; a block may be tiny where others are not."""
    metric = "manhattan" if learner.metric == "euclidean" else learner.metric
    found = learn_space(learner, block.X, block.y, metric=metric, targets=kind)
    return found.rows, found.targets


class _Task(NamedTuple):
    """What a part is asked: by whom its rows are read, and for which queries."""

    learner: Any
    space: Space
    queries: Matrix

    def blocks(self, part: RowsOfPart) -> Any:
        """Yield the number of the first row of each block, and an index of its rows."""
        n_before = int(part.item)
        for block in part.blocks:
            rows = validation.check_rows(self.learner, block.X)
            points, metric = self.space.points(rows), self.space.metric
            few = len(self.queries) < _FEW
            yield n_before, BlockIndex.of(points, metric) if few else build_index(points, metric)
            n_before += len(rows)


@dataclass(frozen=True, eq=False)
class PartedIndex:
    """Rows in parts to be searched; they are read again at each search.

    Attributes
    ----------
    parts, learner, space
        The table, and how it is read: by a learner that knows its columns.
    counts
        The number of rows of each part.
    """

    parts: PartedTable
    learner: Any
    space: Space
    counts: Indices

    @property
    def metric(self) -> Metric:
        """What the search compares."""
        return self.space.metric

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of their features."""
        return int(self.counts.sum()), self.learner.n_features_in_

    @staticmethod
    def admit(points: Any) -> Matrix:
        """Return points in the form in which they are searched for."""
        return BlockIndex.admit(points)

    def rows(self) -> Matrix:
        """Refuse to return all rows."""
        raise ValueError(
            "the training rows are in parts, and their own neighbours are not looked for: give "
            "rows to ask about, or fit to rows in memory"
        )

    def search(self, queries: Matrix, k: int, *, n_jobs: int | None = None) -> Nearest:
        """Return the k nearest rows of each query."""
        del n_jobs  # who works on parts is said by scale.on
        task = partial(_nearest_of_part, _Task(self.learner, self.space, queries), k)
        return self.parts.map_parts(task, merged, self._starts())

    def within(self, queries: Matrix, radii: Vector, longest: int) -> tuple[Vector, Indices]:
        """Return distances and numbers of all rows within a radius, query by query, nearest first.

        No query has more than `longest` of them.
        """
        task = partial(_within_part, _Task(self.learner, self.space, queries), radii, longest)
        found = self.parts.map_parts(task, _joined, self._starts())
        order = np.lexsort((found[2], found[1], found[0]))
        return found[1][order], found[2][order].astype(np.int64)

    def _starts(self) -> list[int]:
        return (np.cumsum(self.counts) - self.counts).tolist()


def merged(one: Nearest, other: Nearest) -> Nearest:
    """Return the nearest of two lists of each query, and how many tie with the last of them.

    Examples
    --------
    >>> first = Nearest(np.array([[1.0, 2.0]]), np.array([[0, 3]]), np.array([1]))
    >>> second = Nearest(np.array([[2.0, np.inf]]), np.array([[7, -1]]), np.array([0]))
    >>> merged(first, second).points.tolist(), merged(first, second).tied.tolist()
    ([[0, 3]], [2])
    """
    k = one.distances.shape[1]
    distances = np.concatenate([one.distances, other.distances], axis=1)
    points = np.concatenate([one.points, other.points], axis=1)
    order = np.lexsort((points, distances), axis=1)
    distances = np.take_along_axis(distances, order, axis=1)
    points = np.take_along_axis(points, order, axis=1)
    last = distances[:, k - 1]
    tied = np.count_nonzero(distances[:, k:] == last[:, np.newaxis], axis=1)
    for each in (one, other):
        tied = tied + np.where(each.distances[:, -1] == last, each.tied, 0)
    tied[np.isinf(last)] = 0  # there is no k-th row yet
    return Nearest(distances[:, :k].copy(), points[:, :k].copy(), tied)


def _nearest_of_part(task: _Task, k: int, part: RowsOfPart) -> Nearest:
    n = len(task.queries)
    found = Nearest(np.full((n, k), np.inf), np.full((n, k), -1), np.zeros(n, dtype=np.int64))
    for n_before, index in task.blocks(part):
        size = min(k, index.shape[0])
        own = index.search(task.queries, size, n_jobs=1)
        room = Nearest(np.full((n, k), np.inf), np.full((n, k), -1), own.tied)
        room.distances[:, :size], room.points[:, :size] = own.distances, own.points + n_before
        if size < k:
            room.tied[:] = 0
        found = merged(found, room)
    return found


def _within_part(task: _Task, radii: Vector, longest: int, part: RowsOfPart) -> list[Any]:
    """Return queries, distances and numbers of the rows of a part that are near enough."""
    found: list[Any] = [np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64)]
    for n_before, index in task.blocks(part):
        size = min(longest, index.shape[0])
        at_once = max(1, _CELLS // size)
        for first in range(0, len(radii), at_once):
            some = slice(first, first + at_once)
            near = index.search(task.queries[some], size, n_jobs=1)
            query, place = np.nonzero(near.distances <= radii[some, np.newaxis])
            numbers = near.points[query, place] + n_before
            found = _joined(found, [query + first, near.distances[query, place], numbers])
    return found


def _joined(one: list[Any], other: list[Any]) -> list[Any]:
    return [np.concatenate(pair) for pair in zip(one, other, strict=True)]
