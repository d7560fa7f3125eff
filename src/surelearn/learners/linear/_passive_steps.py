"""The step of Passive-Aggressive learning, shared by its classifiers and regressors."""

from typing import NamedTuple

from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._stored import stored
from surelearn._typing import Vector

MISTAKES, STEPS_TIMES_LOSSES, SQUARED_LOSSES, LONGEST, SHORTEST = range(5)
"""The columns of the sums of a run; the last two are the extreme squared norms of its rows."""

ZERO = 1e-200
"""A row of a smaller squared norm counts as zero: no step repairs its loss."""


LIMIT, SOFTENING, CONSTANT, EPSILON = range(1, 5)
"""Places in a rule; compiled code is given `tuple(rule)`, which it recognises twice as fast."""


@stored("passive-aggressive-rule")
class Rule(NamedTuple):
    """The step min(limit, loss / (squared norm + softening)) that an aggressiveness C leads to.

    `constant` is 1 if rows have one more feature equal to 1, else 0; errors up to `epsilon` are no
    loss.
    """

    C: float
    limit: float
    softening: float
    constant: float
    epsilon: float


@jit
def step(loss: float, square: float, rule: tuple[float, ...]) -> float:
    """Return how far to go along a row of that loss and squared norm."""
    if loss > 0.0 and square > ZERO:
        return min(rule[LIMIT], loss / (square + rule[SOFTENING]))
    return 0.0


@jit
def note(loss: float, square: float, step: float, sums: Vector) -> None:
    """Sum up what the theorems speak of."""
    sums[STEPS_TIMES_LOSSES] += step * loss
    sums[SQUARED_LOSSES] += loss * loss
    sums[LONGEST] = max(sums[LONGEST], square)
    sums[SHORTEST] = min(sums[SHORTEST], square)


@jit
def inverse_squares(X: Rows, constant: float, weights: Vector) -> None:
    """Write 1 / squared norm of each row, 0 for a zero row."""
    for t in range(len(weights)):
        square = rows.squared_norm(X, t) + constant
        weights[t] = 1.0 / square if square > ZERO else 0.0
