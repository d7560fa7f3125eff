"""Buehler's region of two rates by plain loops over all counts, as the proof states it.

Nothing is shared with the library: orders are written from their formulas, probabilities are
products of exact binomial coefficients, and the end of the region is found by bisection.
"""

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist

Order = Callable[[int, int], float]
Outcome = tuple[int, int]


class Trinomial:
    """n rows, each an x with probability p, a y with probability q, or neither."""

    def __init__(self, n: int):
        self.n = n

    def outcomes(self) -> Iterator[Outcome]:
        return ((x, y) for x in range(self.n + 1) for y in range(self.n - x + 1))

    def probability(self, x: int, y: int, p: float, q: float) -> float:
        ways = math.comb(self.n, x) * math.comb(self.n - x, y)
        return ways * p**x * q**y * max(0.0, 1.0 - p - q) ** (self.n - x - y)

    def most(self, q: float) -> float:
        return 1.0 - q


class TwoBinomials:
    """x errors among n rows of one kind, y among m of another."""

    def __init__(self, n: int, m: int):
        self.n, self.m = n, m

    def outcomes(self) -> Iterator[Outcome]:
        return ((x, y) for x in range(self.n + 1) for y in range(self.m + 1))

    def probability(self, x: int, y: int, p: float, q: float) -> float:
        first = math.comb(self.n, x) * p**x * (1.0 - p) ** (self.n - x)
        return first * math.comb(self.m, y) * q**y * (1.0 - q) ** (self.m - y)

    def most(self, q: float) -> float:  # noqa: ARG002 - the rates do not limit each other
        return 1.0


Law = Trinomial | TwoBinomials


def score(a: float, b: float, delta: float) -> Order:
    """Return a x + b y + z sqrt(a^2 x + b^2 y + kappa)."""
    z = NormalDist().inv_cdf(1.0 - delta)
    kappa = max(1.0, z * z / 4.0) * max(a * a, b * b)
    return lambda x, y: a * x + b * y + z * math.sqrt(a * a * x + b * b * y + kappa)


def positive_ratio(n: int, m: int, delta: float) -> Order:
    """Return the order of LR+ for x of n positives missed and y of m negatives flagged."""
    z = min(2.0, NormalDist().inv_cdf(1.0 - delta))

    def order(x: int, y: int) -> float:
        estimate = math.log((y + 1) / (m + 1)) - math.log((n - x + 0.5) / (n + 1))
        return estimate + z * math.sqrt(1 / (y + 1) + x / (n * (n - x + 0.5)))

    return order


def negative_ratio(n: int, m: int, delta: float) -> Order:
    """Return the order of LR-: the roles of the classes exchanged."""
    other = positive_ratio(m, n, delta)
    return lambda x, y: other(y, x)


def phi(share: float, sensitivity: float, specificity: float) -> float:
    """Return Matthews' correlation."""
    r = share * sensitivity + (1 - share) * (1 - specificity)
    if r in (0.0, 1.0):
        return 0.0
    top = math.sqrt(share * (1 - share)) * (sensitivity + specificity - 1)
    return top / math.sqrt(r * (1 - r))


def matthews(n: int, m: int) -> Order:
    """Return minus the correlation of smoothed rates."""
    return lambda x, y: -phi(n / (n + m), 1 - (x + 0.5) / (n + 1), 1 - (y + 0.5) / (m + 1))


def tail(law: Law, event: list[Outcome], p: float, q: float) -> float:
    """Return the probability of some outcomes."""
    return math.fsum(law.probability(x, y, p, q) for x, y in event)


def at_most_as_seen(law: Law, order: Order, seen: Outcome) -> list[Outcome]:
    """Return the outcomes that the order does not put above what was seen."""
    level = order(*seen)
    limit = level + 1e-10 * max(1.0, abs(level))
    return [outcome for outcome in law.outcomes() if order(*outcome) <= limit]


def attained(
    law: Law,
    order: Order,
    value: Callable[[float, float], float],
    seen: Outcome,
    delta: float,
    grid: list[float],
) -> float:
    """Return the largest value at the end of the region over a grid of second rates."""
    event, best = at_most_as_seen(law, order, seen), -math.inf
    for q in grid:
        low, high = 0.0, law.most(q)
        if tail(law, event, 0.0, q) < delta:
            continue
        if tail(law, event, high, q) >= delta:
            low = high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(law, event, middle, q) >= delta else (low, middle)
        best = max(best, value(low, q))
    return best


def fisher_primal(
    errors: list[int], sizes: list[int], shares: list[float], delta: float, steps: int
) -> float:
    """Return the largest sum of shares times rates on a grid with a product of tails above c_H.

    c_H solves c (1 + ln(1/c) + ... ) = delta, by bisection; two strata only.
    """
    low, high = 0.0, 1.0
    for _ in range(200):
        c = (low + high) / 2
        low, high = (c, high) if c * (1 - math.log(c)) < delta else (low, c)

    def below(k: int, n: int, r: float) -> float:
        return math.fsum(math.comb(n, i) * r**i * (1 - r) ** (n - i) for i in range(k + 1))

    rates = [i / steps for i in range(steps + 1)]
    tails = [[below(k, n, r) for r in rates] for k, n in zip(errors, sizes, strict=True)]
    best, j = 0.0, steps
    for i in range(steps + 1):  # the second rate falls as the first one rises
        while j >= 0 and tails[0][i] * tails[1][j] <= low:
            j -= 1
        if j < 0:
            break
        best = max(best, shares[0] * rates[i] + shares[1] * rates[j])
    return best
