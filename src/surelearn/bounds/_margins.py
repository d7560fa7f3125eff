"""What the margin theorems share: their domain, and the smallest ramp loss plus complexity."""

import math

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _rounding

SCALES: Vector = 2.0 ** (-np.arange(40) / 4.0)
"""The margins at which the ramp may reach 0: all are paid for, so the best may be printed."""


def normalised(margins: ArrayLike) -> Vector:
    """Return margins as a vector in [-1, 1], up to the rounding error of their normalisation."""
    return _arguments.vector("margins", margins, low=-1.0 - 1e-9, high=1.0 + 1e-9)


def tally(margins: Vector) -> tuple[Vector, Vector]:
    """Return the distinct margins and how often each occurs.

    Very many are first rounded down to multiples of 2^-14: this can only raise a loss that
    decreases with the margin, and bounds the work.
    """
    values, counts = np.unique(margins, return_counts=True)
    if len(values) > 2**15:
        values, counts = np.unique(np.floor(margins * 2**14) / 2**14, return_counts=True)
    return values, counts.astype(np.float64)


def smallest_ramp(margins: Vector, complexity: float, deviation: float) -> float:
    """Return the smallest mean ramp loss + complexity / scale + deviation over the scales."""
    ramps = [float(np.clip(1.0 - margins / scale, 0.0, 1.0).mean()) for scale in SCALES]
    return _rounding.up(float(np.min(np.array(ramps) + complexity / SCALES)) + deviation)


def deviation(n: int, delta: float, *, statements: int = 1) -> float:
    """Return sqrt(ln(statements J / delta) / (2n)), McDiarmid's term for all the scales at once."""
    level = _arguments.open_fraction("delta", delta) / (statements * len(SCALES))
    return math.sqrt(-math.log(level) / (2.0 * n))
