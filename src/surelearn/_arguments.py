"""The domains of the theorems: an argument outside its domain is named and refused."""

import math
import operator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surelearn._typing import Vector


def refuse(name: str, value: object, domain: str) -> ValueError:
    """Return the error for `name=value` outside `domain`, to be raised by the caller."""
    return ValueError(f"{name}={value!r} is outside its domain: {name} must be {domain}")


def real(name: str, value: float) -> float:
    """Return `value` as a finite float."""
    number = _as_float(name, value)
    if not math.isfinite(number):
        raise refuse(name, value, "a finite number")
    return number


def positive(name: str, value: float) -> float:
    """Return `value` as a finite float above 0."""
    number = _as_float(name, value)
    if not (math.isfinite(number) and number > 0.0):
        raise refuse(name, value, "a finite number > 0")
    return number


def non_negative(name: str, value: float) -> float:
    """Return `value` as a finite float, 0 or more."""
    number = _as_float(name, value)
    if not (math.isfinite(number) and number >= 0.0):
        raise refuse(name, value, "a finite number >= 0")
    return number


def fraction(name: str, value: float) -> float:
    """Return `value` as a float in [0, 1]."""
    number = _as_float(name, value)
    if not 0.0 <= number <= 1.0:
        raise refuse(name, value, "in [0, 1]")
    return number


def open_fraction(name: str, value: float) -> float:
    """Return `value` as a float in (0, 1)."""
    number = _as_float(name, value)
    if not 0.0 < number < 1.0:
        raise refuse(name, value, "in (0, 1)")
    return number


def confidence_from(delta: float) -> float:
    """Return 1 - delta for a failure probability in (0, 1), never rounded up to 1."""
    return min(1.0 - open_fraction("delta", delta), math.nextafter(1.0, 0.0))


def count(name: str, value: int, *, at_least: int = 0, at_most: int | None = None) -> int:
    """Return `value` as an integer within its limits; 3.0 passes, 3.5 does not."""
    limits = f"an integer >= {at_least}" + ("" if at_most is None else f" and <= {at_most}")
    try:
        number = operator.index(value)
    except TypeError:
        as_float = _as_float(name, value)
        if not as_float.is_integer():
            raise refuse(name, value, limits) from None
        number = int(as_float)
    if number < at_least or (at_most is not None and number > at_most):
        raise refuse(name, value, limits)
    return number


def vector(
    name: str, values: ArrayLike, *, low: float = -math.inf, high: float = math.inf
) -> Vector:
    """Return `values` as a non-empty float vector within [low, high], without NaN."""
    try:
        raw = np.asarray(values)
    except ValueError:
        raise refuse(name, values, "a one-dimensional array of numbers") from None
    if raw.dtype.kind not in "biuf":
        raise refuse(name, f"array of {raw.dtype}", "an array of numbers")
    array: Vector = raw.astype(np.float64)
    if array.ndim != 1 or array.size == 0:
        raise refuse(name, f"array of shape {array.shape}", "a non-empty one-dimensional array")
    inside = (array >= low) & (array <= high) & np.isfinite(array)
    if not inside.all():
        first = int(np.argmin(inside))
        domain = "finite" if math.isinf(low) and math.isinf(high) else f"in [{low:g}, {high:g}]"
        raise refuse(f"{name}[{first}]", float(array[first]), domain)
    return array


def places(name: str, values: NDArray[Any], n: int, *, least: int = 0) -> None:
    """Refuse an array that is to hold places among n things and holds another number.

    Examples
    --------
    >>> places("targets", np.array([0, 1, 2]), 2)
    Traceback (most recent call last):
    ValueError: targets has numbers outside 0 to 1
    """
    if len(values) and not (values.min() >= least and values.max() < n):
        raise ValueError(f"{name} has numbers outside {least} to {n - 1}")


def at_least_one(name: str, value: Any) -> None:
    """Refuse a parameter that is not a whole number, 1 or more."""
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name}={value!r} must be a whole number, 1 or more")


def _as_float(name: str, value: Any) -> float:
    try:
        if not isinstance(value, str | bytes):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise refuse(name, value, "a number")
