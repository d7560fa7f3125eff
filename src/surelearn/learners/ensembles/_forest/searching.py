"""The best question of one node: sums over the bins that its rows touch, then a scan of these.

A map of bits remembers which bins were touched, so a small node costs what its rows cost and
nothing is sorted but categories. All sums are whole numbers: their order does not matter.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import inner
from surelearn._typing import Indices, Mask, Vector
from surelearn.learners.ensembles._forest.lowest_bit import lowest_bit
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.trees._binary.drawing import draw_feature

Words = NDArray[np.uint64]

_ONE = np.uint64(1)
_UNIT = 1 << 32  # in a word of two classes the weight stands above, that of the last class below
_LOW = _UNIT - 1

FEATURE, BELOW, ABOVE, MISSING_SIDE = range(4)
"""What a question is made of: its column, the bins around the cut, the side of missing cells."""
LEFT, RIGHT, NOWHERE = range(3)
"""The side of missing cells; nowhere if the node has none."""


class BinnedTable(NamedTuple):
    """What all trees of a forest are grown from.

    Attributes
    ----------
    codes
        The bin of each cell, a row for each column.
    n_bins, is_category
        The number of bins of each column, whose next code is a missing cell; whether these are
        categories.
    targets
        In a regression the target of each row as a whole number, to sum; otherwise empty.
    numbers
        In a regression the targets themselves; otherwise empty.
    """

    codes: Codes
    n_bins: Indices
    is_category: Mask
    targets: Indices
    numbers: Vector


class Rules(NamedTuple):
    """How trees are grown; `n_classes` is 0 in a regression."""

    n_classes: int
    n_drawn: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: int


class Quick(NamedTuple):
    """What the search of two classes works on.

    Attributes
    ----------
    codes, weights, moments
        The touched bins, the weight up to each, and that of the last class.
    gains, gain_bits
        The gain of the cut after each bin, as a number and as its bits.
    cut
        The bin below the best cut of a column, the last bin of the node, the bin above the cut.
    """

    codes: Indices
    weights: Vector
    moments: Vector
    gains: Vector
    gain_bits: Indices
    cut: Indices


def _room_for_cuts(most: int) -> Quick:
    gains = np.zeros(most)
    return Quick(
        codes=np.zeros(most, dtype=np.int64),
        weights=np.zeros(most),
        moments=np.zeros(most),
        gains=gains,
        gain_bits=gains.view(np.int64),
        cut=np.zeros(3, dtype=np.int64),
    )


class Workspace(NamedTuple):
    """What the search of one node works on; tables and maps are empty between columns.

    Attributes
    ----------
    table, counts, touched
        Sums over the rows of each bin, the number of these rows, and which bins have any.
    codes, sums, rows
        The touched bins in a row: their codes, their sums, their numbers of rows.
    order
        The places of the touched bins by which a scan goes through them.
    whole, size, left
        The sums of the node, the number of its rows, and the sums of its left side in a scan.
    features
        All columns; those that were drawn at a node stand in front.
    question, route, present
        The best question of the node: see `FEATURE`; if it asks for categories, the bins on its
        left, and those that the node has.
    quick
        What the search of two classes works on.
    """

    table: Indices
    counts: Indices
    touched: Words
    codes: Indices
    sums: Indices
    rows: Indices
    order: Indices
    whole: Indices
    size: Indices
    left: Indices
    features: Indices
    question: Indices
    quick: Quick
    route: Words
    present: Words


def workspace(table: BinnedTable, n_classes: int) -> Workspace:
    """Return room for the search of a node."""
    most = int(table.n_bins.max()) + 1  # missing cells
    width = max(2, n_classes)
    n_words = most // 64 + 1
    return Workspace(
        table=np.zeros(most * width, dtype=np.int64),
        counts=np.zeros(most, dtype=np.int64),
        touched=np.zeros(n_words, dtype=np.uint64),
        codes=np.zeros(most, dtype=np.int64),
        sums=np.zeros((most, width), dtype=np.int64),
        rows=np.zeros(most, dtype=np.int64),
        order=np.zeros(most, dtype=np.int64),
        whole=np.zeros(width, dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        left=np.zeros(width, dtype=np.int64),
        features=np.arange(len(table.n_bins)),
        question=np.zeros(4, dtype=np.int64),
        quick=_room_for_cuts(most),
        route=np.zeros(n_words, dtype=np.uint64),
        present=np.zeros(n_words, dtype=np.uint64),
    )


@inner
def search_node(
    items: Indices, table: BinnedTable, rules: Rules, space: Workspace, state: Words
) -> float:
    """Write the best question of a node and return its gain, negative if there is none.

    Columns are drawn until enough were looked at and one of them divides the node.
    """
    best, n_drawn, features = -1.0, 0, space.features
    two_classes = 1 <= rules.n_classes <= 2 and rules.min_samples_leaf == 1
    quick = space.quick
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
        n_touched = _sum_up(items, feature, table, rules, space)
        if n_touched > 1:
            best = _search_column(feature, n_touched, table, rules, space, best)
    return best


@inner
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
        code = np.uint64(codes[feature, item >> 32])
        table[code] += ((item >> 16) & 0xFFFF) * (_UNIT + (item & 0xFFFF))
        touched[code >> np.uint64(6)] |= _ONE << (code & np.uint64(63))
    n, weight, moment = 0, 0, 0
    for w in range(len(touched)):
        bits = touched[w]
        touched[w] = np.uint64(0)
        while bits:
            code = 64 * w + lowest_bit(bits)
            bits &= bits - _ONE
            weight += table[code] >> 32
            moment += table[code] & _LOW
            table[code] = 0
            quick.codes[n], quick.weights[n], quick.moments[n] = code, weight, moment
            n += 1
    quick.cut[1] = quick.codes[n - 1]
    return _best_of(n - 1, float(whole[0]), float(whole[1]), rules.min_weight_leaf, quick)


@inner
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


@inner
def _write_quick(feature: int, cut: Indices, question: Indices) -> None:
    """Keep a cut of a column without missing cells."""
    question[FEATURE], question[MISSING_SIDE] = feature, NOWHERE
    question[BELOW], question[ABOVE] = cut[0], cut[2]


@inner
def _sum_up(
    items: Indices, feature: int, table: BinnedTable, rules: Rules, space: Workspace
) -> int:
    """Sum over each bin of a column of a node's rows; return how many bins were touched."""
    column = table.codes[feature]
    if rules.n_classes == 0:
        _add_numbers(items, column, table.targets, space.table, space.touched)
    elif rules.n_classes <= 2:
        _add_two_classes(items, column, space.table, space.touched)
    else:
        _add_classes(items, column, rules.n_classes, space.table, space.touched)
    if rules.min_samples_leaf > 1:
        _count_rows(items, column, space.counts)
    if 1 <= rules.n_classes <= 2:
        return _collect_two_classes(space)
    return _collect(space)


