"""Numbers whose squares are numbers too: neither infinite nor, all of them, zero."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn.base.validation import LARGEST

SMALLEST = 1.0 / LARGEST
"""Squares of smaller numbers, and products of them, may vanish."""

_FIRST = 100  # rows looked at before all others


def refuse_huge(values: NDArray[Any], what: str) -> None:
    """Refuse values whose squares may overflow; a missing one does not count.

    Examples
    --------
    >>> refuse_huge(np.array([3.0, np.nan]), "features")
    >>> refuse_huge(np.array([3.0, -1e150]), "features")
    Traceback (most recent call last):
    ValueError: the largest value is 1e+150, beyond 1e+140: squares would overflow. Rescale the
    features
    """
    largest = _largest(values)
    if largest > LARGEST:
        raise ValueError(
            f"the largest value is {largest:.3g}, beyond {LARGEST:g}: squares would overflow. "
            f"Rescale the {what}"
        )


def refuse_tiny(values: NDArray[Any], what: str) -> None:
    """Refuse values whose squares may all vanish, unless they are all zero.

    Examples
    --------
    >>> refuse_tiny(np.array([0.0, 1e-200, 5.0]), "features")
    >>> refuse_tiny(np.array([0.0, 1e-170]), "features")
    Traceback (most recent call last):
    ValueError: the largest value is 1e-170, below 1e-140: squares would vanish. Rescale the
    features
    """
    if _largest(values[:_FIRST]) >= SMALLEST:  # as nearly always
        return
    largest = _largest(values)
    if 0.0 < largest < SMALLEST:
        raise ValueError(
            f"the largest value is {largest:.3g}, below {SMALLEST:g}: squares would vanish. "
            f"Rescale the {what}"
        )


def _largest(values: NDArray[Any]) -> float:
    """Return the size of the largest value that is there, 0 if there is none."""
    highest = np.fmax.reduce(values, axis=None, initial=0.0)
    lowest = np.fmin.reduce(values, axis=None, initial=0.0)
    return float(max(highest, -lowest))
