"""Where the risk comes from, over a setting of the learner."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from surelearn.evaluate.bias_variance import BiasVariance, RiskDecomposition
from surelearn.plots import style

_SHADES = (style.MUTED, style.OBSERVED, style.GUARANTEED)


def plot_bias_variance(
    results: BiasVariance | RiskDecomposition | Mapping[Any, BiasVariance | RiskDecomposition],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the parts of the risk on top of each other, one bar for each setting.

    Parameters
    ----------
    results
        What `bias_variance` or `decompose_risk` returned; or several of one kind, by their
        settings.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.datasets.noisy_function import NoisyFunction
    >>> from surelearn.evaluate.bias_variance import bias_variance
    >>> from sklearn.dummy import DummyRegressor
    >>> world = NoisyFunction(lambda X: X[:, 0], noise=1.0)
    >>> ax = plot_bias_variance(bias_variance(DummyRegressor(), world, n=5, n_replicates=9))
    >>> [bars.get_label() for bars in ax.containers]
    ['noise', 'bias²', 'variance']
    """
    named = results if isinstance(results, Mapping) else {"": results}
    if ax is None:
        _, (ax,) = style.new_figure("Where the risk comes from")
    parts = [_parts(result) for result in named.values()]
    bottom = np.zeros(len(parts))
    for label, colour in zip(parts[0], _SHADES, strict=True):
        # An unbiased estimate of a square may be a little below zero.
        heights = np.maximum(0.0, [part[label] for part in parts])
        ax.bar(range(len(parts)), heights, bottom=bottom, label=label, color=colour, width=0.7)
        bottom += heights
    ax.set_xticks(range(len(parts)), [str(name) for name in named])
    squared = isinstance(next(iter(named.values())), BiasVariance)
    ax.set_ylabel("expected squared error" if squared else "mean risk")
    ax.grid(visible=False, axis="x")
    ax.legend(fontsize=8)
    return ax


def _parts(result: BiasVariance | RiskDecomposition) -> dict[str, float]:
    if isinstance(result, BiasVariance):
        vectors = {"noise": result.noise, "bias²": result.bias_squared, "variance": result.variance}
        return {name: float(vector.mean()) for name, vector in vectors.items()}
    return {
        "Bayes risk": result.bayes,
        "approximation": result.approximation,
        "estimation": result.estimation,
    }
