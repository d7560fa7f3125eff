"""What rows drawn at random from a finite table say of the whole table.

The only randomness is the draw, which the auditor makes: nothing is assumed of the table. Rows
are drawn without replacement; one that cannot be read counts as wrong.
"""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _rounding, _wealth
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._planner import planner
from surelearn.bounds._special import log_choose_padding

_DRAWN = {
    "drawn": "the rows were drawn at random without replacement, once, every set of n rows being "
    "equally likely"
}
_FIXED = {"fixed_before": "how many rows are drawn was fixed before looking at any"}
_ORDER = {"order": "the values are in the order in which the rows were drawn"}
_RANGE = {"range": "every value of the table lies in [0, 1]"}
_COUNT = "Buonaccorsi, The American Statistician 41 (1987)"
_BETTING = "Waudby-Smith and Ramdas, NeurIPS (2020)"
_MOST_ROWS = 10**12  # beyond it logarithms of factorials lose more digits than are left
_MOST_TERMS = 3 * 10**6  # of a hypergeometric sum
_MOST_EXACT = 10**6  # digits of whole numbers, about, that near ties are decided by


@theorem(realised=("errors",))
def wrong_rows(*, errors: int, n: int, n_table: int, delta: float) -> Guarantee:
    """Bound how many rows of a table are wrong, from n drawn at random.

    Examples
    --------
    >>> wrong_rows(errors=3, n=200, n_table=1000, delta=0.05).bound
    35.0
    """
    wrong, drawn, table = _sizes(errors, n, n_table)
    most = _most_wrong(wrong, drawn, table, delta)
    quantity = f"the number of wrong rows among the {table} of the table"
    return _on_table(quantity, float(most), delta, trivial=table - drawn + wrong)


@theorem(realised=("errors",))
def wrong_rows_not_drawn(*, errors: int, n: int, n_table: int, delta: float) -> Guarantee:
    """Bound how many of the rows that were not drawn are wrong.

    Examples
    --------
    >>> wrong_rows_not_drawn(errors=3, n=200, n_table=1000, delta=0.05).bound
    32.0
    """
    wrong, drawn, table = _sizes(errors, n, n_table)
    most = _most_wrong(wrong, drawn, table, delta) - wrong
    quantity = f"the number of wrong rows among the {table - drawn} that were not drawn"
    return _on_table(quantity, float(most), delta, trivial=table - drawn)


@theorem(realised=("errors",))
def wrong_rows_lower(*, errors: int, n: int, n_table: int, delta: float) -> Guarantee:
    """Bound from below how many rows of a table are wrong.

    Examples
    --------
    >>> wrong_rows_lower(errors=10, n=500, n_table=1000, delta=0.05).bound
    14.0
    """
    wrong, drawn, table = _sizes(errors, n, n_table)
    least = table - _most_wrong(drawn - wrong, drawn, table, delta)
    quantity = f"the number of wrong rows among the {table} of the table"
    return _on_table(quantity, float(least), delta, trivial=wrong, direction="lower")


@theorem(realised=("values",))
def mean_without_replacement(*, values: ArrayLike, n_table: int, delta: float) -> Guarantee:
    """Bound the mean of a column of [0, 1], at every moment of the draw, by betting.

    Examples
    --------
    >>> guarantee = mean_without_replacement(values=[0.1, 0.3, 0.2] * 100, n_table=350, delta=0.05)
    >>> round(guarantee.bound, 6)
    0.207928
    """
    x, table = _column(values, n_table)
    bound = _mean_root(x, table, delta)
    return _on_mean(bound, delta, trivial=_rounding.up((math.fsum(x) + table - len(x)) / table))


@theorem(realised=("values",))
def mean_without_replacement_lower(*, values: ArrayLike, n_table: int, delta: float) -> Guarantee:
    """Bound the mean of a column of [0, 1] from below, at every moment of the draw.

    Examples
    --------
    >>> guarantee = mean_without_replacement_lower(
    ...     values=[0.1, 0.3, 0.2] * 100, n_table=350, delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    0.1935
    """
    x, table = _column(values, n_table)
    bound = max(0.0, _rounding.down(1.0 - _mean_root(1.0 - x, table, delta)))
    trivial = max(0.0, _rounding.down(math.fsum(x) / table))
    return _on_mean(bound, delta, trivial=trivial, direction="lower")


@planner
def plan_table(*, n_table: int, most_wrong: int, delta: float, errors: int = 0) -> int:
    """Return the fewest draws that show at most `most_wrong` rows wrong if `errors` are found.

    Examples
    --------
    >>> plan_table(n_table=1000, most_wrong=10, delta=0.05)
    238
    """
    table = _arguments.count("n_table", n_table, at_least=1, at_most=_MOST_ROWS)
    limit = _arguments.count("most_wrong", most_wrong, at_most=table)
    wrong = _arguments.count("errors", errors, at_most=limit)

    def shows(n: int) -> bool:
        return n == table or _most_wrong(wrong, n, table, delta) <= limit

    return _rounding.smallest_integer(shows, max(1, wrong), table)


