"""Leaf values that keep predictions in order along monotone columns."""

from typing import Any

import numpy as np
from scipy import sparse

from surelearn import _arguments
from surelearn._typing import Indices, Vector
from surelearn.learners.ensembles._histogram.grower import CHILD, FEATURE, START, STOP
from surelearn.learners.ensembles._histogram.training import GrownTree


def ordered_values(tree: GrownTree, values: Vector, signs: Indices) -> Vector:
    """Return values of all nodes such that those of leaves are in order along each signed column.

    Where a node asks about such a column, the middle between the means of its two sides bounds all
    leaves on either side; leaves outside their bounds move to them.
    """
    facts, means = tree.facts, _means(tree, values)
    low, high = np.full(len(facts), -np.inf), np.full(len(facts), np.inf)
    for node in np.flatnonzero(facts[:, CHILD] > 0).tolist():
        left, right = facts[node, CHILD], facts[node, CHILD] + 1
        low[left] = low[right] = low[node]
        high[left] = high[right] = high[node]
        sign = signs[facts[node, FEATURE]]
        if sign != 0:
            ends = np.clip(means[[left, right]], low[node], high[node])
            below, above = (left, right) if sign > 0 else (right, left)
            high[below] = low[above] = ends.mean()
    return np.clip(values, low, high)


def _means(tree: GrownTree, values: Vector) -> Vector:
    """Return the mean value of the rows of each node."""
    facts, sums = tree.facts, np.where(tree.facts[:, CHILD] == 0, values, 0.0)
    n_rows = facts[:, STOP] - facts[:, START]
    sums = sums * n_rows
    for node in np.flatnonzero(facts[:, CHILD] > 0)[::-1].tolist():
        child = facts[node, CHILD]
        sums[node] = sums[child] + sums[child + 1]
    return sums / np.maximum(n_rows, 1)


def signs_of(monotonic_cst: Any, names: list[str], categorical: Any) -> Indices:
    """Return 1, -1 or 0 for each column from a list of them or a mapping of names.

    Examples
    --------
    >>> signs_of({"size": 1}, ["size", "age"], [False, False]).tolist()
    [1, 0]
    """
    signs = np.zeros(len(names), dtype=np.int64)
    if monotonic_cst is None:
        return signs
    if isinstance(monotonic_cst, dict) and not sparse.issparse(monotonic_cst):
        strange = [name for name in monotonic_cst if name not in names]
        if strange:
            raise ValueError(f"monotonic_cst names {strange[0]!r}, which is no column: {names}")
        given = np.array([monotonic_cst.get(name, 0) for name in names])
    else:
        given = _arguments.numbers("monotonic_cst", monotonic_cst)
        if given.shape != (len(names),):
            raise ValueError(f"monotonic_cst has shape {given.shape}; give {len(names)} numbers")
    if given.dtype.kind not in "iuf" or not np.isin(given, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst={monotonic_cst!r} must hold 1, -1 and 0 alone")
    signs[:] = given
    if (signs[np.asarray(categorical)] != 0).any():
        raise ValueError("monotonic_cst asks for an order along a column of categories")
    return signs
