"""Grade the questions of a node: information gain, and the information of the split itself."""

from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing, inner, jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.trees._multiway.fractions import Codes, Pool

_TIE = 1e-9  # what differs by less is rounding; a tie goes to the smallest threshold
_MOST_REQUIRED = 25.0  # Quinlan: a side of a cut need not hold more than 25 rows ...
_FRACTION_REQUIRED = 0.1  # ... nor more than a tenth of the mean class
_PLACE = (1 << 32) - 1  # of a key, what is not the code
_NARROWEST = 4  # bits of a digit


class Grades(NamedTuple):
    """For each node and feature the best question; NaN in `gain` where there is none.

    `low` and `high` are the codes on both sides of the best cut of a numeric feature.
    """

    gain: Matrix
    information: Matrix
    low: Indices
    high: Indices


class Scratch(NamedTuple):
    """Room to sort and count the rows of a node."""

    keys: Indices
    spare: Indices
    fill: Indices
    tally: Matrix
    below: Vector
    above: Vector
    seen: Vector
    parts: Vector


@jit
def surprise(weight: float) -> float:
    """Return w log2 w, 0 at 0."""
    return weight * log2(weight) if weight > 0.0 else 0.0


@borrowing
def total_of(weights: Vector) -> float:
    """Return the sum of the weights; `ndarray.sum` takes longer to compile."""
    total = 0.0
    for weight in weights:
        total += weight
    return total


@borrowing
def disorder(weights: Vector) -> float:
    """Return the entropy of the weights times their sum, in bits."""
    total, sum_of_parts = 0.0, 0.0
    for weight in weights:
        total += weight
        sum_of_parts += surprise(weight)
    return surprise(total) - sum_of_parts


@jit
def grade(
    table: Codes,
    labels: Indices,
    pool: Pool,
    min_weight: float,
    charge: float,
    scratch: Scratch,
    grades: Grades,
) -> None:
    """Grade every feature at every node; `charge` log2(cuts) bits pay for the choice of a cut."""
    for v in range(len(pool.begin)):
        rows = pool.rows[pool.begin[v] : pool.end[v]]
        shares = pool.shares[pool.begin[v] : pool.end[v]]
        total = total_of(shares)
        for j in range(len(table.codes)):
            column = table.codes[j]
            if table.is_numeric[j]:
                keys = sort_known(column, rows, table.n_codes[j], scratch)
                gain, information, low, high = grade_cuts(
                    keys, labels, rows, shares, total, min_weight, charge, scratch
                )
                grades.low[v, j], grades.high[v, j] = low, high
            else:
                tally = scratch.tally[: table.n_codes[j]]
                tally_categories(column, labels, rows, shares, tally)
                gain, information = grade_categories(tally, total, min_weight, scratch.above)
            grades.gain[v, j], grades.information[v, j] = gain, information


@borrowing
def tally_categories(
    column: NDArray[np.int32], labels: Indices, rows: Indices, shares: Vector, tally: Matrix
) -> None:
    """Count the weight of each class in each category."""
    tally[:] = 0.0
    for i in range(len(rows)):
        if column[rows[i]] >= 0:
            tally[column[rows[i]], labels[rows[i]]] += shares[i]


@borrowing
def grade_categories(
    tally: Matrix, total: float, min_weight: float, classes: Vector
) -> tuple[float, float]:
    """Return the gain and information of one branch per category, if two hold enough weight."""
    classes[:] = 0.0  # of the rows with an answer only: the others tell nothing of the gain
    known, parts, after, n_heavy = 0.0, 0.0, 0.0, 0
    for c in range(len(tally)):
        heft = 0.0
        for k in range(len(classes)):
            heft += tally[c, k]
            classes[k] += tally[c, k]
        known += heft
        parts += surprise(heft)
        after += disorder(tally[c])
        n_heavy += heft > 0.0 and heft >= min_weight - _TIE
    if n_heavy < 2:
        return np.nan, 0.0
    parts += surprise(total - known)  # the rows without an answer are a branch of their own
    return max(0.0, disorder(classes) - after) / total, (surprise(total) - parts) / total


