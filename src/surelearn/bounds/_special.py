"""Special functions of the theorems, stable at the extremes."""

import math
from functools import lru_cache

import numpy as np
from scipy import special

from surelearn._typing import Vector


def log_choose(n: int, k: int) -> float:
    """Return ln C(n, k) for 0 <= k <= n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


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
    gap = p - q
    left = -q * math.log1p(gap / q) if q > 0.0 else 0.0
    right = -(1.0 - q) * math.log1p(-gap / (1.0 - q)) if q < 1.0 else 0.0
    return max(0.0, left + right)


@lru_cache(maxsize=1024)
def log_xi(n: int) -> float:
    """Return ln xi(n), xi(n) = sum_k C(n,k) (k/n)^k (1-k/n)^(n-k), the constant of PAC-Bayes-kl.

    The mean of exp(n kl(K/n, p)) for a binomial K does not depend on p; this is its value, between
    sqrt(n) and 2 sqrt(n).
    """
    k = np.arange(n + 1, dtype=np.float64)
    terms = log_choose_all(n, n) + special.xlogy(k, k / n) + special.xlogy(n - k, 1.0 - k / n)
    return float(special.logsumexp(terms))
