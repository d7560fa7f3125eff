"""Sums over the bins that the rows of a node touch.

A map of bits remembers which bins were touched, so a small node costs what its rows cost and
nothing is sorted but categories. All sums are whole numbers: their order does not matter.
"""

import numpy as np

from surelearn._jit import borrowing
from surelearn._typing import Indices
from surelearn.learners.ensembles._forest.lowest_bit import lowest_bit
from surelearn.learners.ensembles._forest.workspace import ONE, BinnedTable, Rules, Words, Workspace
from surelearn.learners.ensembles._histogram.cut_points import Codes

UNIT = 1 << 32
"""In a word of two classes the weight stands above, that of the last class below."""

LOW = UNIT - 1


@borrowing
def sum_up(items: Indices, feature: int, table: BinnedTable, rules: Rules, space: Workspace) -> int:
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


@borrowing
def _add_two_classes(items: Indices, column: Codes, table: Indices, touched: Words) -> None:
    """Add weights and those of the last class, one word each."""
    for i in range(len(items)):
        item = items[i]
        code = np.uint64(column[np.uint64(item >> 32)])
        table[code] += ((item >> 16) & 0xFFFF) * (UNIT + (item & 0xFFFF))
        touched[code >> np.uint64(6)] |= ONE << (code & np.uint64(63))


@borrowing
def _add_classes(
    items: Indices, column: Codes, n_classes: int, table: Indices, touched: Words
) -> None:
    """Add the weights of each class."""
    n = np.uint64(n_classes)
    for i in range(len(items)):
        item = items[i]
        code = np.uint64(column[np.uint64(item >> 32)])
        table[code * n + np.uint64(item & 0xFFFF)] += (item >> 16) & 0xFFFF
        touched[code >> np.uint64(6)] |= ONE << (code & np.uint64(63))


@borrowing
def _add_numbers(
    items: Indices, column: Codes, targets: Indices, table: Indices, touched: Words
) -> None:
    """Add weights, and weights times targets."""
    for i in range(len(items)):
        row, weight = np.uint64(items[i] >> 32), (items[i] >> 16) & 0xFFFF
        code = np.uint64(column[row])
        place = code + code
        table[place] += weight
        table[place + ONE] += weight * targets[row]
        touched[code >> np.uint64(6)] |= ONE << (code & np.uint64(63))


@borrowing
def _count_rows(items: Indices, column: Codes, counts: Indices) -> None:
    """Count the rows of each bin."""
    for i in range(len(items)):
        counts[column[np.uint64(items[i] >> 32)]] += 1


@borrowing
def _collect_two_classes(space: Workspace) -> int:
    """Put the touched bins in a row, weight and that of the last class apart, and empty them."""
    n_touched = 0
    for w in range(len(space.touched)):
        bits = space.touched[w]
        space.touched[w] = np.uint64(0)
        while bits:
            code = 64 * w + lowest_bit(bits)
            bits &= bits - ONE
            word = space.table[code]
            space.codes[n_touched] = code
            space.sums[n_touched, 0], space.sums[n_touched, 1] = word >> 32, word & LOW
            space.rows[n_touched] = space.counts[code]
            space.table[code] = space.counts[code] = 0
            n_touched += 1
    return n_touched


@borrowing
def _collect(space: Workspace) -> int:
    """Put the touched bins in a row, and empty them."""
    n_touched, width = 0, space.sums.shape[1]
    for w in range(len(space.touched)):
        bits = space.touched[w]
        space.touched[w] = np.uint64(0)
        while bits:
            code = 64 * w + lowest_bit(bits)
            bits &= bits - ONE
            for k in range(width):
                space.sums[n_touched, k] = space.table[code * width + k]
                space.table[code * width + k] = 0
            space.codes[n_touched], space.rows[n_touched] = code, space.counts[code]
            space.counts[code] = 0
            n_touched += 1
    return n_touched
