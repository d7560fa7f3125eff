"""The wealth of gamblers who bet that a mean is smaller than m, as a function of m.

Each function returns the logarithm of a wealth that is increasing in m; under the true mean the
wealth is a supermartingale, so a large one refutes m. Everything here is a number, not a theorem.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from surelearn._typing import Indices, Vector
from surelearn.bounds._special import kl

RATES: Vector = np.geomspace(0.01, 8.0, 24)
"""The rates of the exponential mixture: good from one loss to about a million."""

STAKES: Vector = np.geomspace(0.003, 0.97, 12)
"""The stakes of the betting mixture, as fractions of the largest stake that cannot ruin."""


def log_level(delta: float, n: int) -> float:
    """Return ln(1/delta), moved outward by more than the rounding error of n summed logarithms."""
    return -math.log(delta) + 1e-9 + 1e-14 * n


def redundancy(total: float, n: int) -> float:
    """Return the nats that the Beta(1/2, 1/2) mixture loses to the best Bernoulli code.

    Between 0 and ln(pi (n + 1/2)) / 2, the latter when the total is 0 or n.
    """
    a, b = total, n - total
    best_code = -float(special.xlogy(a, a / n) + special.xlogy(b, b / n))
    return math.log(math.pi) - float(special.betaln(a + 0.5, b + 0.5)) - best_code


def truncated_mixture(total: float, n: int) -> Callable[[float], float]:
    """Return m -> ln of the likelihood ratio against m, mixed over Beta(1/2, 1/2) below m."""
    loss, mean = redundancy(total, n), total / n

    def log_wealth(m: float) -> float:
        below = float(special.betainc(total + 0.5, n - total + 0.5, m))
        return n * kl(mean, m) - loss + math.log(below / float(special.betainc(0.5, 0.5, m)))

    return log_wealth


def exponential_mixture(total: float, n: int) -> Callable[[float], float]:
    """Return m -> ln of the average over RATES of exp(-rate total) / (1 - m g)^n."""
    g = -np.expm1(-RATES)
    return lambda m: log_mean_exp(-RATES * total - n * np.log1p(-m * g))


def plug_in_bets(losses: Vector, horizon: Vector | float, log_level: float) -> Vector:
    """Return the bets sqrt(2 log_level / (horizon variance)), each from the losses before it.

    The last axis is time; one virtual loss of 1/2 with variance 1/4 stands at its beginning.
    """
    size = np.arange(2, losses.shape[-1] + 2)
    mean = (0.5 + np.cumsum(losses, axis=-1)) / size
    variance = (0.25 + np.cumsum((losses - mean) ** 2, axis=-1)) / size
    before = np.concatenate([np.full((*losses.shape[:-1], 1), 0.25), variance[..., :-1]], axis=-1)
    return np.sqrt(2.0 * log_level / (horizon * before))


def running_maximum(losses: Vector, bets: Vector, cap: float) -> Callable[[float], float]:
    """Return m -> ln of the largest wealth reached by the bets, capped at cap / (1 - m)."""
    return lambda m: max(0.0, float(np.cumsum(_log_factors(losses, bets, cap, m)).max()))


def mean_final(losses: Vector, bets: Vector, cap: float) -> Callable[[float], float]:
    """Return m -> ln of the average over rows of the wealth at the end of the row."""
    return lambda m: log_mean_exp(_log_factors(losses, bets, cap, m).sum(axis=-1))


def stake_mixture(values: Vector, counts: Indices) -> Callable[[float], float]:
    """Return m -> ln of the average over STAKES of the product of 1 + stake (m - x) / (1 - m)."""
    rest, weights = 1.0 - values, counts.astype(np.float64)

    def log_wealth(m: float) -> float:
        gains = rest / (1.0 - m) - 1.0
        return log_mean_over_stakes(gains, weights)

    return log_wealth


def ratio_mixture(tops: Vector, bottoms: Vector, counts: Vector) -> Callable[[float], float]:
    """Return r -> ln of the average over STAKES of the product of 1 + stake (r m - e) / (1 - r).

    Pairs 0 <= e <= m <= 1 with counts: `tops` are e, `bottoms` are m.
    """
    rest = bottoms - tops  # (r m - e) / (1 - r) = (m - e) / (1 - r) - m

    def log_wealth(r: float) -> float:
        gains = np.maximum(rest / (1.0 - r) - bottoms, -1.0)
        return log_mean_over_stakes(gains, counts)

    return log_wealth


def share_mixture(tops: Vector, bottoms: Vector, counts: Vector) -> Callable[[float], float]:
    """Return r -> ln of the average over STAKES of the product of 1 + stake (r m - e).

    For pairs in [0, 1] of which e may exceed m; increasing in r.
    """

    def log_wealth(r: float) -> float:
        gains = r * bottoms - tops
        return log_mean_over_stakes(gains, counts)

    return log_wealth


def log_mean_over_stakes(gains: Vector, counts: Vector | float = 1.0) -> float:
    """Return ln of the average over STAKES of the product of 1 + stake gain."""
    logs = [float(np.sum(counts * np.log1p(stake * gains))) for stake in STAKES]
    return log_mean_exp(np.array(logs))


def refuted_from(log_wealth: Callable[[float], float], level: float) -> float:
    """Return a point m with log_wealth(m) >= level, next to the smallest; 1 if none is below it.

    The wealth is increasing in m, so every larger m is refuted too. Brent's method needs a
    quarter of the evaluations of bisection; the steps after it leave its bracket outward.
    """
    top, step = 1.0 - 1e-12, 1e-13
    if log_wealth(top) < level:
        return 1.0
    root = optimize.brentq(lambda m: log_wealth(m) - level, 0.0, top, xtol=1e-15, rtol=1e-13)
    while log_wealth(min(root + step, top)) < level:
        step *= 2.0
    return min(root + step, top)


def _log_factors(losses: Vector, bets: Vector, cap: float, m: float) -> Vector:
    limit = cap / (1.0 - m) if m < 1.0 else math.inf
    return np.log1p(np.minimum(bets, limit) * (m - losses))


def log_mean_exp(logs: Vector) -> float:
    """Return the logarithm of the mean of exp(logs)."""
    return float(np.logaddexp.reduce(logs)) - math.log(len(logs))
