"""Slopes and steps of boosting: loops over rows and leaves, the best step along a line."""

import itertools
from collections.abc import Callable

import numpy as np
from scipy import optimize

from surelearn._jit import jit
from surelearn._jit.elementary import exp
from surelearn._typing import Indices, Vector
from surelearn.learners.ensembles._histogram.histogram import Rows
from surelearn.learners.ensembles._histogram.newton import newton_step
from surelearn.losses import Loss

_LEAST = float(np.finfo(np.float64).tiny)
_MOST_STEPS = 10_000  # of a search: halving all floats takes some 2,100


def share_out(sizes: Indices, n_parts: int) -> list[slice]:
    """Return consecutive leaves in so many parts of about as many rows each, or fewer.

    A leaf is summed by one worker, so that sums do not depend on how many there are.

    Examples
    --------
    >>> share_out(np.array([5, 5, 5, 5]), 2)
    [slice(0, 2, None), slice(2, 4, None)]
    """
    if n_parts == 1:
        return [slice(0, len(sizes))]
    ends = np.cumsum(sizes)
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, n_parts) / n_parts) + 1
    edges = np.unique([0, *np.minimum(cuts, len(sizes)), len(sizes)]).tolist()
    return [slice(first, last) for first, last in itertools.pairwise(edges)]


@jit
def logistic_slopes(
    y: Vector, scores: Vector, weights: Vector, gradients: Vector, hessians: Vector
) -> None:
    """Write p - y and p (1 - p), times the weights, where p is the sigmoid of a score.

    One weight stands for all rows.
    """
    alike = len(weights) == 1
    for i in range(len(y)):
        weight = weights[0] if alike else weights[i]
        decay = exp(-abs(scores[i]))
        small = decay / (1.0 + decay)
        share = 1.0 - small if scores[i] >= 0.0 else small
        gradients[i] = weight * (share - y[i])
        hessians[i] = weight * (small * (1.0 - small))


@jit
def newton_steps(
    rows: Rows,
    starts: Indices,
    stops: Indices,
    gradients: Vector,
    hessians: Vector,
    l2: float,
    steps: Vector,
) -> None:
    """Write -G / (H + l2) of each leaf, summed in the order of its rows."""
    for leaf in range(len(starts)):
        steps[leaf] = newton_step(rows, starts[leaf], stops[leaf], gradients, hessians, l2)


@jit
def add_steps(rows: Rows, starts: Indices, stops: Indices, steps: Vector, scores: Vector) -> None:
    """Add the step of each leaf to the scores of its rows."""
    for leaf in range(len(starts)):
        for i in range(starts[leaf], stops[leaf]):
            scores[np.uint64(rows[i])] += steps[leaf]


def weighted_quantile(values: Vector, weights: Vector, level: float) -> float:
    """Return the middle of all numbers with weight `level` at most below and 1 - level above.

    Examples
    --------
    >>> weighted_quantile(np.array([4.0, 1.0, 2.0, 3.0]), np.ones(4), 0.5)
    2.5
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    target, rounding = level * reached[-1], 1e-12 * reached[-1]
    low = int(np.searchsorted(reached, target - rounding))
    high = int(np.searchsorted(reached, target + rounding))
    last = len(values) - 1
    return 0.5 * float(values[order[min(low, last)]] + values[order[min(high, last)]])


def gradients_of(loss: Loss, y: Vector, scores: Vector) -> Vector:
    """Return the gradient of a loss, which may be of one's own, at each score.

    Examples
    --------
    >>> from surelearn.losses import Absolute
    >>> gradients_of(Absolute(), np.zeros(2), np.array([-3.0, 4.0])).tolist()
    [-1.0, 1.0]
    """
    found = np.asarray(loss.gradient(y, scores), dtype=np.float64)
    if found.shape != y.shape or not np.isfinite(found).all():
        raise ValueError(
            f"the gradient of loss={loss!r} has shape {found.shape} for {len(y)} rows, or is no "
            "finite number somewhere: there must be one for each row"
        )
    return found


def root(slope: Callable[[float], float], residuals: Vector) -> float:
    """Return where an increasing function changes its sign between the residuals' ends.

    It is one of these ends if it does not. What is far away must not coarsen the search: most
    residuals tell how fine it is.
    """
    low, high = float(residuals.min()), float(residuals.max())
    if not (below := slope(low)) < 0.0:
        return low
    if not (above := slope(high)) > 0.0:
        return high
    steepest = max(-below, above)
    typical = float(np.median(np.abs(residuals))) or max(-low, high)

    def scaled(step: float) -> float:
        return slope(step) / steepest  # products of tiny slopes would vanish

    xtol = max(1e-12 * typical, _LEAST)
    return float(optimize.brentq(scaled, low, high, xtol=xtol, rtol=1e-14, maxiter=_MOST_STEPS))