@inner
def _add_two_classes(items: Indices, column: Codes, table: Indices, touched: Words) -> None:
    """Add weights and those of the last class, one word each."""
    for i in range(len(items)):
        item = items[i]
        code = np.uint64(column[item >> 32])
        table[code] += ((item >> 16) & 0xFFFF) * (_UNIT + (item & 0xFFFF))
        touched[code >> np.uint64(6)] |= _ONE << (code & np.uint64(63))


@inner
def _add_classes(
    items: Indices, column: Codes, n_classes: int, table: Indices, touched: Words
) -> None:
    """Add the weights of each class."""
    for i in range(len(items)):
        item = items[i]
        code = np.uint64(column[item >> 32])
        table[np.int64(code) * n_classes + (item & 0xFFFF)] += (item >> 16) & 0xFFFF
        touched[code >> np.uint64(6)] |= _ONE << (code & np.uint64(63))


@inner
def _add_numbers(
    items: Indices, column: Codes, targets: Indices, table: Indices, touched: Words
) -> None:
    """Add weights, and weights times targets."""
    for i in range(len(items)):
        row, weight = items[i] >> 32, (items[i] >> 16) & 0xFFFF
        code = np.uint64(column[row])
        place = np.int64(code) * 2
        table[place] += weight
        table[place + 1] += weight * targets[row]
        touched[code >> np.uint64(6)] |= _ONE << (code & np.uint64(63))


