"""The duals of support vector machines, written out and given to a general optimiser."""

import numpy as np
from scipy import optimize


def classifier(K, y, C, *, balanced=True):
    """Return α that maximises Σα − ½ Σ α_i α_j y_i y_j K_ij with 0 ≤ α ≤ C (and Σ yα = 0)."""
    n, Q = len(y), K * np.outer(y, y)
    return _maximum(
        lambda a: a.sum() - 0.5 * a @ Q @ a, lambda a: 1.0 - Q @ a, n, C, y, balanced=balanced
    )


def regressor(K, y, C, epsilon):
    """Return β that maximises Σ yβ − ε Σ|β| − ½ βᵀKβ with |β| ≤ C and Σβ = 0."""
    n, s = len(y), np.repeat([1.0, -1.0], len(y))
    big, gain = np.tile(K, (2, 2)) * np.outer(s, s), s * np.tile(y, 2) - epsilon
    both = _maximum(
        lambda a: gain @ a - 0.5 * a @ big @ a, lambda a: gain - big @ a, 2 * n, C, s, balanced=True
    )
    return both[:n] - both[n:]


def _maximum(value, gradient, n, C, signs, *, balanced):
    found = optimize.minimize(
        lambda a: -value(a),
        np.zeros(n),
        jac=lambda a: -gradient(a),
        bounds=[(0.0, C)] * n,
        constraints=[{"type": "eq", "fun": lambda a: a @ signs, "jac": lambda _: signs}]
        if balanced
        else [],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    return found.x
