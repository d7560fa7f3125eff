"""A price on the weights trades variance for bias, and the best of both lies between."""

from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from surelearn.datasets.noisy_function import NoisyFunction
from surelearn.evaluate.bias_variance import bias_variance
from surelearn.learners.linear.ridge_regression import RidgeRegression
from surelearn.plots import style
from surelearn.plots.bias_variance import plot_bias_variance


def figure():
    """Draw noise, squared bias and variance of ridge regression on polynomials over the price."""
    title = "A price on the weights trades variance for bias, and the best of both lies between"
    drawing, (ax,) = style.new_figure(title)
    world = NoisyFunction(lambda X: np.sin(4.0 * X[:, 0]), noise=0.4)
    results = {
        f"{alpha:g}": bias_variance(
            make_pipeline(PolynomialFeatures(8), RidgeRegression(alpha=alpha)),
            world,
            n=25,
            n_replicates=100,
        )
        for alpha in (1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0, 100.0)
    }
    plot_bias_variance(results, ax=ax)
    ax.set(xlabel="price α of ridge regression on polynomials of degree 8", ylim=(0.0, 0.8))
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "a_price_on_the_weights_trades_variance_for_bias.svg")
