"""Lists of neighbours, as long as ties make them, and the votes of those on them."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import numpy as np

from surelearn._threads import run_chunks
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.learners.neighbors._search.blocks import BlockIndex
from surelearn.learners.neighbors._search.index import Index

_SHORT = 64  # up to so many, a longer search is cheaper than a scan


class Lists(NamedTuple):
    """The neighbours of each query in one sequence, sorted by (distance, number).

    Those of query t stand from place `starts[t]` up to `starts[t + 1]`.
    """

    starts: Indices
    distances: Vector
    points: Indices

    @property
    def owners(self) -> Indices:
        """The query to whose list each place belongs."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def without(self, own: Indices) -> "Lists":
        """Return the lists with one point, that of each query itself, taken out.

        Examples
        --------
        >>> lists = Lists(np.array([0, 2]), np.array([0.0, 1.0]), np.array([7, 3]))
        >>> lists.without(np.array([7])).points.tolist()
        [3]
        """
        return self._only(self.points != own[self.owners])

    def first(self, k: int) -> "Lists":
        """Return the k first of each list.

        Examples
        --------
        >>> lists = Lists(np.array([0, 3]), np.array([1.0, 2.0, 2.0]), np.array([5, 0, 1]))
        >>> lists.first(2).points.tolist()
        [5, 0]
        """
        return self._only(np.arange(len(self.points)) - self.starts[:-1][self.owners] < k)

    def stops(self, sizes: Iterable[int], *, whole_ties: bool) -> Iterator[Indices]:
        """Yield for each k the places after the k first; with `whole_ties` after those tied too.

        Examples
        --------
        >>> lists = Lists(np.array([0, 3]), np.array([1.0, 2.0, 2.0]), np.array([5, 0, 1]))
        >>> [stops.tolist() for stops in lists.stops([1, 2], whole_ties=True)]
        [[1], [3]]
        """
        last = np.append(self.distances[1:] != self.distances[:-1], True)
        last[self.starts[1:] - 1] = True
        ends = np.flatnonzero(last) + 1
        for k in sizes:
            stops = self.starts[:-1] + k
            yield ends[np.searchsorted(ends, stops)] if whole_ties else stops

    def weights(self, kind: str) -> Vector:
        """Return the weight of each neighbour: 1, or one over its distance.

        A neighbour at distance 0 takes all the weight of its list, shared with its like.
        """
        if kind == "uniform":
            return np.ones(len(self.points))
        meets = (self.distances[self.starts[:-1]] == 0.0)[self.owners]
        apart = np.where(self.distances > 0.0, self.distances, 1.0)
        return np.where(meets, self.distances == 0.0, 1.0 / apart)

    def _only(self, kept: Mask) -> "Lists":
        counts = np.concatenate([[0], np.cumsum(kept)])
        return Lists(counts[self.starts], self.distances[kept], self.points[kept])


def neighbour_lists(
    index: Index, queries: Any, k: int, *, whole_ties: bool, n_jobs: int | None
) -> Lists:
    """Return the k nearest rows of each query; with `whole_ties` also those as far as the k-th.

    Examples
    --------
    >>> from surelearn.learners.neighbors._search.distances import Euclidean
    >>> index = BlockIndex.of(np.array([[-1.0], [1.0], [5.0]]), Euclidean())
    >>> lists = neighbour_lists(index, np.zeros((1, 1)), 1, whole_ties=True, n_jobs=1)
    >>> lists.points.tolist()
    [0, 1]
    """
    found = index.search(queries, k, n_jobs=n_jobs)
    n = len(found.tied)
    if not (whole_ties and found.tied.any()):
        return Lists(np.arange(n + 1) * k, found.distances.ravel(), found.points.ravel())
    lengths = k + found.tied
    starts = np.concatenate([[0], np.cumsum(lengths)])
    lists = Lists(starts, np.empty(starts[-1]), np.empty(starts[-1], np.int64))
    if hasattr(index, "within"):  # rows that are far away: they are gone through once more
        radii, longest = found.distances[:, -1], int(lengths.max())
        return Lists(starts, *cast("Any", index).within(queries, radii, longest))
    few = (lengths <= _SHORT) | (not isinstance(index, BlockIndex))
    for length in np.unique(lengths[few]):
        alike = np.flatnonzero(few & (lengths == length))
        longer = index.search(queries[alike], int(length), n_jobs=n_jobs)
        places = starts[alike][:, np.newaxis] + np.arange(length)
        lists.distances[places], lists.points[places] = longer.distances, longer.points
    if not few.all():
        _collect(index, queries, np.flatnonzero(~few), found.distances[:, -1], lists, n_jobs)
    return lists


