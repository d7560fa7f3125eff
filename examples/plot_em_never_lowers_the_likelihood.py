"""EM never lowers the likelihood, but where it ends depends on its start."""

import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surelearn.learners.mixtures.gaussian_mixture import GaussianMixture
from surelearn.plots import style
from surelearn.plots.likelihood import plot_likelihood

N_STARTS = 12


def rows(rng):
    """Draw five clusters in the plane, some of them close together."""
    centres = np.array([[0.0, 0.0], [2.2, 0.4], [0.6, 3.0], [5.0, 4.0], [6.0, 2.0]])
    return centres[rng.integers(0, 5, 500)] + rng.normal(size=(500, 2)) * (0.9, 0.6)


def figure():
    """Draw the ascents from random starts, and the one from k-means."""
    title = "EM never lowers the likelihood, but where it ends depends on its start"
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(2)
    X = rows(rng)
    spread = np.stack([np.cov(X.T)] * 5)
    ends = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for i in range(N_STARTS):
            start = np.full(5, 0.2), X[rng.choice(len(X), 5, replace=False)], spread
            model = GaussianMixture(n_components=5, start=start, max_iter=120, tol=1e-7).fit(X)
            label = f"{N_STARTS} random starts" if i == 0 else None
            plot_likelihood(model, label=label, colour=style.MUTED, ax=ax)
            ends.append(model.log_likelihoods_)
        model = GaussianMixture(n_components=5, random_state=0, tol=1e-7, max_iter=120).fit(X)
    plot_likelihood(model, label="start from k-means", ax=ax)
    for path in [*ends, model.log_likelihoods_]:
        if np.diff(path).min() < -1e-9 * abs(path[0]):
            raise RuntimeError("the likelihood fell")
    ax.set(ylim=(min(path[6] for path in ends) - 20.0, max(path[-1] for path in ends) + 20.0))
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "em_never_lowers_the_likelihood.svg")
