"""Rows that judge the nodes of a tree: what each of them loses at each node it passes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import check_numbers, row_weights
from surelearn.base.tables import table
from surelearn.learners.trees._arrivals import arrivals
from surelearn.learners.trees._binary.errors import loss_of


@dataclass(frozen=True)
class HeldOut:
    """Rows with the class or number each should get, and how much each counts."""

    rows: Matrix
    targets: Any
    weights: Vector


def read_held_out(model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> HeldOut:
    """Check rows that are to judge a fitted tree; a class is told by its place in `classes_`."""
    rows = table.read_table(model, X)
    weights = row_weights(sample_weight, n=len(rows))
    if not hasattr(model, "classes_"):
        return HeldOut(rows, check_numbers(y, n=len(rows)), weights)
    labels = _arguments.labels("y", y)
    if labels.shape != (len(rows),):
        raise ValueError(f"y has shape {labels.shape}; give one label for each of {len(rows)} rows")
    strangers = sorted({*labels.tolist()} - {*model.classes_.tolist()}, key=str)
    if strangers:
        raise ValueError(
            f"label {strangers[0]!r} is not among the classes {model.classes_.tolist()} of this "
            "tree, so none of its leaves can be right: leave such rows out, or fit again with them"
        )
    return HeldOut(rows, validation.index_among(model.classes_, labels), weights)


def losses(model: Any, targets: Any, nodes: Indices) -> Vector:
    """Return the loss of the target of each row at a node: an error, or by the criterion.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> model = SimpleNamespace(tree_=stump, classes_=np.array(["no", "yes"]))
    >>> losses(model, np.array([1, 1]), np.array([0, 2]))
    array([1., 0.])
    """
    if hasattr(model, "classes_"):
        return (model.tree_.shares().argmax(axis=1)[nodes] != targets).astype(np.float64)
    return loss_of(model.criterion)(targets, model.tree_.value[nodes, 0])


def node_losses(model: Any, held_out: HeldOut) -> Vector:
    """Return what each node would lose in all as a leaf, on the rows that arrive there."""
    total = np.zeros(model.tree_.n_nodes)
    for level in arrivals(model.tree_, held_out.rows):
        lost = losses(model, held_out.targets[level.rows], level.nodes)
        share = level.shares * held_out.weights[level.rows]
        total += np.bincount(level.nodes, share * lost, minlength=len(total))
    return total
