"""Small steps of boosting err less in the end."""

from pathlib import Path

import numpy as np

from surelearn.learners.ensembles.gradient_boosting_regressor import GradientBoostingRegressor
from surelearn.plots import style

ROUNDS = 200


def draw(n, seed):
    """Draw rows of a smooth dependence on two of five features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3.0, 3.0, size=(n, 5))
    return X, np.sin(X[:, 0]) * X[:, 1] + rng.normal(size=n)


def figure():
    """Draw the error on new rows after each round, for three learning rates."""
    drawing, (ax,) = style.new_figure("Small steps of boosting err less in the end")
    X, y = draw(1000, seed=0)
    new, truth = draw(5000, seed=1)
    for rate in (1.0, 0.3, 0.1):
        model = GradientBoostingRegressor(n_estimators=ROUNDS, learning_rate=rate).fit(X, y)
        errors = [np.mean((truth - f) ** 2) for f in model.staged_predict(new)]
        ax.plot(np.arange(1, ROUNDS + 1), errors, label=f"learning rate {rate:g}")
    ax.axhline(1.0, linestyle=":", color=style.MUTED, label="the noise alone")
    ax.set_xlabel("rounds")
    ax.set_ylabel("mean squared error on new rows")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "small_steps_of_boosting_err_less_in_the_end.svg")
