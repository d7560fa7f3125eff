"""The best cut of one sorted column of numbers.

A split must gain more than another, by more than rounding, to be preferred to it: so ties go to
the one that is tried first.
"""

from surelearn._jit import borrowing
from surelearn._typing import Indices, Matrix, Vector
from surelearn.impurities.compiled import GINI
from surelearn.learners.trees._binary.gains import (
    COUNTS,
    DISTANCES,
    LEFT,
    LEFT_MOMENT,
    MOMENT,
    MOMENTS,
    TARGET,
    WEIGHT,
    WHOLE,
    GrowthRules,
    enter_ranks,
    loss_of_counts,
    loss_of_distances,
)
from surelearn.learners.trees._binary.packed_cells import count_known, key_of, row_of

ROUNDING = 1e-12
"""How much of a node's impurity does not tell one gain from another.

Sums in another order differ by rounding alone, and rounding must not decide which split is best.
"""
NO_GAIN = -1.0
"""The gain where there is no split."""


@borrowing
def search_numbers(
    column: Indices,
    row_values: Matrix,
    rules: GrowthRules,
    lost: float,
    count_terms: Indices,
    sums: Matrix,
    rank_sums: Matrix,
) -> tuple[float, int, int]:
    """Return the gain of the best cut, its last key on the left, and whether missing cells go left.

    Missing cells are first sent right, then left. The gain is negative if there is no cut.
    """
    known, n = count_known(column), len(column)
    best, key, missing_left = NO_GAIN, 0, 0
    for missing_go_left in range(1 if known == n else 2):
        clear_left(rules, sums, rank_sums, n)
        n_left = n - known if missing_go_left else 0
        for i in range(n - n_left, n):  # missing cells stand last
            enter_row(row_of(column[i]), row_values, rules, sums[LEFT])
            if rules.statistic == DISTANCES:
                enter_ranks(row_values, row_of(column[i]), 1.0, rank_sums, n)
        if rules.statistic == MOMENTS:
            found, place = _scan_moments(column, known, n_left, row_values, rules, lost, sums)
        elif len(count_terms) > 0:
            found, place = _scan_count_terms(
                column, known, n_left, row_values, rules, lost, count_terms, sums
            )
        elif rules.statistic == COUNTS:
            found, place = _scan_counts(
                column, known, n_left, row_values, rules, lost, count_terms, sums
            )
        else:
            found, place = _scan_distances(
                column, known, n_left, row_values, rules, lost, sums, rank_sums
            )
        if found > best + ROUNDING * lost:
            best, key, missing_left = found, key_of(column[place]), missing_go_left
    return best, key, missing_left


@borrowing
def clear_left(rules: GrowthRules, sums: Matrix, rank_sums: Matrix, n: int) -> None:
    """Empty the left side of a node of n rows."""
    sums[LEFT] = 0.0
    if rules.statistic == DISTANCES:
        rank_sums[: LEFT_MOMENT + 1, : n + 1] = 0.0


@borrowing
def enter_row(row: int, row_values: Matrix, rules: GrowthRules, vector: Vector) -> None:
    """Add a row to a vector of sums."""
    weight = row_values[WEIGHT, row] if rules.weighted else 1.0
    vector[-1] += weight
    if rules.statistic == COUNTS:
        vector[int(row_values[TARGET, row])] += weight
    else:
        vector[0] += row_values[MOMENT, row]


@borrowing
def _may_cut_after(column: Indices, i: int, known: int, rules: GrowthRules) -> bool:
    """Return whether a cut may come after the known cell at i."""
    # After the last known cell the question is whether a cell is known at all.
    return rules.asks_if_known if i + 1 == known else key_of(column[i]) != key_of(column[i + 1])


@borrowing
def leaves_enough(n_left: int, n: int, weight: float, whole: float, rules: GrowthRules) -> bool:
    """Return whether both sides have enough rows and weight."""
    least = rules.min_samples_leaf
    return (
        least <= n_left <= n - least
        and rules.min_weight_leaf <= weight
        and rules.min_weight_leaf <= whole - weight
    )


