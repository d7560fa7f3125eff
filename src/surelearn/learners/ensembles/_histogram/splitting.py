"""The best split of a column: left of which cut, or which set of categories.

A split gains G_left² / (H_left + l2) + G_right² / (H_right + l2) − G² / (H + l2), where G and H are
the sums of gradients and hessians: twice the decrease of the loss's second-order expansion.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing
from surelearn._typing import Indices, Vector
from surelearn.learners.ensembles._histogram.histogram import COUNT_BITS

NO_GAIN = -1.0
"""The gain of a split that may not be."""

_COUNT_MASK = (1 << COUNT_BITS) - 1
_SMOOTHING = 10.0  # rows by which the mean of a rare category is drawn to 0, to order it
_ROUNDING = 1e-12  # a gain that is relatively smaller may be an error of rounding

Table = NDArray[np.uint8]
"""For each bin whether it goes left."""


L2, MIN_ROWS, MIN_HESSIAN, ROWS_ADDED, SET_L2, RARE = range(6)
"""The limits of a split: the penalty of squared leaf values, the least number of rows of a child
and their least sum of hessians; how many rows may be added between flushes; the penalty that a set
of categories has instead of the first, and the number of rows below which a category is rare.
Penalties and hessians are in units of those in histograms."""

_POOLED = -1  # stands for all rare categories


class Room(NamedTuple):
    """What a worker computes on the way to a split.

    Attributes
    ----------
    sums
        The sums of categories in order, as in histograms, and which they are; then for each cut the
        sums left of it. Packed sums are whole numbers that no float can hold.
    gains
        The gain of each cut.
    """

    sums: Indices
    gains: Vector


ROOM = (5, 257)
"""The shape of those sums."""

_LEFT_G, _LEFT_H = 3, 4


@borrowing
def best_split(
    sums: Indices,
    bins: tuple[int, int],
    whole: tuple[int, int],
    column: tuple[int, int],
    is_set: Indices | None,
    limits: Vector,
    room: Room,
    found: Vector,
) -> None:
    """Write the gain of the best split, the last bin on the left, and whether gaps go left.

    Of a set of categories, the bin is the place in the order of `sort_categories`. Of equal gains
    the lowest bin wins, and gaps go right.

    Parameters
    ----------
    sums
        Gradients, and hessians with counts, of all bins; missing cells after the last bin.
    bins
        The first bin of the column, and their number.
    whole
        The sums over all bins, which are those of any column.
    column
        Which it is, and 1 or -1 if what is predicted may only grow, or fall, with it; else 0.
    is_set
        Which columns hold categories; without any, nothing of theirs is compiled.
    """
    (start, n_bins), (g, h), (j, sign), l2 = bins, whole, column, limits[L2]
    gap_g, gap_h = sums[0, start + n_bins], sums[1, start + n_bins]
    best, place, gaps_left, source, n = NO_GAIN, -1, 0, sums, n_bins - 1
    if is_set is not None and is_set[j]:
        n = sort_categories(sums, start, n_bins, limits[RARE], room.sums) - 1
        source, start, gap_h, l2 = room.sums, 0, 0, limits[SET_L2]
    for side in range(2 if gap_h != 0 else 1):
        # With gaps on the right, all numbers may go left.
        n_cuts = n + 1 if gap_h != 0 and side == 0 else n
        _sum_up(source, start, n_cuts, gap_g * side, gap_h * side, room.sums)
        cut = _best_cut(n_cuts, g, h, sign, l2, limits, room)
        if cut >= 0 and room.gains[cut] > best:
            best, place, gaps_left = room.gains[cut], cut, side
    gain = best - float(g) * float(g) / max(float(h >> COUNT_BITS) + limits[L2], 1e-300)
    found[0] = gain if gain > _ROUNDING * best else NO_GAIN
    found[1], found[2] = place, gaps_left


@borrowing
def total(sums: Indices, start: int, n_bins: int) -> tuple[int, int]:
    """Return the sums over all rows of a node, from any of its columns."""
    g, h = 0, 0
    gradients, others = sums[0, start : start + n_bins + 1], sums[1, start : start + n_bins + 1]
    for b in range(n_bins + 1):
        g += gradients[b]
        h += others[b]
    return g, h


@borrowing
def _best_cut(n: int, g: int, h: int, sign: int, l2: float, limits: Vector, room: Room) -> int:
    """Return the place of the best gain, -1 if no cut may be."""
    total_g, total_h, gains = float(g), float(h >> COUNT_BITS), room.gains
    _gains(n, total_g, total_h, h & _COUNT_MASK, l2, limits, room)
    best, place = NO_GAIN, -1
    for b in range(n):
        if gains[b] > best and (
            sign == 0 or _keeps_order(room.sums, b, total_g, total_h, sign, limits)
        ):
            best, place = gains[b], b
    return place


@borrowing
def _sum_up(sums: Indices, start: int, n: int, gap_g: int, gap_h: int, left: Indices) -> None:
    """Write what lies left of each cut, beside what lies in a gap."""
    left_g, left_h = gap_g, gap_h
    gradients, others = sums[0, start : start + n], sums[1, start : start + n]
    written, beside = left[_LEFT_G], left[_LEFT_H]
    for b in range(n):
        left_g += gradients[b]
        left_h += others[b]
        written[b], beside[b] = left_g, left_h


@borrowing
def _gains(
    n: int,
    total_g: float,
    total_h: float,
    n_rows: int,
    l2: float,
    limits: Vector,
    room: Room,
) -> None:
    """Write the gain of each cut: one division, and no branch, so that bins go together."""
    least, most = float(limits[MIN_ROWS]), float(n_rows - limits[MIN_ROWS])
    least_h, most_h = limits[MIN_HESSIAN], total_h - limits[MIN_HESSIAN]
    sums, gains = room.sums, room.gains
    for b in range(n):
        left, weight = float(sums[_LEFT_G, b]), float(sums[_LEFT_H, b] >> COUNT_BITS)
        count = float(sums[_LEFT_H, b] & _COUNT_MASK)
        right = total_g - left
        left_h, right_h = weight + l2, total_h - weight + l2
        product = left_h * right_h
        gain = (left * left * right_h + right * right * left_h) / product
        rows = (count >= least) & (count <= most) & (product > 0.0)
        heavy = (weight >= least_h) & (weight <= most_h)
        gains[b] = gain if rows & heavy else NO_GAIN


@borrowing
def _keeps_order(
    sums: Indices, b: int, total_g: float, total_h: float, sign: int, limits: Vector
) -> bool:
    """Say whether the values of the two sides, -G / (H + l2), are in the order asked for."""
    left_g, left_h = float(sums[_LEFT_G, b]), float(sums[_LEFT_H, b] >> COUNT_BITS)
    left = -left_g / (left_h + limits[L2])
    right = (left_g - total_g) / (total_h - left_h + limits[L2])
    return sign * left <= sign * right


@borrowing
def sort_categories(sums: Indices, start: int, n_bins: int, rare: float, ordered: Indices) -> int:
    """Write the bins that have rows in the order of their means; return how many there are.

    Missing cells count as one more category, and those with few rows all together as one: alone
    they would follow their noise. The last row receives the bins themselves.
    """
    _, total_h = total(sums, start, n_bins)
    smooth = _SMOOTHING * float(total_h >> COUNT_BITS) / max(1, total_h & _COUNT_MASK)
    n, pooled_g, pooled_h = 0, 0, 0
    for b in range(n_bins + 1):
        g, h = sums[0, start + b], sums[1, start + b]
        if h & _COUNT_MASK >= rare:
            n = _insert(g, h, b, n, smooth, ordered)
        else:
            pooled_g += g
            pooled_h += h
    return _insert(pooled_g, pooled_h, _POOLED, n, smooth, ordered) if pooled_h else n


@borrowing
def _insert(g: int, h: int, b: int, n: int, smooth: float, ordered: Indices) -> int:
    """Insert a category after those whose mean is not greater; return how many there are now."""
    key, j = _mean(g, h, smooth), n
    while j > 0 and _mean(ordered[0, j - 1], ordered[1, j - 1], smooth) > key:
        for k in range(3):
            ordered[k, j] = ordered[k, j - 1]
        j -= 1
    ordered[0, j], ordered[1, j], ordered[2, j] = g, h, b
    return n + 1


@borrowing
def _mean(g: int, h: int, smooth: float) -> float:
    """Return the mean of a category, drawn to 0 as by some rows more."""
    return float(g) / max(float(h >> COUNT_BITS) + smooth, 1e-300)


@borrowing
def write_left(
    sums: Indices,
    bins: tuple[int, int],
    is_set: Indices | None,
    split: tuple[int, np.int64, np.int64],
    rare: float,
    room: Room,
    left: Table,
) -> None:
    """Write which bins go left; those without rows go to the side with more rows.

    Parameters
    ----------
    bins, is_set
        As `best_split` has them.
    split
        The column, the place of the cut, and whether gaps go left.
    rare
        The number of rows below which a category goes with all other rare ones.
    """
    (start, n_bins), (column, cut, gaps_left) = bins, split
    counts = sums[1, start : start + n_bins + 1]
    for b in range(256):
        left[b] = 0
    if is_set is not None and is_set[column]:
        sort_categories(sums, start, n_bins, rare, room.sums)
        for j in range(cut + 1):
            _send_left(room.sums[2, j], counts, rare, left)
        _send_the_unseen(counts, left)
    else:
        for b in range(cut + 1):
            left[b] = 1
        left[n_bins] = gaps_left
    _send_the_unknown(counts, left)


@borrowing
def _send_left(b: int, counts: Indices, rare: float, left: Table) -> None:
    """Send a category left, or all that are rare."""
    if b >= 0:
        left[b] = 1
        return
    for other in range(len(counts)):
        if 0 < counts[other] & _COUNT_MASK < rare:
            left[other] = 1


@borrowing
def _heavier_side(counts: Indices, left: Table) -> int:
    """Return 1 if at least as many rows go left as right, else 0."""
    n_left, n_rows = 0, 0
    for b in range(len(counts)):
        n_rows += counts[b] & _COUNT_MASK
        n_left += (counts[b] & _COUNT_MASK) * left[b]
    return 1 if 2 * n_left >= n_rows else 0


@borrowing
def _send_the_unseen(counts: Indices, left: Table) -> None:
    """Send categories without rows to the side with more rows."""
    heavier = _heavier_side(counts, left)
    for b in range(len(counts) - 1):
        left[b] = left[b] if counts[b] else heavier


@borrowing
def _send_the_unknown(counts: Indices, left: Table) -> None:
    """Write where gaps go: without any, to the side with more rows."""
    n_bins = len(counts) - 1
    left[255] = left[n_bins] if counts[n_bins] else _heavier_side(counts, left)
    if n_bins < 255:
        left[n_bins] = 0  # no cell has such a bin