@inner
def sort_known(column: NDArray[np.int32], rows: Indices, n_codes: int, scratch: Scratch) -> Indices:
    """Return a key for each row with a value, code * 2^32 + place, in ascending order.

    It sorts by digits of the code, from the last to the first: one pass where there are as many
    rows as codes, more where there are fewer. `ndarray.sort` takes seven seconds to compile.
    """
    n, width, bits = 0, _NARROWEST, 0
    for i in range(len(rows)):
        if column[rows[i]] >= 0:
            scratch.keys[n] = (np.int64(column[rows[i]]) << 32) | i
            n += 1
    while (1 << width) < min(n, n_codes):
        width += 1
    while (1 << bits) < n_codes:
        bits += 1
    keys, spare = scratch.keys[:n], scratch.spare[:n]
    for shift in range(32, 32 + bits, width):
        sort_by_digit(keys, shift, scratch.fill[: 1 << width], spare)
        keys, spare = spare, keys
    return keys


@borrowing
def sort_by_digit(keys: Indices, shift: int, fill: Indices, output: Indices) -> None:
    """Write the keys in the order of one digit of theirs, those of equal digit as they were.

    The digit begins at bit `shift`; `fill` has a place for each of its values.
    """
    mask = len(fill) - 1
    fill[:] = 0
    for key in keys:
        fill[(key >> shift) & mask] += 1
    before = 0  # counts become the place where the keys of each digit begin
    for digit in range(len(fill)):
        before, fill[digit] = before + fill[digit], before
    for key in keys:
        digit = (key >> shift) & mask
        output[fill[digit]] = key
        fill[digit] += 1


@borrowing
def sum_of_surprises(scratch: Scratch) -> float:
    """Return Σ w log2 w over the classes on both sides of a cut; what did not move is as before."""
    total = 0.0
    for k in range(len(scratch.below)):
        if scratch.below[k] != scratch.seen[k]:
            scratch.seen[k] = scratch.below[k]
            scratch.parts[k] = surprise(scratch.below[k]) + surprise(scratch.above[k])
        total += scratch.parts[k]
    return total


@borrowing
def grade_cuts(
    keys: Indices,
    labels: Indices,
    rows: Indices,
    shares: Vector,
    total: float,
    min_weight: float,
    charge: float,
    scratch: Scratch,
) -> tuple[float, float, int, int]:
    """Return gain and information of the best cut, and the codes below and above it."""
    below, above = scratch.below, scratch.above
    below[:], above[:], scratch.seen[:] = 0.0, 0.0, np.nan  # NaN equals nothing: all is new
    for key in keys:
        place = key & _PLACE
        above[labels[rows[place]]] += shares[place]
    known, before, left = total_of(above), disorder(above), 0.0
    least = max(min_weight, min(_MOST_REQUIRED, _FRACTION_REQUIRED * known / len(above))) - _TIE
    best, heft, low, high, n_cuts = -1.0, 0.0, -1, -1, 0
    for t in range(len(keys) - 1):
        place, code = int(keys[t] & _PLACE), keys[t] >> 32
        label = labels[rows[place]]
        below[label] += shares[place]
        above[label] -= shares[place]
        left += shares[place]
        # A cut stands between different values only, with enough weight on both sides.
        if keys[t + 1] >> 32 == code or left < least or known - left < least:
            continue
        n_cuts += 1
        after = surprise(left) + surprise(known - left) - sum_of_surprises(scratch)
        gain = (before - after) / total
        if gain > best + _TIE:
            best, heft, low, high = gain, left, code, keys[t + 1] >> 32
    if n_cuts == 0:
        return np.nan, 0.0, low, high
    best -= charge * log2(n_cuts) / total  # Quinlan (1996): which cut it is must be told, too
    parts = surprise(heft) + surprise(known - heft) + surprise(total - known)
    return (best if best > 0.0 else np.nan), (surprise(total) - parts) / total, low, high