@borrowing
def _scan_moments(
    column: Indices,
    known: int,
    n_left: int,
    row_values: Matrix,
    rules: GrowthRules,
    lost: float,
    sums: Matrix,
) -> tuple[float, int]:
    """Let the known rows enter one by one; return the best gain and the place of its last row."""
    moment, weight, total, whole = sums[LEFT, 0], sums[LEFT, 1], sums[WHOLE, 0], sums[WHOLE, 1]
    scale = (2.0 if rules.criterion == GINI else 1.0) / whole  # out of the loop; so is the tie
    best, place, tie, n = NO_GAIN, 0, ROUNDING * lost / scale, len(column)
    for i in range(known):
        row = row_of(column[i])
        moment += row_values[MOMENT, row]
        weight += row_values[WEIGHT, row] if rules.weighted else 1.0
        n_left += 1
        if _may_cut_after(column, i, known, rules) and leaves_enough(
            n_left, n, weight, whole, rules
        ):
            # The squared gap of the two means as one fraction: the loss of the sides taken from
            # that of the whole would cancel where a split gains little.
            gap = moment * whole - weight * total
            found = gap * gap / (weight * (whole - weight))
            if found > best + tie:
                best, place = found, i
    return best * scale, place


@borrowing
def _scan_counts(
    column: Indices,
    known: int,
    n_left: int,
    row_values: Matrix,
    rules: GrowthRules,
    lost: float,
    count_terms: Indices,
    sums: Matrix,
) -> tuple[float, int]:
    """Find the best cut in the same way from the weight of each class."""
    best, place, n, whole = NO_GAIN, 0, len(column), sums[WHOLE, -1]
    for i in range(known):
        row = row_of(column[i])
        weight = row_values[WEIGHT, row] if rules.weighted else 1.0
        sums[LEFT, int(row_values[TARGET, row])] += weight
        sums[LEFT, -1] += weight
        n_left += 1
        # Limits first: the loss of counts costs a pass over the classes.
        heavy = leaves_enough(n_left, n, sums[LEFT, -1], whole, rules)
        if heavy and _may_cut_after(column, i, known, rules):
            found = lost - loss_of_counts(rules, sums, count_terms)
            if found > best + ROUNDING * lost:
                best, place = found, i
    return best, place


@borrowing
def _scan_count_terms(
    column: Indices,
    known: int,
    n_left: int,
    row_values: Matrix,
    rules: GrowthRules,
    lost: float,
    count_terms: Indices,
    sums: Matrix,
) -> tuple[float, int]:
    """Find it where both sides lose a sum over the classes of a term of their counts.

    A row changes one term on each side, and the terms are whole numbers: their sum has no rounding.
    """
    best, place, n, left, right = NO_GAIN, 0, len(column), 0, 0
    for k in range(sums.shape[1] - 1):  # the last column has the total
        left += count_terms[int(sums[LEFT, k])]
        right += count_terms[int(sums[WHOLE, k] - sums[LEFT, k])]
    for i in range(known):
        k = int(row_values[TARGET, row_of(column[i])])
        here = int(sums[LEFT, k])
        there = int(sums[WHOLE, k]) - here
        left += count_terms[here + 1] - count_terms[here]
        right += count_terms[there - 1] - count_terms[there]
        sums[LEFT, k] += 1.0
        n_left += 1
        if _may_cut_after(column, i, known, rules) and leaves_enough(n_left, n, n_left, n, rules):
            found = lost - _left_over(count_terms, left, n_left, rules)
            found -= _left_over(count_terms, right, n - n_left, rules)
            if found > best + ROUNDING * lost:
                best, place = found, i
    return best, place


@borrowing
def _left_over(count_terms: Indices, total: int, n: int, rules: GrowthRules) -> float:
    """Return the weighted impurity of n rows whose classes have this total of terms."""
    return (count_terms[n] - total) * (1.0 / n if rules.criterion == GINI else rules.unit)


@borrowing
def _scan_distances(
    column: Indices,
    known: int,
    n_left: int,
    row_values: Matrix,
    rules: GrowthRules,
    lost: float,
    sums: Matrix,
    rank_sums: Matrix,
) -> tuple[float, int]:
    """Find it from sums by rank of target, which give the median of either side."""
    best, place, n, whole = NO_GAIN, 0, len(column), sums[WHOLE, -1]
    for i in range(known):
        row = row_of(column[i])
        sums[LEFT, 0] += row_values[MOMENT, row]
        sums[LEFT, 1] += row_values[WEIGHT, row]
        enter_ranks(row_values, row, 1.0, rank_sums, n)
        n_left += 1
        heavy = leaves_enough(n_left, n, sums[LEFT, -1], whole, rules)
        if heavy and _may_cut_after(column, i, known, rules):
            found = lost - loss_of_distances(sums, rank_sums, n)
            if found > best + ROUNDING * lost:
                best, place = found, i
    return best, place
