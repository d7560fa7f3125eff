"""The fewer examples the Perceptron needs, the smaller the risk that is certified."""

from pathlib import Path

import numpy as np

from surelearn.bounds import compression
from surelearn.plots import style

N = 200


def needed_and_risk(rng, noise):
    """Run the Perceptron on a noisy half-plane; count the examples it needs, measure its risk."""
    X = rng.normal(size=(N, 2))
    signs = np.where(X[:, 0] > 0, 1.0, -1.0) * np.where(rng.random(N) < noise, -1.0, 1.0)
    w, needed = np.zeros(2), np.zeros(N, dtype=bool)
    for _ in range(5):
        for i in range(N):
            if signs[i] * (X[i] @ w) <= 0.0:
                w, needed[i] = w + signs[i] * X[i], True
    needed |= signs * (X @ w) <= 0.0
    angle = np.arccos(np.clip(w[0] / np.hypot(*w), -1.0, 1.0))
    return needed.sum(), noise + (1.0 - 2.0 * noise) * angle / np.pi


def figure():
    """Draw certified and true risk of many Perceptrons over the number of examples they need."""
    title = "The fewer examples the Perceptron needs, the smaller the risk that is certified"
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    levels = np.repeat([0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1], 20)
    runs = np.array([needed_and_risk(rng, noise) for noise in levels])
    sizes = np.arange(int(runs[:, 0].max()) + 3)
    curves = {
        "Littlestone-Warmuth": (compression.littlestone_warmuth, {"errors": 0}, style.MUTED),
        "stable compression": (compression.campi_garatti, {}, style.GUARANTEED),
    }
    for name, (theorem, extra, colour) in curves.items():
        values = [theorem(n_compressed=k, n=N, delta=0.05, **extra).bound for k in sizes]
        ax.plot(sizes, values, label=f"95% bound, {name}", color=colour)
    ax.scatter(*runs.T, s=10, color=style.OBSERVED, label="true risk of one run")
    ax.set(xlabel=f"examples needed, of {N}", ylabel="probability of an error", ylim=(0.0, 1.0))
    ax.legend(loc="upper left")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "few_needed_examples_certify_a_small_risk.svg")
