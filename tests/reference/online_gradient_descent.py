"""Projected online gradient descent, Zinkevich (2003), on gradients given or asked for."""

from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    points: np.ndarray  # w_1 .. w_T, and w_{T+1} in the last row
    gradients: np.ndarray

    def regret(self, comparator):
        """Return the regret of the linearised losses to a comparator."""
        return float((self.gradients * (self.points[:-1] - comparator)).sum())

    def worst_regret(self, radius):
        """Return the regret of the linearised losses to the best point of the ball."""
        total = self.gradients.sum(axis=0)
        return self.regret(-radius * total / max(np.linalg.norm(total), 1e-300))


def project(point, radius):
    """Return the nearest point of the ball around 0; a radius of None means no ball."""
    length = np.linalg.norm(point)
    return point if radius is None or length <= radius else point * (radius / length)


def gradient_descent(gradient, n_rounds, dimension, rates, radius=None, start=None):
    """Play `gradient(t, point)`; `rates(t, gradients so far)` may look at the current gradient."""
    points = [np.zeros(dimension) if start is None else np.asarray(start, float)]
    gradients = []
    for t in range(n_rounds):
        gradients.append(np.asarray(gradient(t, points[t]), dtype=float))
        step = rates(t, gradients)
        points.append(project(points[t] - step * gradients[t], radius))
    return Run(np.array(points), np.array(gradients))


class DelayedRun(NamedTuple):
    points: np.ndarray
    gradients: np.ndarray
    costs: float  # sum of rate x |g| x (|g|/2 + |sum of outstanding gradients|)

    def regret(self, norm):
        """Return the regret of the linear losses to the best point within `norm` of the start."""
        total = self.gradients.sum(axis=0)
        return float((self.gradients * self.points).sum() + norm * np.linalg.norm(total))


def delayed_dual_averaging(gradients, delays, rates, radius=None):
    """Play -rate x sum of the gradients that have arrived, from 0."""
    gradients = np.asarray(gradients, dtype=float)
    arrival = np.arange(len(gradients)) + np.asarray(delays)
    points, costs = [], 0.0
    for t, g in enumerate(gradients):
        heard = arrival[:t] < t
        points.append(project(-rates[t] * gradients[:t][heard].sum(axis=0), radius))
        waiting = np.linalg.norm(gradients[:t][~heard].sum(axis=0))
        costs += rates[t] * np.linalg.norm(g) * (np.linalg.norm(g) / 2 + waiting)
    return DelayedRun(np.array(points), gradients, costs)
