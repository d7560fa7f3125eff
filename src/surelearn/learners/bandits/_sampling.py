"""Weights from estimated losses, an arm drawn from them by a uniform number, and its price paid.

Loops that add up or exponentiate work in place: with two arrays in one loop the compiler chooses
between a vector and a scalar version by their distance in memory, and a run would depend on it.
"""

import math

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector


@jit
def draw(weights: Vector, level: float) -> int:
    """Return the arm at which the running sum of the weights passes `level`.

    An arm of weight 0 is never drawn; if rounding keeps the sum below the level, the last other is.
    """
    arm, total = 0, 0.0
    for i in range(len(weights)):
        if weights[i] > 0.0:  # also where level and total are both 0
            arm = i
            total += weights[i]
            if level < total:
                break
    return arm


@jit
def gaps(estimates: Vector, out: Vector) -> None:
    """Write each estimate minus the least into `out`."""
    least = estimates[0]
    for i in range(1, len(estimates)):
        least = min(least, estimates[i])
    for i in range(len(estimates)):
        out[i] = estimates[i] - least


@jit
def exponential_weights(estimates: Vector, rate: float, weights: Vector) -> float:
    """Write exp(-rate (estimate - least estimate)) into `weights` and return their sum."""
    gaps(estimates, weights)
    total = 0.0
    # The leader has weight exp(0) = 1, so that the sum is at least 1 however large the estimates.
    for i in range(len(weights)):
        weights[i] = math.exp(-rate * weights[i])
        total += weights[i]
    return total


@jit
def pay(losses: Matrix, arms: Indices, pulls: Indices, totals: Vector, paid: Vector) -> None:
    """Count the arms played and add what they cost; `paid` has a place for each round played.

    Losses are added one by one, so that it does not matter how the rounds are cut into calls.
    """
    for t in range(len(paid)):
        arm = arms[t]
        paid[t] = losses[t, arm]
        pulls[arm] += 1
        totals[arm] += paid[t]
