"""Sizes of errors, rounded outward: a bound that is one of them must not be below the error.

The difference of two doubles is rounded to the nearest double, and half of them are too small then.
What rounding left out is a double itself and can be found (Knuth's TwoSum), so that it is known on
which side the true difference lies.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Vector
from surelearn.base.cell_bits import is_beyond_doubles
from surelearn.base.labels import kinds_of

Side: TypeAlias = Literal["upper", "lower"]
"""To which side sizes are rounded."""

_nearest: ContextVar[bool] = ContextVar("_nearest", default=False)


@contextmanager
def rounded_to_nearest() -> Generator[None]:
    """Round sizes to the nearest double, as it was done before: to make an older certificate again.

    Examples
    --------
    >>> with rounded_to_nearest():
    ...     absolute_errors(np.array([1.0]), np.array([-1e-20])).tolist()
    [1.0]
    """
    token = _nearest.set(True)
    try:
        yield
    finally:
        _nearest.reset(token)


def numbers(what: str, values: NDArray[Any]) -> Vector:
    """Return values as doubles; refuse what has no distance: text, dates, complex numbers, NaN.

    Examples
    --------
    >>> numbers("the answers", np.array([1, 2])).tolist()
    [1.0, 2.0]
    >>> numbers("the answers", np.array(["1"]))
    Traceback (most recent call last):
    ValueError: the answers are no numbers (<U1), and so have no absolute errors: give numbers
    """
    plain = values.dtype.kind in "biuf"
    if not plain and not (values.dtype.kind == "O" and kinds_of(values) <= {"numbers"}):
        raise ValueError(
            f"{what} are no numbers ({values.dtype}), and so have no absolute errors: give numbers"
        )
    try:
        doubles = np.asarray(values, dtype=np.float64)
    except (TypeError, OverflowError):  # a complex number, or one beyond doubles
        raise ValueError(f"{what} hold numbers that doubles cannot hold") from None
    n_missing = int(np.count_nonzero(np.isnan(doubles)))
    if n_missing:
        raise ValueError(f"{n_missing} of {what} are NaN, of which no error is known")
    return doubles


def absolute_errors(y: NDArray[Any], predicted: NDArray[Any], *, side: Side = "upper") -> Vector:
    """Return |y - prediction| in doubles, none smaller than it is; or none larger.

    Examples
    --------
    >>> absolute_errors(np.array([3, 5]), np.array([3.5, 5.0])).tolist()
    [0.5, 0.0]
    >>> absolute_errors(np.array([1.0]), np.array([-1e-20])).tolist()
    [1.0000000000000002]
    >>> bool(absolute_errors(np.array([2**53 + 1]), np.array([2.0**53]))[0] >= 1.0)
    True
    """
    one, other = numbers("the targets", y), numbers("the answers", predicted)
    moved = _units(y, one), _units(predicted, other)
    with np.errstate(over="ignore", invalid="ignore"):
        if _nearest.get():
            return np.abs(one - other) + moved[0] + moved[1]
        sizes = _rounded(one, other, side)
        for units in moved:
            sizes = _moved(sizes, units, side)
    if np.isinf(sizes).any():
        raise ValueError("an error is beyond floating-point numbers: give larger units")
    return sizes


def _rounded(one: Vector, other: Vector, side: Side) -> Vector:
    """Return the distance of doubles, rounded to the side asked for."""
    difference, left_out = _difference(one, other)
    sizes, outside = np.abs(difference), np.sign(difference) * left_out
    # "Not at most" instead of "above": next to the largest doubles it may be no number.
    if side == "upper":
        return np.where(~(outside <= 0.0), np.nextafter(sizes, np.inf), sizes)
    return np.where(~(outside >= 0.0), np.nextafter(sizes, 0.0), sizes)


def _difference(one: Vector, other: Vector) -> tuple[Vector, Vector]:
    """Return differences as doubles, and what their rounding left out."""
    difference = one - other
    back = one - difference
    return difference, (one - (difference + back)) + (back - other)


def _units(values: NDArray[Any], doubles: Vector) -> Vector | float:
    """Return by how much values may have been moved to make doubles of them."""
    whole = values.dtype.kind in "iu" and is_beyond_doubles(values)
    fine = values.dtype.kind == "f" and values.dtype.itemsize > doubles.dtype.itemsize
    return np.spacing(np.abs(doubles)) if whole or fine else 0.0


def _moved(sizes: Vector, units: Vector | float, side: Side) -> Vector:
    """Return sizes moved by so much at least, none below 0."""
    if isinstance(units, float):
        return sizes
    if side == "upper":
        return np.nextafter(sizes + units, np.inf)
    return np.maximum(0.0, np.nextafter(sizes - units, 0.0))
