"""One neighbour follows every noisy label, three outvote a single one, five a pair.

A point on the line gets the majority label of its k nearest training points. The true rule is one
step, and four of the labels were turned over.
"""

from pathlib import Path

import numpy as np

from surelearn import NearestNeighborsClassifier
from surelearn.plots import style

STEP = 0.5


def sample():
    """Return points on a line, and labels of which two single ones and a pair are wrong."""
    rng = np.random.default_rng(3)
    x = (np.arange(24) + 0.5 + rng.uniform(-0.2, 0.2, size=24)) / 24.0
    turned = np.array([3, 7, 8, 18])
    y = np.where(x > STEP, 1, -1)
    y[turned] *= -1
    return x[:, np.newaxis], y, turned


def figure():
    """Draw the rules of one, three and five neighbours over the same points of a line."""
    title = "One neighbour follows every noisy label, three outvote a single one, five a pair"
    drawing, (ax,) = style.new_figure(title)
    X, y, turned = sample()
    grid = np.linspace(0.0, 1.0, 4001)[:, np.newaxis]
    truth = np.where(grid[:, 0] > STEP, 1, -1)
    for row, k in enumerate((1, 3, 5)):
        rule = NearestNeighborsClassifier(n_neighbors=k).fit(X, y).predict(grid)
        level = -3.0 * row
        ax.step(grid[:, 0], level + rule, where="mid", color=style.OBSERVED, linewidth=1.6)
        ax.plot(X[:, 0], level + y, "o", ms=4, color=style.MUTED, label="_" if row else "label")
        ax.plot(
            X[turned, 0], level + y[turned], "s", ms=6, color=style.GUARANTEED,
            label="_" if row else "label turned over",
        )  # fmt: skip
        wrong = f"k = {k}: wrong on {np.mean(rule != truth):.0%} of the line"
        ax.annotate(wrong, (1.02, level), va="center", fontsize=9, annotation_clip=False)
    ax.axvline(STEP, color="black", linestyle=":", linewidth=1.0, label="the true step")
    ax.set(xlim=(0.0, 1.0), ylim=(-7.6, 2.6), xlabel="x", yticks=[])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    ax.legend(loc="upper left", fontsize=8, ncols=3)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "more_neighbours_draw_a_smoother_rule.svg")
