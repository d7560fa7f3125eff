"""The outer loop: blocks of variables are solved one after another until the gap is closed.

No kernel value is kept from one block to the next. A block's values are computed in single
precision where that is enough; whatever is reported is computed anew in double precision.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.learners.kernelized._dual_solver import hulls, working_set
from surelearn.learners.kernelized._dual_solver.inner_loop import FAR, LARGEST_BLOCK, solve_block
from surelearn.learners.kernelized._dual_solver.kernel_values import KernelValues
from surelearn.learners.kernelized._dual_solver.polishing import polished
from surelearn.learners.kernelized._dual_solver.problem import Problem, Solution
from surelearn.learners.kernelized._dual_solver.units import ValuesInUnits, units_if_far

_SMALL = 1000  # variables up to which a problem is solved far beyond what is asked for
_TIGHT = 1e-6
_EXTRA = 100  # steps for each variable that may be spent on it
_MANY_ROWS = 50_000
_ROUNDING = 3e-7  # error of a sum of single values, for each unit of the norm of its weights
_NEAR = 1.5  # the gap from which on variables may rest
_PATIENCE = 20  # blocks without a sum in double precision; steps for each variable of a block


class Rules(NamedTuple):
    """When to stop: at a gap, or after so many steps."""

    tol: float
    max_steps: int


def solve(
    problem: Problem, values: KernelValues, rules: Rules, start: Vector | None = None
) -> Solution:
    """Return the optimum of a problem to a tolerance, from a feasible start or from 0."""
    units = units_if_far(problem, values)
    if units is None:
        return _solve(problem, values, rules, start)
    inside = ValuesInUnits(values, units.value), rules._replace(tol=rules.tol / units.target)
    begin = None if start is None else units.of_variables(start)
    found = _solve(units.problem(problem), *inside, begin)
    low, high = problem.bounds
    return replace(
        found,
        beta=np.clip(units.variables(found.beta), low, high),
        sums=found.sums * units.target,
        curvature=found.curvature * units.value,
    )


def _solve(problem: Problem, values: KernelValues, rules: Rules, start: Vector | None) -> Solution:
    nothing = np.zeros(len(problem.targets))
    search = _Search(problem, values, rules, nothing if start is None else start.copy())
    if not search.value() >= 0.0:  # a start that is worse than none
        search = _Search(problem, values, rules, nothing)
    search.run()
    beta, sums = search.beta, search.sums
    if len(beta) <= _SMALL:
        beta, sums = polished(problem, values, beta, sums)
    settled = problem.settled(beta)
    moved = np.flatnonzero(settled != beta)
    if len(moved):
        amounts = settled[moved] - beta[moved]
        sums = sums + values.sums(*problem.folded(moved, amounts), double=True)
    lowest, highest = problem.extremes(settled, problem.gradient(sums))
    converged = search.converged or highest - lowest <= rules.tol  # polished since
    return Solution(settled, sums, search.n_steps, converged, search.curvature)


class _Search:
    """A point, the sums Kβ at it, and how far they can be trusted."""

    def __init__(self, problem: Problem, values: KernelValues, rules: Rules, beta: Vector) -> None:
        self._problem, self._values, self._rules = problem, values, rules
        self.beta, self.n_steps, self.converged, self.curvature = beta, 0, False, np.inf
        self._n = len(beta)
        self._set: Indices = np.empty(0, dtype=np.int64)
        self._hard = bool(np.isinf(problem.bounds).any())
        self._double = values.needs_double or self._n <= _SMALL or self._hard
        self._tol = min(rules.tol, _TIGHT) if self._n <= _SMALL else rules.tol
        self._n_blocks, self._n_exact, self._n_needed = 0, 0, 0
        self._block: Matrix | None = None
        self._resting: Mask | None = None
        self._refused_at: tuple[int, Indices] = 0, self._set
        self._sum_up()

    def value(self) -> float:
        """Return the dual objective, which is 0 at 0."""
        square = self.beta @ self.sums[self._problem.rows]
        return float(self._problem.targets @ self.beta - 0.5 * square)

    def run(self) -> None:
        """Solve block after block."""
        while True:
            f = self._gradient()
            lowest, highest = self._problem.extremes(self.beta, f)
            gap = highest - lowest
            if self._error == 0.0 and (gap <= self._tol or self._is_enough(gap)):
                self.converged = True
                return
            if self._must_sum_up(gap):
                self._sum_up()
                continue
            self._let_rest(f, lowest, highest)
            if self.n_steps >= self._rules.max_steps or not self._solve_block(f, gap):
                self._finish()
                return

    def _gradient(self) -> Vector:
        """Return f; of variables that rest, one that keeps them out of sight."""
        f = self._problem.gradient(self.sums)
        if self._resting is not None:
            rising = self._problem.can_rise(self.beta)
            f[self._resting] = np.where(rising[self._resting], np.inf, -np.inf)
        return f

    def _let_rest(self, f: Vector, lowest: float, highest: float) -> None:
        """Keep no sums for variables at a bound that want to stay there by far.

        They are summed up in double precision before a solution is accepted, and rest only once.
        Until then they are in no block: their gradients are not known.
        """
        margin = highest - lowest
        if self._double or self._n_exact or not margin < _NEAR:
            return
        rising, falling = self._problem.can_rise(self.beta), self._problem.can_fall(self.beta)
        stays = np.where(rising, f > highest + margin, f < lowest - margin) & (rising != falling)
        self._resting = stays

    def _is_enough(self, gap: float) -> bool:
        """Say whether a small problem is solved as asked for, and more takes too long."""
        if gap > self._rules.tol:
            self._n_needed = self.n_steps
            return False
        return self.n_steps > 4 * self._n_needed + _EXTRA * self._n

    def _finish(self) -> None:
        if self._error > 0.0:
            self._sum_up()
        lowest, highest = self._problem.extremes(self.beta, self._problem.gradient(self.sums))
        self.converged = highest - lowest <= self._rules.tol

    def _must_sum_up(self, gap: float) -> bool:
        """Say whether rounding may hide what is left to do."""
        if self._error == 0.0:
            return False
        if gap <= self._tol:
            return True
        late = gap < 10.0 * self._tol or self._n_blocks % _PATIENCE == 0
        return late and self._error > 0.1 * self._tol

    def _sum_up(self) -> None:
        """Compute the sums anew in double precision; if that never suffices, compute all so."""
        self.sums, self._error, self._resting = np.zeros(self._values.n), 0.0, None
        used = np.flatnonzero(self.beta)
        if len(used):
            folded = self._problem.folded(used, self.beta[used])
            self.sums = self._values.sums(*folded, double=True)
            self._n_exact += 1
            self._double = self._double or self._n_exact > 3

    def _solve_block(self, f: Vector, gap: float) -> bool:
        """Improve the variables of one block; say whether any of them moved."""
        chosen = self._choose(f)
        if self._block is None or not np.array_equal(chosen, self._set):
            block = self._values.block(self._problem.rows[chosen], double=self._double)
            self._block = block if self._problem.balanced else _with_nothing(block, len(chosen))
        self._set = chosen
        moved, raised = self._inner(self._block, f, gap)
        changed = chosen[moved != 0.0]
        if not len(changed):
            return False
        self._n_blocks += 1
        rows, amounts = self._problem.folded(changed, moved[moved != 0.0])
        if self._double:
            self.sums = self.sums + self._values.sums(rows, amounts, double=True)
            return True
        others = self._others(raised)
        self.sums[others] += self._values.sums(rows, amounts, among=others, double=False)
        self._error = float(np.hypot(self._error, _ROUNDING * np.linalg.norm(amounts)))
        return True

    def _others(self, raised: Vector | None) -> Indices:
        """Return the rows whose sums are to be found, after those of the block itself are known."""
        asked = np.zeros(self._values.n, dtype=np.bool_)
        awake = slice(None) if self._resting is None else ~self._resting
        asked[self._problem.rows[awake]] = True
        if raised is not None:
            own = self._problem.rows[self._set]
            self.sums[own] = self.sums[own] + raised
            asked[own] = False
        return np.flatnonzero(asked)

    def _choose(self, f: Vector) -> Indices:
        size = self._values.block_size or (2048 if self._n <= 20_000 else 4096)
        free = self._problem.can_rise(self.beta) & self._problem.can_fall(self.beta)
        size = max(size, min(8192, int(1.3 * np.count_nonzero(free))))
        awake = np.arange(self._n) if self._resting is None else np.flatnonzero(~self._resting)
        if len(awake) <= 1.25 * size or self._is_at_hand():
            return awake
        keep = 0.25 if self._n >= _MANY_ROWS else 0.5
        return working_set.choose(self._problem, self.beta, f, self._set, size=size, keep=keep)

    def _is_at_hand(self) -> bool:
        """Say whether to begin with all variables at once; what that leaves is for blocks."""
        whole = self._values.is_whole and self._n == self._values.n < LARGEST_BLOCK
        return whole and self._n_blocks == 0

    def _inner(self, block: Matrix, f: Vector, gap: float) -> tuple[Vector, Vector | None]:
        """Solve a block; return how far each variable moved, and its gradient if that is known."""
        chosen, alone = self._set, not self._problem.balanced
        q = len(chosen)
        size = q + alone  # one variable that weighs nothing lets each of the others move alone
        beta, gradient = np.zeros(size), np.zeros(size)
        diagonal, bounds = np.zeros(size), np.full((2, size), [[-np.inf], [np.inf]])
        beta[:q], gradient[:q] = self.beta[chosen], f[chosen]
        diagonal[:q] = self._values.diagonal[self._problem.rows[chosen]]
        bounds[:, :q] = self._problem.bounds[:, chosen]
        share = 0.03 if self._n >= _MANY_ROWS else 0.1
        resting = 0 if self._resting is None else int(np.count_nonzero(self._resting))
        tolerance = 0.5 * self._tol if q == self._n - resting else max(0.5 * self._tol, share * gap)
        patience = 4 if self._is_at_hand() and q > _SMALL else _PATIENCE
        most = min(patience * size + 1000, self._rules.max_steps - self.n_steps)
        barred = np.where([beta < bounds[1], beta > bounds[0]], 0.0, FAR)
        n_steps, flattest = solve_block(
            block, diagonal, gradient, beta, bounds, barred, tolerance, most
        )
        self.n_steps, self.curvature = self.n_steps + n_steps, min(self.curvature, flattest)
        if self._hard and n_steps == most:
            self._refuse_meeting(block)
        moved = beta[:q] - self.beta[chosen]
        self.beta[chosen] = beta[:q]
        known = n_steps < most  # else the last step is not yet in the gradient
        return moved, gradient[:q] - f[chosen] if known else None

    def _refuse_meeting(self, block: Matrix) -> None:
        """Refuse a hard margin between classes of the last block that meet; some may not count.

        The answer depends on nothing but the block, and takes longer than to solve it: it is not
        asked for again for the same one, nor for others before a good part more was tried.
        """
        last, looked_at = self._refused_at
        if self.n_steps < 1.25 * last or np.array_equal(looked_at, self._set):
            return
        self._refused_at = self.n_steps, self._set
        low, high = self._problem.bounds[:, self._set]
        counted = np.flatnonzero(low < high)
        rows = self._problem.rows[self._set[counted]]
        values, balanced = block[np.ix_(counted, counted)], self._problem.balanced
        hulls.refuse_meeting(values, high[counted] > 0.0, rows, balanced=balanced)


def _with_nothing(block: Matrix, q: int) -> Matrix:
    """Return a block with one more row and column, of zeros."""
    wider = np.zeros((q + 1, q + 1), dtype=block.dtype)
    wider[:q, :q] = block[:q, :q]
    return wider
