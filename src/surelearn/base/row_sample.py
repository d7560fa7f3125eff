"""A sample of the rows of a table in parts that does not depend on who draws it.

Each row has a priority, a hash of its cells and of its place in its block; the rows with the least
priorities are kept, in their order. So the sample of two blocks follows from that of each.
"""

from dataclasses import dataclass

import numpy as np

from surelearn._jit import fingerprints
from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Matrix, Vector

_MIX = np.uint64(0xD6E8FEB86659FD93)  # an odd number: neighbours get unlike priorities


@dataclass(frozen=True, eq=False)
class RowSample:
    """Some rows, all of them if they are few; the sum of two is a sample of the rows of both.

    Attributes
    ----------
    priorities
        Of each row, as drawn.
    X, weights
        The rows, and how often each counts.
    size
        How many are kept.

    Examples
    --------
    >>> rows = np.arange(6.0)[:, np.newaxis]
    >>> first, second = (RowSample.of(some, np.ones(3), 4) for some in (rows[:3], rows[3:]))
    >>> (first + second).X.ravel().tolist()
    [2.0, 3.0, 4.0, 5.0]
    >>> RowSample.of(rows[:3], np.ones(3), 4).X.ravel().tolist()
    [0.0, 1.0, 2.0]
    """

    priorities: Hashes
    X: Matrix
    weights: Vector
    size: int

    @staticmethod
    def of(X: Matrix, weights: Vector, size: int) -> "RowSample":
        """Return a sample of the rows of one block."""
        places = (np.arange(1, len(X) + 1, dtype=np.uint64)) * _MIX
        mixed = (fingerprints.table_hashes(X) ^ places ^ (places >> np.uint64(29))) * _MIX
        return _shortened(mixed ^ (mixed >> np.uint64(32)), X, weights, size)

    def __add__(self, other: "RowSample") -> "RowSample":
        """Return the sample of the rows of both."""
        return _shortened(
            np.concatenate([self.priorities, other.priorities]),
            np.concatenate([self.X, other.X]),
            np.concatenate([self.weights, other.weights]),
            self.size,
        )


def _shortened(priorities: Hashes, X: Matrix, weights: Vector, size: int) -> RowSample:
    if len(priorities) <= size:
        return RowSample(priorities, X, weights, size)
    # A stable sort: of equal priorities the earlier row is kept.
    kept = np.sort(np.argsort(priorities, kind="stable")[:size])
    return RowSample(priorities[kept], X[kept], weights[kept], size)
