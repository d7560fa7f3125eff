"""The best cut of one sorted column of numbers.

A split must gain more than another, by more than rounding, to be preferred to it: so ties go to
the one that is tried first.
"""

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.trees._binary.columns import count_known, key_of, row_of
from surelearn.learners.trees._binary.gains import (
    COUNTS,
    DISTANCES,
    GINI,
    LEFT,
    LEFT_MOMENT,
    MOMENT,
    MOMENTS,
    TARGET,
    WEIGHT,
    WHOLE,
    Rules,
    counts_lost,
    distances_lost,
    enter_tree,
)

ROUNDING = 1e-12
"""How much of a node's impurity does not tell one gain from another."""
NO_GAIN = -1.0
"""The gain where there is no split."""


@jit
def search_numbers(
    column: Indices,
    facts: Matrix,
    rules: Rules,
    lost: float,
    table: Indices,
    sums: Matrix,
    trees: Matrix,
) -> tuple[float, int, int]:
    """Return the gain of the best cut, its last key on the left, and whether missing cells go left.

    Missing cells are first sent right, then left. The gain is negative if there is no cut.
    """
    known, n = count_known(column), len(column)
    best, key, missing_left = NO_GAIN, 0, 0
    for left_first in range(1 if known == n else 2):
        clear(rules, sums, trees, n)
        n_left = n - known if left_first else 0
        for i in range(n - n_left, n):
            enter(row_of(column[i]), facts, rules, sums[LEFT])
            if rules.keeps == DISTANCES:
                enter_tree(facts, row_of(column[i]), 1.0, trees, n)
        if rules.keeps == MOMENTS:
            found, place = _scan_moments(column, known, n_left, facts, rules, lost, sums)
        elif len(table) > 0:
            found, place = _scan_table(column, known, n_left, facts, rules, lost, table, sums)
        elif rules.keeps == COUNTS:
            found, place = _scan_counts(column, known, n_left, facts, rules, lost, table, sums)
        else:
            found, place = _scan_distances(column, known, n_left, facts, rules, lost, sums, trees)
        if found > best + ROUNDING * lost:
            best, key, missing_left = found, key_of(column[place]), left_first
    return best, key, missing_left


@jit
def clear(rules: Rules, sums: Matrix, trees: Matrix, n: int) -> None:
    """Empty the left side of a node of n rows."""
    sums[LEFT] = 0.0
    if rules.keeps == DISTANCES:
        trees[: LEFT_MOMENT + 1, : n + 1] = 0.0


@jit
def enter(row: int, facts: Matrix, rules: Rules, vector: Vector) -> None:
    """Add a row to a vector of sums."""
    weight = facts[WEIGHT, row] if rules.weighted else 1.0
    vector[-1] += weight
    if rules.keeps == COUNTS:
        vector[int(facts[TARGET, row])] += weight
    else:
        vector[0] += facts[MOMENT, row]


@jit
def _differs(column: Indices, i: int, known: int, rules: Rules) -> bool:
    """Return whether a cut may come after the known cell at i."""
    return rules.asks_known if i + 1 == known else key_of(column[i]) != key_of(column[i + 1])


@jit
def enough(n_left: int, n: int, weight: float, whole: float, rules: Rules) -> bool:
    """Return whether both sides have enough rows and weight."""
    least = rules.min_samples_leaf
    return (
        least <= n_left <= n - least
        and rules.min_weight_leaf <= weight
        and rules.min_weight_leaf <= whole - weight
    )


@jit
def _scan_moments(
    column: Indices,
    known: int,
    n_left: int,
    facts: Matrix,
    rules: Rules,
    lost: float,
    sums: Matrix,
) -> tuple[float, int]:
    """Let the known rows enter one by one; return the best gain and the place of its last row."""
    moment, weight, total, whole = sums[LEFT, 0], sums[LEFT, 1], sums[WHOLE, 0], sums[WHOLE, 1]
    scale = (2.0 if rules.criterion == GINI else 1.0) / whole
    best, place, tie, n = NO_GAIN, 0, ROUNDING * lost / scale, len(column)
    for i in range(known):
        row = row_of(column[i])
        moment += facts[MOMENT, row]
        weight += facts[WEIGHT, row] if rules.weighted else 1.0
        n_left += 1
        if _differs(column, i, known, rules) and enough(n_left, n, weight, whole, rules):
            gap = moment * whole - weight * total
            found = gap * gap / (weight * (whole - weight))
            if found > best + tie:
                best, place = found, i
    return best * scale, place


@jit
def _scan_counts(
    column: Indices,
    known: int,
    n_left: int,
    facts: Matrix,
    rules: Rules,
    lost: float,
    table: Indices,
    sums: Matrix,
) -> tuple[float, int]:
    """Do the same with the weight of each class."""
    best, place, n, whole = NO_GAIN, 0, len(column), sums[WHOLE, -1]
    for i in range(known):
        row = row_of(column[i])
        weight = facts[WEIGHT, row] if rules.weighted else 1.0
        sums[LEFT, int(facts[TARGET, row])] += weight
        sums[LEFT, -1] += weight
        n_left += 1
        heavy = enough(n_left, n, sums[LEFT, -1], whole, rules)
        if heavy and _differs(column, i, known, rules):
            found = lost - counts_lost(rules, sums, table)
            if found > best + ROUNDING * lost:
                best, place = found, i
    return best, place


@jit
def _scan_table(
    column: Indices,
    known: int,
    n_left: int,
    facts: Matrix,
    rules: Rules,
    lost: float,
    table: Indices,
    sums: Matrix,
) -> tuple[float, int]:
    """Do the same where both sides lose a sum over the classes, kept in a table of their counts."""
    best, place, n, left, right = NO_GAIN, 0, len(column), 0, 0
    for k in range(sums.shape[1] - 1):
        left += table[int(sums[LEFT, k])]
        right += table[int(sums[WHOLE, k] - sums[LEFT, k])]
    for i in range(known):
        k = int(facts[TARGET, row_of(column[i])])
        here = int(sums[LEFT, k])
        there = int(sums[WHOLE, k]) - here
        left += table[here + 1] - table[here]
        right += table[there - 1] - table[there]
        sums[LEFT, k] += 1.0
        n_left += 1
        if _differs(column, i, known, rules) and enough(n_left, n, n_left, n, rules):
            found = lost - _left_over(table, left, n_left, rules)
            found -= _left_over(table, right, n - n_left, rules)
            if found > best + ROUNDING * lost:
                best, place = found, i
    return best, place


@jit
def _left_over(table: Indices, total: int, n: int, rules: Rules) -> float:
    """Return the weighted impurity of n rows whose classes have this total in the table."""
    return (table[n] - total) * (1.0 / n if rules.criterion == GINI else rules.unit)


@jit
def _scan_distances(
    column: Indices,
    known: int,
    n_left: int,
    facts: Matrix,
    rules: Rules,
    lost: float,
    sums: Matrix,
    trees: Matrix,
) -> tuple[float, int]:
    """Do the same with trees over the targets."""
    best, place, n, whole = NO_GAIN, 0, len(column), sums[WHOLE, -1]
    for i in range(known):
        row = row_of(column[i])
        sums[LEFT, 0] += facts[MOMENT, row]
        sums[LEFT, 1] += facts[WEIGHT, row]
        enter_tree(facts, row, 1.0, trees, n)
        n_left += 1
        heavy = enough(n_left, n, sums[LEFT, -1], whole, rules)
        if heavy and _differs(column, i, known, rules):
            found = lost - distances_lost(sums, trees, n)
            if found > best + ROUNDING * lost:
                best, place = found, i
    return best, place
