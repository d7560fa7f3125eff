"""Bands from their definition: chances in exact rationals, and charges count by count."""

from fractions import Fraction
from math import comb

import numpy as np
from scipy import stats


def stays_above(limits):
    """Return P(V_(i) >= limits[i-1] for all i) for n uniform points, by Bolshev's recursion.

    Mirrored, U_(i) <= tops[i-1]. The first j points that keep theirs while all others pass the
    next one are the ways to fail.
    """
    tops = [1 - Fraction(limit) for limit in reversed(limits)]
    kept = [Fraction(1)]
    for m in range(1, len(limits) + 1):
        failed = sum(comb(m, j) * kept[j] * (1 - tops[j]) ** (m - j) for j in range(m))
        kept.append(1 - failed)
    return kept[-1]


def stays_between(times, least, most, n):
    """Return P(least <= #{points <= time} <= most at all times), count by count, in rationals."""
    chances, now = {0: Fraction(1)}, Fraction(0)
    for time, low, high in zip(map(Fraction, times), least, most, strict=True):
        share = (time - now) / (1 - now)
        after = {}
        for have, chance in chances.items():
            for new in range(n - have + 1):
                if low <= have + new <= high:
                    ways = comb(n - have, new) * share**new * (1 - share) ** (n - have - new)
                    after[have + new] = after.get(have + new, 0) + chance * ways
        chances, now = after, time
    return sum(chances.values())


def charges(n, level):
    """Return the sum over k of P(Bin(n, u_k) = k) (1 - k b_k / u_k), b_k the least slope so far."""
    k = np.arange(n)
    u = stats.beta.isf(level, k + 1, n - k)
    total, slope = (1 - u[0]) ** n, np.inf
    for j in range(1, n):
        slope = min(slope, u[j] - u[j - 1])
        total += stats.binom.pmf(j, n, u[j]) * (1 - j * slope / u[j])
    return total
