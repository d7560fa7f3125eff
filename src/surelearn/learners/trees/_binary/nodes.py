"""The nodes of a tree in the making: what they hold, and whether they may be split."""

from typing import NamedTuple

import numpy as np

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.trees._binary.columns import row_of
from surelearn.learners.trees._binary.gains import (
    SQUARED_ERROR,
    TARGET,
    WEIGHT,
    Rules,
    Tally,
    lost,
    tally,
)

FEATURE, FIRST_CHILD, START, END, DEPTH, OPEN, BELOW, ABOVE, DEFAULT, ROUTE = range(10)
"""Columns of `Nodes.wholes`.

START and END delimit the rows. BELOW and ABOVE are the rows whose cells surround the cut, -1 if
there is none; ROUTE is where the answers of a categorical question begin.
"""
N_WHOLES = 10
TOTAL, IMPURITY, VALUE = range(3)
"""Columns of `Nodes.numbers`: the weight, the impurity and, from VALUE on, the values."""


class Nodes(NamedTuple):
    """Whole numbers and other numbers of each node, by the columns above."""

    wholes: Indices
    numbers: Matrix


@jit
def describe(
    column: Indices,
    facts: Matrix,
    rules: Rules,
    table: Indices,
    wholes: Indices,
    numbers: Vector,
) -> None:
    """Write what a node of these rows holds; its span and depth stand in `wholes` already.

    For the absolute error the column must be sorted by target.
    """
    if rules.criterion < SQUARED_ERROR:
        pure = _count_classes(column, facts, rules, table, numbers)
    elif rules.criterion == SQUARED_ERROR:
        pure = _find_mean(column, facts, rules.weighted, numbers)
    else:
        pure = _find_median(column, facts, numbers)
    n = len(column)
    large = n >= rules.min_samples_split and n >= 2 * rules.min_samples_leaf
    large = large and numbers[TOTAL] >= 2.0 * rules.min_weight_leaf
    for column_of_none in (FEATURE, FIRST_CHILD, BELOW, ABOVE, DEFAULT, ROUTE):
        wholes[column_of_none] = -1
    wholes[OPEN] = not pure and large and wholes[DEPTH] < rules.max_depth


@jit
def _count_classes(
    column: Indices, facts: Matrix, rules: Rules, table: Indices, numbers: Vector
) -> bool:
    """Write the weight of each class and the impurity; return whether there is one class only."""
    numbers[:] = 0.0
    for i in range(len(column)):
        row = row_of(column[i])
        weight = facts[WEIGHT, row] if rules.weighted else 1.0
        numbers[TOTAL] += weight
        numbers[VALUE + int(facts[TARGET, row])] += weight
    n_present, done = 0, Tally(0.0, 0.0)
    for k in range(VALUE, len(numbers)):
        n_present += numbers[k] > 0.0
        done = tally(rules, done, numbers[k], numbers[TOTAL], table)
    numbers[IMPURITY] = lost(rules, done, numbers[TOTAL], table) / numbers[TOTAL]
    return n_present <= 1


@jit
def _find_mean(column: Indices, facts: Matrix, weighted: bool, numbers: Vector) -> bool:  # noqa: FBT001
    """Write the mean and the variance; return whether all targets are equal."""
    origin = facts[TARGET, row_of(column[0])]
    moment, total = 0.0, 0.0
    for i in range(len(column)):
        row = row_of(column[i])
        weight = facts[WEIGHT, row] if weighted else 1.0
        moment += weight * (facts[TARGET, row] - origin)
        total += weight
    mean, squares, equal = origin + moment / total, 0.0, True
    for i in range(len(column)):
        row = row_of(column[i])
        weight = facts[WEIGHT, row] if weighted else 1.0
        squares += weight * (facts[TARGET, row] - mean) ** 2
        equal = equal and facts[TARGET, row] == origin
    numbers[TOTAL], numbers[IMPURITY], numbers[VALUE] = total, squares / total, mean
    return equal


@jit
def _find_median(column: Indices, facts: Matrix, numbers: Vector) -> bool:
    """Write the median, the middle of it if it is an interval, and the mean distance to it."""
    n, total, below, i = len(column), 0.0, 0.0, 0
    for j in range(n):
        total += facts[WEIGHT, row_of(column[j])]
    while i < n - 1 and below + facts[WEIGHT, row_of(column[i])] < 0.5 * total:
        below += facts[WEIGHT, row_of(column[i])]
        i += 1
    median = facts[TARGET, row_of(column[i])]
    if i < n - 1 and below + facts[WEIGHT, row_of(column[i])] == 0.5 * total:
        median = 0.5 * median + 0.5 * facts[TARGET, row_of(column[i + 1])]
    distances = 0.0
    for j in range(n):
        row = row_of(column[j])
        distances += facts[WEIGHT, row] * np.abs(facts[TARGET, row] - median)
    numbers[TOTAL], numbers[IMPURITY], numbers[VALUE] = total, distances / total, median
    return facts[TARGET, row_of(column[0])] == facts[TARGET, row_of(column[n - 1])]
