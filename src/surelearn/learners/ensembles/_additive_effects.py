"""Boosted trees of one feature or two each, read as curves and surfaces."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Matrix
from surelearn.base.tables.table import Categories
from surelearn.learners.ensembles._histogram.binning import MISSING, Bins
from surelearn.learners.ensembles._histogram.predictor import add_values
from surelearn.learners.ensembles._histogram.trees import HistogramTrees


class Effect(NamedTuple):
    """What one feature, or a pair, adds to the score of a row.

    Attributes
    ----------
    features
        The places of the features.
    cuts
        For each feature the cuts between its bins, or its categories.
    values
        What is added, for each bin or category of each feature and, last, each output; the last
        entry of a feature is that of missing cells.
    """

    features: tuple[int, ...]
    cuts: tuple[NDArray[Any], ...]
    values: NDArray[np.float64]


def effects_of(
    trees: HistogramTrees, bins: Bins, n_outputs: int, categories: Categories
) -> list[Effect]:
    """Return the effects of all features and pairs that trees ask about, in order."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for t in range(trees.n_trees):
        nodes = slice(trees.first_node[t], trees.first_node[t + 1])
        asked = np.unique(trees.feature[nodes][~trees.is_leaf[nodes]])
        if len(asked) > 2:
            raise ValueError(
                f"tree {t} asks about {len(asked)} features, so the model is no sum of curves and "
                "surfaces: fit it with interactions=1 or 2"
            )
        groups.setdefault(tuple(asked.tolist()), []).append(t)
    return [
        _effect(trees, bins, n_outputs, categories, features, chosen)
        for features, chosen in sorted(groups.items())
    ]


def _effect(
    trees: HistogramTrees,
    bins: Bins,
    n_outputs: int,
    categories: Categories,
    features: tuple[int, ...],
    chosen: list[int],
) -> Effect:
    """Let one row for each combination of bins walk through some trees."""
    sizes = [int(bins.n_bins[j]) + 1 for j in features]
    places = np.indices(sizes).reshape(len(sizes), int(np.prod(sizes)))
    codes = np.zeros((bins.n_features, places.shape[1]), dtype=np.uint8)
    for j, size, place in zip(features, sizes, places, strict=True):
        codes[j] = np.where(place == size - 1, MISSING, place)
    values: Matrix = np.zeros((n_outputs, places.shape[1]))
    for t in chosen:
        k = t % n_outputs
        add_values(trees.one(t), codes, values[k : k + 1])
    table = values.T.reshape(*sizes, n_outputs)
    for axis, j in enumerate(features):
        if categories[j] is not None:  # rare ones may share a bin
            own = bins.category_bins[bins.first_category[j] : bins.first_category[j + 1]]
            table = table.take(np.append(own, sizes[axis] - 1), axis=axis)
    cuts = tuple(_cuts(bins, categories, j) for j in features)
    return Effect(features, cuts, table)


def _cuts(bins: Bins, categories: Categories, j: int) -> NDArray[Any]:
    known = categories[j]
    return bins.cuts[bins.first_cut[j] : bins.first_cut[j + 1]] if known is None else known
