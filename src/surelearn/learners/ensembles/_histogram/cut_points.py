"""Where a column of numbers is cut into bins: heavy values alone, the others in even shares."""

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._typing import Indices, Vector


def cut_points(ordered: Vector, most: int) -> Vector:
    """Return at most `most - 1` cuts of sorted numbers; x goes left of a cut if x <= cut.

    Few values have a bin each. Of many, a value with at least an average bin's rows has a bin of
    its own, and the others share the remaining bins evenly. A cut is the middle between neighbours.

    Examples
    --------
    >>> cut_points(np.array([1.0, 1.0, 2.0, 5.0]), 255)
    array([1.5, 3.5])
    >>> cut_points(np.array([0.0] * 6 + [1.0, 2.0, 3.0, 4.0]), 3)
    array([0.5, 2.5])
    """
    firsts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    values, counts = ordered[firsts], np.diff(firsts, append=len(ordered))
    n = len(values)
    if n <= most:
        return _middles(values[:-1], values[1:])
    last = np.empty(n, dtype=np.int64)  # the last value of each bin but one
    heavy, n_shares = -(-len(ordered) // most), most
    while (n_bins := _divide(counts, heavy, n_shares, last) + 1) > most:
        n_shares -= max(1, n_bins - most)
        if n_shares < 1:  # too many heavy values with light ones in between
            heavy, n_shares = 2 * heavy, most
    ends = last[: n_bins - 1]
    return _middles(values[ends], values[ends + 1])


def _middles(below: Vector, above: Vector) -> Vector:
    """Return a number between each two, not below the first and less than the second."""
    middles = below / 2.0 + above / 2.0  # their sum may overflow
    return np.where((below <= middles) & (middles < above), middles, below)


@jit
def _divide(counts: Indices, heavy: int, n_shares: int, last: Indices) -> int:
    """Write the value after which each cut comes; return the number of cuts.

    A light value belongs to the share that the middle of its rows falls into.
    """
    light = 0
    for i in range(len(counts)):
        light += counts[i] if counts[i] < heavy else 0
    n_cuts, before, share, was_heavy = 0, 0, 0, True
    for i in range(len(counts)):
        is_heavy, left_share = counts[i] >= heavy, share
        if not is_heavy:
            while (2 * before + counts[i]) * n_shares >= 2 * (share + 1) * light:
                share += 1
            before += counts[i]
        if i > 0 and (is_heavy or was_heavy or share != left_share):
            last[n_cuts] = i - 1
            n_cuts += 1
        was_heavy = is_heavy
    return n_cuts


Codes = NDArray[np.uint8] | NDArray[np.uint16]
"""The bins of cells; columns are rows of the array, so that each lies in one piece."""
