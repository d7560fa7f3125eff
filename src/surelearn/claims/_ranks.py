"""Residuals by their ranks: the few of them that a quantile and its bound rest on."""

import math
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices, Vector
from surelearn.bounds import Guarantee, holdout

_RANKS = ("values", "n_below", "n_at", "n")
_LEAST_DELTA = 1e-12  # at which a claim may be made from what is kept
_all_kept: ContextVar[bool] = ContextVar("_all_kept", default=False)


@contextmanager
def keeping_all() -> Generator[None]:
    """Keep all residuals, as certificates did before: to make such a one again.

    Examples
    --------
    >>> with keeping_all():
    ...     list(statistics_of(np.array([1.0, 2.0]), alpha=0.5))
    ['residuals']
    """
    token = _all_kept.set(True)
    try:
        yield
    finally:
        _all_kept.reset(token)


def statistics_of(residuals: Vector, *, alpha: float, delta: float | None = None) -> dict[str, Any]:
    """Return the residuals that a quantile and its bound rest on, with their ranks.

    Parameters
    ----------
    residuals
        All of them.
    alpha
        The share that may be larger.
    delta
        The level of the bound; None keeps those of all levels from 1e-12 on.

    Examples
    --------
    >>> statistics_of(np.arange(1.0, 101.0), alpha=0.1, delta=0.05)
    {'values': [90.0, 91.0, 96.0], 'n_below': [89, 90, 95], 'n_at': [1, 1, 1], 'n': 100}
    """
    if _all_kept.get():
        return {"residuals": residuals.tolist()}
    n = len(residuals)
    first = _place(n, alpha)[0]
    wanted = [first, min(first + 1, n - 1)]
    if delta is None:
        wanted = list(range(first, _last(n, alpha)))
    else:
        wanted.append(holdout.quantile_index(n=n, alpha=alpha, delta=delta) - 1)
    return _ranked(residuals, np.array(wanted))


def guarantee_of(statistics: Mapping[str, Any], *, alpha: float, delta: float) -> Guarantee:
    """Return the bound, from all residuals or from a few with their ranks."""
    if "residuals" in statistics:
        return holdout.quantile(residuals=statistics["residuals"], alpha=alpha, delta=delta)
    ranks: dict[str, Any] = {name: statistics[name] for name in _RANKS}
    rank = holdout.quantile_index(n=int(ranks["n"]), alpha=alpha, delta=delta) - 1
    if not _LEAST_DELTA <= delta <= 0.5 and not _is_kept(ranks, rank).any():
        raise ValueError(
            f"the size of most errors is bounded at a delta from {_LEAST_DELTA:g} to 1/2, and its "
            f"share is {delta:g}: give another delta"
        )
    return holdout.quantile_from_ranks(**ranks, alpha=alpha, delta=delta)


def seen_in(statistics: Mapping[str, Any], alpha: float) -> tuple[float, int]:
    """Return the quantile of the residuals that were seen, and how many there are.

    Examples
    --------
    >>> ranks = statistics_of(np.arange(1.0, 101.0), alpha=0.1, delta=0.05)
    >>> seen_in(ranks, 0.1) == (np.quantile(np.arange(1.0, 101.0), 0.9), 100)
    True
    """
    if "residuals" in statistics:
        residuals = statistics["residuals"]
        return float(np.quantile(residuals, 1.0 - alpha)), len(residuals)
    n = int(statistics["n"])
    first, part = _place(n, alpha)
    below = _of_rank(statistics, first)
    return below + part * (_of_rank(statistics, min(first + 1, n - 1)) - below), n


def _of_rank(statistics: Mapping[str, Any], rank: int) -> float:
    """Return the residual of a rank, counted from 0."""
    there = _is_kept(statistics, rank)
    if not there.any():
        raise ValueError(f"the residual of rank {rank + 1:,} is not among the values")
    return float(np.asarray(statistics["values"], dtype=np.float64)[there][0])


def _is_kept(statistics: Mapping[str, Any], rank: int) -> NDArray[np.bool_]:
    below, at = (np.asarray(statistics[name]) for name in ("n_below", "n_at"))
    return (below <= rank) & (rank < below + at)


def _place(n: int, alpha: float) -> tuple[int, float]:
    """Return after how many residuals the quantile stands, and how far from the next one."""
    place = (n - 1) * (1.0 - alpha)
    first = min(math.floor(place), n - 1)
    return first, place - first


def _last(n: int, alpha: float) -> int:
    try:
        return holdout.quantile_index(n=n, alpha=alpha, delta=_LEAST_DELTA)
    except ValueError:  # so few that no level is as small
        return n


def _ranked(residuals: Vector, wanted: Indices) -> dict[str, Any]:
    ordered = np.sort(residuals)
    values = np.unique(ordered[wanted])
    below, upto = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return {
        "values": values.tolist(),
        "n_below": below.tolist(),
        "n_at": (upto - below).tolist(),
        "n": len(residuals),
    }
