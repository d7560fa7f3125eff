"""Mistakes stay below Novikoff's bound at every margin, and noise lifts them above it."""

from pathlib import Path

import numpy as np

from surelearn import Perceptron
from surelearn.datasets.worlds import Separable
from surelearn.plots import style


def mistakes(margin, flipped, seed):
    """Train until a clean pass, or 100 passes, on unit rows with some labels flipped."""
    rng = np.random.default_rng(seed)
    X, signs = Separable(10, margin).draw(1000, seed=rng)
    signs[rng.random(1000) < flipped] *= -1.0
    return Perceptron(fit_intercept=False, max_iter=100).fit(X, signs).n_mistakes_


def figure():
    """Draw mistakes and bound over the margin, with and without noise."""
    title = "Mistakes stay below Novikoff's bound at every margin, and noise lifts them above it"
    drawing, (ax,) = style.new_figure(title)
    margins = np.geomspace(0.02, 0.6, 8)
    clean = [[mistakes(m, 0.0, seed) for seed in range(3)] for m in margins]
    noisy = [[mistakes(m, 0.02, seed) for seed in range(3)] for m in margins]
    ax.plot(margins, margins**-2.0, color=style.GUARANTEED, label="Novikoff's bound (R = 1)")
    ax.plot(margins, clean, "o", color=style.OBSERVED, label=["separable", None, None])
    ax.plot(margins, noisy, "x", color=style.BROKEN, label=["2% labels flipped", None, None])
    ax.set(xscale="log", yscale="log", xlabel="margin", ylabel="mistakes until a clean pass")
    ticks = [0.02, 0.05, 0.1, 0.2, 0.5]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "mistakes_stay_below_novikoffs_bound.svg")
