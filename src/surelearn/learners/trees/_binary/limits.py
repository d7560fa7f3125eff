"""When a node is not split, and where numbers may be cut: the parameters of CART, checked."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, cast

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.base.tables import table


@dataclass(frozen=True)
class GrowthLimits:
    """When a node is not split.

    Attributes
    ----------
    max_depth
        The largest depth; None if there is no limit.
    max_leaf_nodes, max_nodes
        The largest number of leaves, or of all nodes; with either, the best split comes first.
    min_samples_split, min_samples_leaf
        The least number of rows of a node that is split, and of its children.
    min_weight_fraction_leaf
        The least share of the total weight that a child of a split must have.
    min_gain
        The least decrease of the impurity, times the node's share of the weight.

    Examples
    --------
    >>> GrowthLimits(max_leaf_nodes=9, max_nodes=12).max_leaves
    6
    """

    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    max_nodes: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0

    def __post_init__(self) -> None:
        """Refuse limits that mean nothing."""
        for name in ("max_depth", "max_leaf_nodes", "max_nodes"):
            if getattr(self, name) is not None:
                _arguments.at_least_one(name, getattr(self, name))
        _arguments.at_least_one("min_samples_leaf", self.min_samples_leaf)
        split, gain = self.min_samples_split, self.min_gain
        if not isinstance(split, Integral) or split < 2:
            raise ValueError(f"min_samples_split={split!r} must be a whole number, 2 or more")
        if not 0.0 <= self.min_weight_fraction_leaf <= 0.5:
            raise ValueError(
                f"min_weight_fraction_leaf={self.min_weight_fraction_leaf!r} must lie in [0, 0.5]"
            )
        if not isinstance(gain, Real) or not gain >= 0.0:
            raise ValueError(f"min_gain={gain!r} must be a number, 0 or more")

    @property
    def max_leaves(self) -> int | None:
        """The largest number of leaves that both limits allow."""
        leaves = [
            *([] if self.max_leaf_nodes is None else [self.max_leaf_nodes]),
            *([] if self.max_nodes is None else [(self.max_nodes + 1) // 2]),  # 2 leaves - 1 nodes
        ]
        return min(leaves, default=None)


def limits_of(model: Any) -> GrowthLimits:
    """Return the limits that a learner's parameters of the same names set."""
    return GrowthLimits(
        **{field.name: getattr(model, field.name) for field in fields(GrowthLimits)}
    )


def grid_of(model: Any, n_categories: Indices) -> tuple[Vector, ...] | None:
    """Return the cut points that a learner's `thresholds` give each column; none to categories."""
    if model.thresholds is None:
        return None
    given: Sequence[Any] = model.thresholds
    if not isinstance(cast("object", given), Sequence) and np.ndim(given) == 0:
        raise TypeError(
            f"thresholds={given!r} must be a list of cut points, or one for each column"
        )
    names = table.column_names(model)
    if all(isinstance(item, Real) for item in given):
        given = [given] * len(names)
    if len(given) != len(names):
        raise ValueError(
            f"thresholds has {len(given)} lists of cut points for {len(names)} columns; give "
            "one list for each column, or one list of numbers for all of them"
        )
    return tuple(
        _cut_points(points if n == 0 else [], name)
        for points, n, name in zip(given, n_categories, names, strict=True)
    )


def refuse_wild_grid(grid: Any, n_features: int) -> None:
    """Refuse a grid that `grid_of` cannot have made, as a forged model file may hold it."""
    if grid is None:
        return
    fits = isinstance(grid, tuple) and len(cast("tuple[Any, ...]", grid)) == n_features
    if not fits or not all(
        isinstance(cuts, np.ndarray) and cuts.dtype == np.float64 and cuts.ndim == 1
        for cuts in cast("tuple[Any, ...]", grid)
    ):
        raise ValueError("its grid is not a list of cut points for each column")


def _cut_points(points: ArrayLike, name: str) -> Vector:
    """Return the cut points of one column, sorted, each once."""
    cuts = np.unique(_arguments.numbers(f"thresholds of column {name!r}", points))
    if cuts.ndim != 1 or not np.isfinite(cuts).all():
        raise ValueError(f"thresholds of column {name!r} must be a list of finite numbers")
    return cuts
