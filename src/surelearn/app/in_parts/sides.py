"""The split of a table in parts: on which side a row stands follows from its cells and the seed.

Nobody needs to know how many rows there are, nor in which order or file they stand. Copies of a row
have the same cells, so that they stand on the same side.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from surelearn._jit.fingerprints import Hashes
from surelearn.app.problem.copies import feature_hashes
from surelearn.app.problem.feature import Feature, read_feature
from surelearn.base.cell_bits import spread

_ALL = 2**64


@dataclass(frozen=True)
class Sides:
    """Which rows are held out.

    Parameters
    ----------
    features
        By which a row is known: those that it would have if all rows were for training.
    decimal
        The decimal sign of words that are numbers.
    holdout, seed
        The share of the rows that is held out, and what it is drawn by.
    group
        The column whose cells alone decide, if rows of one group stand together.
    """

    features: tuple[Feature, ...]
    decimal: str
    holdout: float
    seed: int
    group: str | None = None

    @property
    def columns(self) -> set[str]:
        """The columns that decide."""
        return {f.source for f in self.features} if self.group is None else {self.group}

    def hashes(self, table: Any) -> Hashes:
        """Return a number for each row: the same for copies, or for rows of a group."""
        if self.group is not None:
            return feature_hashes(table.select([self.group]))
        cells = {
            f.name: read_feature(table.column(f.source), f, self.decimal) for f in self.features
        }
        return feature_hashes(pa.table(cells))

    def held_out(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Return which rows are held out.

        Examples
        --------
        >>> sides = Sides((), ".", 0.25, seed=0)
        >>> int(sides.held_out(np.arange(4000, dtype=np.uint64)).sum())
        997
        """
        return drawn(hashes, self.holdout, f"hold-out {self.seed}")


def drawn(hashes: Hashes, share: float, purpose: str) -> NDArray[np.bool_]:
    """Return which rows belong to a share of all, drawn by their hashes and a purpose alone."""
    digest = hashlib.blake2b(purpose.encode(), digest_size=8).digest()
    key = np.uint64(int.from_bytes(digest, "little"))
    mixed = spread(spread(hashes ^ key) + key)
    limit = round(share * _ALL)
    return np.ones(len(hashes), dtype=np.bool_) if limit >= _ALL else mixed < np.uint64(limit)
