"""Partial dependence asks a model about rows that never occur; accumulated effects do not.

Two features are nearly equal, and the truth is their product. Where they agree it is a square, and
accumulated effects show that. Partial dependence sets one and leaves the other, far from any row.
"""

from pathlib import Path

import numpy as np

from surelearn import CARTRegressor, ForwardStagewiseRegressor
from surelearn.evaluate.dependence import accumulated_effects, partial_dependence
from surelearn.plots import style
from surelearn.plots.dependence import plot_accumulated_effects, plot_partial_dependence


def figure():
    """Draw both curves of one feature for boosted trees."""
    rng = np.random.default_rng(0)
    first = rng.uniform(-1.0, 1.0, 1000)
    X = np.column_stack([first, first + 0.05 * rng.normal(size=1000)])
    y = X[:, 0] * X[:, 1] + 0.02 * rng.normal(size=1000)
    tree = CARTRegressor(max_depth=3, min_samples_leaf=5)
    model = ForwardStagewiseRegressor(estimator=tree, n_estimators=60, learning_rate=0.2)
    model.fit(X, y)
    title = "Partial dependence asks about rows that never occur; accumulated effects do not"
    drawing, (left, right) = style.new_figure(title, columns=2)
    dependence = partial_dependence(model, X, 0)
    plot_partial_dependence(dependence, ax=left)
    own = dependence.grid * X[:, 1].mean()
    left.plot(dependence.grid, own, color="black", linewidth=0.8, label="of the truth x0·x1")
    left.legend(fontsize=8)
    effects = accumulated_effects(model, X, 0)
    plot_accumulated_effects(effects, ax=right)
    half = accumulated_effects(model, X, 1, n_bins=30)
    right.plot(half.edges, half.effects, "--", color=style.BROKEN, label="x1")
    right.lines[1].set_label("x0")
    truth = effects.edges**2 / 2.0 - np.mean(first**2) / 2.0
    right.plot(effects.edges, truth, color="black", linewidth=0.8, label="x²/2, half of the truth")
    right.set(xlabel="x0, x1")
    right.legend(handles=[right.lines[1], *right.lines[-2:]])
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "accumulated_effects_stay_where_the_rows_are.svg")
