"""The stump of least weighted error: columns sorted once, then one pass over each per round.

Weights are whole numbers that sum to about 2^52, so sums do not depend on their order. The search
maximises the weight of the rows that are right minus that of the others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.learners.ensembles._stumps import NO_ROUTES, Stump

_UNITS = 2.0**52
_SLACK = 9007  # in these units, 2e-12 of the weight: errors that differ by less are equal

_LEAST = -(2**62)

Order = NDArray[np.int32]
Orders = NDArray[np.int32]
Masks = NDArray[np.bool_]


@jit
def _best_of_two(
    order: Order, ends: Mask, n_there: int, signed: Indices, start: int, best: int
) -> tuple[int, int]:
    """Return the place of the best cut, -1 if none beats the best known, and its signed gain.

    The gain is the signed weight up to the cut minus that above it; the class of the sign stands
    on the left. `signed` holds it doubled, `start` is minus that of all rows.
    """
    place, found, total = -1, 0, start
    for i in range(n_there):
        total += int(signed[order[i]])
        if abs(total) > best and ends[i]:
            place, found, best = i, total, abs(total) + _SLACK
    return place, found


@jit
def _best_column_of_two(
    orders: Orders, ends: Masks, n_there: Indices, signed: Indices, start: int
) -> tuple[int, int, int, bool]:
    """Return the gain, column and place of the best cut of all, and whether gaps go left.

    What `_best_of_two` is asked for each column, with the rows of missing cells on the left and
    then on the right: in one call, since a table may have a hundred thousand columns.
    """
    gain, feature, place, missing_left, best = _LEAST, -1, -1, True, _LEAST + _SLACK
    for j in range(len(orders)):
        gone = 0
        for i in range(n_there[j], orders.shape[1]):
            gone += int(signed[orders[j, i]])
        for side in range(0 if n_there[j] < orders.shape[1] else 1, 2):
            begin = start + gone if side == 0 else start
            found, total = _best_of_two(orders[j], ends[j], n_there[j], signed, begin, best)
            if found >= 0:
                gain, feature, place, missing_left = abs(total), j, found, side == 0
                best = gain + _SLACK
    return gain, feature, place, missing_left


@jit
def _best_of_many(
    order: Order,
    ends: Mask,
    n_there: int,
    weights: Indices,
    codes: Indices,
    left: Indices,
    right: Indices,
    best: int,
) -> tuple[int, int]:
    """Return the same for many classes: the place, and twice the weight that is right."""
    place, found = -1, 0
    for i in range(n_there):
        row = order[i]
        left[codes[row]] += weights[row]
        right[codes[row]] -= weights[row]
        if ends[i]:
            total = 2 * (left.max() + right.max())
            if total > best:
                place, found, best = i, total, total + _SLACK
    return place, found


@jit
def _add_classes(rows: Order, codes: Indices, units: Indices, sums: Indices) -> None:
    """Add the weight of each class among some rows."""
    for i in range(len(rows)):
        sums[codes[rows[i]]] += units[rows[i]]


class SortedColumn(NamedTuple):
    """A column's rows in the order of their cells, missing ones last, and where it may be cut."""

    order: Order
    ends: Mask
    n_there: int


class _Found(NamedTuple):
    """The best question so far: its gain, its column, the place of the cut, where gaps go."""

    gain: int
    feature: int
    place: int
    missing_left: bool


_NOTHING = _Found(_LEAST, -1, -1, missing_left=True)


class _Round(NamedTuple):
    """The weights of a round in whole units: of rows, doubled with their sign, of classes."""

    units: Indices
    signed: Indices
    totals: Indices


