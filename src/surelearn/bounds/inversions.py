"""The roots behind the theorems: from an observed frequency back to the probability.

These take and return plain numbers (arrays, where marked), rounded outward; the theorems that use
them, and what they assume, are in the other files of this package.
"""

import math
from typing import cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surelearn._typing import Vector
from surelearn.bounds import _domain, _rounding
from surelearn.bounds._special import kl, log_choose_all

_LOG_SMALLEST = -690.0  # below this exp underflows and the incomplete beta function is useless


def binomial_upper(errors: ArrayLike, n: ArrayLike, delta: ArrayLike) -> Vector:
    """Return sup{p : P(Bin(n, p) <= errors) >= delta}, elementwise: one-sided Clopper-Pearson.

    The inverse *survival* function is used: 1 - delta would round to 1 for a tiny delta.

    Examples
    --------
    >>> binomial_upper([0, 5, 100], [300, 100, 100], 0.05).round(4)
    array([0.0099, 0.1023, 1.    ])
    """
    k, m, level = _counts_and_level(errors, n, delta)
    with np.errstate(invalid="ignore"):  # errors = n has no beta law; the answer there is 1
        root = special.betainccinv(k + 1.0, np.maximum(m - k, 1.0), level)
    return np.where(k >= m, 1.0, np.minimum(1.0, root * (1.0 + 1e-12)))


def binomial_lower(errors: ArrayLike, n: ArrayLike, delta: ArrayLike) -> Vector:
    """Return inf{p : P(Bin(n, p) >= errors) >= delta}, elementwise.

    Examples
    --------
    >>> binomial_lower([0, 95, 300], [300, 100, 300], 0.05).round(4)
    array([0.    , 0.8977, 0.9901])
    """
    k, m, level = _counts_and_level(errors, n, delta)
    root = special.betaincinv(np.maximum(k, 1.0), m - k + 1.0, level)
    return np.where(k <= 0.0, 0.0, root * (1.0 - 1e-12))


def binomial_upper_at_log_level(errors: int, n: int, log_delta: float) -> float:
    """Return `binomial_upper` for a level given by its logarithm, however small.

    Union bounds over codes and subsets have levels like exp(-2751): below exp(-690) the logarithm
    of the binomial tail is summed term by term and bisected.

    Examples
    --------
    >>> round(binomial_upper_at_log_level(525, 5000, -1633.0), 4)
    0.4796
    """
    if errors >= n:
        return 1.0
    if log_delta >= _LOG_SMALLEST:
        return float(binomial_upper(errors, n, math.exp(log_delta)))
    i = np.arange(errors + 1, dtype=np.float64)
    choose = log_choose_all(n, errors)

    def tail_is_large(p: float) -> bool:
        tail = special.logsumexp(choose + special.xlogy(i, p) + special.xlog1py(n - i, -p))
        return cast("float", tail) >= log_delta

    return _rounding.last_true(tail_is_large, errors / n, 1.0)


def kl_upper(q: float, budget: float) -> float:
    """Return sup{p >= q : kl(q || p) <= budget}.

    Examples
    --------
    >>> round(kl_upper(0.05, 0.02), 4)
    0.1057
    """
    return _rounding.last_true(lambda p: kl(q, p) <= _slightly_more(budget, p - q), q, 1.0)


def kl_lower(q: float, budget: float) -> float:
    """Return inf{p <= q : kl(q || p) <= budget}.

    Examples
    --------
    >>> round(kl_lower(0.05, 0.02), 4)
    0.0178
    """
    return _rounding.first_true(lambda p: kl(q, p) <= _slightly_more(budget, q - p), 0.0, q)


def _slightly_more(budget: float, gap: float) -> float:
    """Allow for the rounding error of kl, whose two terms of size `gap` nearly cancel."""
    return budget * (1.0 + 1e-12) + 1e-15 * abs(gap)


def _counts_and_level(
    errors: ArrayLike, n: ArrayLike, delta: ArrayLike
) -> tuple[Vector, Vector, Vector]:
    k, m = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    level = np.asarray(delta, dtype=np.float64)
    checks = (
        ("errors", k, (k >= 0) & (np.floor(k) == k), "integers >= 0"),
        ("n", m, (m >= 0) & (np.floor(m) == m), "integers >= 0"),
        ("errors", k, k <= m, "at most n"),
        ("delta", level, (level > 0) & (level < 1), "in (0, 1)"),
    )
    for name, values, inside, domain in checks:
        if not np.all(inside):
            outside = np.broadcast_to(values, np.shape(inside))[~np.asarray(inside)]
            raise _domain.refuse(name, float(np.ravel(outside)[0]), domain)
    return k, m, level