@inner
def _count_rows(items: Indices, column: Codes, counts: Indices) -> None:
    """Count the rows of each bin."""
    for i in range(len(items)):
        counts[column[items[i] >> 32]] += 1


@inner
def _collect_two_classes(space: Workspace) -> int:
    """Put the touched bins in a row, weight and that of the last class apart, and empty them."""
    n_touched = 0
    for w in range(len(space.touched)):
        bits = space.touched[w]
        space.touched[w] = np.uint64(0)
        while bits:
            code = 64 * w + lowest_bit(bits)
            bits &= bits - _ONE
            word = space.table[code]
            space.codes[n_touched] = code
            space.sums[n_touched, 0], space.sums[n_touched, 1] = word >> 32, word & _LOW
            space.rows[n_touched] = space.counts[code]
            space.table[code] = space.counts[code] = 0
            n_touched += 1
    return n_touched


@inner
def _collect(space: Workspace) -> int:
    """Put the touched bins in a row, and empty them."""
    n_touched, width = 0, space.sums.shape[1]
    for w in range(len(space.touched)):
        bits = space.touched[w]
        space.touched[w] = np.uint64(0)
        while bits:
            code = 64 * w + lowest_bit(bits)
            bits &= bits - _ONE
            for k in range(width):
                space.sums[n_touched, k] = space.table[code * width + k]
                space.table[code * width + k] = 0
            space.codes[n_touched], space.rows[n_touched] = code, space.counts[code]
            space.counts[code] = 0
            n_touched += 1
    return n_touched


@inner
def _search_column(
    feature: int, n_touched: int, table: BinnedTable, rules: Rules, space: Workspace, best: float
) -> float:
    """Scan a column whose touched bins stand in a row; return the gain of the best question yet."""
    has_missing = space.codes[n_touched - 1] == table.n_bins[feature]
    if table.is_category[feature]:
        _sort_categories(n_touched, rules.n_classes, space)
        gain, place = _scan(n_touched, -1, n_touched - 1, rules, space)
        if gain > best:
            _write_route(feature, place, n_touched, space)
        return max(best, gain)
    n_known = n_touched - 1 if has_missing else n_touched
    for k in range(n_known):
        space.order[k] = k
    gain, place = _scan(n_known, -1, n_touched - 1, rules, space)
    if gain > best:
        best = gain
        _write_cut(feature, place, n_known, RIGHT if has_missing else NOWHERE, space)
    if has_missing:
        gain, place = _scan(n_known, n_known, n_known - 1, rules, space)
        if gain > best:
            best = gain
            _write_cut(feature, place, n_known, LEFT, space)
    return best


@inner
def _write_cut(feature: int, place: int, n_known: int, side: int, space: Workspace) -> None:
    """Keep a cut between two touched bins; -1 above the last: then it asks for missing cells."""
    space.question[FEATURE], space.question[MISSING_SIDE] = feature, side
    space.question[BELOW] = space.codes[place]
    space.question[ABOVE] = space.codes[place + 1] if place + 1 < n_known else -1


@inner
def _write_route(feature: int, place: int, n_touched: int, space: Workspace) -> None:
    """Keep a question for categories: those before and at a place in the order go left."""
    space.question[FEATURE], space.question[BELOW], space.question[ABOVE] = feature, -1, -1
    space.route[:] = np.uint64(0)
    space.present[:] = np.uint64(0)
    for j in range(n_touched):
        code = np.uint64(space.codes[space.order[j]])
        bit = _ONE << (code & np.uint64(63))
        space.present[code >> np.uint64(6)] |= bit
        if j <= place:
            space.route[code >> np.uint64(6)] |= bit


