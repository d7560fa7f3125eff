"""Several challengers of a champion on the same rows: how much better one is, which ones are.

Each of the two statements is for itself: together they need a share of delta each.
"""

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _counts, _rounding, sharing
from surelearn.bounds._buehler_tails import Counts
from surelearn.bounds._fresh_rows import FIXED, ROWS, claim
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._region_arguments import accuracy, rows_of
from surelearn.bounds._region_orders import linear
from surelearn.bounds._special import binomial_cdf

_CHALLENGERS = {"challengers": "the champion and all challengers were fixed without these rows"}
_MOST = 1000
_BUEHLER = "Buehler, Journal of the American Statistical Association 52 (1957); Berger (1982)"
_HOLM = "McNemar, Psychometrika 12 (1947); Holm, Scandinavian Journal of Statistics 6 (1979)"


@theorem(realised=("only_champion_wrong", "only_challenger_wrong"))
def largest_advantage(
    *,
    only_champion_wrong: ArrayLike,
    only_challenger_wrong: ArrayLike,
    n: int,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound how much less often the best of several challengers errs than the champion.

    Their number costs nothing; no other number may be read off.

    Examples
    --------
    >>> found = largest_advantage(
    ...     only_champion_wrong=[20, 10], only_challenger_wrong=[20, 40], n=1000, delta=0.05
    ... )
    >>> 0.0118 < found.bound < 0.0120
    True
    """
    rows, how = rows_of("n", n), accuracy(delta, tolerance)
    won, lost = _pairs(only_champion_wrong, only_challenger_wrong, rows)
    best = -1.0
    for pair in sorted({(int(b), int(c)) for b, c in zip(won, lost, strict=True)}, key=_promise):
        counts = Counts(*pair, rows, rows, shared=True)
        best = max(best, linear(counts, (1.0, -1.0), how, enough=best))
    bound = min(_rounding.up(best), 1.0)
    quantity = "the risk of the champion minus that of the best challenger"
    assumes = {**ROWS, **FIXED, **_CHALLENGERS}
    return claim(quantity, bound, delta, assumes, direction="upper", reference=_BUEHLER)


def which_better(
    *, only_champion_wrong: ArrayLike, only_challenger_wrong: ArrayLike, delta: float
) -> tuple[bool, ...]:
    """Return which challengers are shown to err less often than the champion, by Holm's test.

    Examples
    --------
    >>> which_better(only_champion_wrong=[40, 20], only_challenger_wrong=[10, 20], delta=0.05)
    (True, False)
    """
    won, lost = _pairs(only_champion_wrong, only_challenger_wrong, None)
    # Moved outward: the incomplete beta function is exact to about 1e-13.
    found = np.minimum(1.0, binomial_cdf(lost, won + lost, 0.5) * (1.0 + 1e-9))
    return sharing.holm(found, delta)


@theorem(realised=("only_champion_wrong", "only_challenger_wrong"))
def n_better(
    *, only_champion_wrong: ArrayLike, only_challenger_wrong: ArrayLike, delta: float
) -> Guarantee:
    """Bound from below how many challengers err less often than the champion.

    `which_better` says which. Rows on which both are right, or both wrong, tell nothing.

    Examples
    --------
    >>> n_better(only_champion_wrong=[40, 20], only_challenger_wrong=[10, 20], delta=0.05).bound
    1.0
    """
    shown = which_better(
        only_champion_wrong=only_champion_wrong,
        only_challenger_wrong=only_challenger_wrong,
        delta=delta,
    )
    quantity = "how many challengers have a smaller risk than the champion"
    assumes = {**ROWS, **FIXED, **_CHALLENGERS}
    return claim(quantity, float(sum(shown)), delta, assumes, direction="lower", reference=_HOLM)


def _promise(pair: tuple[int, int]) -> tuple[int, int]:
    """Return what pairs are sorted by, so that the one with the largest bound comes early."""
    return pair[1] - pair[0], -pair[0]


def _pairs(won: ArrayLike, lost: ArrayLike, n: int | None) -> tuple[Vector, Vector]:
    """Return how often only the champion was wrong, and how often only each challenger was."""
    first = _counts.counts("only_champion_wrong", won)
    second = _counts.counts("only_challenger_wrong", lost)
    _counts.same_length(only_champion_wrong=first, only_challenger_wrong=second)
    if len(first) > _MOST:
        raise _arguments.refuse("only_champion_wrong", len(first), f"a list of {_MOST} at most")
    if n is not None and float(np.max(first + second)) > n:
        raise _arguments.refuse("only_champion_wrong", won, f"parts of all n={n} rows")
    return first, second
