"""Encoded rows of parts that a process remembers from one pass to the next.

A byte for each cell is left of a row, and boosting goes through all rows once for each level of a
tree: what is remembered need not be read, hashed and encoded again. Nothing depends on it: a part
is known by the hash of its bytes, and another process, or one that has forgotten, reads it anew.
"""

from threading import Lock
from typing import Any, NamedTuple

from numpy.typing import NDArray

from surelearn._typing import Vector
from surelearn.learners.ensembles._histogram.cut_points import Codes

MOST_BYTES = 2**28
"""What a process remembers at most."""


class EncodedRows(NamedTuple):
    """Rows by the bins of their cells, their targets and weights; the place says of which block."""

    codes: Codes
    y: NDArray[Any]
    weights: Vector
    place: tuple[str, int] | None

    @property
    def n_bytes(self) -> int:
        """What they take."""
        return self.codes.nbytes + self.y.nbytes + self.weights.nbytes


class CodeMemory:
    """The encoded rows of parts, as many as fit; those of earlier fits go first.

    Examples
    --------
    >>> import numpy as np
    >>> rows = EncodedRows(np.zeros((2, 8), dtype=np.uint8), np.zeros(8), np.ones(8), None)
    >>> memory = CodeMemory(most_bytes=200)
    >>> memory.keep("a part", "fit", (rows,))
    >>> memory.keep("another", "fit", (rows,))  # no room is left
    >>> [memory.of_part(name, "fit") is None for name in ("a part", "another")]
    [False, True]
    >>> memory.of_part("a part", "another fit") is None
    True
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._known: dict[str, tuple[EncodedRows, ...]] = {}
        self._root, self._n_bytes, self._lock = "", 0, Lock()  # several threads may work on parts

    def of_part(self, key: str, root: str) -> tuple[EncodedRows, ...] | None:
        """Return the rows of a part as a fit encodes them, if they are known."""
        return self._known.get(key) if root == self._root else None

    def room(self, root: str) -> int:
        """Return how many bytes a fit may still keep."""
        return self.most_bytes - (self._n_bytes if root == self._root else 0)

    def keep(self, key: str, root: str, rows: tuple[EncodedRows, ...]) -> None:
        """Remember the rows of a part, if there is room."""
        n_bytes = sum(one.n_bytes for one in rows)
        with self._lock:
            if root != self._root:
                self._known, self._root, self._n_bytes = {}, root, 0
            if key not in self._known and self._n_bytes + n_bytes <= self.most_bytes:
                self._known[key] = rows
                self._n_bytes += n_bytes

    def forget(self) -> None:
        """Forget everything."""
        with self._lock:
            self._known, self._root, self._n_bytes = {}, "", 0


CODES = CodeMemory()
"""Of this process."""
