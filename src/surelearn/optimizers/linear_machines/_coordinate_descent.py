"""Dual coordinate descent: each row's β in turn to its best value, rows in random order.

Rows that a bound holds are left out until the next look at all rows; Hsieh, Chang, Lin, Keerthi and
Sundararajan (2008). A free b asks for Σβ = 0. It is found by the method of multipliers: penalised
for leaving a centre, by ρ in the dual, and after each epoch the centre moves to where b went.
"""

import numpy as np

from surelearn._jit import rows
from surelearn._jit.rows import Rows
from surelearn._typing import Matrix, Vector
from surelearn.optimizers.linear_machines import _loops
from surelearn.optimizers.linear_machines._loops import BETA
from surelearn.optimizers.linear_machines._problem import Problem, Solution

_FIRST_LOOK = 4  # epochs before the first look at all rows
_RHO = 0.1  # of the mean square of a row: more shortens every step, less slows b down
_TINY = 1e-200  # the square of a row of zeros: its β goes to a bound at once


def minimise(problem: Problem, start: Vector, tolerance: float, max_iter: int) -> Solution:
    """Visit the rows until the gap is within the tolerance, in at most `max_iter` epochs.

    The largest violation of an epoch falls with the gap, so it tells when a look is worth its time.
    """
    X, free = rows.of(problem.X), problem.intercept == "free"
    cells, constant = _cells(X, problem, start)
    coef, order = problem.X.T @ start, np.flatnonzero(problem.low < problem.high)
    bias = np.array([problem.best_intercept(problem.X @ coef, float(start.sum()))])
    rng, active, far, look, ratio = np.random.default_rng(0), len(order), np.inf, _FIRST_LOOK, 0.0
    epoch = 0
    while True:
        epoch += 1
        rng.shuffle(order[:active])
        constants = problem.epsilon, constant, far
        active, far = _loops.epoch(X, order, active, cells, constants, coef, bias)
        if free:
            bias[0] += constant * cells[:, BETA].sum()
        due = epoch >= look and (far * ratio <= tolerance or epoch >= 2 * look)
        if due or epoch >= max_iter:
            scores = problem.X @ coef
            found = problem.judged(coef, bias[0], cells[:, BETA], epoch, scores)
            if found.within(tolerance) or epoch >= max_iter:
                return found
            bias[0] = found.intercept
            ratio = found.gap / found.primal / far if far > 0.0 else 0.0
            active = _loops.wake(order, active, cells, problem.epsilon, scores + bias[0])
            look, far = epoch + max(2, epoch // 4), np.inf


def _cells(X: Rows, problem: Problem, start: Vector) -> tuple[Matrix, float]:
    """Return what each row needs, side by side in memory, and what a step adds to b."""
    squares = _loops.squares(X)
    constant = 1.0 if problem.intercept == "penalized" else 0.0
    if problem.intercept == "free":
        constant = max(_RHO * float(squares.mean()), _TINY)
    squares = np.maximum(squares + constant, _TINY)
    columns = problem.targets, problem.low, problem.high, squares, start
    return np.column_stack(columns), constant
