"""The orders behind the confidence regions of two rates, and the bounds read off them.

An order says which pairs of counts speak for smaller rates. Each metric has its own, fixed before
any row was seen: a region whose order does not suit the metric is valid, but wide.
"""

import functools
import itertools
import math
from typing import Any

import numpy as np
from scipy import special

from surelearn._typing import Vector
from surelearn.bounds import inversions
from surelearn.bounds._buehler import Accuracy, Problem, confine, largest
from surelearn.bounds._buehler_tails import Counts, Order

_STEPS = 12  # of a bound on a bound; each is true, further ones gain nothing
_MOST_DEVIATIONS = 2.0  # the order of a ratio is monotone up to so many standard deviations


@functools.lru_cache(maxsize=1024)  # a claim, its report and its check ask for the same counts
def linear(
    counts: Counts, weights: tuple[float, float], how: Accuracy, enough: float = -math.inf
) -> float:
    """Return an upper bound on w_x p + w_y q; the first weight is positive.

    With one rate, or rows that cost the same whatever is wrong, the region is an interval of one
    binomial rate, and its end that of Clopper and Pearson.
    """
    w_x, w_y = weights
    if w_y == 0.0:
        return w_x * _rate_above(counts.x, counts.n_x, how.delta)
    if counts.shared and w_x == w_y:
        return w_x * _rate_above(counts.x + counts.y, counts.n_x, how.delta)
    most = max(w_x, w_y) if counts.shared else w_x + max(w_y, 0.0)
    problem = Problem(
        counts,
        score_order(counts, weights, how.delta),
        lambda p, q: w_x * p + w_y * q,
        rising=w_y > 0.0,
        estimate=w_x * counts.x / counts.n_x + w_y * counts.y / counts.n_y,
        most=most,
    )
    return largest(problem, how, enough=enough)


def largest_gap(errors: Vector, sizes: Vector, how: Accuracy) -> float:
    """Return an upper bound on the difference of any two of several rates.

    The pair with the largest difference is fixed, though unknown: every pair is bounded at the full
    delta. Pairs are tried from the most promising one on, others only until they cannot win.
    """
    pairs = [
        Counts(int(errors[g]), int(errors[h]), int(sizes[g]), int(sizes[h]), shared=False)
        for g, h in itertools.permutations(range(len(sizes)), 2)
    ]
    best = -1.0
    for pair in sorted(pairs, key=lambda pair: -_hoeffding_gap(pair, how.delta)):
        if _hoeffding_gap(pair, how.delta) > best and not _stays_within(pair, how, best):
            best = max(best, linear(pair, (1.0, -1.0), how, enough=best))
    return best


def _stays_within(counts: Counts, how: Accuracy, best: float) -> bool:
    """Return whether it is sure at once that the bound of a pair is at most `best`.

    It helps where rows are many, so that the second rate is confined. A pair (p, q) of the region
    with p - q = g > best has P(T <= t) of at most P(D <= t - z sqrt(v + kappa)) + P(V < v), D the
    difference of frequencies and V the statistic under the root; Bernstein bounds both. So g is at
    most what the step below makes of any number that it is at most, over and over.
    """
    low, high, delta = confine(counts, how.delta)
    a, b = 1.0 / counts.n_x, 1.0 / counts.n_y
    z = -float(special.ndtri(how.delta))
    kappa = max(1.0, z * z / 4.0) * max(a, b) ** 2
    estimate = a * counts.x - b * counts.y
    seen = estimate + z * math.sqrt(a * a * counts.x + b * b * counts.y + kappa)
    logs, rare = -math.log(0.98 * delta), -math.log(0.01 * delta)
    most, wide = 1.0, max(a, b) * logs / 3.0
    for _ in range(_STEPS):
        p = min(1.0, high + most)
        spread = wide + math.sqrt(wide * wide + 2.0 * logs * (a * p + b * high))
        mean = a * max(0.0, low + best) + b * low
        v = max(0.0, mean - math.sqrt(2.0 * rare * (a**3 * p + b**3 * high)))
        most = min(most, seen + spread - z * math.sqrt(v + kappa) + 1e-9)
        # What is returned lies above the region by the tolerance, a share of what it has gained.
        if most + 1.5 * how.tolerance * max(0.0, most - estimate) <= best:
            return True
    return False


def _hoeffding_gap(counts: Counts, delta: float) -> float:
    """Return more than the largest p - q of a region in score order, at once.

    A small statistic makes the difference of frequencies small, which Hoeffding finds rare.
    """
    a, b = 1.0 / counts.n_x, 1.0 / counts.n_y
    z = -float(special.ndtri(delta))
    kappa = max(1.0, z * z / 4.0) * max(a, b) ** 2
    spread = math.sqrt(a * a * counts.x + b * b * counts.y + kappa) - math.sqrt(kappa)
    seen = a * counts.x - b * counts.y + z * spread
    return seen + math.sqrt(-math.log(0.99 * delta) * (a + b) / 2.0) + 1e-9


