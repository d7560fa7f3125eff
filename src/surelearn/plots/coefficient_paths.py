"""Coefficients over the strength of a penalty."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from surelearn._typing import ArrayLike
from surelearn.plots import style

_NAMED = 6  # more names than this make a legend nobody reads


def plot_coefficient_paths(
    strengths: ArrayLike,
    coefficients: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    xlabel: str = "alpha",
    ax: Axes | None = None,
) -> Axes:
    """Draw one line for each coefficient over the parameter that sets the penalty.

    The longest few, where the penalty is weakest and they differ most, are named.

    Parameters
    ----------
    strengths
        The values of the parameter, positive.
    coefficients
        A line of coefficients for each value.
    names
        The names of the features; x0, x1, ... if None.
    xlabel
        The name of the parameter.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> ax = plot_coefficient_paths([0.1, 1.0], [[2.0, -1.0], [1.0, 0.0]], names=["a", "b"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    values, lines = np.asarray(strengths, dtype=float), np.atleast_2d(coefficients)
    if lines.shape[0] != len(values):
        raise ValueError(
            f"coefficients has {lines.shape[0]} lines for {len(values)} strengths; give one each"
        )
    if ax is None:
        _, (ax,) = style.new_figure("Coefficients over the strength of the penalty")
    labels = [f"x{j}" for j in range(lines.shape[1])] if names is None else list(names)
    longest = np.argsort(-np.abs(lines).max(axis=0))[:_NAMED]
    for j, label in enumerate(labels):
        named = j in longest
        ax.plot(
            values, lines[:, j], label=style.label(label) if named else None,
            color=None if named else style.MUTED, linewidth=1.8 if named else 0.8,
        )  # fmt: skip
    ax.axhline(0.0, color="black", linewidth=0.6)
    ax.set(xscale="log", xlabel=xlabel, ylabel="coefficient")
    ax.legend(fontsize=8)
    return ax
