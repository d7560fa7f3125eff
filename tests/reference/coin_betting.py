"""Coin betting with the estimator of Krichevsky and Trofimov, Orabona and Pál (2016)."""

from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    points: np.ndarray
    gradients: np.ndarray
    wealth: np.ndarray  # before the first round and after each

    def regret(self, norm):
        """Return the regret of the linear losses to the best comparator of this norm."""
        total = np.linalg.norm(self.gradients.sum(axis=0))
        return float((self.gradients * self.points).sum() + norm * total)


def coin_betting(gradient, n_rounds, dimension, initial_wealth=1.0):
    """Play `gradient(t, point)`, every gradient at most 1 long."""
    against, wealth, points, gradients = np.zeros(dimension), [initial_wealth], [], []
    for t in range(n_rounds):
        points.append(against / (t + 1) * wealth[t])
        gradients.append(np.asarray(gradient(t, points[t]), dtype=float))
        wealth.append(wealth[t] - gradients[t] @ points[t])
        against = against - gradients[t]
    return Run(np.array(points), np.array(gradients), np.array(wealth))
