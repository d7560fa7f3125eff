"""Which rows are equal, and whether two tables hold the same rows: by 64-bit hashes of cells.

Cells are compared by value: 1, 1.0 and a float32 of 1 are one number, 0.0 is -0.0, all missing
cells are alike. Equal rows have equal hashes in every process; that different rows of a table share
one is as good as impossible by chance, and would only make the two of them count as copies. Whole
tables are compared in single precision, so that a rounded one is still the same. Single rows are
compared as they are, and with fractions rounded as a file or a cast may have done it.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn._jit import fingerprints, rows
from surelearn._jit.fingerprints import Hashes
from surelearn._jit.sound_matrices import sound
from surelearn._typing import Indices
from surelearn.base.cell_bits import (
    Rounding,
    cell_bits,
    frame_cells,
    is_beyond_doubles,
    round_fractions,
    spread,
    to_single,
)

SKETCH = 128
"""Rows by which nearly equal tables are recognised."""

FEW = 64
"""Distinct rows that independent draws may happen to hold equally often."""

_CHANCE = 1e-4  # with which independent draws may pass for the same rows
_MANY = 64  # copies of a row of which one stands in each of two tables


class RowSet(NamedTuple):
    """The rows of a table in any order: a digest of all, and a sketch of those it holds once.

    The sketch is the smallest hashes (Broder, 1997): of two tables it tells how many rows they
    share without keeping either. If there are copies, `counted` is one of all distinct rows, each
    with how often it is there.
    """

    digest: str
    n: int
    n_single: int
    sketch: tuple[int, ...]
    n_distinct: int = 0
    counted: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, hashes: Hashes) -> "RowSet":
        """Return the set of rows with these hashes.

        Examples
        --------
        >>> first, other = np.arange(9, dtype=np.uint64), np.arange(9, dtype=np.uint64)[::-1]
        >>> RowSet.of(first) == RowSet.of(other)
        True
        """
        given = spread(hashes)
        ordered = np.sort(given)
        new = np.append(True, ordered[1:] != ordered[:-1])
        single = ordered[new & np.append(new[1:], True)]
        # Draws from a table of few categories often agree in all their counts: then their order
        # tells whether they are the same rows.
        few = np.count_nonzero(new) < min(len(given) / 2, FEW)
        digest = hashlib.sha256((given if few else ordered).tobytes()).hexdigest()[:40]
        alone = cls(digest, len(ordered), len(single), tuple(single[:SKETCH].tolist()))
        starts = np.flatnonzero(new[: len(ordered)])
        if len(single) == len(ordered):
            return alone
        counts = np.diff(starts[: SKETCH + 1], append=len(ordered))[:SKETCH]
        rows = zip(ordered[starts[:SKETCH]].tolist(), counts.tolist(), strict=True)
        return alone._replace(n_distinct=len(starts), counted=tuple(rows))

    def is_mostly(self, other: "RowSet") -> bool:
        """Return whether most rows of the smaller set stand once in each: hardly by chance.

        Of independent draws of one law less than 1/e are expected to. Whole sets that agree are
        the same whatever they hold, and so are those that hold rows several times which the other
        has, more often than chance lets them.
        """
        if self.digest == other.digest or _share_copies(self, other):
            return True
        reach = min(_reach(self), _reach(other))
        smaller = min(self, other, key=lambda rows: rows.n)
        within = [row for row in smaller.sketch if row <= reach]
        shared = len(set(self.sketch) & set(other.sketch))
        return 2 * shared * smaller.n_single > len(within) * smaller.n > 0

    @property
    def counts(self) -> Mapping[int, int]:
        """How often each distinct row of the sketch is there; nothing if that is not known."""
        if self.n_single == self.n:
            return dict.fromkeys(self.sketch, 1)
        return dict(self.counted)


def rows_of(X: Any, y: Any) -> RowSet:
    """Return the set of rows of a table with their labels.

    Examples
    --------
    >>> X, y = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "c"])
    >>> rows_of(X, y).digest == rows_of(X[::-1].astype(np.float32), y[::-1]).digest
    True
    >>> rows_of(X, y[::-1]).digest == rows_of(X, y).digest
    False
    """
    return RowSet.of(labelled_hashes(X, y))


def labelled_hashes(X: Any, y: Any) -> Hashes:
    """Return a hash of every row of a table with its label, in single precision."""
    return with_labels(row_hashes(X, rounding=to_single), cell_bits(np.asarray(y)))


def with_labels(hashes: Hashes, labels: Hashes) -> Hashes:
    """Return the hashes of rows that have labels, too."""
    return hashes + spread(spread(labels))


def row_hashes(X: Any, *, rounding: Rounding | None = None) -> Hashes:
    """Return a hash of every row of a table: an array, a sparse matrix, a data frame or a list.

    Parameters
    ----------
    X
        The table.
    rounding
        What is done to numbers before.

    Examples
    --------
    >>> frame = nw.from_dict({"a": [1, 2], "b": ["x", "y"]}, backend="pyarrow")
    >>> bool((row_hashes(frame.to_native()) == row_hashes([[1.0, "x"], [2.0, "y"]])).all())
    True
    """
    if sparse.issparse(X):
        return _sparse_hashes(X, rounding)
    if nw.dependencies.is_into_dataframe(X):
        columns = nw.from_native(X, eager_only=True).iter_columns()
        bits = (cell_bits(_one_a_row(column), rounding=rounding) for column in columns)
        return fingerprints.column_hashes(enumerate(bits))
    table = _as_array(X)
    table = table.reshape(len(table), -1)
    if table.dtype.kind in "bf" or (table.dtype.kind in "iu" and not is_beyond_doubles(table)):
        return fingerprints.table_hashes(table if rounding is None else rounding(table))
    bits = (cell_bits(column, rounding=rounding) for column in table.T)
    return fingerprints.column_hashes(enumerate(bits))


def _one_a_row(column: Any) -> NDArray[Any]:
    """Return a cell for each row: cells with parts, as of structs, are otherwise a table."""
    cells = np.asarray(frame_cells(column))
    if cells.ndim == 1:
        return cells
    return np.fromiter(column.to_list(), dtype=object, count=len(cells))


def rounded_hashes(X: Any) -> Iterator[Hashes]:
    """Yield the hashes of rows whose fractions are rounded: to single, then to half precision.

    Whole numbers are left as they are: rounded, those that count something would be alike.

    Examples
    --------
    >>> X = np.array([[0.1, 5001.0], [np.float32(0.1), 5001.0]])
    >>> single, half = rounded_hashes(X)
    >>> bool(single[0] == row_hashes(X)[1]), bool(half[0] == half[1])
    (True, True)
    """
    for precision in (np.float32, np.float16):
        yield row_hashes(X, rounding=partial(round_fractions, precision))


def count_rounded(
    hashes: Hashes, rounded: Iterable[Hashes], *, train: Indices, held_out: Indices
) -> int:
    """Return how many held-out rows a training row becomes, or that become one, if rounded."""
    found = np.zeros(len(held_out), dtype=bool)
    for other in rounded:
        if not np.array_equal(other, hashes):
            found |= np.isin(other[held_out], hashes[train])
            found |= np.isin(hashes[held_out], other[train])
    return int(found.sum())


def number_copies(hashes: Hashes) -> Indices | None:
    """Return for each row the number of its distinct row, counted in the order of appearance.

    None if all rows are distinct, which is found out faster.

    Examples
    --------
    >>> number_copies(np.array([7, 3, 7, 9], dtype=np.uint64)).tolist()
    [0, 1, 0, 2]
    """
    if count_distinct(hashes) == len(hashes):
        return None
    _, firsts, places = np.unique(hashes, return_index=True, return_inverse=True)
    numbers_of = np.empty(len(firsts), dtype=np.int64)
    numbers_of[np.argsort(firsts)] = np.arange(len(firsts))
    return numbers_of[places]


def count_distinct(hashes: Hashes) -> int:
    """Return how many of the rows are distinct."""
    ordered = np.sort(hashes)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + (len(ordered) > 0)


def count_shared(hashes: Hashes, others: Hashes) -> int:
    """Return how many of the rows stand among others, too."""
    return int(np.isin(hashes, others).sum())


def _as_array(X: Any) -> NDArray[Any]:
    """Return rows as an array; numbers beside words stay numbers, and ragged rows are cells."""
    if isinstance(X, np.ndarray):
        return X
    try:
        found = np.asarray(X)
    except ValueError:
        found = np.empty(len(X), dtype=object)
        found[:] = list(X)
        return found
    return found if found.dtype.kind in "biufO" else np.array(X, dtype=object)


def _sparse_hashes(X: Any, rounding: Rounding | None) -> Hashes:
    csr = sparse.csr_array(sound(X), dtype=np.float64, copy=True)
    if rounding is not None:
        csr.data = rounding(csr.data).astype(np.float64)
    csr.data[np.isnan(csr.data)] = np.nan
    return fingerprints.row_hashes(rows.of(csr))


def _share_copies(first: RowSet, other: RowSet) -> bool:
    """Return whether most distinct rows of the smaller set are in both, and not by chance.

    Rows of two independent draws of one law, whatever it is, are exchangeable: which of all copies
    of a row stand in which table is a random split. So some rows stand in one table only, and how
    many is known; if by far fewer do, the tables hold the same rows.
    """
    if first.n_single == first.n and other.n_single == other.n:
        return False
    reach = min(_reach_of_counts(first), _reach_of_counts(other))
    own, others = (
        {row: count for row, count in rows.counts.items() if row <= reach}
        for rows in (first, other)
    )
    shared = own.keys() & others.keys()
    if 2 * len(shared) <= min(len(own), len(others)):
        return False
    pooled = {row: own.get(row, 0) + others.get(row, 0) for row in own.keys() | others.keys()}
    several = [row for row, count in pooled.items() if count > 1]
    n, m = sorted((first.n, other.n))
    expected = sum(_chance_of_one_side(pooled[row], n, m) for row in several)
    apart = sum(row not in shared for row in several)
    return apart < expected and _tail(apart, expected) < _CHANCE


@lru_cache(maxsize=4096)  # many tables of one size are compared
def _chance_of_one_side(count: int, n: int, m: int) -> float:
    """Return the probability that all copies of a row fall into one of two tables."""
    if count > _MANY:
        return 0.0
    return sum(math.prod(max(0, size - i) / (n + m - i) for i in range(count)) for size in (n, m))


def _tail(found: int, expected: float) -> float:
    """Bound the probability of so few events if more are expected, by Chernoff's method."""
    gain = found * math.log(found / expected) if found else 0.0
    return math.exp(found - expected - gain)


def _reach_of_counts(found: RowSet) -> int:
    """Return up to which hash it is known how often a row is there."""
    rows = found.counts
    known = found.n if found.n_single == found.n else found.n_distinct
    return max(rows, default=-1) if known > len(rows) or not rows else 2**64


def _reach(found: RowSet) -> int:
    """Return up to which hash a sketch is complete."""
    return found.sketch[-1] if found.n_single > len(found.sketch) else 2**64