@inner
def _sort_categories(n_touched: int, n_classes: int, space: Workspace) -> None:
    """Order the categories by their mean, or by the share of the heaviest class if several.

    Of two classes and of squared errors the best two sets stand along this order (Fisher 1958).
    """
    k = 1 if n_classes <= 2 else int(np.argmax(space.whole))
    for b in range(n_touched):
        mean, j = _mean(space.sums, b, k, n_classes), b
        while j > 0 and _mean(space.sums, space.order[j - 1], k, n_classes) > mean:
            space.order[j] = space.order[j - 1]
            j -= 1
        space.order[j] = b


@inner
def _mean(sums: Indices, b: int, k: int, n_classes: int) -> float:
    """Return the mean target of a bin, or its share of class k."""
    if n_classes <= 2:
        return sums[b, 1] / sums[b, 0]
    total = 0
    for c in range(n_classes):
        total += sums[b, c]
    return sums[b, k] / total


@inner
def _scan(n: int, first: int, last: int, rules: Rules, space: Workspace) -> tuple[float, int]:
    """Return the best gain of putting the first bins of the order left, and the last of them.

    Bin `first` is on the left from the beginning, unless it is -1; at most `last` bins go there.
    """
    if rules.n_classes <= 2:
        return _scan_moments(min(n, last), first, rules, space)
    return _scan_classes(min(n, last), first, rules, space)


@inner
def _scan_moments(n: int, first: int, rules: Rules, space: Workspace) -> tuple[float, int]:
    """Scan by the variance: the gain is (s W - S w)² / (w (W - w)), W and S of the node."""
    best, place, sums = -1.0, 0, space.sums
    whole, total = space.whole[0], float(space.whole[1])
    weight, moment, n_left = 0, 0, 0
    if first >= 0:
        weight, moment, n_left = sums[first, 0], sums[first, 1], int(space.rows[first])
    n_rows = space.size[0]
    for j in range(n):
        k = space.order[j]
        weight += sums[k, 0]
        moment += sums[k, 1]
        n_left += int(space.rows[k])
        across = float(moment) * float(whole) - total * float(weight)
        gain = across * across / (float(weight) * float(whole - weight))
        if gain > best and _enough(n_left, n_rows, weight, whole, rules):
            best, place = gain, j
    return best, place


@inner
def _enough(n_left: int, n: int, weight: int, whole: int, rules: Rules) -> bool:
    """Return whether both sides have as many rows and as much weight as they must."""
    if rules.min_samples_leaf > 1 and min(n_left, n - n_left) < rules.min_samples_leaf:
        return False
    return min(weight, whole - weight) >= rules.min_weight_leaf


@inner
def _scan_classes(n: int, first: int, rules: Rules, space: Workspace) -> tuple[float, int]:
    """Scan by the Gini impurity, up to what the node has: Σ l²/w + Σ r²/(W - w)."""
    best, place, n_left, n_rows = -1.0, 0, 0, space.size[0]
    space.left[:] = 0
    if first >= 0:
        n_left = int(space.rows[first])
        for c in range(len(space.whole)):
            space.left[c] = space.sums[first, c]
    for j in range(n):
        k = space.order[j]
        n_left += int(space.rows[k])
        gain, weight, whole = _move_left(space.sums[k], space.left, space.whole)
        if gain > best and _enough(n_left, n_rows, weight, whole, rules):
            best, place = gain, j
    return best, place


@inner
def _move_left(sums: Indices, left: Indices, whole: Indices) -> tuple[float, int, int]:
    """Put a bin on the left; return Σ l²/w + Σ r²/(W - w), and w and W.

    One division of whole numbers: equal gains are equal whichever way they are compiled.
    """
    weight, total, on_left, on_right = 0, 0, 0, 0
    for c in range(len(whole)):
        left[c] += sums[c]
        right = whole[c] - left[c]
        weight += left[c]
        total += whole[c]
        on_left += left[c] * left[c]
        on_right += right * right
    w, other = float(weight), float(total - weight)
    return (float(on_left) * other + float(on_right) * w) / (w * other), weight, total
