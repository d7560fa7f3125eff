"""What the theorems about several rates share: their arguments, their assumptions, their shape."""

import math

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds._buehler import Accuracy
from surelearn.bounds._buehler_tails import Counts

MOST_ROWS = 10**8
_FINEST = 1e-4  # finer than this a search takes long, and nobody sees the difference

FRESH = {
    "independent": (
        "the hold-out is i.i.d., split off without looking at x or y, and unseen by every model"
    )
}
BY_CLASS = {
    "independent": (
        "the rows of each class are independent draws from it, and unseen by the model; labels "
        "may have been looked at, nothing else"
    ),
    "metric": "the metric was fixed before the rows were judged",
}
BY_GROUP = {
    "independent": "the rows of each group are independent draws from it, and unseen by the model",
    "groups": "the groups were fixed before the hold-out was opened",
}
BY_STRATUM = {
    "independent": (
        "the rows of each stratum are independent draws from it, their number was fixed without "
        "looking at them, and the model has not seen them"
    )
}


def accuracy(delta: float, tolerance: float) -> Accuracy:
    """Return how a region is searched, or refuse a level that is none of a bound from above."""
    within = _arguments.positive("tolerance", tolerance)
    if not _FINEST <= within <= 1.0:
        raise _arguments.refuse("tolerance", tolerance, f"in [{_FINEST:g}, 1]")
    return Accuracy(level_of(delta), within)


def level_of(delta: float) -> float:
    """Return delta; from 1/2 on the orders of these regions would prefer less certain counts."""
    if not _arguments.open_fraction("delta", delta) < 0.5:
        raise _arguments.refuse("delta", delta, "in (0, 1/2)")
    return float(delta)


def rows_of(name: str, n: int) -> int:
    """Return a number of rows that is not too large to be summed over.

    Examples
    --------
    >>> rows_of("n", 1000)
    1000
    """
    return _arguments.count(name, n, at_least=1, at_most=MOST_ROWS)


def two_classes(
    false_negatives: int, n_positive: int, false_positives: int, n_negative: int
) -> Counts:
    """Return the errors in the two classes, which both have rows.

    Examples
    --------
    >>> two_classes(1, 10, 2, 20).n_y
    20
    """
    n_x, n_y = rows_of("n_positive", n_positive), rows_of("n_negative", n_negative)
    x = _arguments.count("false_negatives", false_negatives, at_most=n_x)
    y = _arguments.count("false_positives", false_positives, at_most=n_y)
    return Counts(x, y, n_x, n_y, shared=False)


def counts_of(name: str, values: ArrayLike, most: Vector | None = None) -> Vector:
    """Return a list of whole numbers, each at most its own limit.

    Examples
    --------
    >>> counts_of("errors", [1, 2], np.array([3.0, 2.0]))
    array([1., 2.])
    """
    found = _arguments.vector(name, values, low=0.0, high=float(MOST_ROWS))
    if not (found == np.floor(found)).all():
        raise _arguments.refuse(name, values, "a list of whole numbers")
    if most is not None:
        if len(found) != len(most):
            raise _arguments.refuse(name, values, f"a list of {len(most)}, one for each size")
        if (found > most).any():
            raise _arguments.refuse(name, values, f"at most {most.astype(int).tolist()}")
    return found


def shares_of(shares: ArrayLike, n: int) -> Vector:
    """Return shares of n strata that sum to 1.

    Examples
    --------
    >>> shares_of([0.5, 0.5], 2)
    array([0.5, 0.5])
    """
    found = _arguments.vector("shares", shares, low=0.0, high=1.0)
    if len(found) != n or abs(math.fsum(found) - 1.0) > 1e-9:
        raise _arguments.refuse("shares", shares, f"a list of {n} numbers >= 0 that sum to 1")
    return found
