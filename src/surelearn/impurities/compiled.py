"""The impurities as compiled loops know them: an integer, and sums over the weights of classes.

A node of weight W whose classes weigh w_k has W · I = `weighted_impurity` of what `add_class` sums
over k. For the entropy both read c log2 c from a table where weights are counts.
"""

from typing import NamedTuple

import numpy as np

from surelearn._jit import borrowing
from surelearn._typing import Indices

GINI, ENTROPY, MISCLASSIFICATION, SQUARE_ROOT = range(4)
"""The `code` of each impurity."""


class ClassSum(NamedTuple):
    """A sum over the classes of a node; the square root needs a second one, of its roots."""

    total: float
    roots: float


@borrowing
def add_class(
    code: int, before: ClassSum, count: float, weight: float, unit: float, count_terms: Indices
) -> ClassSum:
    """Return the sum with one more class, which weighs `count` of the node's `weight`."""
    if code == GINI:
        return ClassSum(before.total + count * (weight - count), 0.0)  # not c²: nothing cancels
    if code == ENTROPY:
        return ClassSum(before.total + _entropy_term(count, unit, count_terms), 0.0)
    if code == SQUARE_ROOT:
        root = np.sqrt(count)  # times the roots of the classes before it: each pair once
        return ClassSum(before.total + before.roots * root, before.roots + root)
    return ClassSum(max(before.total, count), 0.0)


@borrowing
def weighted_impurity(
    code: int, classes: ClassSum, weight: float, unit: float, count_terms: Indices
) -> float:
    """Return the impurity of a node times its weight, once all its classes are added."""
    if code == GINI:
        return classes.total / weight
    if code == ENTROPY:
        return _entropy_term(weight, unit, count_terms) - classes.total
    if code == SQUARE_ROOT:
        return classes.total
    return weight - classes.total


@borrowing
def _entropy_term(count: float, unit: float, count_terms: Indices) -> float:
    """Return c log2 c, which is 0 at 0; from the table, in units, if counts are whole numbers."""
    if len(count_terms) > 0:
        return unit * count_terms[int(count)]
    return count * np.log2(count) if count > 0.0 else 0.0
