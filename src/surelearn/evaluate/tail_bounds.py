"""Bounds on the tail of a mean side by side, and Chernoff's method for any moment function."""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, cast

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Vector
from surelearn._wording import exactly, outward
from surelearn.bounds import Guarantee, tails, tails_of_sums

_DOUBLINGS = 60  # of the rate, before the search ends


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TailBounds(Shown, drawn_by="tail_bounds.plot_tail_bounds"):
    """What theorems say of P(mean of n >= threshold); `surelearn.plots` draws it.

    Attributes
    ----------
    thresholds
        Where the tail begins, above the expectation.
    guarantees
        By the name of the theorem, its bound for each threshold.
    left_out
        By the name of the theorem, why it does not apply here.
    exact
        The tail itself, if the summands are bits; else None.

    Examples
    --------
    >>> result = tail_bounds(n=100, mean=0.5, thresholds=[0.75], bits=True)
    >>> {name: f"{said[0].bound:.3g}" for name, said in result.guarantees.items()}["Chebyshev"]
    '0.04'
    """

    thresholds: Vector
    guarantees: Mapping[str, tuple[Guarantee, ...]]
    left_out: Mapping[str, str]
    exact: Vector | None

    def __str__(self) -> str:
        """Return a line for each theorem, the largest bound at the last threshold first."""
        rows = sorted(self.guarantees.items(), key=lambda item: -item[1][-1].bound)
        lines = [f"P(mean >= {exactly(float(self.thresholds[-1]))})"]
        lines += [f"  {name:<12} {outward(said[-1].bound, 'upper')}" for name, said in rows]
        if self.exact is not None:
            lines.append(f"  {'exact':<12} {self.exact[-1]:.4g}")
        lines += [f"  {name}: {why}" for name, why in self.left_out.items()]
        return "\n".join(lines)


def tail_bounds(
    *,
    n: int,
    mean: float,
    thresholds: ArrayLike,
    low: float = 0.0,
    high: float = 1.0,
    variance: float | None = None,
    bits: bool = False,
) -> TailBounds:
    """Bound the tail of a mean of n independent variables by every theorem that applies.

    Nothing is estimated here and all of them hold surely, so the smallest is a bound, too.

    Parameters
    ----------
    n
        The number of summands.
    mean
        The expectation of each.
    thresholds
        Where the tail begins: above the mean, below or at `high`.
    low, high
        Where every summand lies.
    variance
        The variance of each summand, if known; for bits it is mean (1 - mean).
    bits
        Whether every summand is 0 or 1. Then the tail itself is given beside the bounds.

    Examples
    --------
    >>> print(tail_bounds(n=100, mean=0.5, thresholds=[0.75], bits=True))
    P(mean >= 0.75)
      Markov       0.6667
      Chebyshev    0.04001
      Cantelli     0.03847
      Chernoff     0.006738
      Bernstein    0.00002223
      Hoeffding    0.000003727
      kl           0.000002085
      Bentkus      7.661e-7
      exact        2.818e-07
    """
    n = _arguments.count("n", n, at_least=1)
    low, high, mean = (
        _arguments.real(*each)
        for each in zip(("low", "high", "mean"), (low, high, mean), strict=True)
    )
    if _arguments.flag("bits", bits) and (low, high) != (0.0, 1.0):
        raise ValueError("bits lie in [0, 1]: leave low and high out")
    if not low <= mean <= high or not low < high:
        raise _arguments.refuse("mean", mean, f"in [low, high], here [{low:g}, {high:g}]")
    spread = mean * (1.0 - mean) if bits else variance
    if spread is not None and not 0.0 <= spread <= (high - mean) * (mean - low) * (1 + 1e-12):
        raise _arguments.refuse("variance", variance, "at most (high - mean)(mean - low)")
    levels = _arguments.vector("thresholds", thresholds)
    if not ((levels > mean) & (levels <= high)).all():
        raise ValueError(f"thresholds must lie above mean={mean:g} and not above high={high:g}")
    theorems, left_out = _applicable(n, mean, low, high, spread)
    said = {name: tuple(bound(float(t)) for t in levels) for name, bound in theorems.items()}
    exact = np.asarray(binom.sf(_whole(n * levels) - 1, n, mean)) if bits else None
    return TailBounds(thresholds=levels, guarantees=said, left_out=left_out, exact=exact)


