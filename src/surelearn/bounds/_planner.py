"""Planners: the smallest integer that is enough, found with sixty digits, or a sentence.

An exact tie, such as (1 - 0.9)^2 <= 0.01, must count, and a formula in floats cannot tell it from a
near miss on either side.
"""

import decimal
import functools
from collections.abc import Callable
from decimal import Decimal
from typing import ParamSpec

from surelearn import _arguments
from surelearn._wording import shorten

_DIGITS = 60
_TIE = Decimal("1e-40")  # far above rounding errors, far below what doubles can express
_COUNTABLE = Decimal("1e30")  # from here on the allowance for ties might be as large as 1
_ERROR = Decimal("1e-55")  # more than what sixty digits lose in the few steps of a plan
_BITS = 1000  # of a large integer, that its logarithm is taken from

_Inputs = ParamSpec("_Inputs")


def planner(function: Callable[_Inputs, int]) -> Callable[_Inputs, int]:
    """Let a planner compute with sixty digits, and refuse with a sentence what even they cannot.

    Examples
    --------
    >>> @planner
    ... def plan_rare(*, probability: float) -> int:
    ...     return least(1 / Decimal(probability))
    >>> plan_rare(probability=0.0)
    Traceback (most recent call last):
    ValueError: plan_rare(probability=0.0) has no answer that can be counted: an argument is too
    near 0 or 1
    """
    name = function.__name__
    wide = decimal.Context(prec=_DIGITS, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)

    @functools.wraps(function)
    def plan(*args: _Inputs.args, **inputs: _Inputs.kwargs) -> int:
        try:
            with decimal.localcontext(wide):
                return function(*args, **inputs)
        except (ArithmeticError, MemoryError) as error:
            raise ValueError(
                f"{name}({shorten(inputs)}) has no answer that can be counted: an argument is too "
                "near 0 or 1"
            ) from error

    return plan


def least(value: Decimal) -> int:
    """Return the smallest integer that is not below `value`; beyond all ties, one slightly above.

    Examples
    --------
    >>> least(Decimal("2.5")), least(Decimal(1) / 3 * 3)
    (3, 1)
    """
    moved = value * (1 - _TIE if value < _COUNTABLE else 1 + _ERROR)
    return int(moved.to_integral_value(decimal.ROUND_CEILING))


def log(number: float) -> Decimal:
    """Return the logarithm of a number above 0; an integer may be too large for a float."""
    if isinstance(number, int):
        shift = max(0, number.bit_length() - _BITS)
        return Decimal(number >> shift).ln() + shift * Decimal(2).ln()
    return Decimal(number).ln()


def log_survival(probability: float | Decimal) -> Decimal:
    """Return ln(1 - probability), with all its digits however small the probability is.

    Examples
    --------
    >>> float(log_survival(1e-300))
    -1e-300
    """
    tiny = Decimal(probability)
    with decimal.localcontext(prec=2 * _DIGITS - min(0, tiny.adjusted())):
        return (1 - tiny).ln()


def log_inverse(delta: float) -> Decimal:
    """Return ln(1 / delta) for a failure probability."""
    return -log(_arguments.open_fraction("delta", delta))


def log_class(n_hypotheses: int, delta: float) -> Decimal:
    """Return ln(|H| / delta)."""
    size = _arguments.count("n_hypotheses", n_hypotheses, at_least=1, of_any_size=True)
    return log(size) + log_inverse(delta)


def exact(name: str, value: float) -> Decimal:
    """Return a number of (0, 1) with all its digits."""
    return Decimal(_arguments.open_fraction(name, value))
