"""Whether the convex hulls of two classes meet in feature space: then no hyperplane separates them.

One through the origin does not if the origin is in the hull of all rows, those of one class turned
around. Pairs of rows of one class exchange weight until two points, one of each hull, are as near
as they get. Mitchell, Dem'yanov and Malozemov (1974).
"""

import numpy as np
from scipy.optimize import nnls

from surelearn._jit import jit
from surelearn._typing import Indices, Mask, Matrix, Vector

_MEETING = 1e-11  # squared distance of points that meet, for rows of length 1
_SHOWN = 4
_STEPS = 200  # exchanges for each row
_APART = 1e-3  # share of the squared distance that is left to gain once hulls are known to be apart
_EXACT = 600  # rows up to which least squares settle what exchanges leave open


class NotSeparableError(ValueError):
    """The classes cannot be separated; `rows` and `weights` are two points that meet.

    Weights are positive for rows of one class and negative for those of the other, each adding up
    to 1: the two weighted means are the same point in feature space. If a machine has no intercept,
    the weights need not be as large on both sides; together they add up to 1.
    """

    def __init__(self, rows: Indices, weights: Vector, distance: float) -> None:
        self.rows, self.weights, self.distance = rows, weights, distance
        means = [_mean(rows[side], abs(weights[side])) for side in (weights > 0.0, weights < 0.0)]
        apart = abs(float(weights.sum())) > _MEETING**0.5
        how = "cannot be separated without an intercept" if apart else "cannot be separated"
        advice = "Fit an intercept, or set" if apart else "Set"
        super().__init__(
            f"the classes {how}, so there is no hard margin: "
            f"{means[0]} of one class and {means[1]} of the other are the same point for this "
            f"kernel (their distance is {distance:.1g}). {advice} a finite C, such as C=1.0"
        )


def _mean(rows: Indices, weights: Vector) -> str:
    """Return a weighted mean as text, its largest parts first."""
    order = np.argsort(-weights, kind="stable")
    parts = [f"{weights[k]:.3g}·row {rows[k]}" for k in order[:_SHOWN]] or ["0"]
    return " + ".join(parts) + (" + …" if len(order) > _SHOWN else "")


def refuse_meeting(gram: Matrix, positive: Mask, rows: Indices, *, balanced: bool = True) -> None:
    """Refuse two classes whose hulls meet; say where.

    Without an unpenalised intercept, to be `balanced`, they meet if some weights, all positive and
    of any size on either side, make the same point of both.
    """
    sides = np.where(positive, 1.0, -1.0)
    if balanced and positive.all() == positive.any():
        return  # rows of one class alone
    if balanced:
        one, weights = positive, np.where(positive, 1.0 / positive.sum(), -1.0 / (~positive).sum())
    else:
        gram = gram * np.outer(sides, sides)
        one, weights = np.ones_like(positive), np.full(len(rows), 1.0 / len(rows))
    gradient, largest = gram @ weights, float(np.diagonal(gram).max())
    square = nearest_points(np.ascontiguousarray(gram), one, weights, gradient, _MEETING * largest)
    if _MEETING * largest < square and len(rows) <= _EXACT:
        rise, fall = _widest(one, weights, gradient)
        if gradient[fall] - gradient[rise] > _APART * square:  # where hulls touch, they creep
            weights, square = _by_least_squares(gram, one, largest)
    if square <= _MEETING * largest:
        signed, distance = weights if balanced else sides * weights, float(max(0.0, square)) ** 0.5
        if not balanced and abs(signed.sum()) <= _MEETING**0.5:  # as many of both: they are means
            signed, distance = 2.0 * signed, 2.0 * distance
        used = np.flatnonzero(np.abs(signed) > 1e-9)
        raise NotSeparableError(rows[used], signed[used], distance)


def _by_least_squares(gram: Matrix, one: Mask, largest: float) -> tuple[Vector, float]:
    """Return the weights, 0 or more on their sides, that bring the hulls nearest, if they meet.

    Their sums on each side are equations of their own, which hold exactly at a distance of 0.
    """
    values, vectors = np.linalg.eigh(gram)
    signs, sides = np.where(one, 1.0, -1.0), np.array([each for each in (one, ~one) if each.any()])
    features = np.sqrt(np.maximum(values, 0.0))[:, np.newaxis] * vectors.T * signs
    size = max(float(largest), 1e-300) ** 0.5
    right = np.append(np.zeros(len(values)), np.full(len(sides), size))
    found: Vector = nnls(np.vstack([features, size * sides]), right)[0]
    totals = sides @ found
    if not (totals > 0.0).all():
        return signs * found, np.inf
    weights = signs * found / (sides.T @ totals)
    return weights, float(weights @ gram @ weights)


@jit
def nearest_points(
    gram: Matrix, positive: Mask, weights: Vector, gradient: Vector, enough: float
) -> float:
    """Return the squared distance of the hulls, and in `weights` the points that are so near."""
    square = np.inf
    for _ in range(_STEPS * len(weights)):
        rise, fall = _widest(positive, weights, gradient)
        best, square = gradient[fall] - gradient[rise], 0.0
        for t in range(len(weights)):
            square += weights[t] * gradient[t]
        if square <= enough or best <= _APART * square:
            break
        curvature = max(gram[rise, rise] + gram[fall, fall] - 2.0 * gram[rise, fall], 1e-300)
        step = min(best / curvature, weights[fall] if positive[fall] else -weights[rise])
        weights[rise] += step
        weights[fall] -= step
        for t in range(len(weights)):
            gradient[t] += step * (gram[rise, t] - gram[fall, t])
    return square


@jit
def _widest(positive: Mask, weights: Vector, gradient: Vector) -> tuple[int, int]:
    """Return the two rows of one class between which a shift of weight brings most."""
    low, high = np.array([-1, -1]), np.array([-1, -1])
    for t in range(len(weights)):
        side = 1 if positive[t] else 0
        if (positive[t] or weights[t] < 0.0) and (
            low[side] < 0 or gradient[t] < gradient[low[side]]
        ):
            low[side] = t
        if (not positive[t] or weights[t] > 0.0) and (
            high[side] < 0 or gradient[t] > gradient[high[side]]
        ):
            high[side] = t
    first, second = gradient[high[0]] - gradient[low[0]], gradient[high[1]] - gradient[low[1]]
    side = 1 if second > first else 0
    return low[side], high[side]
