"""How many there are, from numbers drawn: the endpoint of a uniform law on 1, 2, ..."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike
from surelearn._wording import confidence
from surelearn.bounds import Guarantee, endpoints

_DIGITS = 2**12  # bits of an exact power


@dataclass(frozen=True, kw_only=True)
class EndpointEstimate(Shown, drawn_by="endpoint.plot_endpoint"):
    """What draws from 1, 2, ..., endpoint say about the endpoint.

    Attributes
    ----------
    maximum_likelihood
        The largest number drawn: the endpoint is at least this, surely; on average it is too small.
    unbiased
        An estimate whose mean is the endpoint. It may lie between whole numbers.
    upper
        The upper bound with its assumptions.

    Examples
    --------
    >>> print(estimate_endpoint([19, 40, 42, 60], replacement=False))
    At least 60; 74 without bias; at most 125 with confidence 95%, if all are equally likely.
    """

    maximum_likelihood: int
    unbiased: float
    upper: Guarantee

    @property
    def interval(self) -> tuple[float, float]:
        """From the largest number drawn to the upper bound: the endpoint, with its confidence."""
        return float(self.maximum_likelihood), self.upper.bound

    def __str__(self) -> str:
        """Return the estimates and the bound in a sentence."""
        level = confidence(float(self.upper.inputs["delta"]))
        return (
            f"At least {self.maximum_likelihood}; {self.unbiased:.6g} without bias; at most "
            f"{self.upper.bound:.0f} with confidence {level}, if all are equally likely."
        )


def estimate_endpoint(
    draws: ArrayLike, *, replacement: bool = True, delta: float = 0.05
) -> EndpointEstimate:
    """Estimate how far a uniform law on 1, 2, ... reaches, and bound it.

    Parameters
    ----------
    draws
        The numbers drawn, whole and at least 1.
    replacement
        Whether a number can be drawn again. Without, numbers that occur twice are refused.
    delta
        The probability with which the upper bound may fail.

    Examples
    --------
    >>> result = estimate_endpoint([4])
    >>> result.maximum_likelihood, result.unbiased, result.interval
    (4, 7.0, (4.0, 79.0))
    """
    values = _arguments.vector("draws", draws, low=1.0)
    if not np.array_equal(values, np.floor(values)):
        raise ValueError("draws must be whole numbers: 1, 2, ...")
    if values.max() >= 2.0**53:
        raise ValueError("draws must be below 2^53, where whole numbers are told apart")
    m, n = int(values.max()), len(values)
    if not isinstance(cast("Any", replacement), bool | np.bool_):
        raise TypeError(f"replacement={replacement!r} must be True or False")
    if not replacement and len(np.unique(values)) < n:
        raise ValueError(
            "a number was drawn twice, so numbers are drawn with replacement; say replacement=True"
        )
    if replacement:
        upper = endpoints.uniform(largest=m, n=n, delta=delta)
        unbiased = _unbiased(m, n)
    else:
        upper = endpoints.uniform_without_replacement(largest=m, n=n, delta=delta)
        unbiased = m * (1.0 + 1.0 / n) - 1.0
    return EndpointEstimate(maximum_likelihood=m, unbiased=unbiased, upper=upper)


def _unbiased(m: int, n: int) -> float:
    """Return (m^(n+1) - (m-1)^(n+1)) / (m^n - (m-1)^n), which is m - 1 + m^n / (m^n - (m-1)^n)."""
    if n * m.bit_length() <= _DIGITS:
        return float(m - 1 + Fraction(m**n, m**n - (m - 1) ** n))
    return m - 1 - 1.0 / math.expm1(n * math.log1p(-1.0 / m))
