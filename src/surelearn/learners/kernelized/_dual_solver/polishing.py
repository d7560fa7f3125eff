"""The last digits: at the optimum the free variables solve linear equations."""

from typing import Any

import numpy as np

from surelearn._threads import one_thread_products
from surelearn._typing import Vector
from surelearn.learners.kernelized._dual_solver.kernel_values import KernelValues
from surelearn.learners.kernelized._dual_solver.problem import Problem

_MOST = 600  # free variables


def polished(
    problem: Problem, values: KernelValues, beta: Vector, sums: Vector
) -> tuple[Vector, Vector]:
    """Return a point whose free variables have equal gradients, if it is feasible and no worse."""
    for _ in range(2):  # the second round takes away what the first one rounded
        better = _step(problem, values, beta, sums)
        if better is None:
            break
        beta, sums = better
    return beta, sums


def _step(
    problem: Problem, values: KernelValues, beta: Vector, sums: Vector
) -> tuple[Vector, Vector] | None:
    free = np.flatnonzero(problem.can_rise(beta) & problem.can_fall(beta))
    k = len(free)
    if not 0 < k <= _MOST:
        return None
    f = problem.gradient(sums)
    system = np.zeros((k + 1, k + 1))
    system[:k, :k] = values.block(problem.rows[free], double=True)[:k, :k]
    scale = float(np.abs(system).max())  # all equations of one size
    system[k, :k] = system[:k, k] = scale if problem.balanced else 0.0
    # Of the intercept only the change is unknown: beside all of it tiny variables would be rounded.
    middle = float(f[free].mean()) if problem.balanced else 0.0
    right = np.append(middle - f[free], -scale * beta.sum() * problem.balanced)
    with one_thread_products():  # on so few variables several would wait for each other
        change: Any = np.linalg.lstsq(system, right)[0]
    moved = beta.copy()
    moved[free] += change[:k]
    low, high = problem.bounds[:, free]
    if not ((moved[free] >= low) & (moved[free] <= high)).all():
        return None
    new_sums = sums + values.sums(*problem.folded(free, change[:k]), double=True)
    before, after = (
        problem.extremes(point, problem.gradient(total))
        for point, total in ((beta, sums), (moved, new_sums))
    )
    worse = after[1] - after[0] > before[1] - before[0]
    return None if worse else (moved, new_sums)
