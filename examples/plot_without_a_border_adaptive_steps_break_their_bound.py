"""Without a border to project onto, adaptive steps break their bound."""

from pathlib import Path

import numpy as np

from surelearn.bounds import online_convex
from surelearn.plots import style


def regrets(gradients, radius):
    """Return the regret to the best point of [-1, 1] after every round."""
    point, points = 0.0, []
    for t, gradient in enumerate(gradients):
        points.append(point)
        point = np.clip(point - 2 / np.sqrt(2 * (t + 1)) * gradient, -radius, radius)
    return np.cumsum(gradients * points) + np.abs(np.cumsum(gradients))


def figure():
    """Draw the regret with and without projection when the gradients turn round half-way."""
    title = "Without a border to project onto, adaptive steps break their bound"
    drawing, (ax,) = style.new_figure(title)
    gradients, rounds = np.repeat([-1.0, 1.0], 200), np.arange(1, 401)
    bound = [
        online_convex.gradient_descent_adaptive_realised(
            diameter=2.0, sum_squared_gradients=float(t)
        ).bound
        for t in rounds
    ]
    ax.plot(rounds, bound, color=style.GUARANTEED, label="bound for the set [-1, 1]")
    ax.plot(rounds, regrets(gradients, np.inf), color=style.BROKEN, label="steps never projected")
    ax.plot(rounds, regrets(gradients, 1.0), color=style.OBSERVED, label="steps projected")
    ax.set(xlabel="rounds", ylabel="regret to the best point of [-1, 1]")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "without_a_border_adaptive_steps_break_their_bound.svg")
