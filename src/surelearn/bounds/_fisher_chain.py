"""Bounds on a weighted sum of several rates, or counts, from the product of their tails.

Tails of independent strata are at least uniform, so their product is below c_H with probability
delta at most, where -ln c_H is the delta quantile from above of a sum of H exponentials (Fisher).
The largest sum over the rates whose product of tails exceeds c_H is bounded by duality: any
multiplier gives a bound, and the best one is looked for.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from surelearn._typing import Vector
from surelearn.bounds import _rounding
from surelearn.bounds._special import log_choose

_SHRINK = 1e-9  # of the level c_H
_PADDING = 1e-10  # more than the error of the logarithm of a tail
_LOG_SMALLEST = -600.0  # of multipliers
_BISECTIONS = 80


def log_level(n_strata: int, delta: float) -> float:
    """Return ln c_H, rounded down: the product of H tails is smaller with probability delta.

    Examples
    --------
    >>> round(math.exp(log_level(2, 0.05)), 7), round(math.exp(log_level(3, 0.05)), 7)
    (0.0087049, 0.001844)
    """
    return _rounding.down(-float(special.gammainccinv(n_strata, delta)) + math.log1p(-_SHRINK))


def largest_rate(errors: Vector, sizes: Vector, shares: Vector, delta: float) -> float:
    """Return an upper bound on the sum of shares times rates, one binomial count for each.

    A stratum without rows, or without a right one, may be wrong altogether.
    """
    counted = (sizes > 0) & (shares > 0)  # known before any row was judged
    unknown = float(shares[~counted].sum())
    if not counted.any():
        return unknown
    k, n, w = errors[counted], sizes[counted], shares[counted]
    level = log_level(len(w), delta)
    full = k >= n
    free = float(w[full].sum())
    k, n, w = k[~full], n[~full], w[~full]
    if not len(w):
        return unknown + free

    def dual(log_multiplier: float) -> float:
        multiplier = math.exp(log_multiplier)
        return _inner(k, n, w, multiplier) - multiplier * level

    smallest = max(math.log(float(w.min())) - math.log(1e3 * float(n.max())), _LOG_SMALLEST)
    limits = smallest, math.log(1e3 * float(w.max()))
    best = _least(dual, limits)
    return _rounding.up(min(best, float(w.sum())) + unknown + free)


def largest_number(errors: Vector, drawn: Vector, sizes: Vector, delta: float) -> int:
    """Return an upper bound on the wrong rows of a table, some of each stratum drawn.

    Numbers of wrong rows are whole, but duality needs neither that nor concavity.
    """
    counted = drawn > 0
    unknown = int(sizes[~counted].sum())
    if not counted.any():
        return unknown
    chosen = [values[counted].astype(int).tolist() for values in (errors, drawn, sizes)]
    tails = [log_hypergeometric_tails(*one) for one in zip(*chosen, strict=True)]
    numbers = [k + np.arange(len(logs)) for k, logs in zip(chosen[0], tails, strict=True)]
    level = log_level(len(tails), delta)

    def dual(log_multiplier: float) -> float:
        multiplier = math.exp(log_multiplier)
        best = [float((k + multiplier * t).max()) for k, t in zip(numbers, tails, strict=True)]
        return math.fsum(best) - multiplier * level

    rows = sum(len(logs) for logs in tails)
    limits = math.log(1e-6), math.log(1e3 * rows)
    most = sum(int(k[-1]) for k in numbers)
    return unknown + min(most, math.floor(_rounding.up(_least(dual, limits)) + 1e-9))


def _least(dual: Callable[[float], float], limits: tuple[float, float]) -> float:
    """Return the smallest value found; every value is a bound, so that none can be too small."""
    grid = np.linspace(*limits, 41)
    values = [dual(float(at)) for at in grid]
    i = int(np.argmin(values))
    near = float(grid[max(i - 1, 0)]), float(grid[min(i + 1, len(grid) - 1)])
    found = optimize.minimize_scalar(
        dual, bounds=near, method="bounded", options={"xatol": 1e-7, "maxiter": 80}
    )
    return min(values[i], float(found.fun))


def _inner(k: Vector, n: Vector, w: Vector, multiplier: float) -> float:
    """Return more than the sum over strata of the largest w r + multiplier ln P(Bin(n, r) <= k).

    Each term is concave in r: the tail is one of a beta law, whose hazard rate rises. So the
    tangent at the lower end of a bracket lies above it, up to r = 1.
    """
    low, high = np.zeros_like(w), np.ones_like(w)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2.0
        rising = multiplier * _hazard(k, n, middle) < w
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    slope = np.maximum(w - multiplier * _hazard(k, n, low), 0.0) + 1e-11 * w
    with np.errstate(divide="ignore"):
        logs = np.log(special.betaincc(k + 1.0, n - k, low))
    values = w * low + multiplier * (logs + _PADDING) + slope * (1.0 - low)
    return math.fsum(values)


def _hazard(k: Vector, n: Vector, r: Vector) -> Vector:
    """Return -d/dr ln P(Bin(n, r) <= k): the hazard rate of a beta law."""
    logs = special.xlogy(k, r) + special.xlog1py(n - k - 1.0, -r) - special.betaln(k + 1.0, n - k)
    with np.errstate(divide="ignore", over="ignore"):
        tail = special.betaincc(k + 1.0, n - k, r)
        return np.where(tail > 0.0, np.exp(logs - np.log(tail)), np.inf)


def log_hypergeometric_tails(errors: int, drawn: int, size: int) -> Vector:
    """Return ln P(at most `errors` wrong rows are drawn), rounded up, for K = errors, ... wrong.

    One more wrong row lowers the tail by the probability that it is drawn and one too many:
    P_K(errors) (drawn - errors) / (size - K). Summed from the far end all terms are positive.

    Examples
    --------
    >>> np.exp(log_hypergeometric_tails(0, 2, 4)).round(6)
    array([1.      , 0.5     , 0.166667])
    """
    right = drawn - errors
    wrong = np.arange(errors, size - right + 1, dtype=np.float64)
    if right == 0:
        return np.zeros_like(wrong)
    logs = _log_choose(wrong, errors) + _log_choose(size - wrong, right)
    logs += np.log(right) - np.log(size - wrong) - log_choose(size, drawn)
    top = logs.max()
    sums = np.cumsum(np.exp(logs - top)[::-1])[::-1]
    tails = top + np.log(np.maximum(sums, 1e-290))  # smaller terms may have vanished
    return np.minimum(tails + _PADDING + 1e-14 * math.lgamma(size + 1.0), 0.0)


def _log_choose(n: Vector, k: int) -> Vector:
    return special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
