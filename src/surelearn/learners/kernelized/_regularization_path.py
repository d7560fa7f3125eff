"""The solutions of all C at once: between two of its breaks every α is an affine function of C.

Which rows have α = 0, α = C or something between changes only at breaks; the rows between solve
linear equations whose right-hand side is affine in C. Hastie, Rosset, Tibshirani and Zhu (2004).
"""

from dataclasses import dataclass, replace

import numpy as np

from surelearn import _arguments
from surelearn._typing import Matrix, Vector
from surelearn.learners.kernelized._dual_solver.kernel_values import KernelValues
from surelearn.learners.kernelized._dual_solver.problem import Problem, judge
from surelearn.learners.kernelized._dual_solver.solver import Rules, solve
from surelearn.learners.kernelized._dual_solver.units import ValuesInUnits, units_of

_MOST = 100_000  # breaks
_ROWS = 6000
_NEAR = 1e-9
_SHORTEST = 50  # breaks in a row that are too close to tell apart
_NEXT, _LONGER = 1e-6, 4.0  # how far beyond a break to solve anew, and how much farther each time
_WORST = 1e-6  # violation of the optimality conditions from which on a step is not taken
_EMPTIES, _FILLS, _JOINS = "empties", "fills", "joins"


@dataclass(frozen=True, eq=False)
class RegularizationPath:
    """Support vector machines of two classes for all C from the first break to the last.

    Attributes
    ----------
    C
        The breaks, increasing.
    dual_coef, intercept
        At each break y·α of each training row, and b.
    violations
        At each break the largest violation of the optimality conditions.
    """

    C: Vector
    dual_coef: Matrix
    intercept: Vector
    violations: Vector

    def at(self, C: float) -> tuple[Vector, float]:
        """Return y·α of each row and b for one C, by going straight from break to break.

        Parameters
        ----------
        C
            From the first break to the last.
        """
        C, first, last = _arguments.real("C", C), float(self.C[0]), float(self.C[-1])
        if not first <= C <= last:
            raise ValueError(f"C={C!r} must be from {first:g} to {last:g}, where the path is known")
        k = min(int(np.searchsorted(self.C, C, side="right")), len(self.C) - 1)
        share = (C - self.C[k - 1]) / (self.C[k] - self.C[k - 1])
        coef = (1.0 - share) * self.dual_coef[k - 1] + share * self.dual_coef[k]
        b = (1.0 - share) * self.intercept[k - 1] + share * self.intercept[k]
        return coef, float(b)


def follow(
    problem: Problem, values: KernelValues, first: float, last: float, *, max_iter: int
) -> RegularizationPath:
    """Follow the solutions of a margin problem from the C it is written for to another."""
    _arguments.positive("C", first)
    if values.n > _ROWS:
        raise ValueError(f"a path keeps all kernel values, of at most {_ROWS} rows; n = {values.n}")
    if not first < last < np.inf:
        raise ValueError(f"C_max={last!r} must be a finite number above C={first!r}")
    units = units_of(problem, values)
    begin, end = (float(C) for C in units.of_variables(np.array([first, last])))
    if not np.isfinite(end):
        raise ValueError(f"C_max={last!r} is too large to compute with beside these kernel values")
    walk = _Walk(units.problem(problem), ValuesInUnits(values, units.value), begin, end, max_iter)
    while walk.last > walk.C and len(walk.breaks) < _MOST:
        walk.go_on()
    C, coef, b, violation = (np.array(column) for column in zip(*walk.breaks, strict=True))
    C, coef = units.variables(C), units.variables(coef)
    return RegularizationPath(C, coef, b * units.target, violation * units.target)


