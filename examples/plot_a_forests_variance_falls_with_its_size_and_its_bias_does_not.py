"""A forest's variance falls with its size, and its bias does not."""

from pathlib import Path

import numpy as np

from surelearn.bounds import votes
from surelearn.datasets.noisy_function import NoisyFunction
from surelearn.evaluate.bias_variance import bias_variance
from surelearn.learners.ensembles.random_forest_regressor import RandomForestRegressor
from surelearn.plots import style

SIZES = (1, 2, 4, 8, 16, 32, 64)


def figure():
    """Draw squared bias and variance of forests over their size, and what a formula foretells."""
    title = "A forest's variance falls with its size, and its bias does not"
    drawing, (ax,) = style.new_figure(title)
    world = NoisyFunction(lambda X: np.sin(4.0 * X[:, 0]), noise=0.5)
    found = [
        bias_variance(
            RandomForestRegressor(size, min_samples_leaf=8, n_jobs=1), world, n=80, n_replicates=60
        )
        for size in SIZES
    ]
    variance = np.array([result.variance.mean() for result in found])
    bias = np.array([result.bias_squared.mean() for result in found])
    # The smallest and the largest forest give σ² and ρ; those between try the formula.
    share = variance[-1] / variance[0]
    correlation = float((SIZES[-1] * share - 1.0) / (SIZES[-1] - 1.0))
    foretold = [
        votes.average_variance(
            variance=float(variance[0]), correlation=correlation, n_members=size
        ).bound
        for size in SIZES
    ]
    ax.plot(SIZES, variance, "o-", color=style.OBSERVED, label="variance")
    ax.plot(SIZES, foretold, "--", color=style.GUARANTEED, label="σ² (ρ + (1 − ρ)/T)")
    ax.plot(SIZES, bias, "s-", color=style.BROKEN, label="bias²")
    ax.set_xscale("log", base=2)
    ax.set_xticks(SIZES, [str(size) for size in SIZES])
    ax.set(xlabel="trees T", ylabel="mean over new points")
    ax.set_ylim(0.0, 1.1 * variance.max())
    ax.legend(title=f"ρ = {correlation:.2f}")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(
        figure(), target / "a_forests_variance_falls_with_its_size_and_its_bias_does_not.svg"
    )
