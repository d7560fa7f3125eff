"""The lowest bit that is set in a word: one instruction, where there is a compiler."""

from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from surelearn._jit._decorator import compiled_as


def lowest_bit(word: np.uint64) -> int:
    """Return the place of the lowest bit that is set in a word that is not 0.

    Examples
    --------
    >>> lowest_bit(np.uint64(12))
    2
    """
    whole = int(word)
    return (whole & -whole).bit_length() - 1


@compiled_as(lowest_bit, inline=True)
def _lowest_bit(word: Any) -> Any:  # noqa: ARG001
    def compiled(word: Any) -> int:
        return _trailing_zeros(np.uint64(word))

    return compiled


@cast("Any", intrinsic)
def _trailing_zeros(_: Any, word: Any) -> Any:
    """Write the instruction that counts the zeros below the lowest bit."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return cast("Any", types.int64)(word), code
