"""Problems of huge or tiny numbers, told in units in which those of the search are near 1.

The search has absolute limits: the flattest curvature, the gradient of what is out of sight, and
gains in single precision. Units are powers of two, so nothing is rounded by the change of them.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.kernelized._dual_solver.kernel_values import KernelValues
from surelearn.learners.kernelized._dual_solver.problem import Problem

_SMALL_VALUE, _LARGE_VALUE = -7, 40  # powers of two between which kernel values are left alone
_SMALL_TARGET, _LARGE_TARGET = -30, 30
_FARTHEST = 400  # beyond that power of two the width of a box is all that matters, or nothing
_LARGEST = 450


class Units(NamedTuple):
    """The size of a kernel value, and of a target."""

    value: float
    target: float

    def problem(self, problem: Problem) -> Problem:
        """Return a problem in these units."""
        bounds = self.of_variables(problem.bounds)
        return replace(problem, targets=problem.targets / self.target, bounds=bounds)

    def of_variables(self, amounts: Vector) -> Vector:
        """Return the sizes of variables in these units."""
        return amounts / self.target * self.value

    def variables(self, amounts: Vector) -> Vector:
        """Return variables that are told in these units as they are without."""
        return amounts * self.target / self.value


def units_if_far(problem: Problem, values: KernelValues) -> Units | None:
    """Return the units to search in; None if numbers are near enough to 1 as they are."""
    value, target = _power(values.diagonal), _power(problem.targets)
    near = _SMALL_VALUE <= value <= _LARGE_VALUE and _SMALL_TARGET <= target <= _LARGE_TARGET
    return None if near else units_of(problem, values)


def units_of(problem: Problem, values: KernelValues) -> Units:
    """Return units in which the largest kernel value and the largest target are near 1."""
    value, target = _power(values.diagonal), _power(problem.targets)
    target = min(max(target, -_LARGEST), _LARGEST)
    limits = np.abs(problem.bounds)
    limits = limits[(limits > 0.0) & np.isfinite(limits)]
    if len(limits):  # no box may vanish, and none become infinite
        value = max(value, target - _FARTHEST - math.frexp(limits.min())[1])
        value = min(value, target + _FARTHEST - math.frexp(limits.max())[1])
    value = min(max(value, -2 * _LARGEST), 2 * _LARGEST)
    return Units(math.ldexp(1.0, value), math.ldexp(1.0, target))


def _power(amounts: Vector) -> int:
    """Return the power of two of the largest amount."""
    return math.frexp(float(np.abs(amounts).max()))[1] - 1


class ValuesInUnits(KernelValues):
    """Kernel values divided by the size of one."""

    def __init__(self, values: KernelValues, unit: float) -> None:
        self._values, self._unit = values, unit
        self.n, self.diagonal = values.n, values.diagonal / unit
        self.needs_double, self.is_whole = values.needs_double, values.is_whole
        self.block_size = values.block_size

    def block(self, rows: Indices, *, double: bool) -> Matrix:
        """Return the values of some rows with each other."""
        with np.errstate(all="ignore"):  # beyond the corner a table may hold anything
            return self._values.block(rows, double=double) / self._unit

    def sums(
        self, rows: Indices, weights: Vector, *, among: Indices | None = None, double: bool
    ) -> Vector:
        """Return Σ weight·k(row, ·) over some rows, for each of all rows or of those among them."""
        return self._values.sums(rows, weights / self._unit, among=among, double=double)

    def restricted(self, rows: Indices) -> "ValuesInUnits":
        """Return the values of some rows alone."""
        return ValuesInUnits(self._values.restricted(rows), self._unit)
