"""The heavy ball's rate for quadratics is no rate for convex functions: there it may cycle."""

from pathlib import Path

import numpy as np

from surelearn.bounds import optimization
from surelearn.plots import style

START, N_STEPS, MU, L = 3.3, 60, 1.0, 25.0


def quadratic(w):
    """Return the gradient of a quadratic with curvatures from 1 to 25."""
    return np.linspace(MU, L, len(w)) * w


def piecewise(w):
    """Return a gradient whose slope is 25, then 1, then 25 again (Lessard et al., 2016)."""
    return np.where(w < 1, L * w, np.where(w < 2, w + L - 1, L * w - L + 1))


def distances(gradient, start):
    """Run the heavy ball at its best constants for quadratics; return |w_k - w*|."""
    rate, momentum = 4 / (np.sqrt(L) + np.sqrt(MU)) ** 2, (2 / 3) ** 2
    previous, w, reached = start, start, []
    for _ in range(N_STEPS):
        previous, w = w, w - rate * gradient(w) + momentum * (w - previous)
        reached.append(np.linalg.norm(w))
    return reached


def figure():
    """Draw the distance to the minimiser over the steps, on both kinds of function."""
    title = (
        "The heavy ball's rate for quadratics is no rate for convex functions: there it may cycle"
    )
    drawing, axes = style.new_figure(title, columns=2)
    steps = np.arange(1, N_STEPS + 1)
    bounds = [
        optimization.heavy_ball_quadratic(
            distance=START, smoothness=L, strong_convexity=MU, n_steps=int(k)
        ).bound
        for k in steps
    ]
    worlds = (
        ("a quadratic in nine dimensions", quadratic, np.full(9, START / 3), style.OBSERVED),
        ("a convex function, curvature 1 or 25", piecewise, np.array([START]), style.BROKEN),
    )
    for ax, (name, gradient, start, colour) in zip(axes, worlds, strict=True):
        ax.plot(steps, bounds, color=style.GUARANTEED, label="bound for quadratics")
        ax.plot(steps, distances(gradient, start), ".-", color=colour, label=name)
        ax.set(yscale="log", xlabel="steps", ylabel="distance to the minimiser", ylim=(1e-10, 60))
        ax.legend(loc="lower left")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "heavy_ball_needs_a_quadratic.svg")
