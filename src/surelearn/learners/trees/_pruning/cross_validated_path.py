"""The choice of a subtree of the weakest-link path by cross-validation.

The subtree T_k is the best one for prices of a leaf from α_k to α_{k+1}, so in a tree grown without
a fold its like is the best subtree at the price √(α_k α_{k+1}), Breiman et al. (1984), section 3.4.
A price is a part of the total cost and shrinks with the rows: it is scaled to those of the fold.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from sklearn.model_selection import PredefinedSplit, cross_validate

from surelearn import _arguments
from surelearn._typing import Indices, Mask, Vector
from surelearn.base.fitting import fresh_copy
from surelearn.base.tables.table import read_table
from surelearn.learners.trees._arrivals import arrivals
from surelearn.learners.trees._pruning.cost_complexity import (
    PruningPath,
    WeakestLinks,
    weakest_link,
)
from surelearn.learners.trees._pruning.held_out import HeldOut, losses
from surelearn.learners.trees._tree import Tree

Costs: TypeAlias = Callable[[Tree], Vector]
"""What each node of a tree costs as a leaf."""

_ANY_PRICE = np.finfo(np.float64).max


@dataclass(frozen=True)
class CrossValidatedPath:
    """The subtrees of the weakest-link path with their cross-validated errors.

    Attributes
    ----------
    path
        The subtrees.
    errors, standard_errors
        The mean loss of each subtree on rows it was not grown from, and the standard error of that
        mean.

    Examples
    --------
    >>> path = PruningPath(np.array([0.0, 1.0, 9.0]), np.array([5, 2, 1]), np.array([0.0, 3, 12]))
    >>> result = CrossValidatedPath(path, np.array([0.2, 0.22, 0.5]), np.full(3, 0.03))
    >>> result.best, result.simplest, result.alpha()
    (0, 1, 1.0)
    """

    path: PruningPath
    errors: Vector
    standard_errors: Vector

    @property
    def best(self) -> int:
        """The place of the subtree of least error; of equals, the smallest one."""
        return int(np.flatnonzero(self.errors == self.errors.min())[-1])

    @property
    def simplest(self) -> int:
        """The place of the smallest subtree within one standard error of the best."""
        limit = self.errors[self.best] + self.standard_errors[self.best]
        return int(np.flatnonzero(self.errors <= limit)[-1])

    def alpha(self, *, one_standard_error: bool = True) -> float:
        """Return the price of a leaf that gives the simplest subtree, or the best one."""
        simplest = _arguments.flag("one_standard_error", one_standard_error)
        return float(self.path.alphas[self.simplest if simplest else self.best])


class PathErrors:
    """The losses of all subtrees of a path at once, added up fold by fold.

    A row loses at one node of its way the same for a whole range of prices: those at which the node
    is closed and none above it is. Losses are added up in a unit, a power of two: their squares do
    not overflow.
    """

    def __init__(self, prices: Vector, unit: float) -> None:
        self._prices, self._sums = prices, np.zeros((3, len(prices) + 1))
        self._unit = unit
        self._weight, self._squares = 0.0, 0.0

    def add(self, model: Any, links: WeakestLinks, held_out: HeldOut, scale: float) -> None:
        """Add the losses of the rows of a fold in the tree grown without it."""
        prices = self._prices * scale
        closing = np.where(model.tree_.is_leaf, -np.inf, links.closing)
        above = np.full(len(held_out.rows), np.inf)
        for level in arrivals(model.tree_, held_out.rows, divide=False):
            rows, nodes = level.rows, level.nodes
            first = np.searchsorted(prices, closing[nodes])
            last = np.maximum(first, np.searchsorted(prices, above[rows]))
            weight = held_out.weights[rows]
            lost = losses(model, held_out.targets[rows], nodes) / self._unit
            for sums, term in zip(self._sums, _moments(weight, lost), strict=True):
                np.add.at(sums, first, term)
                np.subtract.at(sums, last, term)
            above[rows] = np.minimum(above[rows], closing[nodes])
        self._weight += float(held_out.weights.sum())
        self._squares += float((held_out.weights**2).sum())

    def result(self, path: PruningPath) -> CrossValidatedPath:
        """Return the mean losses and their standard errors."""
        lost, squared, lost_squared = np.cumsum(self._sums, axis=1)[:, :-1]
        mean = np.maximum(0.0, lost / self._weight)
        spread = lost_squared - 2.0 * mean * squared + mean**2 * self._squares
        errors = np.sqrt(np.maximum(0.0, spread)) / self._weight
        return CrossValidatedPath(path, self._unit * mean, self._unit * errors)


def cross_validate_path(
    model: Any, X: Any, y: Any, held_out: HeldOut, costs: Costs, *, folds: Indices
) -> CrossValidatedPath:
    """Return the cross-validated errors of the path of a fitted tree.

    Parameters
    ----------
    model, X, y, held_out
        The tree and its training rows, as they were given and as they were read.
    costs
        What each node of a tree costs as a leaf.
    folds
        The fold of each row.
    """
    path = weakest_link(model.tree_, costs(model.tree_)).path
    prices = np.sqrt(path.alphas[:-1]) * np.sqrt(path.alphas[1:])
    unit = _power_of_two(losses(model, held_out.targets, np.zeros(len(folds), dtype=np.int64)))
    errors = PathErrors(np.append(prices, _ANY_PRICE), unit)  # at the last only the root is left
    judges = replace(held_out, weights=held_out.weights / _power_of_two(held_out.weights))
    for fold, grown in enumerate(_grown(model, X, y, held_out, folds)):
        left = judges.weights[folds != fold].sum() / judges.weights.sum()
        part = _part(grown, X, judges, folds == fold, getattr(model, "classes_", None))
        errors.add(grown, weakest_link(grown.tree_, costs(grown.tree_)), part, float(left))
    return errors.result(path)


def deal(groups: Vector, n_folds: int, seed: int) -> Indices:
    """Return a fold for each row: rows are dealt out at random, each group evenly.

    Examples
    --------
    >>> folds = deal(np.array([0, 0, 0, 0, 1, 1]), 2, seed=0)
    >>> np.bincount(folds).tolist(), np.bincount(folds[:4]).tolist()
    ([3, 3], [2, 2])
    """
    order = np.lexsort((_arguments.generator("seed", seed).random(len(groups)), groups))
    folds = np.empty(len(groups), dtype=np.int64)
    folds[order] = np.arange(len(groups)) % n_folds
    return folds


def _power_of_two(numbers: Vector) -> float:
    """Return the one just above the largest number, 1 if that is 0: to divide by it is exact."""
    return math.ldexp(1.0, math.frexp(float(numbers.max()))[1])


def _grown(model: Any, X: Any, y: Any, held_out: HeldOut, folds: Indices) -> list[Any]:
    """Return for each fold the learner fitted to the others."""
    validate: Any = cross_validate
    run = validate(
        fresh_copy(model),
        X,
        y,
        cv=PredefinedSplit(folds),
        params={"sample_weight": held_out.weights},
        scoring=_no_score,
        return_estimator=True,
        error_score="raise",
    )
    return run["estimator"]


def _no_score(*_: Any) -> float:
    return 0.0


def _part(grown: Any, X: Any, held_out: HeldOut, chosen: Mask, classes: Any) -> HeldOut:
    """Return the rows of a fold as the tree grown without it reads them."""
    rows = read_table(grown, X)[chosen]
    targets = held_out.targets[chosen]
    if classes is not None:
        # The places of the classes that the other folds hold; -1 for one that they lack.
        place = {label: i for i, label in enumerate(grown.classes_.tolist())}
        targets = np.array([place.get(label, -1) for label in classes.tolist()])[targets]
    return HeldOut(rows, targets, held_out.weights[chosen])


def _moments(weight: Vector, lost: Vector) -> tuple[Vector, Vector, Vector]:
    return weight * lost, weight**2 * lost, (weight * lost) ** 2
