"""The Online Newton Step on a ball, Hazan, Agarwal and Kale (2007)."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq


class Run(NamedTuple):
    points: np.ndarray
    losses: np.ndarray
    quadratic_forms: float  # sum of g' A^-1 g


def project(point, A, radius):
    """Return the point of the ball nearest to `point` in the norm of A."""
    if np.linalg.norm(point) <= radius:
        return point
    values, vectors = np.linalg.eigh(A)
    target = vectors.T @ (A @ point)

    def length(multiplier):
        return np.linalg.norm(target / (values + multiplier))

    high = np.linalg.norm(target) / radius
    multiplier = brentq(lambda m: length(m) - radius, 0.0, high, xtol=1e-14)
    return vectors @ (target / (values + multiplier))


def online_newton_step(loss_and_gradient, n_rounds, dimension, rate, radius):
    """Play `loss_and_gradient(t, point)` on the ball of this radius, from its centre."""
    A = np.eye(dimension) / (rate * 2 * radius) ** 2
    points, losses, forms = [np.zeros(dimension)], [], 0.0
    for t in range(n_rounds):
        loss, g = loss_and_gradient(t, points[t])
        A = A + np.outer(g, g)
        direction = np.linalg.solve(A, g)
        forms += g @ direction
        points.append(project(points[t] - direction / rate, A, radius))
        losses.append(loss)
    return Run(np.array(points), np.array(losses), float(forms))
