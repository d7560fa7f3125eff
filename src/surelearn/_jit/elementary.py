"""Elementary functions that a compiler turns into vector instructions."""

import math

import numpy as np

from surelearn._jit._decorator import jit

_PER_LN2, _LN2 = 1.0 / math.log(2.0), math.log(2.0)
_C = [1.0 / math.factorial(i) for i in range(13)]
_C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12 = _C[2:]
_SMALLEST = -708.0  # beyond it exp(x) is not a normal number


@jit
def exp(x: float) -> float:
    """Return exp(x) for x <= 0, and 0 for x <= -708: a loop over it becomes vector instructions.

    Relative error below 1e-15 for x > -10 and below 3e-14 everywhere.
    """
    halvings = np.floor(max(x, _SMALLEST) * _PER_LN2 + 0.5)
    r = max(x, _SMALLEST) - halvings * _LN2
    series = _C8 + r * (_C9 + r * (_C10 + r * (_C11 + r * _C12)))
    series = _C3 + r * (_C4 + r * (_C5 + r * (_C6 + r * (_C7 + r * series))))
    series = 1.0 + r * (1.0 + r * (_C2 + r * series))
    power = np.int64((np.int64(halvings) + 1023) << 52).view(np.float64)
    return series * power if x > _SMALLEST else 0.0
