"""The lowest bit that is set in a word: one instruction, where there is a compiler."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from surelearn._jit._decorator import instructions_for


def lowest_bit(word: np.uint64) -> int:
    """Return the place of the lowest bit that is set in a word that is not 0.

    Examples
    --------
    >>> lowest_bit(np.uint64(12))
    2
    """
    whole = int(word)
    return (whole & -whole).bit_length() - 1


@instructions_for(lowest_bit, types.int64)
def _trailing_zeros(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))
