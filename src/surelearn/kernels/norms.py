"""What theorems ask of a kernel before rows are seen: how long a point can be in its space."""

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from surelearn.kernels._kernel import (
    Exponentiated,
    Kernel,
    Normalised,
    Power,
    Product,
    PullBack,
    Scaled,
    Shifted,
    Sum,
)
from surelearn.kernels.vectors import Gaussian

_LARGEST_EXPONENT = 700.0


def largest_square(kernel: Any) -> float:
    """Return the largest value of a point with itself, over all points; infinity without a limit.

    Only the classes of this library are known; of any other one nothing is, whatever it inherits.

    Examples
    --------
    >>> from surelearn.kernels import Gaussian, Linear
    >>> largest_square(3.0 * Gaussian(gamma=0.1) + 1.0), largest_square(Linear())
    (4.0, inf)
    """
    rule = _RULES.get(type(kernel))
    if rule is None:
        return math.inf
    found = rule(kernel)
    return math.inf if math.isnan(found) else found


def is_ours(kernel: Any) -> bool:
    """Whether a kernel and its parts stand in this library; a map of rows may be anything.

    Examples
    --------
    >>> from surelearn.kernels import Gaussian
    >>> is_ours(Gaussian() + 1.0), is_ours(max)
    (True, False)
    """
    cls: Any = type(kernel)
    if not cls.__module__.startswith("surelearn.kernels") or cls is PullBack:
        return False
    parts = [getattr(kernel, field.name) for field in fields(kernel)]
    return all(is_ours(part) for part in parts if isinstance(part, Kernel))


def _exponential(kernel: Any) -> float:
    inner = largest_square(kernel.kernel)
    return math.exp(inner) if inner <= _LARGEST_EXPONENT else math.inf


def _power(kernel: Any) -> float:
    try:
        return largest_square(kernel.kernel) ** kernel.exponent
    except OverflowError:
        return math.inf


_RULES: dict[type[Kernel], Callable[[Any], float]] = {
    Gaussian: lambda _: 1.0,
    Normalised: lambda _: 1.0,
    Sum: lambda kernel: largest_square(kernel.first) + largest_square(kernel.second),
    Product: lambda kernel: largest_square(kernel.first) * largest_square(kernel.second),
    Shifted: lambda kernel: largest_square(kernel.kernel) + kernel.offset,
    Scaled: lambda kernel: largest_square(kernel.kernel) * kernel.factor,
    Power: _power,
    Exponentiated: _exponential,
    PullBack: lambda kernel: largest_square(kernel.kernel),
}
