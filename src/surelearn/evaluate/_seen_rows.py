"""Rows of a stream that come again."""

from typing import Any

import numpy as np

from surelearn._jit.fingerprints import Hashes
from surelearn.base.fingerprint import hashes_of_rows


class SeenRows:
    """Counts the rows of a stream that had come before, with the same label.

    Examples
    --------
    >>> seen = SeenRows()
    >>> seen.add([[1.0], [2.0]], [0, 1])
    >>> seen.add([[2.0], [1.0], [3.0]], [1, 1, 1])
    >>> seen.n_again, seen.n_rows
    (1, 5)
    """

    def __init__(self) -> None:
        self._hashes: list[Hashes] = []
        self._readable = True

    def add(self, X: Any, y: Any) -> None:
        """Take in the next rows."""
        labels = np.array([hash(label) for label in np.asarray(y).tolist()], dtype=np.int64)
        try:
            mixed = hashes_of_rows(X) * np.uint64(3) + labels.view(np.uint64)
        except (TypeError, ValueError):  # a stream of something that is no table
            self._readable, mixed = False, labels.view(np.uint64)
        self._hashes.append(mixed)

    @property
    def n_rows(self) -> int:
        """The rows so far."""
        return sum(map(len, self._hashes))

    @property
    def n_again(self) -> int | None:
        """Those that had come before; None if rows could not be compared."""
        if not self._readable:
            return None
        return self.n_rows - len(np.unique(np.concatenate(self._hashes)))
