"""With few rows a tree of two leaves wins; with many, growing neighbourhoods overtake it.

Rows are points of a square, and only the first coordinate matters. The label is 1 with probability
0.1 on the left half and 0.9 on the right, but for a tenth of the width on each side where it is the
other way round. The least risk is 0.1. A tree of two leaves can at best be right outside those
tenths: its risk stays at 0.26 or more. As many neighbours as the root of
the number of rows reach the least risk in the limit: their number grows without end, and their
share of the rows vanishes.
"""

from pathlib import Path

import numpy as np

from surelearn import CARTClassifier, NearestNeighborsClassifier
from surelearn.plots import style

SHARES = np.array([0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.9, 0.1, 0.9, 0.9])
GRID = np.random.default_rng(1).uniform(size=(1000, 2))
GRID[:, 0] = (np.arange(1000) + 0.5) / 1000.0  # every part of the width counts as it should
SIZES = (10, 30, 100, 300, 1000, 3000, 9000)
REPEATS = 12


def share_of(x):
    """Return the probability of label 1 at each point."""
    return SHARES[np.minimum((10.0 * x).astype(int), 9)]


def risk(model):
    """Return the risk of a rule, averaged over points of the square."""
    share = share_of(GRID[:, 0])
    return np.where(model.predict(GRID) == 1, 1.0 - share, share).mean()


def odd_root(m):
    """Return the odd number next to the root of m."""
    return int(np.sqrt(m)) // 2 * 2 + 1


def figure():
    """Draw the mean risk of three learners over the number of rows, and the least risk."""
    title = "With few rows a tree of two leaves wins; with many, growing neighbourhoods overtake it"
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    makers = {
        "a tree of two leaves (inconsistent)": lambda _: CARTClassifier(max_leaf_nodes=2),
        "√m neighbours (consistent)": lambda m: NearestNeighborsClassifier(n_neighbors=odd_root(m)),
    }
    risks = {name: np.zeros((len(SIZES), REPEATS)) for name in makers}
    for i, m in enumerate(SIZES):
        for r in range(REPEATS):
            X = rng.uniform(size=(m, 2))
            y = (rng.uniform(size=m) < share_of(X[:, 0])).astype(int)
            y[:2] = 0, 1  # both labels occur
            for name, make in makers.items():
                risks[name][i, r] = risk(make(m).fit(X, y))
    for (name, found), colour in zip(risks.items(), (style.MUTED, style.OBSERVED), strict=True):
        ax.plot(SIZES, found.mean(axis=1), "-o", ms=4, color=colour, label=name)
    ax.axhline(0.26, color=style.MUTED, linestyle="--", label="least risk of two leaves")
    ax.axhline(0.1, color="black", linestyle=":", label="least risk of any rule")
    ax.set(xscale="log", xlabel="training rows", ylabel="mean risk", ylim=(0.0, 0.5))
    ax.legend(loc="upper right", fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "a_consistent_learner_overtakes_an_inconsistent_one.svg")
