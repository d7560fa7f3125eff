"""Pegasos stays below the bound on its mean and below the bound at confidence .95."""

from pathlib import Path

import numpy as np

from surelearn.bounds import stochastic_gradient
from surelearn.plots import style

REGULARIZATION, N_STEPS, N_RUNS = 0.1, 3000, 60


def excesses(X, signs, rng):
    """Return F(average) - best F seen, for many runs side by side at every step."""
    w, total = np.zeros((N_RUNS, X.shape[1])), np.zeros((N_RUNS, X.shape[1]))
    values = []
    for t in range(1, N_STEPS + 1):
        total += w
        i = rng.integers(len(X), size=N_RUNS)
        push = (signs[i] * np.sum(w * X[i], axis=1) < 1) * signs[i]
        w = (1 - 1 / t) * w + push[:, None] * X[i] / (REGULARIZATION * t)
        average = total / t
        hinge = np.maximum(0, 1 - signs * (average @ X.T)).mean(axis=1)
        values.append(hinge + REGULARIZATION / 2 * np.sum(average**2, axis=1))
    return np.array(values) - np.min(values)


def figure():
    """Draw the excess of sixty runs over the steps, with both bounds."""
    title = "Pegasos stays below the bound on its mean and below the bound at confidence .95"
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2)) + 0.5
    signs = np.where(X.sum(axis=1) + rng.standard_normal(40) > 0, 1.0, -1.0)
    steps = np.unique(np.geomspace(1, N_STEPS, 60).astype(int))
    runs = excesses(X, signs, rng)[steps - 1]
    radius = float(np.linalg.norm(X, axis=1).max())
    inputs = {"radius": radius, "regularization": REGULARIZATION}
    tail = [
        stochastic_gradient.pegasos_high_probability(**inputs, n_steps=int(t), delta=0.05).bound
        for t in steps
    ]
    mean = [stochastic_gradient.pegasos(**inputs, n_steps=int(t)).bound for t in steps]
    ax.plot(steps, tail, color=style.GUARANTEED, label="bound at confidence .95")
    ax.plot(steps, mean, color=style.GUARANTEED, linestyle="--", label="bound on the mean")
    ax.plot(steps, runs, color=style.MUTED, linewidth=0.5, alpha=0.6)
    ax.plot(steps, runs.mean(axis=1), color=style.OBSERVED, label="mean of sixty runs")
    ax.set(xscale="log", yscale="log", xlabel="steps", ylabel="excess of the average point")
    ax.set_ylim(bottom=1e-4)
    ax.legend(loc="upper right")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "pegasos_stays_below_its_bounds.svg")
