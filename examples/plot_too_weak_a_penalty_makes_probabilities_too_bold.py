"""Too weak a penalty makes a logistic model's probabilities too bold, as fresh rows prove."""

from pathlib import Path

import numpy as np
from scipy import special

from surelearn.evaluate.calibration import calibration_curve
from surelearn.learners.linear.logistic_regression import LogisticRegression
from surelearn.plots import style
from surelearn.plots.calibration import plot_calibration
from surelearn.plots.coefficient_paths import plot_coefficient_paths

TRAIN, FRESH, D, RELEVANT = 150, 4000, 60, 3
BOLD, MODEST = 100.0, 0.05


def draw(n, rng):
    """Draw rows of which three features matter; the log odds are linear in them."""
    X = rng.normal(size=(n, D))
    return X, rng.random(n) < special.expit(X[:, :RELEVANT] @ [1.5, -1.0, 0.5])


def figure():
    """Draw coefficient paths beside the calibration of a weakly and a strongly penalised model."""
    title = (
        "Too weak a penalty makes a logistic model's probabilities too bold, as fresh rows prove"
    )
    drawing, (paths, bold, modest) = style.new_figure(title, columns=3)
    rng = np.random.default_rng(4)
    X, y = draw(TRAIN, rng)
    fresh, happened = draw(FRESH, rng)
    strengths = np.geomspace(0.003, 100.0, 25)
    lines = [LogisticRegression(C=C).fit(X, y).coef_[0] for C in strengths]
    plot_coefficient_paths(strengths, lines, xlabel="C", ax=paths)
    for ax, C in ((bold, BOLD), (modest, MODEST)):
        chances = LogisticRegression(C=C).fit(X, y).predict_proba(fresh)[:, 1]
        plot_calibration(calibration_curve(chances, happened), ax=ax)
        ax.annotate(f"C = {C:g}", (0.97, 0.04), xycoords="axes fraction", ha="right")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "too_weak_a_penalty_makes_probabilities_too_bold.svg")