class StumpSearch:
    """Finds stumps on a table whose columns it has sorted."""

    def __init__(self, X: Matrix, n_categories: Indices, codes: Indices, n_classes: int) -> None:
        self.X, self.codes, self.n_classes = X, codes, n_classes
        self.n_categories = n_categories
        self.all_rows = np.arange(len(codes), dtype=np.int32)
        self.columns = [
            sorted_column(X[:, j]) if n_categories[j] == 0 else None for j in range(X.shape[1])
        ]
        self.together = self._put_together() if n_classes == 2 and not n_categories.any() else None

    def _put_together(self) -> tuple[Orders, Masks, Indices]:
        """Let the sorted columns stand in two tables, to be searched in one call."""
        sorted_columns = [column for column in self.columns if column is not None]
        shape = len(sorted_columns), len(self.codes)
        orders, ends = np.empty(shape, dtype=np.int32), np.zeros(shape, dtype=np.bool_)
        for j, column in enumerate(sorted_columns):
            orders[j], ends[j, : column.n_there] = column.order, column.ends
            self.columns[j] = SortedColumn(orders[j], ends[j, : column.n_there], column.n_there)
        return orders, ends, np.array([column.n_there for column in sorted_columns])

    def best(self, weights: Vector) -> Stump:
        """Return the stump of least error under weights that sum to 1; the first of equal ones."""
        units = np.rint(weights * _UNITS).astype(np.int64)
        signed = 2 * units * (2 * self.codes - 1)
        now = _Round(units, signed, self._class_sums(units, self.all_rows))
        found = _NOTHING
        if self.together is not None:
            start = int(now.totals[0] - now.totals[1])
            found = _Found(*_best_column_of_two(*self.together, signed, start))
        for feature in range(self.X.shape[1] if self.together is None else 0):
            found = self._better(found, feature, now)
        always = int(now.totals.argmax())
        if 2 * int(now.totals[always]) - int(now.totals.sum()) > found.gain + _SLACK:
            return self._constant(always)
        return self._stump(found, now)

    def _constant(self, always: int) -> Stump:
        """Return the stump that names one class whatever it is asked."""
        width = int(self.n_categories[0])
        routes = np.full(width, always, dtype=np.int64)
        return Stump(0, np.nan if width else np.inf, (always, always, always), routes)

    def _class_sums(self, units: Indices, rows: Order) -> Indices:
        """Return the weight of each class among some rows."""
        sums = np.zeros(self.n_classes, dtype=np.int64)
        _add_classes(rows, self.codes, units, sums)
        return sums

    def _missing_sums(self, column: SortedColumn, units: Indices) -> Indices | None:
        """Return the weight of each class among the rows whose cell is missing, if there are."""
        rows = column.order[column.n_there :]
        return self._class_sums(units, rows) if len(rows) else None

    def _better(self, found: _Found, feature: int, now: _Round) -> _Found:
        """Return the best question of a column if it beats the one found, else that."""
        column = self.columns[feature]
        if column is None:
            sums = self._category_sums(feature, now.units)
            gain = 2 * int(sums.max(axis=1).sum()) - int(now.totals.sum())
            better = gain > found.gain + _SLACK
            return _Found(gain, feature, -1, missing_left=True) if better else found
        missing, none = self._missing_sums(column, now.units), np.zeros_like(now.totals)
        for gone in (none,) if missing is None else (missing, none):
            place, gain = self._cut(column, now, gone, found.gain + _SLACK)
            if place >= 0:
                found = _Found(gain, feature, place, missing_left=gone is missing)
        return found

    def _cut(self, column: SortedColumn, now: _Round, gone: Indices, best: int) -> tuple[int, int]:
        """Return the place and the gain of a column's best cut, with some weight gone left."""
        if self.n_classes == 2:
            start = int(2 * (gone[1] - gone[0]) - (now.totals[1] - now.totals[0]))
            place, found = _best_of_two(*column, now.signed, start, best)
            return place, abs(found)
        total, left = int(now.totals.sum()), gone.copy()
        place, found = _best_of_many(
            *column, now.units, self.codes, left, now.totals - gone, best + total
        )
        return place, found - total

    def _category_sums(self, feature: int, units: Indices) -> Indices:
        """Return the weight of each class in each category, missing cells in the last line."""
        width, cells = int(self.n_categories[feature]), self.X[:, feature]
        places = np.where(cells >= 0.0, cells, width).astype(np.int64) * self.n_classes
        size = (width + 1) * self.n_classes
        # Floats hold these whole numbers and their sums exactly.
        sums = np.bincount(places + self.codes, weights=units, minlength=size)
        return sums.astype(np.int64).reshape(width + 1, self.n_classes)

    def _stump(self, found: _Found, now: _Round) -> Stump:
        """Return the question found with the class of each answer."""
        column = self.columns[found.feature]
        if column is None:
            sums = self._category_sums(found.feature, now.units)
            other = int((sums[-1] if sums[-1].any() else now.totals).argmax())
            routes = np.where(sums.any(axis=1), sums.argmax(axis=1), other)
            return Stump(found.feature, np.nan, (other, other, other), routes[:-1])
        missing = self._missing_sums(column, now.units)
        left = self._class_sums(now.units, column.order[: found.place + 1])
        if missing is not None and found.missing_left:
            left += missing
        right = now.totals - left
        gone_left = bool(left.sum() >= right.sum()) if missing is None else found.missing_left
        sides = int(left.argmax()), int(right.argmax())
        answers = (*sides, sides[0 if gone_left else 1])
        return Stump(found.feature, _threshold(self.X, column, found), answers, NO_ROUTES)


def _threshold(X: Matrix, column: SortedColumn, found: _Found) -> float:
    """Return the midpoint of the two values around the cut; infinity after the last one."""
    if found.place + 1 >= column.n_there:
        return np.inf
    pair = column.order[found.place : found.place + 2]
    low, high = X[pair, found.feature].astype(np.float64).tolist()
    middle = low / 2.0 + high / 2.0
    return middle if low <= middle < high else low


def sorted_column(cells: Vector) -> SortedColumn:
    """Return the order of a column's cells, and after which of them it may be cut.

    Examples
    --------
    >>> column = sorted_column(np.array([2.0, np.nan, 1.0, 2.0]))
    >>> column.order.tolist(), column.ends.tolist(), column.n_there
    ([2, 0, 3, 1], [True, False, True], 3)
    """
    order = np.argsort(cells, kind="stable").astype(np.int32)  # NaN comes last
    n_there = len(cells) - int(np.count_nonzero(np.isnan(cells)))
    values = cells[order[:n_there]]
    ends = np.append(values[1:] > values[:-1], n_there < len(cells))[:n_there]
    return SortedColumn(order, ends, n_there)
