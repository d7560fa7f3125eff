"""Scores of rows in parts that a process remembers from one pass to the next.

A score is the sum of what the trees say, one after the other: whoever knows the sum up to some tree
adds those that came since and has the same bits. Nothing depends on what is remembered: another
process, or one that has forgotten, adds all trees again.
"""

from threading import Lock
from typing import Any, NamedTuple

from surelearn._typing import Matrix

MOST_BYTES = 2**27
"""What a process remembers at most."""


class Lineage(NamedTuple):
    """What tells the trees of a round from all others.

    Attributes
    ----------
    root
        Of a fit: its bins, its baseline, and which rows count.
    before, now
        Of all trees but those of the last round, and of all.
    """

    root: str
    before: str
    now: str


class _Known(NamedTuple):
    """The scores of a block by the trees up to a moment of a fit."""

    root: str
    moment: str
    scores: Matrix


class ScoreMemory:
    """Scores of blocks, as many as fit; those of earlier fits go first.

    Examples
    --------
    >>> import numpy as np
    >>> memory = ScoreMemory(most_bytes=100)
    >>> memory.keep("a block", Lineage("fit", "", "round 1"), np.zeros((1, 8)))
    >>> memory.scores("a block", Lineage("fit", "round 1", "round 2"))[0]
    'round 1'
    >>> memory.keep("another", Lineage("fit", "", "round 1"), np.zeros((1, 8)))  # no room is left
    >>> memory.scores("another", Lineage("fit", "round 1", "round 2")) is None
    True
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._known: dict[Any, _Known] = {}
        self._n_bytes, self._lock = 0, Lock()  # several threads may work on parts

    def scores(self, place: Any, lineage: Lineage) -> tuple[str, Matrix] | None:
        """Return the moment up to which a block's scores are known, and a copy of these."""
        known = self._known.get(place)
        if known is None or known.root != lineage.root:
            return None
        if known.moment not in {lineage.before, lineage.now}:
            return None
        return known.moment, known.scores.copy()

    def keep(self, place: Any, lineage: Lineage, scores: Matrix) -> None:
        """Remember the scores of a block by all trees, if there is room."""
        with self._lock:
            self._drop([place])
            if self._n_bytes + scores.nbytes > self.most_bytes:
                self._drop([key for key, one in self._known.items() if one.root != lineage.root])
            if self._n_bytes + scores.nbytes <= self.most_bytes:
                self._known[place] = _Known(lineage.root, lineage.now, scores.copy())
                self._n_bytes += scores.nbytes

    def forget(self) -> None:
        """Forget everything."""
        with self._lock:
            self._drop(list(self._known))

    def _drop(self, places: list[Any]) -> None:
        for place in places:
            known = self._known.pop(place, None)
            self._n_bytes -= 0 if known is None else known.scores.nbytes


MEMORY = ScoreMemory()
"""Of this process."""
