"""Without convexity gradient descent finds the minimum from some starts only."""

from pathlib import Path

import numpy as np

from surelearn.optimizers import gradient_descent
from surelearn.plots import style

STARTS, RATES = np.linspace(-0.5, 3.0, 71), np.linspace(0.02, 1.1, 55)
PATHS = ((1.4, 0.15, "η = 0.15"), (1.1, 0.9, "η = 0.9"), (1.2, 0.9, "η = 0.9, a longer way off"))


def function(w):
    """Return value and slope; the slope at 0 is taken to be 0, as on the plateau."""
    return float((max(0.0, w[0]) - 0.5) ** 2), np.where(w > 0.0, 2.0 * (w - 0.5), 0.0)


def finds(start, rate):
    """Return whether descent ends at ½."""
    trace = gradient_descent(function, [start], learning_rate=rate, tolerance=1e-4, max_iter=250)
    return abs(trace.point[0] - 0.5) < 1e-3


def walk(start, rate):
    """Return the points of a run of twelve steps."""
    runs = (gradient_descent(function, [start], learning_rate=rate, max_iter=k) for k in range(13))
    return np.array([run.point[0] for run in runs])


def figure():
    """Draw three runs on the function, and for every start and rate whether it succeeds."""
    title = "Without convexity gradient descent finds the minimum from some starts only"
    drawing, (left, right) = style.new_figure(title, columns=2)
    grid = np.linspace(-0.5, 1.5, 500)
    left.plot(grid, (np.maximum(0.0, grid) - 0.5) ** 2, color=style.MUTED, label="the function")
    colours = (style.OBSERVED, "black", style.BROKEN)
    for (start, rate, words), colour in zip(PATHS, colours, strict=True):
        points = walk(start, rate)
        heights = (np.maximum(0.0, points) - 0.5) ** 2
        left.plot(points, heights, "o-", color=colour, markersize=4, linewidth=0.8, label=words)
    left.set(xlabel="x", ylabel="value", ylim=(-0.05, 1.0))
    left.legend(fontsize=8)
    found = np.array([[finds(start, rate) for start in STARTS] for rate in RATES])
    right.contourf(STARTS, RATES, found, levels=[-0.5, 0.5, 1.5], colors=["white", style.OBSERVED])
    long = np.linspace(0.505, 0.999, 200)
    right.plot(long / (2.0 * long - 1.0), long, color=style.GUARANTEED, label="x₀ = η/(2η − 1)")
    right.set(xlabel="start x₀", ylabel="learning rate η", xlim=(-0.5, 3.0), ylim=(0.02, 1.1))
    right.annotate("finds ½", (1.2, 0.3), color="white")
    right.annotate("stuck", (-0.4, 0.5))
    right.annotate("thrown to the plateau", (1.6, 0.95))
    right.legend(loc="upper right", fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "descent_finds_the_minimum_only_from_the_right_start.svg")
