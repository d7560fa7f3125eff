"""Kernel ridge regression from its statement: solve the equations, refit without each row."""

import numpy as np


def solve(gram, y, alpha, *, intercept, weights=None):
    """Return the coefficients and the constant term that minimise the penalised sum of squares."""
    n = len(y)
    weights = np.ones(n) if weights is None else weights
    system, right = np.zeros((n + 1, n + 1)), np.append(y, 0.0)
    system[:n, :n] = gram + np.diag(alpha / weights)
    system[:n, n] = system[n, :n] = float(intercept)
    system[n, n] = 1.0 - float(intercept)
    found = np.linalg.solve(system, right)
    return found[:n], found[n]


def objective(gram, y, alpha, coef, constant, weights=None):
    """Return the penalised sum of squares."""
    weights = np.ones(len(y)) if weights is None else weights
    return weights @ (y - constant - gram @ coef) ** 2 + alpha * coef @ gram @ coef


def left_out(gram, y, alpha, *, intercept, weights=None):
    """Return what all other rows predict for each row, one refit a row."""
    found = np.empty(len(y))
    for i in range(len(y)):
        others = np.delete(np.arange(len(y)), i)
        own = None if weights is None else weights[others]
        coef, constant = solve(
            gram[np.ix_(others, others)], y[others], alpha, intercept=intercept, weights=own
        )
        found[i] = gram[i, others] @ coef + constant
    return found
