"""The rows of one block while trees grow: where each node has its rows, and their histograms.

Rows of a node stand side by side and are divided in place, as in `grower`; only who asks stands
elsewhere, and names a node by the questions that lead to it.
"""

from typing import Any

import numpy as np

from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._histogram import histogram, partition, records
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.ensembles._histogram.histogram import Rows
from surelearn.learners.ensembles._histogram.parted_growth import Path, Split, Sums
from surelearn.learners.ensembles._histogram.splitting import Table


class BlockHistograms:
    """Histograms of the nodes of the trees of one round, over the rows of a block.

    Parameters
    ----------
    codes
        The bins of the rows' cells, column by column.
    n_outputs
        How many trees a round grows.
    """

    def __init__(self, codes: Codes, n_outputs: int) -> None:
        n = codes.shape[1]
        self.codes = codes
        self._records = records.empty_records(n, len(codes))
        records.pack_codes(codes, 0, n, self._records)
        self._order = np.empty((n_outputs, n), dtype=np.int32)
        self._nodes: list[dict[Path, tuple[int, int]]] = []
        self._divided: list[dict[Path, Split]] = []
        self._written: tuple[Any, ...] = ()
        self.slopes: tuple[Matrix, Matrix] = np.empty((0, 0)), np.empty((0, 0))

    @property
    def n_bytes(self) -> int:
        """What it takes, slopes included."""
        n_outputs, n = self._order.shape
        own = self.codes.nbytes + self._records.nbytes + self._order.nbytes
        return own + 2 * 8 * n_outputs * n

    def begin(self, slopes: tuple[Matrix, Matrix]) -> None:
        """Begin with a round: gradients and hessians, a row for each tree."""
        n_outputs, n = self._order.shape
        self.slopes = slopes
        self._order[:] = np.arange(n, dtype=np.int32)
        self._nodes = [{(): (0, n)} for _ in range(n_outputs)]
        self._divided = [{} for _ in range(n_outputs)]
        self._written = ()

    def write(self, k: int, units: Vector, number: int, before: int) -> None:
        """Make ready for tree k, whose number is among all trees; so many rows stand before."""
        # The same rows may stand at several places of a table, and in tables of other sizes.
        this = k, units.tobytes(), number, before
        if self._written != this:
            gradients, hessians = (np.ascontiguousarray(each[k]) for each in self.slopes)
            n = len(gradients)
            records.write_gradients(gradients, hessians, units, number, 0, n, self._records, before)
            self._written = this

    def histogram(self, k: int, path: Path, starts: Indices, rows_added: int) -> Sums:
        """Return the sums over the rows of a node of tree k."""
        first, last = self._reached(k, path)
        sums = np.zeros((2, int(starts[-1])), dtype=np.int64)
        scratch = np.zeros(histogram.SCRATCH, dtype=np.uint64)
        n_words = (len(starts) + 6) >> 3
        for w in range(0, n_words, histogram.MOST_WORDS):
            bounds = np.array([first, last, w, min(w + histogram.MOST_WORDS, n_words)])
            _count(self._order[k], bounds, self._records, starts, rows_added, scratch, sums)
        return sums

    def _reached(self, k: int, path: Path) -> tuple[int, int]:
        """Return where the rows of a node stand; those of nodes above it are divided on the way."""
        known = self._nodes[k]
        if path not in known:
            above, (split, _) = path[:-1], path[-1]
            first, last = self._reached(k, above)
            if self._divided[k].get(above, split) != split:
                _forget_below(above, known)  # the tree has thought better of that question
            self._divided[k][above] = split
            rows, column = self._order[k], self.codes[split.feature]
            middle = first + _divide(rows, first, last, column, split.table(), np.empty_like(rows))
            known[(*above, (split, 0))] = first, middle
            known[(*above, (split, 1))] = middle, last
        return known[path]


def _forget_below(above: Path, known: dict[Path, Any]) -> None:
    for other in [one for one in known if one != above and one[: len(above)] == above]:
        del known[other]


@jit
def _count(
    rows: Rows,
    bounds: Indices,
    packed: Any,
    starts: Indices,
    rows_added: int,
    scratch: Any,
    sums: Indices,
) -> None:
    """Add some words of some rows to a histogram."""
    histogram.count_words(rows, bounds, packed, starts, rows_added, scratch, sums)


@jit
def _divide(rows: Rows, first: int, last: int, bins: Codes, left: Table, sides: Rows) -> int:
    """Move the rows of a node that go left before those that go right; return how many there are.

    Each side keeps its order.
    """
    n_left = partition.divide_chunk(rows, first, last, bins, left, sides)
    for i in range(n_left):
        rows[first + i] = sides[first + i]
    for i in range(last - first - n_left):
        rows[first + n_left + i] = sides[last - 1 - i]
    return n_left
