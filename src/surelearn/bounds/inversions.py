"""The roots behind the theorems: from an observed frequency back to the probability.

These take and return plain numbers (arrays, where marked), rounded outward; the theorems that use
them, and what they assume, are in the other files of this package.
"""

import math
from typing import Any, cast

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike, Mask, Vector
from surelearn.bounds import _rounding
from surelearn.bounds._special import kl, log_choose_all, log_choose_padding

_LOG_SMALLEST = -300.0  # below this SciPy's inverse of the incomplete beta function fails
_SHRINK = 1.0 - 1e-9  # the level is lowered so much, more than the error of the inverse
_TINY, _HUGE = 1e-60, 1e7  # levels and sizes from which SciPy's inverse is not trusted
_VANISHING = 1e-280  # levels below which SciPy's tails lose digits, and then all of them
_DOUBTFUL = 1e4  # sizes from which SciPy's inverse is now and then short by more than _SHRINK
_MOST_TERMS = 10**6  # of a binomial sum in logarithms
_MOST_DOUBLINGS = 45  # of a step outward, from four ulps
_BELOW = 1.0 - 1e-10  # more than the rounding error of the incomplete beta function there
_MANY = 10**6  # from here on a shrunken level may move a root near 1 by less than an ulp
_MOST_TRIALS = 10**12  # beyond it rounding errors of the incomplete beta function exceed _SHRINK
_ULPS = 4.0 * np.finfo(np.float64).eps


def binomial_upper(errors: ArrayLike, n: ArrayLike, delta: ArrayLike) -> Vector:
    """Return sup{p : P(Bin(n, p) <= errors) >= delta}, elementwise: one-sided Clopper-Pearson.

    The inverse *survival* function is used: 1 - delta would round to 1 for a tiny delta. Every root
    at an extreme is tried, and one whose tail is not below delta is found again by bisection.

    Examples
    --------
    >>> binomial_upper([0, 5, 100], [300, 100, 100], 0.05).round(4)
    array([0.0099, 0.1023, 1.    ])
    """
    k, m, level = _counts_and_level(errors, n, delta)
    a, b = k + 1.0, np.maximum(m - k, 1.0)
    with np.errstate(all="ignore"):
        root = special.betainccinv(a, b, level * _SHRINK)
        # Near 1 the shrunken level moves the root by less than floats can tell.
        near = 1.0 - root < 1e-6 * np.minimum(b, 700.0) + 1e-8 * m
        root = np.where(near, root * (1.0 + _ULPS), root)
        root = np.minimum(1.0, _moved(special.betaincc, a, b, root, level, _ULPS))
        sound = _sound(special.betaincc, a, b, root, level)
    root = np.where(k >= m, 1.0, root)
    return _mend(root, sound | (k >= m), k, m, level)


def binomial_lower(errors: ArrayLike, n: ArrayLike, delta: ArrayLike) -> Vector:
    """Return inf{p : P(Bin(n, p) >= errors) >= delta}, elementwise.

    Examples
    --------
    >>> binomial_lower([0, 95, 300], [300, 100, 300], 0.05).round(4)
    array([0.    , 0.8977, 0.9901])
    """
    k, m, level = _counts_and_level(errors, n, delta)
    a, b = np.maximum(k, 1.0), m - k + 1.0
    with np.errstate(all="ignore"):
        root = special.betaincinv(a, b, level * _SHRINK)
        root = np.where(m > _MANY, root * (1.0 - _ULPS), root)
        root = _moved(special.betainc, a, b, root, level, -_ULPS)
        sound = _sound(special.betainc, a, b, root, level)
    root = np.where(k <= 0.0, 0.0, root)
    # The few that fail are found as 1 minus the upper bound on the successes.
    mirrored = _mend(1.0 - root, sound | (k <= 0.0), m - k, m, level)
    return np.where(sound | (k <= 0.0), root, np.maximum(0.0, 1.0 - mirrored - 1e-15))


