"""The best question about a column whose touched bins stand in a row."""

import numpy as np

from surelearn._jit import borrowing
from surelearn._typing import Indices
from surelearn.learners.ensembles._forest.workspace import (
    ABOVE,
    BELOW,
    FEATURE,
    LEFT,
    MISSING_SIDE,
    NOWHERE,
    ONE,
    RIGHT,
    BinnedTable,
    Rules,
    Workspace,
)


@borrowing
def search_column(
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


@borrowing
def _write_cut(feature: int, place: int, n_known: int, side: int, space: Workspace) -> None:
    """Keep a cut between two touched bins; -1 above the last: then it asks for missing cells."""
    space.question[FEATURE], space.question[MISSING_SIDE] = feature, side
    space.question[BELOW] = space.codes[place]
    space.question[ABOVE] = space.codes[place + 1] if place + 1 < n_known else -1


@borrowing
def _write_route(feature: int, place: int, n_touched: int, space: Workspace) -> None:
    """Keep a question for categories: those before and at a place in the order go left."""
    space.question[FEATURE], space.question[BELOW], space.question[ABOVE] = feature, -1, -1
    space.route[:] = np.uint64(0)
    space.present[:] = np.uint64(0)
    for j in range(n_touched):
        code = np.uint64(space.codes[space.order[j]])
        bit = ONE << (code & np.uint64(63))
        space.present[code >> np.uint64(6)] |= bit
        if j <= place:
            space.route[code >> np.uint64(6)] |= bit


@borrowing
def _sort_categories(n_touched: int, n_classes: int, space: Workspace) -> None:
    """Order the categories by their mean, or by the share of the heaviest class if several.

    Of two classes and of squared errors the best two sets stand along this order (Fisher 1958).
    """
    k = 1 if n_classes <= 2 else _heaviest(space.whole)
    for b in range(n_touched):
        mean, j = _mean(space.sums, b, k, n_classes), b
        while j > 0 and _mean(space.sums, space.order[j - 1], k, n_classes) > mean:
            space.order[j] = space.order[j - 1]
            j -= 1
        space.order[j] = b


@borrowing
def _heaviest(whole: Indices) -> int:
    """Return the class of most weight."""
    k = 0
    for c in range(len(whole)):
        k = c if whole[c] > whole[k] else k
    return k


@borrowing
def _mean(sums: Indices, b: int, k: int, n_classes: int) -> float:
    """Return the mean target of a bin, or its share of class k."""
    if n_classes <= 2:
        return sums[b, 1] / sums[b, 0]
    total = 0
    for c in range(n_classes):
        total += sums[b, c]
    return sums[b, k] / total


@borrowing
def _scan(n: int, first: int, last: int, rules: Rules, space: Workspace) -> tuple[float, int]:
    """Return the best gain of putting the first bins of the order left, and the last of them.

    Bin `first` is on the left from the beginning, unless it is -1; at most `last` bins go there.
    """
    if rules.n_classes <= 2:
        return _scan_moments(min(n, last), first, rules, space)
    return _scan_classes(min(n, last), first, rules, space)


@borrowing
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


@borrowing
def _enough(n_left: int, n: int, weight: int, whole: int, rules: Rules) -> bool:
    """Return whether both sides have as many rows and as much weight as they must."""
    if rules.min_samples_leaf > 1 and min(n_left, n - n_left) < rules.min_samples_leaf:
        return False
    return min(weight, whole - weight) >= rules.min_weight_leaf


@borrowing
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


@borrowing
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
