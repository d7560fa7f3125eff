"""Powers of two of many numbers, none of them above 0, in loops that become vector instructions.

NumPy's own loop does not on every machine.
"""

import numpy as np

from surelearn._jit import jit
from surelearn._typing import Vector
from surelearn.learners.kernelized._dual_solver.bits import times_power_of_two
from surelearn.learners.kernelized._dual_solver.gaussian_tiles import power_series

_LOWEST, _ZERO = np.float32(-125.0), np.float32(0.0)  # smaller powers would lose digits
_C0, _C1, _C2, _C3, _C4, _C5, _C6 = (np.float32(c) for c in power_series(6))
_DOUBLE_LOWEST = -1020.0
_D0, _D1, _D2, _D3, _D4, _D5, _D6, _D7, _D8, _D9, _D10 = power_series(10)


@jit
def raise_two_singles(exponents: Vector) -> None:
    """Replace each single by 2 to its power, or by 1 if it is above 0."""
    for t in range(len(exponents)):
        exponent = max(_LOWEST, min(exponents[t], _ZERO))
        whole = np.rint(exponent)
        r = exponent - whole
        value = (((_C6 * r + _C5) * r + _C4) * r + _C3) * r + _C2
        exponents[t] = times_power_of_two((value * r + _C1) * r + _C0, whole)


@jit
def raise_two_doubles(exponents: Vector) -> None:
    """Replace each double by 2 to its power, or by 1 if it is above 0."""
    for t in range(len(exponents)):
        exponent = max(_DOUBLE_LOWEST, min(exponents[t], 0.0))
        whole = np.rint(exponent)
        r = exponent - whole
        value = (((_D10 * r + _D9) * r + _D8) * r + _D7) * r + _D6
        value = ((value * r + _D5) * r + _D4) * r + _D3
        exponents[t] = times_power_of_two(((value * r + _D2) * r + _D1) * r + _D0, whole)
