"""Two classes in a node of many rows: the best cuts of four columns, found side by side.

Where most bins are touched there is no need to note which. Rows are read once for four columns,
whose sums do not wait for each other; then the gain of every cut is computed several at a time.
"""

import numpy as np

from surelearn._jit import borrowing
from surelearn._typing import Indices
from surelearn.learners.ensembles._forest.touching import LOW, UNIT
from surelearn.learners.ensembles._forest.workspace import Quick
from surelearn.learners.ensembles._histogram.cut_points import Codes

FOUR = 4
"""The columns that are looked at together."""

_FEW = 64  # rows: with fewer, it is quicker to note which bins they touch


@borrowing
def are_many(n_rows: int, quick: Quick) -> bool:
    """Return whether so many rows touch most bins of a column."""
    return n_rows >= max(_FEW, 3 * len(quick.so_far) >> 3)


@borrowing
def add_four(items: Indices, features: Indices, n: int, codes: Codes, quick: Quick) -> None:
    """Add the rows of a node to the tables of n columns, 1 to 4; those of others hold the last."""
    one, two = features[0], features[min(1, n - 1)]
    three, four = features[min(2, n - 1)], features[n - 1]
    tables, width = quick.tables, np.uint64(len(quick.so_far))
    for i in range(len(items)):
        item = items[i]
        row = np.uint64(item >> 32)
        word = ((item >> 16) & 0xFFFF) * (UNIT + (item & 0xFFFF))
        tables[np.uint64(codes[one, row])] += word
        tables[width + np.uint64(codes[two, row])] += word
        tables[width + width + np.uint64(codes[three, row])] += word
        tables[width + width + width + np.uint64(codes[four, row])] += word


@borrowing
def best_cut(table: Indices, n_bins: int, whole: Indices, least: int, quick: Quick) -> float:
    """Return the largest gain of the cuts of a column, and write the bins around the first."""
    so_far, gains, bits = quick.so_far, quick.gains, quick.gain_bits
    word = np.int64(0)
    for code in range(n_bins):
        word += table[code]
        so_far[code] = word
    # Of NumPy: uncompiled, too, what is divided by 0 where nothing is on a side must not raise.
    weight, total, light = np.float64(whole[0]), float(whole[1]), float(max(1, least))
    for code in range(n_bins):
        left, moment = float(so_far[code] >> 32), float(so_far[code] & LOW)
        across = moment * weight - total * left
        gain = across * across / (left * (weight - left))
        gains[code] = gain if min(left, weight - left) >= light else -1.0
    best = np.int64(-1)
    for code in range(n_bins):
        best = max(best, bits[code])
    for code in range(n_bins):
        if bits[code] == best:
            above = code + 1
            while so_far[above] == so_far[code]:  # bins that no row touches
                above += 1
            quick.cut[0], quick.cut[2] = code, above
            return gains[code]
    return -1.0
