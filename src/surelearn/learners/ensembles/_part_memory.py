"""Parts that a process remembers from one pass of boosting to the next.

A byte for each cell is left of a row, with its score by the trees so far and its node in the tree
that grows: what is remembered need not be read, hashed, encoded and asked again. Nothing depends on
it. A part is known by the hash of its bytes, and a moment of a fit by the trees before it; another
process, or one that has forgotten, begins anew and finds the same bits.
"""

from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

from surelearn._typing import Matrix, Vector
from surelearn.learners.ensembles._histogram.block_histograms import BlockHistograms

MOST_BYTES = 3 * 2**27
"""What a process remembers at most."""


class Lineage(NamedTuple):
    """What tells the trees of a round from all others.

    Attributes
    ----------
    root
        Of a fit: its bins, its baseline, its loss, and which rows count.
    before, now
        Of all trees but those of the last round, and of all.
    """

    root: str
    before: str
    now: str


@dataclass
class BlockAtWork:
    """The rows of a block: targets, weights, scores by all trees so far, and those that grow."""

    y: Any
    weights: Vector
    scores: Matrix
    growing: BlockHistograms

    @property
    def n_bytes(self) -> int:
        """What it takes."""
        return self.y.nbytes + self.weights.nbytes + self.scores.nbytes + self.growing.n_bytes


class PartAtWork(NamedTuple):
    """The blocks of a part at a moment of a fit."""

    root: str
    moment: str
    blocks: tuple[BlockAtWork, ...]

    @property
    def n_bytes(self) -> int:
        """What they take."""
        return sum(block.n_bytes for block in self.blocks)


class PartMemory:
    """Parts at work, as many as fit; those of earlier fits go first.

    Who works on a part takes it out, and puts it back when it is whole again: blocks are changed in
    place, and several threads may work.

    Examples
    --------
    >>> memory = PartMemory(most_bytes=100)
    >>> memory.keep("a part", PartAtWork("a fit", "round 1", ()))
    >>> memory.take("a part", Lineage("a fit", "round 1", "round 2")).moment
    'round 1'
    >>> memory.take("a part", Lineage("a fit", "round 1", "round 2")) is None  # somebody has it
    True
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._known: dict[str, PartAtWork] = {}
        self._n_bytes, self._lock = 0, Lock()

    def take(self, key: str | None, lineage: Lineage) -> PartAtWork | None:
        """Take out a part as it was at this moment of a fit, or the one before."""
        with self._lock:
            known = None if key is None else self._known.get(key)
            if known is None or known.root != lineage.root:
                return None
            self._drop([str(key)])
            return known if known.moment in {lineage.before, lineage.now} else None

    def room(self, root: str) -> int:
        """Return how many bytes a fit may still keep."""
        with self._lock:
            own = sum(one.n_bytes for one in self._known.values() if one.root == root)
            return self.most_bytes - own

    def keep(self, key: str | None, part: PartAtWork) -> None:
        """Put a part in, if there is room."""
        if key is None:
            return
        with self._lock:
            self._drop([key])
            if self._n_bytes + part.n_bytes > self.most_bytes:
                self._drop([name for name, one in self._known.items() if one.root != part.root])
            if self._n_bytes + part.n_bytes <= self.most_bytes:
                self._known[key] = part
                self._n_bytes += part.n_bytes

    def forget(self) -> None:
        """Forget everything."""
        with self._lock:
            self._drop(list(self._known))

    def _drop(self, keys: list[str]) -> None:
        for key in keys:
            known = self._known.pop(key, None)
            self._n_bytes -= 0 if known is None else known.n_bytes


MEMORY = PartMemory()
"""Of this process."""