def score_order(counts: Counts, weights: tuple[float, float], delta: float) -> Order:
    """Return T = a x + b y + z sqrt(a^2 x + b^2 y + kappa), with a and |b| at most 1/rows.

    An estimate and z of its standard deviations; kappa makes it monotone where b is negative.

    Examples
    --------
    >>> order = score_order(Counts(1, 2, 10, 10, shared=True), (1.0, -1.0), 0.05)
    >>> order(np.float64(2.0), np.float64(3.0)) < order(np.float64(2.0), np.float64(2.0))
    np.True_
    """
    a, b = weights[0] / counts.n_x, weights[1] / counts.n_y
    unit = max(a, abs(b)) * (counts.n_x + counts.n_y)  # then the statistic is about 1 at most
    a, b = a / unit, b / unit
    z = -float(special.ndtri(delta))
    kappa = max(1.0, z * z / 4.0) * max(a, abs(b)) ** 2

    def order(x: Any, y: Any) -> Any:
        return a * x + b * y + z * np.sqrt(a * a * x + b * b * y + kappa)

    return order


def log_ratio(counts: Counts, how: Accuracy) -> float:
    """Return an upper bound on ln(q / (1 - p)), for independent counts x and y."""

    def value(p: Vector, q: Vector) -> Vector:
        # With p = 1 nothing is left to divide by, also where q is 0.
        return np.where(p < 1.0, np.log(q) - np.log1p(-np.minimum(p, 1.0)), np.inf)

    rates = (counts.x + 0.5) / (counts.n_x + 1.0), (counts.y + 0.5) / (counts.n_y + 1.0)
    estimate = math.log(rates[1]) - math.log1p(-rates[0])
    order = ratio_order(counts, how.delta)
    return largest(
        Problem(counts, order, value, rising=True, estimate=estimate, most=math.inf), how
    )


def ratio_order(counts: Counts, delta: float) -> Order:
    """Return the logarithm of the smoothed ratio of y to n_x - x, and z standard deviations of it.

    Examples
    --------
    >>> order = ratio_order(Counts(1, 2, 10, 10, shared=False), 0.05)
    >>> order(np.float64(2.0), np.float64(3.0)) > order(np.float64(2.0), np.float64(2.0))
    np.True_
    """
    n, m = counts.n_x, counts.n_y
    z = min(-float(special.ndtri(delta)), _MOST_DEVIATIONS)

    def order(x: Any, y: Any) -> Any:
        hits = n - x + 0.5
        logs = np.log((y + 1.0) / (m + 1.0)) - np.log(hits / (n + 1.0))
        return logs + z * np.sqrt(1.0 / (y + 1.0) + x / (n * hits))

    return order


def correlation(counts: Counts, how: Accuracy) -> float:
    """Return a lower bound on Matthews' correlation; -1 where the region does not exclude 0.

    A tenth of delta is for the share of positive rows, the rest for the two rates given labels. For
    rates better than chance the correlation is quasi-concave in that share: its ends suffice.
    """
    for_share = how.delta / 10.0
    for_rates = (how.delta - for_share) / (1.0 - for_share)  # (1 - d1) (1 - d2) = 1 - delta
    n = counts.n_x + counts.n_y
    ends = (
        float(inversions.binomial_lower(counts.n_x, n, for_share / 2.0)),
        float(inversions.binomial_upper(counts.n_x, n, for_share / 2.0)),
    )

    def value(p: Vector, q: Vector) -> Vector:
        lowest = np.minimum(*(matthews(share, p, q) for share in ends))
        return np.minimum(-lowest, 0.0)

    estimate = -float(matthews(counts.n_x / n, counts.x / counts.n_x, counts.y / counts.n_y))
    order = matthews_order(counts)
    problem = Problem(counts, order, value, rising=True, estimate=estimate, most=0.0)
    found = largest(problem, Accuracy(for_rates * (1.0 - 1e-12), how.tolerance))
    return -found if found < 0.0 else -1.0


def matthews_order(counts: Counts) -> Order:
    """Return minus the correlation of smoothed counts, at the share of positive rows observed.

    Examples
    --------
    >>> order = matthews_order(Counts(1, 2, 10, 10, shared=False))
    >>> order(np.float64(2.0), np.float64(3.0)) > order(np.float64(2.0), np.float64(2.0))
    np.True_
    """
    n, m = counts.n_x, counts.n_y

    def order(x: Any, y: Any) -> Any:
        return -matthews(n / (n + m), (x + 0.5) / (n + 1.0), (y + 0.5) / (m + 1.0))

    return order


def matthews(share: float, p: Any, q: Any) -> Any:
    """Return Matthews' correlation from a share of positives and the two rates of errors.

    Examples
    --------
    >>> round(float(matthews(0.1, 0.1, 40 / 900)), 4)
    0.7632
    """
    positive = share * (1.0 - p) + (1.0 - share) * q  # of the predictions
    spread = positive * (1.0 - positive)
    factor = math.sqrt(share * (1.0 - share)) * (1.0 - p - q)
    # Nothing is predicted positive, or everything: then the correlation is 0.
    return np.where(spread > 0.0, factor / np.sqrt(np.where(spread > 0.0, spread, 1.0)), 0.0)


def _rate_above(errors: int, n: int, delta: float) -> float:
    return float(inversions.binomial_upper(errors, n, delta))
