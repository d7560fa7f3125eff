"""Rows of a stream that come again."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._jit.fingerprints import Hashes
from surelearn.base import row_identity
from surelearn.base.cell_bits import cell_bits


class SeenRows:
    """Counts the rows of a stream that had come before, with the same label.

    Examples
    --------
    >>> seen = SeenRows()
    >>> seen.add([[1.0], [2.0]], np.array([0, 1]))
    >>> seen.add([[2.0], [1.0], [3.0]], np.array([1, 1, 1]))
    >>> seen.n_again, seen.n_rows
    (1, 5)
    """

    def __init__(self) -> None:
        self._hashes: list[Hashes] = []
        self._readable = True

    def add(self, X: Any, y: NDArray[Any]) -> None:
        """Take in the next rows."""
        try:
            hashes = row_identity.row_hashes(X)
        except (TypeError, ValueError):  # a stream of something that is no table
            self._readable, hashes = False, np.zeros(len(y), dtype=np.uint64)
        self._hashes.append(row_identity.with_labels(hashes, cell_bits(y)))

    @property
    def n_rows(self) -> int:
        """The rows so far."""
        return sum(map(len, self._hashes))

    @property
    def n_again(self) -> int | None:
        """Those that had come before; None if rows could not be compared."""
        if not self._readable:
            return None
        return self.n_rows - row_identity.count_distinct(np.concatenate(self._hashes))
