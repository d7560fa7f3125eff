"""With few rows a fixed rule of two leaves wins; with many, growing neighbourhoods overtake it.

Labels are 1 with probability 0.2, 0.8, 0.2 and 0.8 on the four quarters of [0, 1]: the least risk
is 0.2. Trees of two leaves can never say that, so their risk stays above 0.35. Neighbours in number
k = √m reach it in the limit (k grows without end, and k/m vanishes); a single one never does.
"""

from pathlib import Path

import numpy as np

from surelearn import CARTClassifier, NearestNeighborsClassifier
from surelearn.plots import style

SHARES = np.array([0.2, 0.8, 0.2, 0.8])
GRID = (np.arange(2000)[:, np.newaxis] + 0.5) / 2000.0
SIZES = (10, 20, 40, 80, 160, 320, 640, 1280)
REPEATS = 60


def share_of(x):
    """Return the probability of label 1 at each point."""
    return SHARES[np.minimum((4.0 * x).astype(int), 3)]


def risk(model):
    """Return the risk of a rule, summed over the line."""
    share = share_of(GRID[:, 0])
    return np.where(model.predict(GRID) == 1, 1.0 - share, share).mean()


def odd_root(m):
    """Return the odd number next to the root of m."""
    return int(np.sqrt(m)) // 2 * 2 + 1


def figure():
    """Draw the mean risk of three learners over the number of rows, and the least risk."""
    title = (
        "With few rows a fixed rule of two leaves wins; with many, growing neighbourhoods "
        "overtake it"
    )
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    makers = {
        "a tree of two leaves (inconsistent)": lambda m: CARTClassifier(max_leaf_nodes=2),
        "one neighbour (inconsistent)": lambda m: NearestNeighborsClassifier(n_neighbors=1),
        "√m neighbours (consistent)": lambda m: NearestNeighborsClassifier(n_neighbors=odd_root(m)),
    }
    risks = {name: np.zeros((len(SIZES), REPEATS)) for name in makers}
    for i, m in enumerate(SIZES):
        for r in range(REPEATS):
            X = rng.uniform(size=(m, 1))
            y = (rng.uniform(size=m) < share_of(X[:, 0])).astype(int)
            y[:2] = 0, 1  # both labels occur
            for name, make in makers.items():
                risks[name][i, r] = risk(make(m).fit(X, y))
    for (name, found), colour in zip(
        risks.items(), (style.MUTED, style.BROKEN, style.OBSERVED), strict=True
    ):
        ax.plot(SIZES, found.mean(axis=1), "-o", ms=4, color=colour, label=name)
    ax.axhline(0.2, color="black", linestyle=":", label="least risk of any rule")
    ax.set(xscale="log", xlabel="training rows", ylabel="mean risk", ylim=(0.15, 0.55))
    ax.legend(loc="upper right", fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "a_consistent_learner_overtakes_an_inconsistent_one.svg")
