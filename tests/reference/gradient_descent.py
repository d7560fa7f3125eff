"""First-order methods as their papers state them; each returns the list of its points."""

import numpy as np


def gradient_descent(gradient, start, learning_rate, n_steps):
    """Cauchy (1847): w <- w - learning_rate * gradient(w)."""
    points = [np.asarray(start, dtype=float)]
    for _ in range(n_steps):
        points.append(points[-1] - learning_rate * gradient(points[-1]))
    return points


def nesterov(gradient, start, smoothness, n_steps):
    """Nesterov (1983) in the form of Beck and Teboulle (2009)."""
    points = [np.asarray(start, dtype=float)]
    ahead, t = points[0], 1.0
    for _ in range(n_steps):
        points.append(ahead - gradient(ahead) / smoothness)
        following = (1.0 + np.sqrt(1.0 + 4.0 * t**2)) / 2.0
        ahead = points[-1] + (t - 1.0) / following * (points[-1] - points[-2])
        t = following
    return points


def nesterov_strongly_convex(gradient, start, smoothness, strong_convexity, n_steps):
    """Nesterov (2004), constant momentum."""
    root = np.sqrt(strong_convexity / smoothness)
    points = [np.asarray(start, dtype=float)]
    previous = points[0]
    for _ in range(n_steps):
        ahead = points[-1] + (1.0 - root) / (1.0 + root) * (points[-1] - previous)
        previous = points[-1]
        points.append(ahead - gradient(ahead) / smoothness)
    return points


def heavy_ball(gradient, start, learning_rate, momentum, n_steps):
    """Polyak (1964): v <- momentum * v - learning_rate * gradient(w), w <- w + v."""
    points = [np.asarray(start, dtype=float)]
    velocity = np.zeros_like(points[0])
    for _ in range(n_steps):
        velocity = momentum * velocity - learning_rate * gradient(points[-1])
        points.append(points[-1] + velocity)
    return points


def stochastic_gradient_descent(noisy_gradient, project, start, learning_rates):
    """Robbins and Monro (1951), projected; `noisy_gradient(w)` draws one gradient."""
    points = [np.asarray(start, dtype=float)]
    for rate in learning_rates:
        points.append(project(points[-1] - rate * noisy_gradient(points[-1])))
    return points
