"""The level at which Clopper-Pearson holds at all thresholds at once: a number, no theorem.

Smaller levels are valid too, so all errors are made downwards. The theory page has the proofs.
"""

import functools
import math
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context

from scipy import optimize

from surelearn import _arguments
from surelearn.bounds import _crossings

MOST_EXACT = 10_000
"""Rows up to which the level is solved for exactly."""

_LEAST_EXACT = 1e-4  # below it 1 - delta has too few digits
_MOST_EXACT_DELTA = 0.999
_LEAST_CHARGED, _LEAST_LEVEL = 1e-200, 1e-300  # below the first each row has an equal share
_ERROR = 1e-11  # more than the rounding errors of the exact chance
_TRUST = 1.0 + 1e-8  # the chance is asked for a level so much larger than the one returned
_MOST_STEPS, _NEARLY = 30, -1e-3  # to a level whose charges fall short of delta by so much
_DIGITS = Context(prec=7, rounding=ROUND_FLOOR)


@functools.lru_cache(maxsize=4096)
def band_level(n: int, delta: float, both: bool) -> float:  # noqa: FBT001 - a cache has no keywords
    """Return the level of a band with one side or both, remembered."""
    share = delta / (2.0 if both else 1.0)
    if share / n < _LEAST_LEVEL:
        raise _arguments.refuse("delta", delta, f"larger: with n={n} no level is left")
    if share < _LEAST_CHARGED:
        return _digits(share / n)
    cautious = _charged_level(n, min(share, 0.5))
    if n > MOST_EXACT or delta < _LEAST_EXACT:
        return cautious
    chance = _crossings.stay_inside if both else _crossings.stay_above
    return _exact_level(lambda found: chance(n, found), cautious, min(delta, _MOST_EXACT_DELTA))


def _exact_level(chance: Callable[[float], float], start: float, delta: float) -> float:
    """Return the largest level at which the chance to stay within the band is 1 - delta."""

    @functools.cache
    def spare(log_level: float) -> float:
        return chance(math.exp(log_level) * _TRUST) - (1.0 - delta) - _ERROR

    low = high = math.log(start)
    if spare(low) <= 0.0:
        return start
    step = 0.2
    while spare(high) > 0.0 and high < math.log(delta):
        low, high, step = high, min(high + step, math.log(delta)), 2.0 * step
    root = high if spare(high) > 0.0 else optimize.brentq(spare, low, high, xtol=1e-8)
    return _sound_digits(math.exp(root), lambda found: spare(math.log(found)) >= 0.0)


def _charged_level(n: int, delta: float) -> float:
    """Return a level at which all first crossings, each charged to a line, share delta.

    The charges grow a little slower than the level, so a few steps lead to within 1/1000 of it;
    at delta / n even those of all crossings are paid for.
    """
    least = math.log(delta / n)
    found = max(least, math.log(delta / (1.0 + 11.0 * math.log(n))))
    for _ in range(_MOST_STEPS):
        digits = _digits(math.exp(found))
        excess = math.log(_crossings.cross_at_most(n, digits * _TRUST) / delta)
        if _NEARLY < excess <= 0.0 or (excess <= 0.0 and found >= math.log(delta)):
            return digits
        step = (excess - _NEARLY / 2.0) / 0.95 if math.isfinite(excess) else 1.0
        found = min(max(found - step, least), math.log(delta))
        if found == least:
            break
    return _digits(math.exp(least))


def _sound_digits(value: float, holds: Callable[[float], bool]) -> float:
    """Return 7 digits of the value, rounded down until they hold."""
    found = _digits(value)
    while not holds(found):
        value *= 1.0 - 3e-7
        found = _digits(value)
    return found


def _digits(value: float) -> float:
    """Return seven digits of it, rounded down: the same on every machine."""
    return float(_DIGITS.create_decimal_from_float(value))
