"""Loops over the rows of a linear machine: its losses, their smoothed form, coordinate descent.

A row has the target y, bounds low <= 0 <= high of its dual variable β and the residual r = y − z.
Its loss is the largest β·r − ε|β|: high·(r − ε)₊ + |low|·(−r − ε)₊.
"""

import numpy as np

from surelearn._jit import inner, jit, prefetching, rows
from surelearn._jit.rows import Rows
from surelearn._typing import Indices, Matrix, Vector

TARGET, LOW, HIGH, SQUARE, BETA = range(5)
_AHEAD = 6  # rows between asking for one and reading it


@jit
def smooth(
    residuals: Vector,
    low: Vector,
    high: Vector,
    epsilon: float,
    width: float,
    slopes: Vector,
    inside: Indices,
) -> tuple[int, float, float]:
    """Fill in the slopes of the smoothed losses and the rows where they bend.

    Return the number of these, the loss and Σ ε|β|.
    """
    n, loss, tube = 0, 0.0, 0.0
    for i in range(len(residuals)):
        up, down = residuals[i] - epsilon, -residuals[i] - epsilon
        beyond, cost, sign = (up, high[i], 1.0) if up > down else (down, -low[i], -1.0)
        slopes[i] = 0.0
        if beyond > 0.0:
            share = min(1.0, beyond / width)
            slopes[i] = sign * cost * share
            loss += cost * beyond
            tube += epsilon * cost * share
            if share < 1.0 and cost > 0.0:
                inside[n] = i
                n += 1
    return n, loss, tube


@jit
def along(
    residuals: Vector,
    change: Vector,
    t: float,
    low: Vector,
    high: Vector,
    epsilon: float,
    width: float,
) -> tuple[float, float]:
    """Return slope and bend of the smoothed losses of residuals − t·change, as functions of t."""
    slope, bend = 0.0, 0.0
    for i in range(len(residuals)):
        r = residuals[i] - t * change[i]
        up, down = r - epsilon, -r - epsilon
        beyond = max(0.0, up, down)
        cost = high[i] if up > down else low[i]
        share = min(1.0, beyond / width)
        slope -= cost * share * change[i]
        bend += abs(cost) * change[i] * change[i] if 0.0 < share < 1.0 else 0.0
    return slope, bend / width


@jit
def squares(X: Rows) -> Vector:
    """Return the squared norm of each row."""
    found = np.empty(rows.count(X))
    for t in range(len(found)):
        found[t] = rows.squared_norm(X, t)
    return found


@inner
def _new_value(
    beta: float, slope: float, square: float, low: float, high: float, epsilon: float
) -> float:
    """Return the best β of one row, all others fixed: shrunk towards 0 by ε, kept in bounds."""
    free = beta - slope / square
    shrunk = max(0.0, abs(free) - epsilon / square)
    return min(max(shrunk if free > 0.0 else -shrunk, low), high)


@jit
def _violation(
    beta: float, slope: float, low: float, high: float, epsilon: float, far: float
) -> float:
    """Return how much the row's best slope is missed; -1 if a bound or 0 holds it from afar.

    `slope` is that of ½‖w‖² − yβ; ε|β| adds its own on either side.
    """
    upward = slope + (epsilon if beta >= 0.0 else -epsilon)
    downward = slope + (epsilon if beta > 0.0 else -epsilon)
    rising, falling = beta < high, beta > low
    if (not rising or upward > far) and (not falling or downward < -far):
        return -1.0
    return max(-upward if rising else 0.0, downward if falling else 0.0, 0.0)


@jit
def epoch(
    X: Rows,
    order: Indices,
    n_active: int,
    cells: Matrix,
    constants: tuple[float, float, float],
    coef: Vector,
    bias: Vector,
) -> tuple[int, float]:
    """Visit the active rows in this order, each to its best β; return how many stay active.

    And the largest violation. Rows that a bound holds beyond `far` move behind the active ones.
    """
    epsilon, constant, far = constants
    largest, k = 0.0, 0
    while k < n_active:
        i = order[k]
        soon = order[min(k + _AHEAD, n_active - 1)]
        prefetching.ahead(X, soon)
        prefetching.entry(cells, soon)
        target, low, high = cells[i, TARGET], cells[i, LOW], cells[i, HIGH]
        square, beta = cells[i, SQUARE], cells[i, BETA]
        slope = rows.dot(X, i, coef) + bias[0] - target
        missed = _violation(beta, slope, low, high, epsilon, far)
        if missed < 0.0:
            n_active -= 1
            order[k], order[n_active] = order[n_active], i
            continue
        largest = max(largest, missed)
        if missed > 0.0:
            new = _new_value(beta, slope, square, low, high, epsilon)
            rows.add(X, i, new - beta, coef)
            bias[0] += constant * (new - beta)
            cells[i, BETA] = new
        k += 1
    return n_active, largest


@jit
def wake(order: Indices, n_active: int, cells: Matrix, epsilon: float, scores: Vector) -> int:
    """Make the rows active again whose β these scores would change; return how many there are."""
    for k in range(n_active, len(order)):
        i = order[k]
        target, low, high = cells[i, TARGET], cells[i, LOW], cells[i, HIGH]
        beta = cells[i, BETA]
        if _violation(beta, scores[i] - target, low, high, epsilon, np.inf) > 0.0:
            order[k], order[n_active] = order[n_active], i
            n_active += 1
    return n_active
