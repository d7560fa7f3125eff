"""How large a uniform law can reach, by the largest of n draws from 1, 2, ..., endpoint."""

import math
from fractions import Fraction

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem

_DIGITS = 2**16  # bits of an exact power; beyond, floats and a step outward serve as well
_FEW = 1000  # logarithms that are summed one by one


@theorem(realised=("largest",))
def uniform(*, largest: int, n: int, delta: float) -> Guarantee:
    """Bound the endpoint of a uniform law on 1, 2, ... from above: the last one with a fair chance.

    The largest of n draws is at most m with probability (m / endpoint)^n; the bound is the last
    endpoint at which this is more than delta.

    Examples
    --------
    >>> uniform(largest=60, n=10, delta=0.05).bound
    80.0
    """
    m, n = _sample(largest, n)
    level = Fraction(_arguments.open_fraction("delta", delta))
    last = math.floor(_rounding.up(m * math.exp(-math.log(level) / n)))
    if n * last.bit_length() <= _DIGITS:
        top, share = m**n * level.denominator, level.numerator
        last = _rounding.smallest_integer(lambda e: top <= share * e**n, m + 1, last + 1) - 1
    return _endpoint(last, "independent", "the draws are independent and have the same law", delta)


@theorem(realised=("largest",))
def uniform_without_replacement(*, largest: int, n: int, delta: float) -> Guarantee:
    """Bound the endpoint from above when no number is drawn twice: the numbering of tanks.

    The largest of n draws is at most m with probability C(m, n) / C(endpoint, n); the bound is the
    last endpoint at which this is more than delta.

    Examples
    --------
    >>> uniform_without_replacement(largest=60, n=4, delta=0.05).bound
    125.0
    """
    m, n = _sample(largest, n)
    if n > m:
        raise _arguments.refuse("n", n, f"at most largest={m}: no number is drawn twice")
    level = _arguments.open_fraction("delta", delta)
    # C(m, n) / C(e, n) <= (m / e)^n: at about this endpoint it is at most delta.
    reach = math.floor(_rounding.up(m * math.exp(-math.log(level) / n))) + 1

    def unlikely(endpoint: int) -> bool:
        log_chance, rounding = _log_chance(m, endpoint, n)
        return log_chance + rounding <= math.log(level)

    last = _rounding.smallest_integer(unlikely, m + 1, reach) - 1
    exchangeable = "the draws are distinct, and every set of n numbers is equally likely"
    return _endpoint(last, "equally_likely", exchangeable, delta)


def _log_chance(m: int, endpoint: int, n: int) -> tuple[float, float]:
    """Return ln(C(m, n) / C(endpoint, n)), and more than its rounding error."""
    if endpoint - m <= _FEW:  # prod over j in (m, e] of (1 - n / j)
        return math.fsum(math.log1p(-n / j) for j in range(m + 1, endpoint + 1)), 1e-12 * _FEW
    if n <= _FEW:
        return math.fsum(math.log((m - j) / (endpoint - j)) for j in range(n)), 1e-12 * n
    parts = (m + 1, endpoint - n + 1, -(m - n + 1), -(endpoint + 1))
    logs = [math.copysign(math.lgamma(abs(part)), part) for part in parts]
    found, rounding = math.fsum(logs), 1e-13 * math.fsum(map(abs, logs))
    # At most that of draws with replacement, which loses no digits beside sums as large as these.
    most = -n * math.log1p((endpoint - m) / m)
    padded = 1e-12 * (1.0 - most)
    return (found, rounding) if found + rounding < most + padded else (most, padded)


def _sample(largest: int, n: int) -> tuple[int, int]:
    m = _arguments.count("largest", largest, at_least=1)
    return m, _arguments.count("n", n, at_least=1)


def _endpoint(last: int, key: str, draws: str, delta: float) -> Guarantee:
    return Guarantee(
        quantity="the endpoint of the uniform law",
        bound=float(last) if float(last) >= last else math.nextafter(float(last), math.inf),
        assumes={"uniform": "every number from 1 to the endpoint is equally likely", key: draws},
        reference="Goodman, JASA 49 (1954)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
    )