def binomial_upper_at_log_level(errors: int, n: int, log_delta: float) -> float:
    """Return `binomial_upper` for a level given by its logarithm, however small.

    Union bounds over codes and subsets have levels like exp(-2751): below exp(-300) the logarithm
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
    return _bisected(errors, n, log_delta)


def _moved(tail: Any, a: Vector, b: Vector, root: Vector, level: Vector, step: float) -> Vector:
    """Return the roots; those whose tail is above the level are moved outward until it is not."""
    doubtful = (a + b > _DOUBTFUL) & (a + b <= _HUGE) & (level >= _TINY)
    if not np.any(doubtful):
        return root
    short = doubtful & (tail(a, b, root) > level * _BELOW)
    everywhere = np.broadcast_arrays(a, b, level, root, short)
    # Only the few that are short are tried again and again.
    c, d, limit, found, left = (np.ravel(values).copy() for values in everywhere)
    for doublings in range(_MOST_DOUBLINGS):
        where = np.flatnonzero(left)
        if not where.size:
            break
        found[where] *= 1.0 + step * 2.0**doublings
        left[where] = tail(c[where], d[where], found[where]) > limit[where] * _BELOW
    return found.reshape(np.shape(everywhere[3]))


def _sound(tail: Any, a: Vector, b: Vector, root: Any, level: Vector) -> Mask:
    """Return where the tail at the root is below the level.

    Tried at extremes only: elsewhere the inverse never failed, and trying costs twice as much.
    """
    extreme = (level < _TINY) | (a + b > _HUGE) | np.isnan(root)
    if not np.any(extreme):
        return ~extreme
    told = (level >= _VANISHING) & (a + b <= _MOST_TRIALS)
    return ~extreme | (told & (tail(a, b, root) <= level))


def _mend(root: Vector, sound: Mask, k: Vector, n: Vector, level: Vector) -> Vector:
    """Return the roots, those that are not sound found again one by one."""
    if np.all(sound):
        return root
    shape = np.shape(root)
    mended, everywhere = np.array(np.broadcast_to(root, shape)), np.broadcast_arrays(k, n, level)
    for where in np.argwhere(~np.broadcast_to(sound, shape)):
        at = tuple(where)
        errors, trials, delta = (float(values[at]) for values in everywhere)
        mended[at] = _bisected(int(errors), int(trials), math.log(delta))
    return mended


def _bisected(errors: int, n: int, log_delta: float) -> float:
    """Return the root by bisection of the logarithm of the tail, or a bound above it.

    Where even that sum has too many terms, Chernoff's bound, which is never smaller, stands in.
    """
    if errors >= n:
        return 1.0
    if errors > _MOST_TERMS or n > _MOST_TRIALS:
        return kl_upper(math.nextafter(errors / n, 1.0), -log_delta / n)
    i = np.arange(errors + 1, dtype=np.float64)
    choose = log_choose_all(n, errors)
    reached = log_delta - 1e-10 - log_choose_padding(n)

    def tail_is_large(p: float) -> bool:
        tail = special.logsumexp(choose + special.xlogy(i, p) + special.xlog1py(n - i, -p))
        return cast("float", tail) >= reached

    return _rounding.last_true(tail_is_large, errors / n, 1.0)


def kl_upper(q: float, budget: float) -> float:
    """Return sup{p >= q : kl(q || p) <= budget}.

    Examples
    --------
    >>> round(kl_upper(0.05, 0.02), 4)
    0.1057
    """
    q = _frequency_and_budget(q, budget)
    return _rounding.last_true(lambda p: kl(q, p) <= _slightly_more(budget, p - q), q, 1.0)


def kl_lower(q: float, budget: float) -> float:
    """Return inf{p <= q : kl(q || p) <= budget}.

    Examples
    --------
    >>> round(kl_lower(0.05, 0.02), 4)
    0.0178
    """
    q = _frequency_and_budget(q, budget)
    return _rounding.first_true(lambda p: kl(q, p) <= _slightly_more(budget, q - p), 0.0, q)


def _frequency_and_budget(q: float, budget: float) -> float:
    """Return q; an infinite budget is allowed, and allows everything."""
    if not budget >= 0.0:
        raise _arguments.refuse("budget", budget, "a number >= 0")
    return _arguments.fraction("q", q)


def _slightly_more(budget: float, gap: float) -> float:
    """Allow for the rounding error of kl, whose two terms of size `gap` nearly cancel."""
    return budget * (1.0 + 1e-12) + 1e-15 * abs(gap)


def _counts_and_level(
    errors: ArrayLike, n: ArrayLike, delta: ArrayLike
) -> tuple[Vector, Vector, Vector]:
    k, m = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    level = np.asarray(delta, dtype=np.float64)
    checks = (
        ("errors", k, (k >= 0) & (np.floor(k) == k) & np.isfinite(k), "integers >= 0"),
        ("n", m, (m >= 0) & (np.floor(m) == m) & np.isfinite(m), "integers >= 0"),
        ("errors", k, k <= m, "at most n"),
        ("delta", level, (level > 0) & (level < 1), "in (0, 1)"),
    )
    for name, values, inside, domain in checks:
        if not np.all(inside):
            outside = np.broadcast_to(values, np.shape(inside))[~np.asarray(inside)]
            raise _arguments.refuse(name, float(np.ravel(outside)[0]), domain)
    return k, m, level
