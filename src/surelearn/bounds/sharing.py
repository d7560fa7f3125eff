"""How several claims on the same rows share one failure probability.

Plain numbers in, plain numbers out: levels for claims that are all printed, and which hypotheses
are refuted when a list of them was tested. What each rule needs, and which needs nothing at all,
is on the theory page of rates.
"""

import math
from collections.abc import Callable

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _rounding


def sidak(delta: float, n: int) -> float:
    """Return the level at which each of n claims along a chain of conditions may be stated.

    The n claims then hold together with probability at least 1 - delta, if each holds with its
    level given what those before it are about: groups, bins, or sensitivity and specificity.

    Examples
    --------
    >>> round(sidak(0.05, 2), 7)
    0.0253206
    """
    level, claims = _arguments.open_fraction("delta", delta), _claims(n)
    return _usable(delta, level if claims == 1 else _sidak(level, claims))


def bonferroni(delta: float, n: int) -> float:
    """Return the level at which each of n claims may be stated, whatever their dependence.

    Examples
    --------
    >>> bonferroni(0.05, 2)
    0.025
    """
    return _usable(delta, _arguments.open_fraction("delta", delta) / _claims(n))


def holm(p_values: ArrayLike, delta: float) -> tuple[bool, ...]:
    """Return which hypotheses are refuted by Holm's step-down test, in the order they were given.

    With probability at least 1 - delta none of them is true, whatever the dependence.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03], 0.05)
    (True, False, False)
    """
    level = _arguments.open_fraction("delta", delta)
    return _step_down(p_values, lambda left: level / left)


def holm_sidak(p_values: ArrayLike, delta: float) -> tuple[bool, ...]:
    """Return which hypotheses are refuted by Holm's test at the levels of `sidak`.

    The p-values of true hypotheses must be independent, given the sizes of groups, say.

    Examples
    --------
    >>> holm_sidak([0.111729, 0.035306, 0.001575, 0.003529, 0.005420], 0.05)
    (False, False, True, True, True)
    """
    level = _arguments.open_fraction("delta", delta)
    return _step_down(p_values, lambda left: level if left == 1 else _sidak(level, left))


def fixed_sequence(p_values: ArrayLike, delta: float) -> tuple[bool, ...]:
    """Return which hypotheses are refuted in an order fixed beforehand, up to the first failure.

    Each is tested at the whole delta, and all that are refuted are so together.

    Examples
    --------
    >>> fixed_sequence([0.01, 0.04, 0.06, 0.001], 0.05)
    (True, True, False, False)
    """
    level = _arguments.open_fraction("delta", delta)
    passed = np.logical_and.accumulate(_p_values(p_values) <= level)
    return tuple(bool(one) for one in passed)


def _sidak(delta: float, n: int) -> float:
    return _rounding.down(-math.expm1(math.log1p(-delta) / n))


def _step_down(p_values: ArrayLike, level_of: Callable[[int], float]) -> tuple[bool, ...]:
    """Return the refuted ones: the i-th smallest p-value is compared at the level of those left."""
    values = _p_values(p_values)
    refuted = np.zeros(len(values), dtype=np.bool_)
    for passed, where in enumerate(np.argsort(values, kind="stable")):
        if values[where] > level_of(len(values) - passed):
            break
        refuted[where] = True
    return tuple(bool(one) for one in refuted)


def _p_values(p_values: ArrayLike) -> Vector:
    return _arguments.vector("p_values", p_values, low=0.0, high=1.0)


def _claims(n: int) -> int:
    return _arguments.count("n", n, at_least=1)


def _usable(delta: float, level: float) -> float:
    if not level > 0.0:
        raise _arguments.refuse("delta", delta, "larger, or n smaller: no level is left to a claim")
    return level