def _applicable(
    n: int, mean: float, low: float, high: float, variance: float | None
) -> tuple[dict[str, Callable[[float], Guarantee]], dict[str, str]]:
    """Return the theorems that hold with what is known, and why others do not."""
    width, left_out = high - low, dict[str, str]()
    unit = (mean - low) / width
    found: dict[str, Callable[[float], Guarantee]] = {}
    if low >= 0.0:
        found["Markov"] = lambda t: tails.markov(mean=mean, threshold=t)
    else:
        left_out["Markov"] = f"needs variables that are 0 or more, and low={low:g}"
    if variance is not None:
        found["Chebyshev"] = lambda t: tails.chebyshev(variance=variance / n, deviation=t - mean)
        found["Cantelli"] = lambda t: tails.cantelli(variance=variance / n, deviation=t - mean)
        found["Bernstein"] = lambda t: tails_of_sums.bernstein_tail(
            n=n, variance=variance, largest=high - mean, deviation=t - mean
        )
    else:
        left_out |= dict.fromkeys(("Chebyshev", "Cantelli", "Bernstein"), "needs the variance")
    if unit > 0.0:
        found["Chernoff"] = lambda t: tails_of_sums.chernoff_upper_tail(
            expected_total=n * unit, total=n * (t - low) / width
        )
    found["Hoeffding"] = lambda t: tails_of_sums.hoeffding_tail(
        n=n, deviation=t - mean, low=low, high=high
    )
    found["kl"] = lambda t: tails_of_sums.kl_tail(n=n, mean=unit, threshold=(t - low) / width)
    found["Bentkus"] = lambda t: tails_of_sums.bentkus_tail(
        n=n, mean=unit, total=n * (t - low) / width
    )
    return found, left_out


def _whole(totals: Vector) -> Vector:
    """Return the least whole numbers that are not below, but for rounding."""
    return np.ceil(totals - 1e-9 * np.maximum(1.0, np.abs(totals)))


def chernoff_method(
    log_moment: Callable[[float], float], deviation: float, *, largest_rate: float = math.inf
) -> Guarantee:
    """Bound P(Z - E Z >= deviation) by the best rate of Chernoff's method that is found.

    Every rate gives a true bound, so the search need not be exact.

    Parameters
    ----------
    log_moment
        The function ln E exp(rate (Z - E Z)) of the rate; infinite, or a ValueError, where the
        moment is infinite. It is convex and 0 at rate 0.
    deviation
        How far above its expectation the variable is, 0 or more.
    largest_rate
        No larger rate is tried, nor this one: say where the moment ceases to be finite if the
        function does not.

    Examples
    --------
    >>> bound = chernoff_method(lambda s: -s - math.log1p(-s), 2.0, largest_rate=1.0)  # Exp(1)
    >>> round(bound.bound, 7), round(bound.inputs["rate"], 4)
    (0.4060058, 0.6667)
    """
    t = _arguments.non_negative("deviation", deviation)
    _arguments.function("log_moment", log_moment)
    if not isinstance(cast("Any", largest_rate), Real) or not 0.0 < largest_rate <= math.inf:
        raise _arguments.refuse("largest_rate", largest_rate, "above 0")
    largest_rate = math.inf if largest_rate > sys.float_info.max else float(largest_rate)

    def moment(rate: float) -> float:
        return _moment_at(log_moment, float(rate))

    rate = _best_rate(moment, t, _finite_end(moment, t, largest_rate))
    if moment(rate / 2.0) > moment(rate) / 2.0 + 1e-9 * (1.0 + moment(rate)):
        raise ValueError(
            f"log_moment is not convex between 0 and {rate:g}, so it is no logarithm of a moment; "
            "say with largest_rate where the moment ceases to be finite"
        )
    return tails.chernoff(rate=rate, log_moment=moment(rate), deviation=t)


def _best_rate(moment: Callable[[float], float], t: float, top: float) -> float:
    """Return the rate in [0, top] that Brent's search finds best."""
    if top == 0.0:
        return 0.0

    def exponent(rate: float) -> float:
        return moment(rate) - rate * t

    search: Any = minimize_scalar
    found = search(exponent, bounds=(0.0, top), method="bounded", options={"xatol": 1e-9 * top})
    return min((0.0, float(found.x), top), key=exponent)


def _moment_at(log_moment: Callable[[float], float], rate: float) -> float:
    """Return the logarithm of the moment, infinite where the function has none."""
    if rate == 0.0:
        return 0.0
    try:
        value = float(log_moment(rate))
    except (ValueError, ArithmeticError):
        return math.inf
    if math.isnan(value):
        return math.inf
    if value < -1e-9:
        raise ValueError(
            f"log_moment({rate:g}) = {value:g}: the moment of Z - E Z is never below 1, by "
            "Jensen's inequality; say with largest_rate where it ceases to be finite"
        )
    return max(0.0, value)


def _finite_end(moment: Callable[[float], float], t: float, largest: float) -> float:
    """Return a rate, with a finite moment, beyond which nothing is gained or nothing is finite."""
    rate = min(1.0, largest / 2.0)
    for _ in range(_DOUBLINGS):  # towards 0, where the moment may be finite
        if math.isfinite(moment(rate)):
            break
        rate /= 2.0
    else:
        return 0.0
    for _ in range(_DOUBLINGS):
        further = rate + min(rate, (largest - rate) / 2.0)
        value = moment(further)
        if not math.isfinite(value):
            break
        if value - further * t >= moment(rate) - rate * t:
            return further
        rate = further
    else:
        return rate
    beyond = further
    for _ in range(_DOUBLINGS):  # the end of what is finite lies between the two
        middle = (rate + beyond) / 2.0
        rate, beyond = (middle, beyond) if math.isfinite(moment(middle)) else (rate, middle)
    return rate
