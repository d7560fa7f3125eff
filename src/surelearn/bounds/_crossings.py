"""The chance that ordered uniform points stay on one side of a sequence: numbers, no theorems.

`stay_between` is exact, for thousands of points; `cross_at_most` is an upper bound for millions of
them. The theory page on bands has the proofs.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import special

from surelearn._typing import Indices, Mask, Vector
from surelearn.bounds._special import binomial_cdf

_LEAST_STEP, _LEAST_STATE = 1e-22, 1e-30  # what is dropped only lowers the chance to stay
_ROWS = 4096  # of Poisson probabilities made at once
_SINGLE = 1000  # counts from either end that are steps of their own
_SPACING = 0.5  # of the others, in standard deviations
_WRONG, _MENDINGS = 1e-9, 4  # a relative error of a tail; steps by which it is mended


class _Blocks(NamedTuple):
    """Counts taken together: the first of each block, n u - k and n - n u there, and its slopes."""

    k: Vector
    excess: Vector
    missing: Vector
    width: Vector
    rise: Vector
    least: Vector


def stay_above(n: int, level: float) -> float:
    """Return P(V_(i) >= a_i for all i), a_i the quantile of V_(i) at `level`, never too much."""
    i = np.arange(1, n + 1)
    return stay_between(_quantiles(n, level), np.zeros(n, dtype=np.int64), i - 1, n)


def stay_inside(n: int, level: float) -> float:
    """Return P(a_i <= V_(i) <= 1 - a_(n+1-i) for all i), never too much."""
    i, low = np.arange(1, n + 1), _quantiles(n, level)
    times = np.concatenate([low, 1.0 - low[::-1]])
    order = np.argsort(times, kind="stable")
    least = np.concatenate([np.zeros(n, dtype=np.int64), i])[order]
    most = np.concatenate([i - 1, np.full(n, n)])[order]
    return stay_between(times[order], least, most, n)


def stay_between(times: Vector, least: Indices, most: Indices, n: int) -> float:
    """Return P(least <= #{points <= time} <= most at all times) for n uniform points.

    They are a Poisson process of rate n given its count at 1: the chances of each count so far are
    carried from one time to the next, and cut.
    """
    chances, first = np.ones(1), 0
    steps = _poisson_steps(n * np.diff(times, prepend=0.0))
    for t, (step, low, high) in enumerate(zip(steps, least, most, strict=True)):
        chances = np.convolve(chances, step)[max(0, low - first) : high - first + 1]
        first = max(first, int(low))
        if t % 8 == 0:
            kept = np.flatnonzero(chances > _LEAST_STATE)
            if not kept.size:
                return 0.0
            chances, first = chances[kept[0] : kept[-1] + 1], first + int(kept[0])
    missing, rest = n - first - np.arange(len(chances)), n * (1.0 - times[-1])
    ends = special.xlogy(missing, rest) - rest - special.gammaln(missing + 1.0)
    return float(chances @ np.exp(ends - (n * math.log(n) - n - math.lgamma(n + 1.0))))


def _poisson_steps(means: Vector) -> Iterator[Vector]:
    """Yield the probabilities of each Poisson law, up to the last that matters."""
    top = float(means.max())
    counts = np.arange(math.ceil(top + 12.0 * math.sqrt(top) + 30.0))
    for start in range(0, len(means), _ROWS):
        mean = np.maximum(means[start : start + _ROWS, None], 0.0)
        table = np.exp(special.xlogy(counts, mean) - mean - special.gammaln(counts + 1.0))
        ends = len(counts) - np.argmax(table[:, ::-1] > _LEAST_STEP, axis=1)
        yield from (row[:end] for row, end in zip(table, ends, strict=True))


def _quantiles(n: int, level: float) -> Vector:
    i = np.arange(1.0, n + 1.0)
    return np.asarray(special.betaincinv(i, n + 1.0 - i, level), dtype=np.float64)


def cross_at_most(n: int, level: float) -> float:
    """Return an upper bound on P(U_(k+1) > u_k for some k), u_k = U(k, n, level).

    A first crossing is charged to the line through it of the least slope so far. Where counts are
    taken in blocks, u is replaced by chords, lowered until they are surely below it; infinity if
    it is not known how far, as for levels near 1/2.
    """
    k, excess, missing = _sound_excess(knots(n, _SPACING), n, level)
    width = np.diff(k, append=n)
    rise = np.append(np.diff(excess) / width[:-1], 0.0)  # the slope of n u, less 1
    lowering = _lowering(k, excess, rise, n)
    if not (math.isfinite(lowering) and k[0] == 0.0 and k[-1] == n - 1.0):
        return math.inf
    lowered = lowering * _between_the_ends(k, n)
    excess, missing = excess - lowered, missing + lowered
    rise[:-1] = np.diff(excess) / width[:-1]
    if not np.all(rise > -1.0):
        return math.inf
    before = np.append(math.inf, np.minimum.accumulate(rise[:-1]))
    least = np.where(width > 1, np.minimum(before, rise), before)
    curve = _Blocks(k[1:], excess[1:], missing[1:], width[1:], rise[1:], least[1:])
    charged = float((missing[0] / n) ** n + np.sum(_block_sums(curve, n)))
    return charged if charged > 0.0 else math.inf


def knots(n: int, spacing: float) -> Vector:
    """Return counts from 0 to n - 1: all near the ends, between them at a distance in deviations.

    Examples
    --------
    >>> len(knots(100, 0.25)), len(knots(10**8, 0.25)) < 130_000
    (100, True)
    """
    if n <= 2 * _SINGLE:
        return np.arange(float(n))
    angles = np.arange(0.0, math.pi, spacing / math.sqrt(n))
    inside = np.rint(n * np.sin(angles / 2.0) ** 2)
    inside = inside[(inside > _SINGLE) & (inside < n - _SINGLE)]
    ends = np.arange(_SINGLE + 1.0), np.arange(n - _SINGLE, float(n))
    return np.unique(np.concatenate([ends[0], inside, ends[1]]))


def _between_the_ends(k: Vector, n: int) -> Vector:
    """Return 1 where there are blocks, 0 at both ends, where a chord must not be lowered.

    It rises slowly: lines of small slope charge more to all crossings after them.
    """
    return np.clip((2.5 * k - _SINGLE) / _SINGLE, 0.0, 1.0) * (k <= n - 0.9 * _SINGLE)


def _sound_excess(k: Vector, n: int, level: float) -> tuple[Vector, Vector, Vector]:
    """Return counts, n u - k and n - n u, without those that could not be found.

    Found is the smaller of u and 1 - u, since its digits are needed: p with a tail of Bin(n, p)
    at the level.
    """
    low = binomial_cdf(k, n, 0.5) < level if n <= 2 * _SINGLE else k + 1.0 <= n - k
    a, b = np.where(low, k + 1.0, n - k), np.where(low, n - k, k + 1.0)
    p = np.where(low, special.betainccinv(a, b, level), special.betaincinv(a, b, level))
    error = _tail(a, b, p, low=low) / level - 1.0
    for _ in range(_MENDINGS):
        wrong = np.flatnonzero(np.abs(error) > _WRONG)
        if not wrong.size:
            break
        c, d, side = a[wrong], b[wrong], low[wrong]
        p[wrong] = _nearer(c, d, p[wrong], level * np.log1p(error[wrong]), low=side)
        error[wrong] = _tail(c, d, p[wrong], low=side) / level - 1.0
    sound = np.abs(error) <= _WRONG
    excess = np.where(low, n * p - k, (n - k) - n * p)
    missing = np.where(low, n - n * p, n * p)
    return k[sound], excess[sound], missing[sound]


def _nearer(a: Vector, b: Vector, p: Vector, off: Vector, *, low: Mask) -> Vector:
    """Return p after a step of Newton's: SciPy's inverse errs, much so at a shape of 1000."""
    density = special.xlogy(a - 1.0, p) + special.xlog1py(b - 1.0, -p) - special.betaln(a, b)
    return p + np.where(low, 1.0, -1.0) * off * np.exp(-density)


def _tail(a: Vector, b: Vector, p: Vector, *, low: Mask) -> Vector:
    """Return the chance of Beta(a, b) to be above p where it is `low`, and below it elsewhere."""
    found = np.empty(len(p))
    found[low] = special.betaincc(a[low], b[low], p[low])
    found[~low] = special.betainc(a[~low], b[~low], p[~low])
    return found


def _lowering(k: Vector, excess: Vector, rise: Vector, n: int) -> float:
    """Return how far chords over blocks must be lowered to be below n u everywhere.

    Infinity if that is not known.
    """
    blocks = np.flatnonzero(np.diff(k) > 1.0)
    if not blocks.size:
        return 0.0
    start, inner = k[blocks], np.diff(k)[blocks] - 1.0
    surely, known = sure_rise(start, excess[blocks], inner, n)
    lowered = _between_the_ends(k, n)
    if not (known.all() and np.all(lowered[blocks] == 1.0) and np.all(lowered[blocks + 1] == 1.0)):
        return math.inf
    return max(0.0, float(np.max(inner * (rise[blocks] - surely))))


def sure_rise(start: Vector, excess: Vector, inner: Vector, n: int) -> tuple[Vector, Mask]:
    """Return by how much n u - k grows at least with each count of a block, and where that is sure.

    The theory page has the proof, which asks for n u > n (k + 1) / (n - 1) all along the line.
    """
    surely = (n - start - excess) / (n - 1.0 - start) - 1.0
    needed = (start + n) / (n - 1.0)  # n (k + 1) / (n - 1) - k
    along = excess + surely * inner > needed + inner / (n - 1.0)
    return surely, (excess > needed) & along


def _block_sums(curve: _Blocks, n: int) -> Vector:
    """Return for each block an upper bound on the chance of a first crossing in it.

    Along a chord n kl(k/n, u) is convex in k, so it is above its tangent: a geometric sum.
    """
    k, excess, missing, width, rise, least = curve
    rest, last, single = n - k, k + width - 1.0, width == 1.0
    ahead = np.log1p(excess / k)
    few = missing < 0.5 * rest
    behind = np.where(few, np.log(missing / rest), np.log1p(np.where(few, 0.0, -excess / rest)))
    growth = behind - ahead + (1.0 + rise) * excess * (1.0 / (k + excess) + 1.0 / missing)
    narrowest = np.minimum(k * rest, last * (n - last))
    stirling = np.where(single, 1 / (12.0 * n) - 1 / (12 * k + 1) - 1 / (12 * rest + 1), 0.0)
    share = (excess + rise * (width - 1.0) - last * least) / (k + excess)
    logs = stirling + k * ahead + rest * behind
    terms = np.where(single, 1.0, _geometric(growth, width, single=single))
    return terms * share * np.sqrt(n / (2.0 * np.pi * narrowest)) * np.exp(logs)


def _geometric(growth: Vector, width: Vector, *, single: Mask) -> Vector:
    """Return 1 + r + .. + r^(width - 1) for r = exp(-growth), and anything where it is `single`."""
    ratio = np.where(single | (growth == 0.0), 1e-9, growth)
    return np.expm1(-width * ratio) / np.expm1(-ratio) * (1.0 + 1e-9 * width)
