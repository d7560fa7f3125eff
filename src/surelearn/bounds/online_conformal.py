"""Prediction intervals on any sequence: how far the share of misses is from what was asked for.

Adaptive conformal inference is online gradient descent on the level of a quantile. Its promise
holds surely: no row need be drawn at random, and an adversary may choose them all.
"""

import math

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem

_ASSUMES = {
    "sets": "a level of 0 or less gives the whole line, one of 1 or more the empty set",
    "updates": "after each row the level moves by learning_rate (alpha - missed)",
}
_REFERENCE = "Gibbs and Candes, NeurIPS (2021), proposition 4.1, with sharper constants"


@theorem(realised=("n_rounds",))
def adaptive_conformal(
    *, alpha: float, learning_rate: float, start: float, n_rounds: int
) -> Guarantee:
    """Bound how far the share of missed rows is from alpha, on either side, after n_rounds rows.

    The level starts at `start` and moves by learning_rate (alpha - 1 if missed) after each row.

    Examples
    --------
    >>> guarantee = adaptive_conformal(alpha=0.1, learning_rate=0.01, start=0.1, n_rounds=10_000)
    >>> round(guarantee.bound, 6)
    0.00901
    """
    target, rate, first, rounds = _checked(alpha, learning_rate, start, n_rounds)
    falls, rises = first + rate * (1.0 - target), 1.0 - first + rate * target
    return Guarantee(
        quantity="the distance between the share of missed rows and alpha",
        bound=_rounding.up(max(falls, rises) / (rate * rounds)),
        assumes=_ASSUMES,
        reference=_REFERENCE,
        trivial=max(target, 1.0 - target),
    )


@theorem(realised=("n_rounds",))
def adaptive_conformal_misses(
    *, alpha: float, learning_rate: float, start: float, n_rounds: int
) -> Guarantee:
    """Bound how many rows are missed: alpha of them, and a number that does not grow.

    Examples
    --------
    >>> guarantee = adaptive_conformal_misses(
    ...     alpha=0.1, learning_rate=0.01, start=0.1, n_rounds=1000
    ... )
    >>> round(guarantee.bound, 6)
    110.0
    """
    target, rate, first, rounds = _checked(alpha, learning_rate, start, n_rounds)
    return Guarantee(
        quantity="the number of missed rows",
        bound=float(math.floor(_rounding.up(target * rounds + first / rate + 1.0 - target))),
        assumes=_ASSUMES,
        reference=_REFERENCE,
        trivial=float(rounds),
    )


def _checked(
    alpha: float, learning_rate: float, start: float, n_rounds: int
) -> tuple[float, float, float, int]:
    return (
        _arguments.open_fraction("alpha", alpha),
        _arguments.positive("learning_rate", learning_rate),
        _arguments.fraction("start", start),
        _arguments.count("n_rounds", n_rounds, at_least=1),
    )
