"""Diagonal AdaGrad on a box, Duchi, Hazan and Singer (2011)."""

import numpy as np

from reference.online_gradient_descent import Run


def adagrad(gradient, n_rounds, low, high, stabiliser=0.0):
    """Play `gradient(t, point)` from the middle of the box; a coordinate never pushed stays."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    points, gradients, squares = [(low + high) / 2], [], np.zeros(len(low))
    for t in range(n_rounds):
        g = np.asarray(gradient(t, points[t]), dtype=float)
        squares += g**2
        scale = np.sqrt(2 * squares) + stabiliser
        step = np.divide((high - low) * g, scale, out=np.zeros_like(g), where=scale > 0)
        points.append(np.clip(points[t] - step, low, high))
        gradients.append(g)
    return Run(np.array(points), np.array(gradients))
