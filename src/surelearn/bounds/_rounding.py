"""Rounding outward: a printed bound is never smaller than the true one.

Closed forms are moved outward by one part in 10^12, thousands of times their rounding error;
roots come from bisection, which returns the outer end of its last bracket.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

_PADDING = 1e-12
_LEAST = 4.0 * math.ulp(0.0)  # among numbers so small that a part in 10^12 of them is none
_BISECTIONS = 200


def up(value: float) -> float:
    """Return a number slightly above `value`; exact zero and infinity stay what they are."""
    return value + _padding(value) if math.isfinite(value) else value


def down(value: float) -> float:
    """Return a number slightly below `value`; exact zero and infinity stay what they are."""
    return value - _padding(value) if math.isfinite(value) else value


def up_integer(value: int) -> float:
    """Return the smallest float that is not below an integer.

    Examples
    --------
    >>> up_integer(7), up_integer(2**53 + 1) == 2.0**53 + 2.0
    (7.0, True)
    """
    nearest = float(value)
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)


def exactly(value: Any) -> Fraction:
    """Return a number as a fraction; one of NumPy, which may overflow, is taken for Python's.

    Examples
    --------
    >>> exactly(0.5)
    Fraction(1, 2)
    """
    return Fraction(value if isinstance(value, int | float) else float(value))


def _padding(value: float) -> float:
    return max(_PADDING * abs(value), _LEAST) if value else 0.0


def last_true(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return an upper end of {x in [low, high] : holds(x)}, a set that starts at `low`.

    `holds` must be true up to some point and false after it. The value returned is `high`, or a
    point where `holds` is false, as near as floats allow: never below the supremum.
    """
    if holds(high):
        return high
    for _ in range(_BISECTIONS):
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            break
        if holds(middle):
            low = middle
        else:
            high = middle
    return high


def first_true(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return a lower end of {x in [low, high] : holds(x)}, a set that ends at `high`.

    The mirror of `last_true`: the value returned is never above the infimum.
    """
    return -last_true(lambda x: holds(-x), -high, -low)


def smallest_integer(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the smallest integer n >= low with holds(n), for a condition that stays true.

    `high` is a first guess, doubled until the condition holds there.
    """
    while not holds(high):
        low, high = high + 1, 2 * high + 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high
