"""How far a value may lie beyond a sure bound before it is a bug: by rounding, and no further."""

import math
import sys

_PART = 1e-9  # sure bounds are attained with equality, by sums of rounded numbers
_PER_ROUND = 4.0 * sys.float_info.epsilon


def is_beyond_rounding(beyond: float, bound: float, *, n: int, amount: float = 0.0) -> bool:
    """Return whether a value that lies `beyond` a bound does so by more than rounding.

    All is relative to the bound, and to the `amount` that was summed where the value is the
    difference of sums: losses may be of any size. Each of `n` rounds adds its rounding error.

    Examples
    --------
    >>> is_beyond_rounding(1e-178, 1e-170, n=10), is_beyond_rounding(1e-180, 1e-170, n=10)
    (True, False)
    """
    allowed = (_PART + _PER_ROUND * n) * (abs(bound) + abs(amount))
    return beyond > allowed + n * math.ulp(0.0)
