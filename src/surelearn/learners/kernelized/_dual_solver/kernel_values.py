"""Kernel values of training rows as a solver asks for them: square blocks, and weighted sums."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from surelearn._typing import Indices, Matrix, Vector

ValuesOf = Callable[[Any, Any], Matrix]
"""Points and points become the values of all pairs, or one list its Gram matrix, if None."""

_AT_ONCE = 2**22  # values held at once
_MANY = 0.1  # of all rows
WHOLE = 6000  # rows up to which all values are computed once and kept


class KernelValues(ABC):
    """The values of a kernel on n rows, computed when they are asked for.

    `diagonal` has the value of each row with itself. `needs_double` says that single precision is
    not enough, `is_whole` that a block of all rows costs nothing, `block_size` how many variables
    to solve at a time, if not the usual number.
    """

    n: int
    diagonal: Vector
    needs_double = True
    is_whole = False
    block_size: int | None = None

    @abstractmethod
    def block(self, rows: Indices, *, double: bool) -> Matrix:
        """Return the values of some rows with each other, in the corner of a table."""

    @abstractmethod
    def sums(
        self, rows: Indices, weights: Vector, *, among: Indices | None = None, double: bool
    ) -> Vector:
        """Return Σ weight·k(row, ·) over some rows, for each of all rows or of those among them."""

    @abstractmethod
    def restricted(self, rows: Indices) -> "KernelValues":
        """Return the values of some rows alone."""


class KeptValues(KernelValues):
    """Values that all stand in memory: a Gram matrix."""

    is_whole = True

    def __init__(self, gram: Matrix) -> None:
        self.n, self.gram, self.diagonal = len(gram), gram, np.diagonal(gram).copy()

    def block(self, rows: Indices, *, double: bool) -> Matrix:
        """Return the values of some rows with each other; of all rows, without a copy."""
        del double
        k = len(rows)
        if k == self.n and np.array_equal(rows, np.arange(k)):
            return self.gram
        return self.gram[np.ix_(rows, rows)]

    def sums(
        self, rows: Indices, weights: Vector, *, among: Indices | None = None, double: bool
    ) -> Vector:
        """Return Σ weight·k(row, ·) over some rows, for each of all rows or of those among them."""
        del double
        if len(rows) > _MANY * self.n:  # to read all values is faster than to copy some
            spread = np.zeros(self.n)
            spread[rows] = weights
            total = spread @ self.gram
        else:
            total = np.zeros(self.n)
            for part in gen_batches(len(rows), max(1, _AT_ONCE // self.n)):
                total += weights[part] @ self.gram[rows[part]]
        return total if among is None else total[among]

    def restricted(self, rows: Indices) -> "KeptValues":
        """Return the values of some rows alone."""
        return self if len(rows) == self.n else KeptValues(self.gram[np.ix_(rows, rows)])


class ComputedValues(KernelValues):
    """Values of any kernel, computed anew whenever they are asked for, in double precision."""

    def __init__(self, points: Any, values_of: ValuesOf, diagonal: Vector) -> None:
        self._points, self._values_of = points, values_of
        self.n, self.diagonal = len(diagonal), diagonal

    def block(self, rows: Indices, *, double: bool) -> Matrix:
        """Return the values of some rows with each other."""
        del double
        return np.asarray(self._values_of(self._points[rows], None), dtype=np.float64)

    def sums(
        self, rows: Indices, weights: Vector, *, among: Indices | None = None, double: bool
    ) -> Vector:
        """Return Σ weight·k(row, ·) over some rows, for each of all rows or of those among them."""
        del double
        asked = self._points if among is None else self._points[among]
        total = np.zeros(asked.shape[0])
        for part in gen_batches(len(rows), max(1, _AT_ONCE // max(1, len(total)))):
            total += weights[part] @ self._values_of(self._points[rows[part]], asked)
        return total

    def restricted(self, rows: Indices) -> KernelValues:
        """Return the values of some rows alone."""
        return computed_values(self._points[rows], self._values_of, self.diagonal[rows])


class LinearValues(ComputedValues):
    """Inner products plus a constant: a weighted sum of them is one product with summed rows."""

    def __init__(self, X: Any, values_of: ValuesOf, diagonal: Vector, offset: float) -> None:
        super().__init__(X, values_of, diagonal)
        self.points, self._offset = X, offset

    def sums(
        self, rows: Indices, weights: Vector, *, among: Indices | None = None, double: bool
    ) -> Vector:
        """Return Σ weight·k(row, ·) over some rows, for each of all rows or of those among them."""
        del double
        found = np.asarray(self.points @ (weights @ self.points[rows]))
        return (found if among is None else found[among]) + self._offset * weights.sum()

    def restricted(self, rows: Indices) -> "LinearValues":
        """Return the values of some rows alone."""
        some = self.points[rows]
        return LinearValues(some, self._values_of, self.diagonal[rows], self._offset)


def computed_values(points: Any, values_of: ValuesOf, diagonal: Vector) -> KernelValues:
    """Return the values of any kernel: kept if there are few rows, else computed when needed."""
    if len(diagonal) <= WHOLE:
        gram = np.asarray(values_of(points, None), dtype=np.float64)
        return KeptValues(gram)
    return ComputedValues(points, values_of, diagonal)
