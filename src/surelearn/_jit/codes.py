"""Codes of categories that are whole numbers in a short range: looked up, never sorted.

Column j of a table has `sizes[j]` entries of the lookup from `starts[j]` on, the first of them for
the value `low[j]`; a column with no start is left as it is. A missing cell is NaN. For a table of
integers `low` holds integers too: there and back to floats would cost half the time.
"""

from typing import Any

from numpy.typing import NDArray

from surelearn._jit._decorator import jit
from surelearn._typing import Indices, Mask


@jit
def limits(X: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> None:
    """Lower `low` and raise `high` to the least and largest value of each column."""
    for t in range(X.shape[0]):
        for j in range(X.shape[1]):
            low[j] = X[t, j] if X[t, j] < low[j] else low[j]  # noqa: FURB136 - never NaN
            high[j] = X[t, j] if X[t, j] > high[j] else high[j]  # noqa: FURB136


@jit
def mark(X: NDArray[Any], low: NDArray[Any], starts: Indices, seen: Mask, whole: Mask) -> None:
    """Mark every value that is there in `seen`; clear `whole` for a column with a fraction."""
    for t in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[t, j]
            if starts[j] >= 0 and x == x:  # noqa: PLR0124 - NaN is what differs from itself
                place = int(x - low[j])  # never beyond the range: low and high were found first
                seen[starts[j] + place] = True
                whole[j] &= low[j] + place == x


@jit
def encode(
    X: NDArray[Any],
    low: NDArray[Any],
    starts: Indices,
    sizes: Indices,
    lookup: NDArray[Any],
    codes: NDArray[Any],
) -> None:
    """Fill `codes` by `lookup`, whose last two entries are those of unseen and missing cells."""
    for t in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[t, j]
            if starts[j] < 0:
                codes[t, j] = x
            elif x == x:  # noqa: PLR0124 - NaN is what differs from itself
                shift = x - low[j]
                # The range is asked first: a float beyond it has no integer to be compared with.
                known = 0 <= shift < sizes[j] and int(shift) == shift
                codes[t, j] = lookup[starts[j] + int(shift)] if known else lookup[-2]
            else:
                codes[t, j] = lookup[-1]
