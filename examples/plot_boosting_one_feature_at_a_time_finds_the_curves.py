"""Boosting one feature at a time finds the curves."""

from pathlib import Path

import numpy as np

from surelearn.learners.ensembles.gradient_boosting_regressor import GradientBoostingRegressor
from surelearn.plots import style

TRUTHS = {"sin(2x)": lambda x: np.sin(2.0 * x), "|x|": np.abs, "nothing": np.zeros_like}


def figure():
    """Draw the curves of an additive model over those that made the rows."""
    title = "Boosting one feature at a time finds the curves"
    drawing, axes = style.new_figure(title, columns=3)
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, size=(4000, 3))
    curves = list(TRUTHS.values())
    y = sum(curve(X[:, j]) for j, curve in enumerate(curves)) + 0.3 * rng.normal(size=4000)
    model = GradientBoostingRegressor(interactions=1).fit(X, y)
    grid = np.linspace(-2.0, 2.0, 400)
    for effect in model.effects():
        if len(effect.features) != 1:
            continue
        j = effect.features[0]
        found = effect.values[np.searchsorted(effect.cuts[0], grid), 0]
        truth = curves[j](grid)
        axes[j].plot(grid, truth - truth.mean(), color=style.MUTED, label="truth, centred")
        axes[j].plot(grid, found - found.mean(), label="boosted")
        axes[j].set_title(list(TRUTHS)[j])
        axes[j].set_xlabel(f"feature {j}")
        axes[j].set_ylim(-1.6, 1.6)
    axes[0].legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "boosting_one_feature_at_a_time_finds_the_curves.svg")
