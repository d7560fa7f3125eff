"""Penalised empirical risk in a kernel's space, minimised by a general method over all of c, b."""

import numpy as np
from scipy import optimize


def objective(gram, losses, penalty, coef, constant):
    """Return the sum of losses of the scores plus half the price times the squared norm."""
    return losses(gram @ coef + constant).sum() + 0.5 * penalty * coef @ gram @ coef


def least(gram, losses, penalty, *, intercept):
    """Return the smallest objective that a quasi-Newton method finds."""
    n = len(gram)

    def value(point):
        return objective(gram, losses, penalty, point[:n], point[n] * intercept)

    found = optimize.minimize(value, np.zeros(n + 1), method="BFGS", options={"gtol": 1e-8})
    return found.fun
