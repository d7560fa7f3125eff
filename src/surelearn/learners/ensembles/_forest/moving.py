"""Moving the rows of a node to the two sides of its question; they keep their order."""

import numpy as np

from surelearn._jit import borrowing
from surelearn._typing import Indices
from surelearn.learners.ensembles._forest.workspace import (
    BELOW,
    FEATURE,
    LEFT,
    MISSING_SIDE,
    ONE,
    Words,
)
from surelearn.learners.ensembles._histogram.cut_points import Codes

_NONE = np.uint64(0)


@borrowing
def split(
    items: Indices, buffer: Indices, codes: Codes, n_bins: Indices, question: Indices, route: Words
) -> int:
    """Move the rows of a node to the sides of its question; return how many go left."""
    feature = question[FEATURE]
    if question[BELOW] < 0:
        return _split_categories(items, buffer, codes, feature, route)
    missing = int(n_bins[feature]) if question[MISSING_SIDE] == LEFT else -1
    return _split_numbers(items, buffer, codes, feature, question[BELOW], missing)


@borrowing
def _split_numbers(
    items: Indices, buffer: Indices, codes: Codes, feature: int, below: int, missing: int
) -> int:
    """Move rows whose bin is at most `below`, or is that of missing cells, to the left."""
    n_left, n_right = _NONE, _NONE  # unsigned: never counted from the end
    for i in range(len(items)):
        item = items[i]
        code = np.int64(codes[feature, np.uint64(item >> 32)])
        left = np.uint64(code <= below) | np.uint64(code == missing)
        items[n_left] = item  # both sides are written and one of them advances: no branch
        buffer[n_right] = item
        n_left += left
        n_right += ONE - left
    right = items[int(n_left) :]
    for i in range(int(n_right)):
        right[i] = buffer[i]
    return int(n_left)


@borrowing
def _split_categories(
    items: Indices, buffer: Indices, codes: Codes, feature: int, route: Words
) -> int:
    """Move rows whose category is in a set to the left."""
    n_left, n_right = _NONE, _NONE  # unsigned: never counted from the end
    for i in range(len(items)):
        item = items[i]
        code = np.uint64(codes[feature, np.uint64(item >> 32)])
        left = (route[code >> np.uint64(6)] >> (code & np.uint64(63))) & ONE
        items[n_left] = item
        buffer[n_right] = item
        n_left += left
        n_right += ONE - left
    right = items[int(n_left) :]
    for i in range(int(n_right)):
        right[i] = buffer[i]
    return int(n_left)
