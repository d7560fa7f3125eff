"""Rows of a stream that come again."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._jit.fingerprints import Hashes
from surelearn.base import row_identity
from surelearn.base.cell_bits import cell_bits, round_fractions
from surelearn.certificate import Evidence, assumed, by_construction, violated

_SINGLE = partial(round_fractions, np.float32)


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
        self._rounded: list[Hashes] = []
        self._readable = True

    def add(self, X: Any, y: NDArray[Any]) -> None:
        """Take in the next rows."""
        try:
            hashes = row_identity.row_hashes(X)
            rounded = row_identity.row_hashes(X, rounding=_SINGLE)
        except (TypeError, ValueError):  # a stream of something that is no table
            self._readable, hashes = False, np.zeros(len(y), dtype=np.uint64)
            rounded = hashes
        self._hashes.append(row_identity.with_labels(hashes, cell_bits(y)))
        self._rounded.append(row_identity.with_labels(rounded, cell_bits(y)))

    @property
    def n_rows(self) -> int:
        """The rows so far."""
        return sum(map(len, self._hashes))

    @property
    def n_again(self) -> int | None:
        """Those that had come before; None if rows could not be compared."""
        return self._count(self._hashes)

    @property
    def n_alike(self) -> int | None:
        """Those that had come before, as they are or in single precision."""
        return self._count(self._rounded)

    def judged_before(self, *, allow_duplicates: bool) -> Evidence:
        """Say whether each row was new to a model that had learnt only the rows before it."""
        if self.n_again and not allow_duplicates:
            return violated(
                f"{self.n_again} of {self.n_rows} rows had come before, so they were learnt before "
                "they were tested; if rows of a table of categories coincide by chance, pass "
                "allow_duplicates=True"
            )
        if self.n_alike or self.n_alike is None:
            again = "some rows" if self.n_alike is None else f"{self.n_alike} of {self.n_rows} rows"
            return assumed(f"{again} may have come before; they must be draws of their own")
        return by_construction("each row is predicted, then learnt")

    def _count(self, hashes: list[Hashes]) -> int | None:
        if not self._readable:
            return None
        return self.n_rows - row_identity.count_distinct(np.concatenate(hashes))


def seen_in(X: Any, y: Any) -> SeenRows:
    """Return which rows of one table come again.

    Examples
    --------
    >>> seen_in([[1.0], [2.0], [1.0]], [0, 1, 0]).n_again
    1
    """
    seen = SeenRows()
    seen.add(X, np.asarray(y))
    return seen