def _most_wrong(errors: int, n: int, n_table: int, delta: float) -> int:
    """Return max{K : P(Hyp(N, K, n) <= errors) > delta}, never too small."""
    level = math.log(_arguments.open_fraction("delta", delta))
    if errors > _MOST_TERMS:
        raise _arguments.refuse("n", n, f"smaller: {errors} terms are too many to add")
    padding = 1e-10 + 8.0 * log_choose_padding(n_table)  # more than the logarithms lose
    largest = n_table - n + errors

    def refuted(more: int) -> bool:
        wrong = errors + more
        if wrong > largest:
            return True
        excess = _log_tail(errors, n, n_table, wrong) - level
        if abs(excess) <= padding and n_table * (errors + 1) <= _MOST_EXACT:
            return _is_rare(errors, n, n_table, wrong, delta)
        return excess < -padding

    return errors + _rounding.smallest_integer(refuted, 1, n_table - n + 1) - 1


def _is_rare(errors: int, n: int, n_table: int, wrong: int, delta: float) -> bool:
    """Return whether P(Hyp(n_table, wrong, n) <= errors) <= delta, in whole numbers: ties count."""
    level, right = _rounding.exactly(delta), n_table - wrong
    found = range(max(0, n - right), errors + 1)
    ways = sum(math.comb(wrong, k) * math.comb(right, n - k) for k in found)
    return ways * level.denominator <= math.comb(n_table, n) * level.numerator


def _log_tail(errors: int, n: int, n_table: int, wrong: int) -> float:
    """Return ln P(Hyp(n_table, wrong, n) <= errors) for a table in which `wrong` rows are wrong."""
    found = np.arange(max(0, n - (n_table - wrong)), errors + 1, dtype=np.float64)
    logs = _log_choose(wrong, found) + _log_choose(n_table - wrong, n - found)
    return float(special.logsumexp(logs) - _log_choose(n_table, np.array([float(n)]))[0])


def _log_choose(n: int, k: Vector) -> Vector:
    return special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)


def _mean_root(x: Vector, n_table: int, delta: float) -> float:
    """Return an upper bound on the table's mean: what the draws leave possible and unrefuted."""
    total = math.fsum(x)
    low, high = total / n_table, _rounding.up((total + n_table - len(x)) / n_table)
    level = _wealth.log_level(_arguments.open_fraction("delta", delta), len(x))
    wealth = _log_wealth(x, n_table)
    return _rounding.last_true(lambda m: wealth(m) < level, low, min(high, 1.0))


def _log_wealth(x: Vector, n_table: int) -> Callable[[float], float]:
    """Return m -> ln of the average over stakes of the wealth of bets on what is left to draw."""
    left = n_table - np.arange(len(x), dtype=np.float64)
    # A sum of many terms, in more digits than a float has.
    right = np.cumsum(np.concatenate([[0.0], 1.0 - x[:-1]]), dtype=np.longdouble)
    before = right.astype(np.float64)

    def log_wealth(m: float) -> float:
        # One minus the mean of the rows left, were m the mean of the table; never too small.
        rest = (n_table * (1.0 - m) - before + 1e-14 * n_table) / left
        gains = np.maximum((1.0 - x) / np.maximum(rest, 1e-300) - 1.0, -1.0)
        return _wealth.log_mean_over_stakes(gains)

    return log_wealth


def _sizes(errors: int, n: int, n_table: int) -> tuple[int, int, int]:
    table = _arguments.count("n_table", n_table, at_least=1, at_most=_MOST_ROWS)
    drawn = _arguments.count("n", n, at_least=1, at_most=table)
    return _arguments.count("errors", errors, at_most=drawn), drawn, table


def _column(values: ArrayLike, n_table: int) -> tuple[Vector, int]:
    x = _arguments.vector("values", values, low=0.0, high=1.0)
    return x, _arguments.count("n_table", n_table, at_least=len(x), at_most=_MOST_ROWS)


def _on_table(
    quantity: str,
    bound: float,
    delta: float,
    *,
    trivial: int,
    direction: Literal["upper", "lower"] = "upper",
) -> Guarantee:
    return Guarantee(
        quantity=quantity,
        bound=bound,
        assumes={**_DRAWN, **_FIXED},
        reference=_COUNT,
        confidence=_arguments.confidence_from(delta),
        direction=direction,
        validity="fixed-n",
        trivial=float(trivial),
    )


def _on_mean(
    bound: float, delta: float, *, trivial: float, direction: Literal["upper", "lower"] = "upper"
) -> Guarantee:
    return Guarantee(
        quantity="the mean of the table's column",
        bound=bound,
        assumes={**_RANGE, **_DRAWN, **_ORDER},
        reference=_BETTING,
        confidence=_arguments.confidence_from(delta),
        direction=direction,
        validity="anytime",
        trivial=trivial,
    )
