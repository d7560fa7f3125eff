"""Special functions of the theorems, stable at the extremes."""

import math

import numpy as np
from scipy import special

from surelearn._typing import ArrayLike, Vector

_MOST_SUMMED = 1000  # logarithms, before a difference of lgamma values is faster


def log_choose(n: int, k: int) -> float:
    """Return ln C(n, k) for 0 <= k <= n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def log_choose_above(n: int, k: int) -> float:
    """Return a number slightly above ln C(n, k): a price that must not come out too small.

    Examples
    --------
    >>> log_choose_above(10**12 + 20, 10**12 + 1) > 19 * math.log(10**12) - math.lgamma(20)
    True
    """
    few = min(k, n - k)
    if few > _MOST_SUMMED:
        return log_choose(n, k) + log_choose_padding(n)
    exact = math.fsum(math.log((n - i) / (i + 1)) for i in range(few))  # no difference of lgamma
    return exact * (1.0 + 1e-14)


def log_choose_padding(n: int) -> float:
    """Return more than the rounding error of `log_choose(n, k)`, a difference of lgamma values."""
    return 1e-15 * math.lgamma(n + 1)


def binomial_cdf(k: ArrayLike, n: ArrayLike, p: float | Vector) -> Vector:
    """Return P(Bin(n, p) <= k), elementwise; SciPy's `bdtr` stops at n = 2^31."""
    top, trials = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inside = special.betaincc(np.maximum(top, 0.0) + 1.0, np.maximum(trials - top, 1.0), p)
    return np.where(top < 0.0, 0.0, np.where(top >= trials, 1.0, inside))


def binomial_sf(k: ArrayLike, n: ArrayLike, p: float | Vector) -> Vector:
    """Return P(Bin(n, p) > k), elementwise."""
    top, trials = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inside = special.betainc(np.maximum(top, 0.0) + 1.0, np.maximum(trials - top, 1.0), p)
    return np.where(top < 0.0, 1.0, np.where(top >= trials, 0.0, inside))


def log_choose_all(n: int, top: int) -> Vector:
    """Return ln C(n, i) for i = 0..top."""
    i = np.arange(top + 1, dtype=np.float64)
    return special.gammaln(n + 1.0) - special.gammaln(i + 1.0) - special.gammaln(n - i + 1.0)


def kl(q: float, p: float) -> float:
    """Return the relative entropy of Bernoulli(q) to Bernoulli(p), infinity included.

    Written with log1p of the difference: q ln(q/p) alone would lose all digits as p nears q.
    """
    if (q > 0.0 and p <= 0.0) or (q < 1.0 and p >= 1.0):
        return math.inf
    left = -q * _log_ratio(p, q, p - q) if q > 0.0 else 0.0
    right = -(1.0 - q) * _log_ratio(1.0 - p, 1.0 - q, q - p) if q < 1.0 else 0.0
    return max(0.0, left + right)


def _log_ratio(new: float, old: float, gap: float) -> float:
    """Return ln(new/old) for new = old + gap; log1p alone fails once old + gap rounds to 0."""
    return math.log1p(gap / old) if abs(gap) < 0.5 * old else math.log(new) - math.log(old)


def log_xi(n: int) -> float:
    """Return ln xi(n), xi(n) = sum_k C(n,k) (k/n)^k (1-k/n)^(n-k), the constant of PAC-Bayes-kl.

    The mean of exp(n kl(K/n, p)) for a binomial K does not depend on p; this is its value, between
    sqrt(n) and 2 sqrt(n).
    """
    return float(log_xi_all(np.float64(n)))


def log_xi_all(n: Vector | np.float64) -> Vector:
    """Return ln xi(n) elementwise, rounded up: xi(n) = n! (e/n)^n P(Poisson(n) <= n).

    For large n the first factor is replaced by Robbins' upper bound, which is exact to 1/(360 n^3)
    and free of the cancellation between ln n! and n ln n.
    """
    exact = special.gammaln(n + 1.0) + n - n * np.log(n)
    robbins = 0.5 * np.log(2.0 * np.pi * n) + 1.0 / (12.0 * n)
    return np.where(n < 1000.0, exact, robbins) + np.log(special.gammaincc(n + 1.0, n)) + 1e-11