class _Walk:
    """Where on the path we are: C, β, b, and which variables are free, at a bound, or 0."""

    def __init__(
        self, problem: Problem, values: KernelValues, first: float, last: float, max_iter: int
    ) -> None:
        self._values, self.last, self._rules = values, last, Rules(1e-8, max_iter)
        self._unit = replace(problem, bounds=problem.bounds / first)
        self._ends = self._unit.bounds.sum(
            axis=0
        )  # the bound of a variable that is not 0, at C = 1
        self._gram = values.block(np.arange(values.n), double=True)[: values.n, : values.n].copy()
        self._n_short, self._reach = 0, _NEXT
        self.C, self.breaks = first, list[tuple[float, Vector, float, float]]()
        self._restart(first, None)

    def go_on(self) -> None:
        """Go to the next break, or to the end."""
        rates, drift = self._direction()
        step, leaving, where = self._next_event(rates, drift)
        C = min(self.C + step, self.last)
        beta = np.where(self._free, self.beta + (C - self.C) * rates, self._full * C)
        b = self.b + (C - self.C) * drift
        self._n_short = self._n_short + 1 if step <= _NEAR * self.C else 0
        several = self._n_short > _SHORTEST or C == self.C  # rows change sides at once
        if several or self._strays(C, beta, b):
            self._go_round()
            return
        self.C, self.beta, self.b, self._reach = C, beta, b, _NEXT
        if self.last > C:
            self._free[leaving] = where == _JOINS
            self._full[leaving] = self._ends[leaving] if where == _FILLS else 0.0
            if where != _JOINS:
                self.beta[leaving] = self._full[leaving] * C
        self._record()

    def _go_round(self) -> None:
        """Solve the problem of a C that is a little larger, where rows have changed sides."""
        C = min(self.C * (1.0 + self._reach), self.last)
        self._reach = min(_LONGER * self._reach, 0.01)
        self._restart(C, self.beta * (C / self.C))

    def _restart(self, C: float, start: Vector | None) -> None:
        """Solve the problem of one C, from nearby if there is a start."""
        self.C, problem = C, self._problem(C)
        self.beta = solve(problem, self._values, self._rules, start).beta
        low, high = problem.bounds
        room = _NEAR * np.minimum(high - low, np.abs(self.beta).max())  # a box may be far too wide
        self._free = (self.beta > low + room) & (self.beta < high - room)
        self._full = np.where(~self._free & (np.abs(self.beta) > room), self._ends, 0.0)
        self.beta = np.where(self._free, self.beta, C * self._full)
        self.b, self._n_short = judge(problem, self.beta, self._gram @ self.beta).intercept, 0
        self._record()

    def _direction(self) -> tuple[Vector, float]:
        """Return how fast each β and b change with C."""
        free = np.flatnonzero(self._free)
        k = len(free)
        rates = self._full.copy()
        if not k:
            return rates, 0.0
        system = np.zeros((k + 1, k + 1))
        system[:k, :k] = self._gram[np.ix_(free, free)]
        scale = float(np.abs(system).max()) * self._unit.balanced
        system[k, :k] = system[:k, k] = scale
        wanted = np.append(-(self._gram[free] @ self._full), -scale * self._full.sum())
        found = np.linalg.lstsq(system, wanted)[0]
        rates[free] = found[:k]
        return rates, float(found[k] * scale)

    def _next_event(self, rates: Vector, drift: float) -> tuple[float, int, str]:
        """Return how far C may grow, which variable then changes sides, and to where."""
        f = self._gram @ self.beta - self._unit.targets
        speed = self._gram @ rates
        if self._unit.balanced and not self._free.any():
            return self._interval_closes(f, speed)
        with np.errstate(divide="ignore", invalid="ignore"):
            sign, most = np.sign(self._ends), np.abs(self._ends)
            alpha, pace = sign * self.beta, sign * rates  # at a bound it may not go on outwards
            falls, fills = (self._free & (v > _NEAR * most) for v in (-pace, pace - most))
            to_zero = np.where(falls, np.maximum(alpha, 0.0) / -pace, np.inf)
            left = np.maximum(most * self.C - alpha, 0.0)
            to_full = np.where(fills, left / (pace - most), np.inf)
            side = sign * np.where(self._full == 0.0, 1.0, -1.0)
            slack, pace = side * (f + self.b), side * (speed + drift)  # not below 0 at an optimum
            waiting = ~self._free & (pace < -_NEAR) & (self._ends != 0.0)
            to_join = np.where(waiting, np.maximum(slack, 0.0) / -pace, np.inf)
        found = {_EMPTIES: to_zero, _FILLS: to_full, _JOINS: to_join}
        where = min(found, key=lambda name: float(found[name].min()))
        return float(found[where].min()), int(found[where].argmin()), where

    def _interval_closes(self, f: Vector, speed: Vector) -> tuple[float, int, str]:
        """Return when only one b is left: without a free variable there may be several."""
        problem = self._problem(self.C)
        falls, rises = problem.can_fall(self.beta), problem.can_rise(self.beta)
        apart = f[rises][:, None] - f[falls]
        pace = speed[rises][:, None] - speed[falls]
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.where(pace < -_NEAR, np.maximum(apart, 0.0) / -pace, np.inf)
        first = int(steps.argmin()) // steps.shape[1]
        step = float(steps.min())
        joining = int(np.flatnonzero(rises)[first])
        if np.isfinite(step):
            self.b = -float(f[joining] + step * speed[joining])
        return step, joining, _JOINS

    def _problem(self, C: float) -> Problem:
        return replace(self._unit, bounds=self._unit.bounds * C)

    def _strays(self, C: float, beta: Vector, b: float) -> bool:
        """Say whether a step leads away from the path, as where no direction keeps all margins."""
        (low, high), most = self._problem(C).bounds, C * float(np.abs(self._ends).max())
        if np.maximum(low - beta, beta - high).max() > _NEAR * most:
            return True
        if self._unit.balanced and abs(float(beta.sum())) > _WORST * most:
            return True
        return self._violation(C, beta, b) > max(_WORST, 2.0 * self.breaks[-1][-1])

    def _violation(self, C: float, beta: Vector, b: float) -> float:
        """Return the largest violation of the optimality conditions."""
        f = self._gram @ beta - self._unit.targets
        lowest, highest = self._problem(C).extremes(beta, f)
        return max(0.0, highest + b, -(lowest + b))

    def _record(self) -> None:
        """Keep the break, and how well its problem is solved."""
        violation = self._violation(self.C, self.beta, self.b)
        self.breaks.append((self.C, self.beta.copy(), self.b, violation))
