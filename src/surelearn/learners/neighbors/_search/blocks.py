"""Dense rows in blocks of columns, and exact searches that scan all blocks or those of a tree.

A block holds some points column by column, so that a loop over its points, for one feature at a
time, becomes vector instructions. The last one is padded: number -1 stands for no point.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from surelearn._jit.rows import LARGEST
from surelearn._stored import holds, stored
from surelearn._threads import LARGEST_CHUNK, run_chunks, workers
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.neighbors._search import kd_tree, nearest
from surelearn.learners.neighbors._search.distances import Blocks, Gower, Metric

BLOCK = 32
"""Points compared at once."""

_LEAF = 16  # points in a leaf of a tree, at most: less is wasted at the edges


class Nearest(NamedTuple):
    """The k nearest rows of each query by (distance, number), and how many more tie with the last.

    Euclidean distances are squared.
    """

    distances: Matrix
    points: Indices
    tied: Indices

    @classmethod
    def room(cls, n: int, k: int) -> "Nearest":
        """Return empty lists to be filled."""
        return cls(np.empty((n, k)), np.empty((n, k), np.int64), np.empty(n, np.int64))

    def of(self, chunk: slice) -> "Nearest":
        """Return what belongs to some of the queries, as views."""
        return Nearest(self.distances[chunk], self.points[chunk], self.tied[chunk])


@stored("block-index")
@holds(
    metric=Metric,
    columns="float[blocks, features, points]",
    numbers="int[blocks, points]",
)
@dataclass(frozen=True, eq=False)
class BlockIndex:
    """All rows, in blocks of columns; a search compares every one.

    Examples
    --------
    >>> from surelearn.learners.neighbors._search.distances import Euclidean
    >>> index = BlockIndex.of(np.array([[0.0], [1.0], [3.0]]), Euclidean())
    >>> index.search(np.array([[0.9]]), 2).points.tolist()
    [[1, 0]]
    """

    metric: Metric
    columns: Blocks
    numbers: Indices

    @classmethod
    def of(cls, X: Matrix, metric: Metric) -> "BlockIndex":
        """Index dense rows."""
        numbers = _padded(np.arange(len(X)), BLOCK)
        return cls(metric, _columns(X, numbers), numbers)

    def rows(self) -> Matrix:
        """Return the rows indexed, in their order."""
        there = self.numbers >= 0
        points = self.columns.transpose(0, 2, 1)[there]
        return points[np.argsort(self.numbers[there])]

    @staticmethod
    def admit(points: Any) -> Matrix:
        """Return points in the form in which they are searched for."""
        return points if isinstance(points, np.ndarray) else points.toarray()

    def search(self, queries: Matrix, k: int, *, n_jobs: int | None = None) -> Nearest:
        """Return the k nearest rows of each query."""
        self._refuse_misfits(queries)
        n = len(queries)
        found = Nearest.room(n, k)
        run_chunks(
            lambda chunk: self._fill(queries[chunk], found.of(chunk)), n, n_jobs, self._at_once()
        )
        return found

    def collect(self, queries: Matrix, radii: Vector, places: Any, out: Any) -> None:
        """Write the rows within the radius of each query to `out`, distances and points.

        Those of query t belong between the two `places` of t, and must fill them.
        """
        places = np.array(places)
        nearest.collect(self.columns, self.numbers, queries, self.metric, radii, places, *out)
        if not np.array_equal(places[0], places[1]):
            raise ValueError(
                "its index finds other rows when it compares all of them: it was changed after "
                "fit. Fit it again"
            )

    def _at_once(self) -> int:
        return LARGEST_CHUNK

    def _fill(self, queries: Matrix, found: Nearest) -> None:
        nearest.scan(
            self.columns,
            self.numbers,
            queries,
            self.metric,
            found.distances,
            found.points,
            found.tied,
        )

    def _refuse_misfits(self, queries: Matrix) -> None:
        """Refuse blocks of other shapes than those searched, as someone may have set them."""
        n_blocks, d, size = np.shape(self.columns) if np.ndim(self.columns) == 3 else (0, 0, 0)
        if np.shape(self.numbers) != (n_blocks, size) or queries.shape[1] != d:
            raise ValueError(
                f"its index holds no rows of {queries.shape[1]} features: it was changed after "
                "fit. Fit it again"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of their features."""
        return int(np.count_nonzero(self.numbers >= 0)), self.columns.shape[1]

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: numbers of rows that are not there."""
        there = self.numbers[self.numbers >= 0]
        if not len(there) or not np.array_equal(np.sort(there), np.arange(len(there))):
            raise ValueError("its rows are not numbered 0, 1, 2 and so on")
        if (self.numbers < -1).any():
            raise ValueError("it numbers a row below -1, which stands for none")
        if not isinstance(self.metric, Gower) and not abs(self.columns).max() <= LARGEST:
            raise ValueError("a row is not finite, or so long that distances overflow")


@stored("tree-index")
@holds(
    boxes="float[boxes, 2, features]",
)
@dataclass(frozen=True, eq=False)
class TreeIndex(BlockIndex):
    """Rows of few features, in the leaves of a k-d tree.

    Examples
    --------
    >>> from surelearn.learners.neighbors._search.distances import Euclidean
    >>> index = TreeIndex.of(np.arange(100.0)[:, None], Euclidean())
    >>> index.search(np.array([[41.8]]), 2).points.tolist()
    [[42, 41]]
    """

    boxes: Blocks

    @classmethod
    def of(cls, X: Matrix, metric: Metric) -> "TreeIndex":
        """Grow the tree, its two halves at the same time."""
        points, numbers = X.copy(), np.arange(len(X))
        depth = max(0, math.ceil(math.log2(len(X) / _LEAF)))
        boxes = np.zeros((2 << depth, 2, X.shape[1]))  # the first is none: the root has number 1
        top = min(1, depth)
        kd_tree.grow(points, numbers, 0, 0, top, boxes)

        def grow(place: int) -> None:
            kd_tree.grow(points, numbers, top, place, depth, boxes)

        with workers(1 << top) as crew:
            crew.map(grow, range(1 << top))
        leaves = _in_leaves(numbers, 1 << depth)
        return cls(metric, _columns(X, leaves), leaves, boxes)

    def _refuse_misfits(self, queries: Matrix) -> None:
        super()._refuse_misfits(queries)
        n_leaves = len(self.columns)
        if n_leaves & (n_leaves - 1) or np.shape(self.boxes) != (2 * n_leaves, 2, queries.shape[1]):
            raise ValueError("its boxes are not those of its rows: fit it again")

    def _fill(self, queries: Matrix, found: Nearest) -> None:
        tree = kd_tree.KDTree(self.boxes, self.columns, self.numbers)
        kd_tree.search(tree, queries, self.metric, found.distances, found.points, found.tied)

    def _check_state(self) -> None:
        super()._check_state()
        n_leaves = len(self.columns)
        if n_leaves & (n_leaves - 1) or len(self.boxes) != 2 * n_leaves:
            raise ValueError("its boxes are not those of a balanced tree")
        self._refuse_rows_outside_their_boxes()
        if isinstance(self.metric, Gower):
            raise TypeError("there is no tree for Gower's metric")

    def _refuse_rows_outside_their_boxes(self) -> None:
        """Refuse boxes that would hide rows from a search."""
        there = (self.numbers >= 0)[:, np.newaxis]
        low = np.where(there, self.columns, np.inf).min(axis=2)
        high = np.where(there, self.columns, -np.inf).max(axis=2)
        while True:  # from the leaves up to the root
            boxes = self.boxes[len(low) : 2 * len(low)]
            if not ((boxes[:, 0] <= low) & (high <= boxes[:, 1])).all():
                raise ValueError("a row lies outside its box")
            if len(low) == 1:
                return
            low, high = np.minimum(low[::2], low[1::2]), np.maximum(high[::2], high[1::2])


def _padded(numbers: Indices, size: int) -> Indices:
    """Return the numbers in rows of a size, -1 where the last row has none."""
    whole = np.full(-(-len(numbers) // size) * size, -1)
    whole[: len(numbers)] = numbers
    return whole.reshape(-1, size)


def _in_leaves(numbers: Indices, n_leaves: int) -> Indices:
    """Return the numbers leaf by leaf, -1 where a leaf has fewer than the others."""
    edges = (np.arange(n_leaves + 1) * len(numbers)) // n_leaves
    places = edges[:-1, np.newaxis] + np.arange(-(-len(numbers) // n_leaves))
    inside = places < edges[1:, np.newaxis]
    return np.where(inside, numbers[np.minimum(places, len(numbers) - 1)], -1)


def _columns(X: Matrix, numbers: Indices) -> Blocks:
    """Return the rows with these numbers block by block, each column by column."""
    return np.ascontiguousarray(X[numbers].transpose(0, 2, 1))
