"""The averaged Perceptron generalises better than the last."""

from pathlib import Path

import numpy as np

from surelearn.datasets.worlds import Noisy
from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.plots import style

WORLD, N_RUNS = Noisy(n_features=10, bayes_risk=0.1), 12
STOPS = np.unique(np.geomspace(10, 5000, 40).astype(int))


def risks(learner, seed):
    """Return the exact risk of the learner's model after each of the stops."""
    X, y = WORLD.draw(STOPS[-1], seed=seed)
    found = []
    for start, stop in zip([0, *STOPS[:-1]], STOPS, strict=True):
        learner.learn(X[start:stop], y[start:stop], classes=[-1, 1])
        found.append(WORLD.risk(learner.coef_[0]))
    return np.array(found)


def figure():
    """Draw the risk of the last and of the average weights, run by run and on the mean."""
    drawing, (ax,) = style.new_figure("The averaged Perceptron generalises better than the last")
    for kind, colour, label in (
        (Perceptron, style.BROKEN, "last weights"),
        (AveragedPerceptron, style.OBSERVED, "average weights"),
    ):
        curves = np.array([risks(kind(fit_intercept=False), seed) for seed in range(N_RUNS)])
        ax.plot(STOPS, curves.T, color=colour, linewidth=0.7, alpha=0.3)
        ax.plot(STOPS, curves.mean(axis=0), color=colour, linewidth=2.5, label=label)
    ax.axhline(WORLD.bayes_risk, color=style.MUTED, linestyle="--", label="best possible")
    ax.set(xscale="log", xlabel="rows learnt", ylabel="risk on new rows (exact)")
    ax.set_ylim(bottom=0.0)
    ax.legend(fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    name = "the_averaged_perceptron_generalises_better_than_the_last.svg"
    style.save(figure(), target / name)
