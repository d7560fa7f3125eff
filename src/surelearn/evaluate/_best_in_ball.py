"""The best fixed vector of a ball or box for convex losses, with proof of how good it is.

The losses f must be non-negative and convex in the score, with kinks only where they are 0: hinge,
absolute, logistic, square and their like. Where f < μ it is replaced by f²/(2μ), which is smooth,
elsewhere by f - μ/2; spectral projected gradient steps descend, and μ shrinks.

Proof: for every b in [0, 1], f(s') ≥ b·(f(s) + f'(s)(s' - s)). Summed over the rounds and minimised
over the ball, which is a formula, that is a lower bound on what any vector in it pays.
"""

import math
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._typing import Vector
from surelearn.losses import Loss

_MEMORY, _N_STEPS = 10, 500  # the loss must fall within so many steps; steps for one μ
_TINY, _HUGE = 1e-12, 1e12


class BestInBall(NamedTuple):
    """A vector of the ball, what it pays, and what every vector of the ball pays at least."""

    weights: Vector
    loss: float
    at_least: float


class Comparison(NamedTuple):
    """What vectors of norm at most `radius` are compared by: total loss + penalty·|u|²/2.

    In a box the norm is the largest entry. An infinite radius needs a penalty.
    """

    X: Any
    y: Vector
    loss: Loss
    radius: float
    penalty: float = 0.0
    box: bool = False


class _Point(NamedTuple):
    weights: Vector
    smooth: float  # the loss after smoothing, which is what descends
    gradient: Vector
    loss: float
    at_least: float
    blur: float  # what smoothing alone adds to the gap


def best_in_ball(of: Comparison, *, start: Vector, tolerance: float) -> BestInBall:
    """Return a vector of the ball that pays nearly the least.

    It stops when the proven gap is at most `tolerance` times the number of rows, or when it gives
    up; the gap is `loss - at_least`.

    Examples
    --------
    >>> from surelearn.losses import Absolute
    >>> game = Comparison(np.ones((3, 1)), np.array([0.0, 1.0, 5.0]), Absolute(), radius=4.0)
    >>> best = best_in_ball(game, start=np.zeros(1), tolerance=1e-4)
    >>> best.weights.round(3), round(best.loss, 3), best.loss - best.at_least < 3e-4
    (array([1.]), 5.0, True)
    """
    tolerance = _arguments.positive("tolerance", tolerance)
    enough, smoothing = tolerance * len(of.y), float(not math.isfinite(of.loss.smoothness()))
    best = point = _at(of, _project(of, start), smoothing)
    at_least = max(0.0, point.at_least)  # no loss is negative
    while best.loss - at_least > enough:
        point = _descend(of, point, smoothing, enough)
        best, at_least = min(best, point, key=lambda p: p.loss), max(at_least, point.at_least)
        smoothing /= 10.0
        if smoothing < _TINY:
            break
        point = _at(of, point.weights, smoothing)
    return BestInBall(best.weights, best.loss, min(best.loss, at_least))


def _at(of: Comparison, weights: Vector, smoothing: float) -> _Point:
    scores, square = of.X @ weights, float(weights @ weights)
    losses = of.loss.value(of.y, scores)
    shares = np.minimum(losses / smoothing, 1.0) if smoothing else np.ones_like(losses)
    smooth = np.where(shares < 1.0, shares * losses / 2.0, losses - smoothing / 2.0)
    slopes: Vector = of.X.T @ (shares * of.loss.gradient(of.y, scores))
    total, shared = float(losses.sum()), float(shares @ losses)
    least = shared - float(slopes @ weights) + _least_inside(of, slopes)
    return _Point(
        weights=weights,
        smooth=float(smooth.sum()) + of.penalty * square / 2.0,
        gradient=slopes + of.penalty * weights,
        loss=total + of.penalty * square / 2.0,
        at_least=least - 1e-12 * (total + abs(least)),  # rounding
        blur=total - shared,
    )


def _least_inside(of: Comparison, slopes: Vector) -> float:
    """Return the least of ⟨slopes, u⟩ + penalty·|u|²/2 over the ball, or entry by entry."""
    lengths = np.abs(slopes) if of.box else np.atleast_1d(np.linalg.norm(slopes))
    norms = np.full(len(lengths), of.radius)
    inner = lengths < of.penalty * of.radius
    norms[inner] = lengths[inner] / of.penalty
    return float(((of.penalty * norms / 2.0 - lengths) * norms).sum())


def _descend(of: Comparison, point: _Point, smoothing: float, enough: float) -> _Point:
    """Take spectral projected gradient steps until it is smoothing that keeps the gap open."""
    step, recent = 1.0 / max(float(np.linalg.norm(point.gradient)), _TINY), deque[float]()
    for _ in range(_N_STEPS):
        if point.loss - point.at_least - point.blur <= enough / 2.0:
            break
        recent = deque([*recent, point.smooth], maxlen=_MEMORY)
        way = _project(of, point.weights - step * point.gradient) - point.weights
        ahead = _search(of, point, way, smoothing, max(recent))
        if ahead is None:
            break
        moved = ahead.weights - point.weights
        bend = float(moved @ (ahead.gradient - point.gradient))
        step = min(max(float(moved @ moved) / max(bend, _TINY), _TINY), _HUGE)
        point = ahead
    return point


def _search(
    of: Comparison, point: _Point, way: Vector, smoothing: float, ceiling: float
) -> _Point | None:
    """Go along `way` until the loss is below the largest of late; None if it is nowhere."""
    slope, length = float(point.gradient @ way), 1.0
    while length > _TINY:
        ahead = _at(of, point.weights + length * way, smoothing)
        if ahead.smooth <= ceiling + 1e-4 * length * slope:
            return ahead
        length /= 2.0
    return None


def _project(of: Comparison, weights: Vector) -> Vector:
    if of.box:
        return np.clip(weights, -of.radius, of.radius)
    norm = float(np.linalg.norm(weights))
    return weights if norm <= of.radius else weights * (of.radius / norm)
