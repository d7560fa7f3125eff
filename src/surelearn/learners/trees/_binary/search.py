"""The search of a node: the best split of each of its columns, and the best of those."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.trees._binary.categories import Desk, search_categories
from surelearn.learners.trees._binary.columns import key_of, row_of
from surelearn.learners.trees._binary.cuts import NO_GAIN, ROUNDING, search_numbers
from surelearn.learners.trees._binary.gains import (
    COUNTS,
    DISTANCES,
    GINI,
    IN_ORDER,
    MOMENT,
    RANK,
    TARGET,
    WEIGHT,
    WHOLE,
    WHOLE_MOMENT,
    WHOLE_WEIGHT,
    Rules,
)
from surelearn.learners.trees._binary.nodes import END, IMPURITY, START, TOTAL, VALUE, Nodes


class Columns(NamedTuple):
    """A table: sorted columns, for the absolute error also that of the targets, last; its rows.

    Attributes
    ----------
    entries
        A row of entries per column.
    n_categories
        The number of categories of each column, 0 for numbers.
    facts
        What is known of each row, besides its cells.
    goes_left
        Whether each row goes to the first child of its node, while that is divided.
    """

    entries: Indices
    n_categories: Indices
    facts: Matrix
    goes_left: NDArray[np.uint8]


class Offers(NamedTuple):
    """The best split of each column: gain, last key on the left, where missing cells go; route."""

    gains: Vector
    keys: Indices
    missing_left: Indices
    routes: NDArray[np.int8]


@jit
def prepare(column: Indices, numbers: Vector, facts: Matrix, rules: Rules, desk: Desk) -> None:
    """Sum up a node; the column is sorted by target if the criterion is the absolute error."""
    sums = desk.sums
    sums[WHOLE, -1] = numbers[TOTAL]
    if rules.keeps == COUNTS:
        for k in range(sums.shape[1] - 1):
            sums[WHOLE, k] = numbers[VALUE + k]
    elif rules.criterion == GINI:
        sums[WHOLE, 0] = numbers[VALUE + 1]
    else:
        sums[WHOLE, 0] = _centre(column, numbers[VALUE], facts, rules)
    if rules.keeps == DISTANCES:
        _plant(column, numbers[VALUE], facts, desk.trees)


@jit
def _centre(column: Indices, centre: float, facts: Matrix, rules: Rules) -> float:
    """Write the moments of a node's rows about its centre; return their sum."""
    total = 0.0
    for i in range(len(column)):
        row = row_of(column[i])
        weight = facts[WEIGHT, row] if rules.weighted else 1.0
        facts[MOMENT, row] = weight * (facts[TARGET, row] - centre)
        total += facts[MOMENT, row]
    return total


@jit
def _plant(column: Indices, centre: float, facts: Matrix, trees: Matrix) -> None:
    """Make the Fenwick trees of all rows of a node, and the list of their targets in order."""
    n = len(column)
    trees[WHOLE_WEIGHT:, : n + 1] = 0.0
    for i in range(n):
        row, place = row_of(column[i]), i + 1
        above = place + (place & -place)
        facts[RANK, row] = i
        trees[IN_ORDER, i] = facts[TARGET, row] - centre
        trees[WHOLE_WEIGHT, place] += facts[WEIGHT, row]
        trees[WHOLE_MOMENT, place] += facts[MOMENT, row]
        if above <= n:
            trees[WHOLE_WEIGHT, above] += trees[WHOLE_WEIGHT, place]
            trees[WHOLE_MOMENT, above] += trees[WHOLE_MOMENT, place]


@jit
def consider(
    column: Indices,
    feature: int,
    n_categories: int,
    facts: Matrix,
    rules: Rules,
    lost: float,
    desk: Desk,
    offers: Offers,
) -> None:
    """Write the best split of one column of a node that `prepare` has summed up."""
    offers.gains[feature] = NO_GAIN
    if key_of(column[0]) == key_of(column[-1]):
        return
    if n_categories > 0:
        route = offers.routes[feature, :n_categories]
        offers.gains[feature], offers.missing_left[feature] = search_categories(
            column, facts, rules, lost, desk, route
        )
    else:
        offers.gains[feature], offers.keys[feature], offers.missing_left[feature] = search_numbers(
            column, facts, rules, lost, desk.table, desk.sums, desk.trees
        )


@jit
def search(
    columns: Columns,
    nodes: Nodes,
    node: int,
    features: Indices,
    rules: Rules,
    desk: Desk,
    offers: Offers,
) -> None:
    """Write the best split of some columns of a node."""
    start, end = nodes.wholes[node, START], nodes.wholes[node, END]
    numbers, facts = nodes.numbers[node], columns.facts
    prepare(columns.entries[-1, start:end], numbers, facts, rules, desk)
    lost = numbers[TOTAL] * numbers[IMPURITY]
    for feature in features:
        column = columns.entries[feature, start:end]
        n_categories = int(columns.n_categories[feature])
        consider(column, feature, n_categories, facts, rules, lost, desk, offers)


@jit
def choose(numbers: Vector, rules: Rules, offers: Offers) -> int:
    """Return the feature of the best split of a node, -1 if none gains enough."""
    best, feature = NO_GAIN, -1
    tie = ROUNDING * numbers[TOTAL] * numbers[IMPURITY]
    for f in range(len(offers.gains)):
        if offers.gains[f] > best + tie:
            best, feature = offers.gains[f], f
    return -1 if best + tie < rules.min_gain else feature
