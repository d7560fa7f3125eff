"""Claims from counts, written from their statements: exact rationals and plain loops."""

import math
from fractions import Fraction

STAKES = [0.003 * (0.97 / 0.003) ** (j / 11) for j in range(12)]


def binomial_tail(k: int, n: int, p: Fraction) -> Fraction:
    """Return P(Bin(n, p) <= k) exactly."""
    return sum((math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1)), Fraction(0))


def clopper_pearson(k: int, n: int, delta: float, steps: int = 40) -> tuple[float, float]:
    """Return a bracket of sup{p : P(Bin(n, p) <= k) >= delta}."""
    low, high = Fraction(k, n) if n else Fraction(1), Fraction(1)
    if k >= n:
        return 1.0, 1.0
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if binomial_tail(k, n, middle) >= delta else (low, middle)
    return float(low), float(high)


def ratio(pairs, largest, delta):
    """Return sup{r : mean over stakes of prod (1 + s (r m - e) / ((1 - r) M)) < 1/delta}."""

    def wealth(r):
        products = []
        for s in STAKES:
            product = 1.0
            for e, m in pairs:
                product *= 1 + s * (r * m - e) / ((1 - r) * largest)
            products.append(product)
        return sum(products) / len(products)

    return _bisect(lambda r: wealth(r) < 1 / delta, 0.0, 1.0)


def explained_share(pairs, largest, delta):
    """Return 1 - sup{r in [0, 1] : mean over stakes of prod (1 + s (r m - e) / B) < 1/delta}."""

    def wealth(r):
        return sum(
            math.prod(1 + s * (r * m - e) / largest for e, m in pairs) for s in STAKES
        ) / len(STAKES)

    return (
        -math.inf
        if wealth(1.0) < 1 / delta
        else 1 - _bisect(lambda r: wealth(r) < 1 / delta, 0.0, 1.0)
    )


def most_wrong_rows(k: int, n: int, table: int, delta: float) -> int:
    """Return max{K : P(Hyp(table, K, n) <= k) > delta}, by trying every K."""

    def tail(wrong):
        ways = sum(math.comb(wrong, i) * math.comb(table - wrong, n - i) for i in range(k + 1))
        return Fraction(ways, math.comb(table, n))

    return max(wrong for wrong in range(k, table - n + k + 1) if tail(wrong) > Fraction(delta))


def mean_without_replacement(values, table, delta):
    """Return the largest m of the table that bets on the rows left do not refute."""
    total = sum(values)

    def wealth(m):
        products = []
        for s in STAKES:
            product, seen = 1.0, 0.0
            for t, x in enumerate(values):
                left = (table * m - seen) / (table - t)
                product *= 1.0 if left >= 1.0 else 1 + s * (left - x) / (1 - left)
                seen += x
            products.append(product)
        return sum(products) / len(products)

    return _bisect(
        lambda m: wealth(m) < 1 / delta, total / table, (total + table - len(values)) / table
    )


def shiryaev_roberts(losses, tolerated, bets, threshold):
    """Return the first row at which the mean over bets of M = (1 + M) e reaches the threshold."""
    statistics = [0.0 for _ in bets]
    for t, loss in enumerate(losses, start=1):
        for j, bet in enumerate(bets):
            statistics[j] = (1 + statistics[j]) * (1 + bet * (loss - tolerated))
        if sum(statistics) / len(statistics) >= threshold:
            return t
    return None


def _bisect(holds, low, high):
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high
