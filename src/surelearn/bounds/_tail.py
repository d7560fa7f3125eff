"""What the files of tail bounds share: surely valid guarantees, and exponentials rounded up."""

import math
from collections.abc import Mapping

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee


def surely(
    quantity: str, bound: float, assumes: Mapping[str, str], *, reference: str, lower: bool = False
) -> Guarantee:
    """Return a guarantee on a probability (or a mean) that holds without any draw of data."""
    return Guarantee(
        quantity=quantity,
        bound=bound,
        assumes=assumes,
        reference=reference,
        direction="lower" if lower else "upper",
        trivial=0.0 if lower else 1.0,
    )


def exp_up(exponent: float) -> float:
    """Return a number above exp(exponent), also where exp underflows; exact for -infinity."""
    return 0.0 if exponent == -math.inf else math.nextafter(_rounding.up(math.exp(exponent)), 2.0)


def deviation_of(deviation: float) -> float:
    """Return a deviation, 0 or more."""
    return _arguments.non_negative("deviation", deviation)


def width_of(low: float, high: float) -> float:
    """Return high - low, 0 or more."""
    if not _arguments.real("low", low) <= _arguments.real("high", high):
        raise _arguments.refuse("high", high, f"at least low={low:g}")
    return high - low
