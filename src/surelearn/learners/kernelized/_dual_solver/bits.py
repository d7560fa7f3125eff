"""The bits of floats in compiled loops, where they stay in registers."""

from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from surelearn._jit._decorator import compiled_as

_SIGN = np.int64(2**63 - 1)
_DIGITS, _LONG_DIGITS = np.int32(23), np.int64(52)  # of a number, behind its exponent


def ordered(number: Any) -> Any:
    """Return an integer that is larger iff a double is.

    Examples
    --------
    >>> bool(ordered(-2.0) < ordered(-1.0) < ordered(0.0) < ordered(1.5))
    True
    """
    bits = np.float64(number).view(np.int64)
    return bits ^ ((bits >> np.int64(63)) & _SIGN)


def short_bits(number: Any) -> Any:
    """Return the bits of a single: larger iff the number is, unless it is negative.

    Examples
    --------
    >>> bool(short_bits(1.0) < short_bits(1.5))
    True
    """
    return np.float32(number).view(np.int32)


def times_power_of_two(number: Any, exponent: Any) -> Any:
    """Return a number times 2 to a whole power, if neither is beyond what its kind can say.

    Examples
    --------
    >>> float(times_power_of_two(np.float32(1.5), np.float32(-1.0)))
    0.75
    """
    return np.ldexp(number, int(exponent))


@compiled_as(ordered, inline=True)
def _choose_ordered(number: Any) -> Any:  # noqa: ARG001
    def code(number: Any) -> Any:
        bits = _bits(number)
        return bits ^ ((bits >> np.int64(63)) & _SIGN)

    return code


@compiled_as(short_bits, inline=True)
def _choose_short_bits(number: Any) -> Any:  # noqa: ARG001
    def code(number: Any) -> Any:
        return _bits(number)

    return code


@compiled_as(times_power_of_two, inline=True)
def _choose_times_power_of_two(number: Any, exponent: Any) -> Any:  # noqa: ARG001
    def single(number: Any, exponent: Any) -> Any:
        return _number(np.int32(_bits(number) + (np.int32(exponent) << _DIGITS)))

    def double(number: Any, exponent: Any) -> Any:
        return _number(np.int64(_bits(number) + (np.int64(exponent) << _LONG_DIGITS)))

    return double if number.bitwidth == 64 else single


@cast("Any", intrinsic)
def _bits(_: Any, number: Any) -> Any:
    wide = number.bitwidth
    whole: Any = types.int64 if wide == 64 else types.int32
    return whole(number), _as(ir.IntType(wide))


@cast("Any", intrinsic)
def _number(_: Any, bits: Any) -> Any:
    if bits.bitwidth == 64:
        return cast("Any", types.float64)(bits), _as(ir.DoubleType())
    return cast("Any", types.float32)(bits), _as(ir.FloatType())


def _as(kind: Any) -> Any:
    """Return what reads the bits of a register as another kind of number."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.bitcast(arguments[0], kind)

    return code
