"""The best question of one node: sums over the bins that its rows touch, then a scan of these."""

import numpy as np

from surelearn._jit import borrowing
from surelearn._typing import Indices
from surelearn.learners.ensembles._forest.four_columns import FOUR, add_four, are_many, best_cut
from surelearn.learners.ensembles._forest.lowest_bit import lowest_bit
from surelearn.learners.ensembles._forest.scanning import search_column
from surelearn.learners.ensembles._forest.touching import LOW, UNIT, sum_up
from surelearn.learners.ensembles._forest.workspace import (
    ABOVE,
    BELOW,
    FEATURE,
    MISSING_SIDE,
    NOWHERE,
    ONE,
    BinnedTable,
    Quick,
    Rules,
    Words,
    Workspace,
)
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.trees._binary.drawing import draw_feature


@borrowing
def search_node(
    items: Indices, table: BinnedTable, rules: Rules, space: Workspace, state: Words
) -> float:
    """Write the best question of a node and return its gain, negative if there is none.

    Columns are drawn until enough were looked at and one of them divides the node.
    """
    best, n_drawn, features = -1.0, 0, space.features
    two_classes = 1 <= rules.n_classes <= 2 and rules.min_samples_leaf == 1
    quick = space.quick
    if two_classes and are_many(len(items), quick):
        while n_drawn < rules.n_drawn:
            n = min(FOUR, rules.n_drawn - n_drawn)
            for k in range(n):
                draw_feature(features, n_drawn + k, state)
            best = _search_four(items, features[n_drawn : n_drawn + n], table, rules, space, best)
            n_drawn += n
    while n_drawn < len(features) and (n_drawn < rules.n_drawn or best < 0.0):
        feature = draw_feature(features, n_drawn, state)
        n_drawn += 1
        if two_classes and not table.is_category[feature]:
            gain = _search_two_classes(
                items,
                feature,
                table.codes,
                space.table,
                space.touched,
                rules,
                space.whole,
                quick,
            )
            if quick.cut[1] != table.n_bins[feature]:  # no cell is missing: that is all
                if gain > best:
                    best = gain
                    _write_quick(feature, quick.cut, space.question)
                continue
        n_touched = sum_up(items, feature, table, rules, space)
        if n_touched > 1:
            best = search_column(feature, n_touched, table, rules, space, best)
    return best


@borrowing
def _search_four(
    items: Indices,
    features: Indices,
    table: BinnedTable,
    rules: Rules,
    space: Workspace,
    best: float,
) -> float:
    """Write the best question about up to four columns, if it gains more than the best before."""
    quick = space.quick
    width = len(quick.so_far)
    add_four(items, features, len(features), table.codes, quick)
    for k in range(len(features)):
        feature, sums = features[k], quick.tables[k * width : (k + 1) * width]
        n_bins = int(table.n_bins[feature])
        if table.is_category[feature] or sums[n_bins] != 0:  # there are missing cells
            n_touched = sum_up(items, feature, table, rules, space)
            if n_touched > 1:
                best = search_column(feature, n_touched, table, rules, space, best)
            continue
        gain = best_cut(sums, n_bins, space.whole, rules.min_weight_leaf, quick)
        if gain > best:
            best = gain
            _write_quick(feature, quick.cut, space.question)
    quick.tables[:] = 0
    return best


@borrowing
def _search_two_classes(
    items: Indices,
    feature: int,
    codes: Codes,
    table: Indices,
    touched: Words,
    rules: Rules,
    whole: Indices,
    quick: Quick,
) -> float:
    """Return the gain of the best cut of a column; write where it is, and the last bin.

    Most nodes are small, and there every call and every array in between would be felt.
    """
    for i in range(len(items)):
        item = items[i]
        code = np.uint64(codes[feature, np.uint64(item >> 32)])
        table[code] += ((item >> 16) & 0xFFFF) * (UNIT + (item & 0xFFFF))
        touched[code >> np.uint64(6)] |= ONE << (code & np.uint64(63))
    n, weight, moment = 0, 0, 0
    for w in range(len(touched)):
        bits = touched[w]
        touched[w] = np.uint64(0)
        while bits:
            code = 64 * w + lowest_bit(bits)
            bits &= bits - ONE
            weight += table[code] >> 32
            moment += table[code] & LOW
            table[code] = 0
            quick.codes[n], quick.weights[n], quick.moments[n] = code, weight, moment
            n += 1
    quick.cut[1] = quick.codes[n - 1]
    return _best_of(n - 1, float(whole[0]), float(whole[1]), rules.min_weight_leaf, quick)


@borrowing
def _best_of(n: int, whole: float, total: float, least: int, quick: Quick) -> float:
    """Return the largest gain of n cuts, and write the bins around the first that has it.

    Gains are not negative, so their bits are in their order: of whole numbers the largest is found
    several at a time.
    """
    weights, moments, gains, bits = quick.weights, quick.moments, quick.gains, quick.gain_bits
    for k in range(n):
        across = moments[k] * whole - total * weights[k]
        gains[k] = across * across / (weights[k] * (whole - weights[k]))
    if least > 0:
        for k in range(n):
            if min(weights[k], whole - weights[k]) < least:
                gains[k] = -1.0
    best = np.int64(-1)
    for k in range(n):
        best = max(best, bits[k])
    for k in range(n):
        if bits[k] == best:
            quick.cut[0], quick.cut[2] = quick.codes[k], quick.codes[k + 1]
            return gains[k]
    return -1.0


@borrowing
def _write_quick(feature: int, cut: Indices, question: Indices) -> None:
    """Keep a cut of a column without missing cells."""
    question[FEATURE], question[MISSING_SIDE] = feature, NOWHERE
    question[BELOW], question[ABOVE] = cut[0], cut[2]
