"""The price of a class stops the choice in time: a certificate without a hold-out."""

from pathlib import Path

import numpy as np

from surelearn.datasets.worlds import FiniteTable
from surelearn.evaluate.structural_risk import RuleClass, minimize_structural_risk
from surelearn.plots import style
from surelearn.plots.structural_risk import plot_structural_risk

SIZE, DOMAIN = 256, np.arange(256)[:, np.newaxis]


class ConstantOnBlocks:
    """The rule with fewest errors among those that are constant on equal blocks of a line."""

    def __init__(self, n_blocks):
        self.n_blocks = n_blocks

    def fit(self, X, y):
        """Let the rows of each block vote."""
        votes = np.zeros(self.n_blocks)
        np.add.at(votes, X[:, 0] * self.n_blocks // SIZE, 2 * y - 1)
        self.labels_ = (votes > 0).astype(int)
        return self

    def predict(self, X):
        """Return the label of each row's block."""
        return self.labels_[X[:, 0] * self.n_blocks // SIZE]


def figure():
    """Draw training errors, bounds and true risks of nested classes of rules."""
    title = "The price of a class stops the choice in time: a certificate without a hold-out"
    drawing, (ax,) = style.new_figure(title)
    probabilities = np.where(np.arange(SIZE) // 64 % 2 == 1, 0.9, 0.1)
    world = FiniteTable((1 / SIZE,) * SIZE, tuple(probabilities))
    points, y = world.draw(400, seed=0)
    X = points[:, np.newaxis]
    classes = {
        str(k): RuleClass(model=ConstantOnBlocks(k), n_hypotheses=2**k)
        for k in (1, 2, 4, 8, 16, 32, 64, 128, 256)
    }
    result = minimize_structural_risk(classes, X, y)
    plot_structural_risk(result, ax=ax)
    risks = [world.risk(c.model.fit(X, y).predict(DOMAIN)) for c in classes.values()]
    ax.plot(range(len(risks)), risks, ":", color=style.MUTED, label="true risk")
    ax.set_xlabel("blocks on which the rule is constant; the world has 4")
    ax.legend(fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "the_price_of_a_class_stops_the_choice_in_time.svg")
