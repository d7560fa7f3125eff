"""Binary trees as learners: their parameters become the rules of growth."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surelearn import _arguments
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.tables import table
from surelearn.learners.trees._binary.growing import Limits, grow
from surelearn.learners.trees._tree import Tree


class BinaryTree:
    """How the learners that ask yes or no grow: by a criterion, within limits, on a grid or not."""

    criterion: str
    max_depth: int | None
    max_leaf_nodes: int | None
    max_nodes: int | None
    min_samples_split: int
    min_samples_leaf: int
    min_weight_fraction_leaf: float
    min_gain: float
    thresholds: Sequence[float] | Sequence[ArrayLike] | None
    grid_: tuple[Vector, ...] | None

    _criteria: tuple[str, ...]

    def _grow(
        self, X: Matrix, n_categories: Indices, targets: Any, weights: Vector, n_classes: int
    ) -> Tree:
        if self.criterion not in self._criteria:
            raise ValueError(f"criterion={self.criterion!r} must be one of {self._criteria}")
        self.grid_ = self._cut_points(n_categories)
        return grow(
            X,
            n_categories,
            targets,
            weights,
            n_classes=n_classes,
            criterion=self.criterion,
            limits=self._limits(),
            grid=self.grid_,
        )

    def _limits(self) -> Limits:
        """Check the parameters that limit growth."""
        for name in ("max_depth", "max_leaf_nodes", "max_nodes"):
            if getattr(self, name) is not None:
                _arguments.at_least_one(name, getattr(self, name))
        _arguments.at_least_one("min_samples_leaf", self.min_samples_leaf)
        if not isinstance(self.min_samples_split, Integral) or self.min_samples_split < 2:
            raise ValueError(
                f"min_samples_split={self.min_samples_split!r} must be a whole number, 2 or more"
            )
        if not 0.0 <= self.min_weight_fraction_leaf <= 0.5:
            raise ValueError(
                f"min_weight_fraction_leaf={self.min_weight_fraction_leaf!r} must lie in [0, 0.5]"
            )
        if not isinstance(self.min_gain, Real) or not self.min_gain >= 0.0:
            raise ValueError(f"min_gain={self.min_gain!r} must be a number, 0 or more")
        leaves = [
            *([] if self.max_leaf_nodes is None else [self.max_leaf_nodes]),
            *([] if self.max_nodes is None else [(self.max_nodes + 1) // 2]),
        ]
        return Limits(
            max_depth=self.max_depth,
            max_leaves=min(leaves, default=None),
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            min_weight_fraction_leaf=float(self.min_weight_fraction_leaf),
            min_gain=float(self.min_gain),
        )

    def _cut_points(self, n_categories: Indices) -> tuple[Vector, ...] | None:
        """Return the cut points given for each column, none for one of categories."""
        if self.thresholds is None:
            return None
        given: Sequence[Any] = self.thresholds
        names = table.column_names(self)
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


def _cut_points(points: ArrayLike, name: str) -> Vector:
    """Return the cut points of one column, sorted, each once."""
    cuts = np.unique(np.asarray(points, dtype=np.float64))
    if cuts.ndim != 1 or not np.isfinite(cuts).all():
        raise ValueError(f"thresholds of column {name!r} must be a list of finite numbers")
    return cuts