def _collect(
    index: Any, queries: Matrix, chosen: Indices, radii: Vector, lists: Lists, n_jobs: int | None
) -> None:
    """Fill the lists of some queries by a scan, then sort them."""
    starts, stops = lists.starts[chosen], lists.starts[chosen + 1]

    def fill(chunk: slice) -> None:
        these = chosen[chunk]
        out = lists.distances, lists.points
        index.collect(queries[these], radii[these], (starts[chunk], stops[chunk]), out)

    run_chunks(fill, len(chosen), n_jobs)
    for t in chosen:
        place = slice(lists.starts[t], lists.starts[t + 1])
        order = np.lexsort((lists.points[place], lists.distances[place]))
        lists.distances[place] = lists.distances[place][order]
        lists.points[place] = lists.points[place][order]


def count_votes(
    lists: Lists, labels: Indices, n_classes: int, *, weights: str, stops: Iterable[Indices]
) -> Iterator[Matrix]:
    """Yield the weight each class has among the neighbours of each query before each stop.

    Examples
    --------
    >>> lists = Lists(np.array([0, 3]), np.array([1.0, 2.0, 2.0]), np.array([5, 0, 1]))
    >>> labels, stops = np.array([0, 1, 0, 0, 0, 1]), [np.array([1]), np.array([3])]
    >>> votes = count_votes(lists, labels, 2, weights="uniform", stops=stops)
    >>> [vote.tolist() for vote in votes]
    [[[0.0, 1.0]], [[1.0, 2.0]]]
    """
    return _tallies(lists, labels[lists.points], lists.weights(weights), n_classes, stops)


def mean_targets(
    lists: Lists, targets: Vector, *, weights: str, stops: Iterable[Indices]
) -> Iterator[Vector]:
    """Yield the weighted mean target of the neighbours of each query before each stop.

    Examples
    --------
    >>> lists = Lists(np.array([0, 2]), np.array([1.0, 2.0]), np.array([0, 1]))
    >>> stops = [np.array([1]), np.array([2])]
    >>> means = mean_targets(lists, np.array([3.0, 6.0]), weights="distance", stops=stops)
    >>> [mean.tolist() for mean in means]
    [[3.0], [4.0]]
    """
    shares, column, stops = lists.weights(weights), np.zeros_like(lists.points), list(stops)
    sums = _tallies(lists, column, shares * targets[lists.points], 1, stops)
    for total, weight in zip(sums, _tallies(lists, column, shares, 1, stops), strict=True):
        yield (total / weight).ravel()


def _tallies(
    lists: Lists, columns: Indices, values: Vector, n_columns: int, stops: Iterable[Indices]
) -> Iterator[Matrix]:
    """Yield the sums of values by query and column before each stop; stops grow."""
    n, begin = len(lists.starts) - 1, lists.starts[:-1]
    totals = np.zeros(n * n_columns)
    for stop in stops:
        lengths = stop - begin
        owners = np.repeat(np.arange(n), lengths)
        places = np.arange(len(owners)) + (begin + lengths - np.cumsum(lengths))[owners]
        cells = owners * n_columns + columns[places]
        totals = totals + np.bincount(cells, weights=values[places], minlength=len(totals))
        begin = stop
        yield totals.reshape(n, n_columns)


def decide(votes: Matrix, preference: Matrix) -> Indices:
    """Return the class with most votes; of those tied the preferred one, then the smallest.

    Examples
    --------
    >>> decide(np.array([[1.0, 1.0, 0.0]]), np.array([3, 4, 9])).tolist()
    [1]
    """
    return np.where(tied_votes(votes), preference, -1.0).argmax(axis=1)


def tied_votes(votes: Matrix) -> Mask:
    """Return which classes have as many votes as any."""
    return votes == votes.max(axis=1, keepdims=True)
