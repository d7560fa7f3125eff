"""The cheapest side of a hyperplane through 0 for weighted rows, over all hyperplanes.

Each row costs something on the positive and something on the negative side. Signs are those of
determinants: in floats where they are beyond doubt, in whole numbers where they are not.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from surelearn._typing import Indices, Mask, Matrix, Vector

_DOUBT = 1e-11  # of the product of 1-norms: far above the rounding error of a small determinant
_CELLS = 2**20  # products of rows and normals computed at once

Whole: TypeAlias = list[tuple[int, ...]]
Costs: TypeAlias = tuple[Indices, Indices]
"""What each row costs on the positive and on the negative side."""


def cheapest_sides(rows: Matrix, costs: Costs) -> Indices:
    """Return a side, +1 or -1, for each row such that some w has ⟨w, row⟩ of this sign; 0 for 0.

    The total cost is the least of all; a row of zeros is on no side.

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> cheapest_sides(rows, (np.array([0, 1, 0]), np.array([1, 0, 1]))).tolist()
    [1, 1, 1]
    """
    whole = independent_columns(whole_rows(rows))
    rank = len(whole[0]) if whole else 0
    if rank in {0, len(whole)}:
        return _own_sides(whole, costs)
    return _Search(whole, costs).run(rank)


class _Search:
    """The best found so far, and what has been solved exactly on the way."""

    def __init__(self, whole: Whole, costs: Costs) -> None:
        self.whole, self.costs = whole, costs
        self.least = np.minimum(*costs)
        self.best, self.sides = int(costs[0].sum() + costs[1].sum()) + 1, np.zeros(0, np.int64)
        self.seen: set[tuple[int, ...]] = set()

    def run(self, rank: int) -> Indices:
        """Look at each hyperplane through as many rows as can be independent on it."""
        rows = _near_one(self.whole)
        for subsets in _blocks(len(rows), rank - 1):
            scores, doubtful = _signs_of(rows, subsets)
            for side in (1.0, -1.0):
                price = self._prices(side * scores, doubtful)
                for b in np.flatnonzero(price < self.best):
                    if price[b] < self.best:  # another may have been better meanwhile
                        self._look(subsets[b], side * scores[b], doubtful[b], int(price[b]))
        return self.sides

    def _prices(self, scores: Matrix, doubtful: Mask) -> Vector:
        """Return the least that each hyperplane can cost: rows in doubt are on their own side."""
        plus, minus = self.costs
        sure = np.where(scores > 0.0, plus, minus)
        return np.where(doubtful, self.least, sure).sum(axis=1)

    def _look(self, subset: Indices, scores: Vector, doubtful: Mask, price: int) -> None:
        """Keep a hyperplane if it is better than all before."""
        sides = np.where(scores > 0.0, 1, -1)
        own = _own_sides(self.whole, self.costs)
        if doubtful.sum() == len(subset) < len(scores):
            # Only the rows that span it are on it. They are independent, or all would be in doubt:
            # a small turn puts each of them on its own side.
            self.best, self.sides = price, np.where(doubtful, own, sides)
            return
        self._look_exactly(subset)

    def _look_exactly(self, subset: Indices) -> None:
        """Settle in whole numbers which rows lie on a hyperplane, then those among themselves."""
        normal = normal_of([self.whole[i] for i in subset])
        if not any(normal):
            return
        exact = [sum(map(math.prod, zip(normal, row, strict=True))) for row in self.whole]
        on = tuple(i for i, score in enumerate(exact) if score == 0)
        if on in self.seen:
            return
        self.seen.add(on)
        inner = self._inside(on)
        for side in (1, -1):
            sides = np.array([side * ((score > 0) - (score < 0)) for score in exact])
            sides[list(on)] = inner
            cost = self._cost(sides)
            if cost < self.best:
                self.best, self.sides = cost, sides

    def _inside(self, on: Sequence[int]) -> Indices:
        """Return the cheapest sides of rows on one hyperplane: a turn of it splits them."""
        places = list(on)
        costs = self.costs[0][places], self.costs[1][places]
        whole = independent_columns([self.whole[i] for i in places])
        rank = len(whole[0]) if whole else 0
        if rank in {0, len(whole)}:
            return _own_sides(whole, costs)
        return _Search(whole, costs).run(rank)

    def _cost(self, sides: Indices) -> int:
        plus, minus = self.costs
        return int(np.where(sides > 0, plus, np.where(sides < 0, minus, plus + minus)).sum())


def _own_sides(whole: Whole, costs: Costs) -> Indices:
    """Return the cheaper side of each row by itself; independent rows can all have theirs."""
    own = np.where(costs[0] <= costs[1], 1, -1)
    return np.where([any(row) for row in whole], own, 0)


def _blocks(n: int, size: int) -> Iterator[Indices]:
    """Yield the subsets of so many of n rows, many at a time."""
    subsets = itertools.combinations(range(n), size)
    at_once = max(1, _CELLS // n)
    while block := list(itertools.islice(subsets, at_once)):
        yield np.array(block, dtype=np.int64).reshape(len(block), size)


def _signs_of(rows: Matrix, subsets: Indices) -> tuple[Matrix, Mask]:
    """Return the determinants of each subset with each row, and which of them may be 0."""
    d, spanning = rows.shape[1], rows[subsets]
    columns = np.arange(d)
    minors = [np.linalg.det(spanning[:, :, columns != j]) * (-1.0) ** j for j in range(d)]
    scores = np.stack(minors, axis=1) @ rows.T
    lengths = np.abs(rows).sum(axis=1)
    limit = _DOUBT * np.outer(np.prod(lengths[subsets], axis=1), lengths)
    return scores, ~(np.abs(scores) > limit)


def _near_one(whole: Whole) -> Matrix:
    """Return whole numbers as floats, each column and then each row divided by its largest."""
    columns = [max(map(abs, column)) or 1 for column in zip(*whole, strict=True)]
    return np.array(
        [
            [float(Fraction(value, top)) for value, top in zip(row, columns, strict=True)]
            for row in whole
        ]
    )


def whole_rows(rows: Matrix) -> Whole:
    """Return rows of floats as whole numbers, each row times a positive number: signs stay.

    Examples
    --------
    >>> whole_rows(np.array([[0.5, 0.75]]))
    [(2, 3)]
    """
    found: Whole = []
    for row in rows.tolist():
        exact = [Fraction(value) for value in row]
        common = math.lcm(*(value.denominator for value in exact)) if exact else 1
        found.append(tuple(int(value * common) for value in exact))
    return found


def normal_of(rows: Whole) -> tuple[int, ...]:
    """Return a vector at right angles to d - 1 rows of d whole numbers; 0 if they are dependent.

    Examples
    --------
    >>> normal_of([(1, 0, 0), (0, 1, 0)])
    (0, 0, 1)
    """
    d = len(rows) + 1
    minors = ([[*row[:j], *row[j + 1 :]] for row in rows] for j in range(d))
    return tuple((-1) ** j * determinant(minor) for j, minor in enumerate(minors))


def determinant(matrix: list[list[int]]) -> int:
    """Return the determinant of whole numbers, without fractions (Bareiss, 1968).

    Examples
    --------
    >>> determinant([[1, 2], [3, 4]]), determinant([])
    (-2, 1)
    """
    rows, sign, before = [list(row) for row in matrix], 1, 1
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        for i in range(k + 1, len(rows)):
            for j in range(k + 1, len(rows)):
                rows[i][j] = (rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) // before
        before = rows[k][k]
    return sign * before


def independent_columns(whole: Whole) -> Whole:
    """Return the rows with as many columns as they have dimensions: the others follow from these.

    Examples
    --------
    >>> independent_columns([(1, 2, 0), (2, 4, 1)])
    [(1, 0), (2, 1)]
    """
    columns = [list(map(Fraction, column)) for column in zip(*whole, strict=True)]
    kept: list[int] = []
    pivots: list[tuple[int, list[Fraction]]] = []
    for j, column in enumerate(columns):
        rest = column
        for place, pivot in pivots:
            if rest[place]:
                factor = rest[place] / pivot[place]
                rest = [a - factor * b for a, b in zip(rest, pivot, strict=True)]
        place = next((i for i, value in enumerate(rest) if value), None)
        if place is not None:
            pivots.append((place, rest))
            kept.append(j)
    return [tuple(row[j] for j in kept) for row in whole]
