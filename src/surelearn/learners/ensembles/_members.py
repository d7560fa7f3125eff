"""What a member of an ensemble is learnt from: rows and columns drawn by its own seed.

A member is a pure function of its seed and the rows, so members can be learnt in any order, on any
number of threads or machines. Nothing here looks at cells or labels.
"""

from typing import Any, NamedTuple, cast

import joblib
import numpy as np

from surelearn import _arguments
from surelearn._typing import Indices, Mask

_BAG, _GROWTH, _REFERENCES = range(3)  # what random numbers of one seed are for
_MANY = 8  # times as many rows as are drawn, and a bag of them is found without a look at all


class Bag(NamedTuple):
    """The rows of a member, each once and in order, and how often each was drawn."""

    rows: Indices
    times: Indices


def seed_of(random_state: Any) -> int:
    """Return the number from which the seeds of all members follow.

    Examples
    --------
    >>> seed_of(7)
    7
    """
    if isinstance(random_state, int | np.integer):
        return _arguments.count("random_state", int(random_state))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return int(_arguments.generator("random_state", random_state).integers(2**63))


def generator(seed: int, member: int, purpose: int) -> np.random.Generator:
    """Return the random numbers of one member for one purpose."""
    return np.random.default_rng([purpose, member, seed])


def draw_bag(seed: int, member: int, n_rows: int, n_drawn: int, *, bootstrap: bool) -> Bag:
    """Return the bag of a member: drawn with replacement if `bootstrap`, else each row once.

    Examples
    --------
    >>> draw_bag(0, 0, n_rows=3, n_drawn=3, bootstrap=False)
    Bag(rows=array([0, 1, 2]), times=array([1, 1, 1]))
    >>> int(draw_bag(0, 0, n_rows=100, n_drawn=100, bootstrap=True).times.sum())
    100
    """
    rng = generator(seed, member, _BAG)
    if bootstrap:
        drawn = rng.integers(n_rows, size=n_drawn)
        if _MANY * n_drawn < n_rows:  # few of very many rows: no array of all of them
            return Bag(*np.unique(drawn, return_counts=True))
        times = np.bincount(drawn, minlength=n_rows)
        rows = np.flatnonzero(times)
        return Bag(rows, times[rows])
    if n_drawn < n_rows:
        rows = np.sort(rng.choice(n_rows, size=n_drawn, replace=False, shuffle=False))
    else:
        rows = np.arange(n_rows)
    return Bag(rows, np.ones(len(rows), dtype=np.int64))


def mark_outside(bag: Bag, n_rows: int, tested: Indices, outside: Mask) -> None:
    """Write which of the tested rows a bag does not hold.

    Examples
    --------
    >>> outside = np.empty(2, dtype=np.bool_)
    >>> mark_outside(Bag(np.array([0, 3]), np.array([1, 1])), 5, np.array([3, 4]), outside)
    >>> outside
    array([False,  True])
    """
    if _MANY * len(bag.rows) < n_rows and len(tested) < n_rows:
        places = np.minimum(np.searchsorted(bag.rows, tested), len(bag.rows) - 1)
        outside[:] = bag.rows[places] != tested
        return
    absent = np.ones(n_rows, dtype=np.bool_)
    absent[bag.rows] = False
    outside[:] = absent if len(tested) == n_rows else absent[tested]


def draw_columns(
    seed: int, member: int, n_columns: int, n_drawn: int, *, replace: bool = False
) -> Indices:
    """Return the columns of a member, in order; all of them if that many are drawn.

    Examples
    --------
    >>> draw_columns(0, 0, n_columns=3, n_drawn=3)
    array([0, 1, 2])
    """
    if n_drawn >= n_columns and not replace:
        return np.arange(n_columns)
    rng = generator(seed, member, _GROWTH)
    return np.sort(rng.choice(n_columns, size=n_drawn, replace=replace, shuffle=False))


def growth_state(seed: int, member: int) -> Any:
    """Return the state of the random numbers by which a tree draws its columns."""
    return generator(seed, member, _GROWTH).integers(2**64, size=1, dtype=np.uint64)


def references_of(seed: int) -> np.random.Generator:
    """Return the random numbers by which reference rows are drawn, for all members alike."""
    return generator(seed, 0, _REFERENCES)


def refuse_other_bags(model: Any, bags: str) -> None:
    """Refuse to go on if bags drawn anew would not be those of the members that are there."""
    before: str = getattr(model, "bags_", bags)  # older files do not know theirs
    if before != bags:
        raise ValueError(
            f"its members have bags of {before}, and these would be of {bags}: set the parameters "
            "as they were, or fit anew with warm_start=False"
        )


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads: one per core for None, one if others have the cores."""
    _arguments.jobs("n_jobs", n_jobs)
    return int(cast("Any", joblib).effective_n_jobs(-1 if n_jobs is None else n_jobs))


def count_of(name: str, value: Any, n: int) -> int:
    """Return how many of n things a number or a share means; None for all.

    Examples
    --------
    >>> count_of("max_samples", 0.5, 9), count_of("max_samples", 3, 9), count_of("m", None, 9)
    (4, 3, 9)
    """
    if value is None:
        return n
    if _arguments.is_whole(value) and type(value) is not bool:
        if 1 <= int(value) <= n:
            return int(value)
    elif isinstance(value, float | np.floating) and 0.0 < float(value) <= 1.0:
        return max(1, int(float(value) * n))
    raise ValueError(
        f"{name}={_arguments.short(value)} must be a whole number from 1 to {n}, a share in "
        "(0, 1], or None"
    )
