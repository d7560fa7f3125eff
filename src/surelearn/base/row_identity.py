"""Which rows are equal, and whether two tables hold the same rows: by 64-bit hashes of cells.

Cells are compared by value: 1, 1.0 and a float32 of 1 are one number, 0.0 is -0.0, all missing
cells are alike. Equal rows have equal hashes in every process; that different rows of a table share
one is as good as impossible by chance, and would only make the two of them count as copies. Whole
tables are compared in single precision, so that a rounded one is still the same. Single rows are
compared as they are, and with fractions rounded as a file or a cast may have done it.
"""

import hashlib
import numbers
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn._jit import fingerprints, rows
from surelearn._jit.fingerprints import Hashes
from surelearn._jit.sound_matrices import sound
from surelearn._typing import Indices

Rounding: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]

SKETCH = 128
"""Rows by which nearly equal tables are recognised."""

_EXACT = 2**53  # up to which all whole numbers are doubles
_FEW = 64  # distinct rows that independent draws may happen to hold equally often
_MISSING = np.array([np.nan]).view(np.uint64)[0]


class RowSet(NamedTuple):
    """The rows of a table in any order: a digest of all, and a sketch of those it holds once.

    The sketch is the smallest hashes (Broder, 1997): of two tables it tells how many rows they
    share without keeping either.
    """

    digest: str
    n: int
    n_single: int
    sketch: tuple[int, ...]

    @classmethod
    def of(cls, hashes: Hashes) -> "RowSet":
        """Return the set of rows with these hashes.

        Examples
        --------
        >>> first, other = np.arange(9, dtype=np.uint64), np.arange(9, dtype=np.uint64)[::-1]
        >>> RowSet.of(first) == RowSet.of(other)
        True
        """
        given = _spread(hashes)
        ordered = np.sort(given)
        new = np.append(True, ordered[1:] != ordered[:-1])
        single = ordered[new & np.append(new[1:], True)]
        # Draws from a table of few categories often agree in all their counts: then their order
        # tells whether they are the same rows.
        few = np.count_nonzero(new) < min(len(given) / 2, _FEW)
        digest = hashlib.sha256((given if few else ordered).tobytes()).hexdigest()[:40]
        return cls(digest, len(ordered), len(single), tuple(single[:SKETCH].tolist()))

    def is_mostly(self, other: "RowSet") -> bool:
        """Return whether most rows of the smaller set stand once in each: hardly by chance.

        Of independent draws of one law less than 1/e are expected to. Whole sets that agree are
        the same whatever they hold.
        """
        if self.digest == other.digest:
            return True
        reach = min(_reach(self), _reach(other))
        smaller = min(self, other, key=lambda rows: rows.n)
        within = [row for row in smaller.sketch if row <= reach]
        shared = len(set(self.sketch) & set(other.sketch))
        return 2 * shared * smaller.n_single > len(within) * smaller.n > 0


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
    return hashes + _spread(_spread(labels))


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
        bits = (cell_bits(np.asarray(column.to_numpy()), rounding=rounding) for column in columns)
        return fingerprints.column_hashes(enumerate(bits))
    table = _as_array(X)
    table = table.reshape(len(table), -1)
    if table.dtype.kind in "bf" or (table.dtype.kind in "iu" and not _is_beyond_doubles(table)):
        return fingerprints.table_hashes(table if rounding is None else rounding(table))
    bits = (cell_bits(column, rounding=rounding) for column in table.T)
    return fingerprints.column_hashes(enumerate(bits))


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


def cell_bits(cells: NDArray[Any], *, rounding: Rounding | None = None) -> Hashes:
    """Return 64 bits for each cell of a column, equal ones for equal cells.

    Examples
    --------
    >>> first, other = np.array([0.0, np.nan, 3.0]), np.array([-0.0, None, 3], dtype=object)
    >>> bool((cell_bits(first) == cell_bits(other)).all())
    True
    """
    if cells.dtype.kind in "biuf":
        rounded = cells if rounding is None else rounding(cells)
        values = rounded.astype(np.float64) + 0.0  # one zero
        values[np.isnan(values)] = np.nan
        bits = values.view(np.uint64)
        if rounded.dtype.kind in "iu" and _is_beyond_doubles(rounded):
            between = values.astype(object) != rounded.astype(object)
            bits[between] = _spread(rounded[between].astype(np.uint64))
        return bits
    if cells.dtype.kind in "mM":
        return cells.astype(f"{cells.dtype.kind}8[us]").view(np.uint64)
    known: dict[Any, int] = {}
    found = [_bits(cell, known, rounding) for cell in cells.tolist()]
    return np.array(found, dtype=np.uint64)


def word_bits(words: Iterable[str], *, read_numbers: bool) -> Hashes:
    """Return 64 bits for each word; those of a rounded number, if it reads like one and may."""
    found = [(_number(word) if read_numbers else None, word) for word in words]
    bits = [_word(word) if value is None else _float(value, to_single) for value, word in found]
    return np.array(bits, dtype=np.uint64)


def _bits(cell: Any, known: dict[Any, int], rounding: Rounding | None) -> int:
    try:
        found = known.get(cell)
    except TypeError:  # a list is a cell, too
        return _word(repr(cell))
    if found is None:
        found = known[cell] = _bits_of(cell, rounding)
    return found


def _bits_of(cell: Any, rounding: Rounding | None) -> int:
    if isinstance(cell, str):
        return _word(cell)
    if _is_missing(cell):
        return int(_MISSING)
    if isinstance(cell, numbers.Real):
        try:
            if isinstance(cell, int) and abs(cell) > _EXACT and abs(cell) < 2**63:
                return int(cell_bits(np.array([cell]), rounding=rounding)[0])
            return _float(float(cell), rounding)
        except OverflowError:
            return _word(repr(cell))
    return _word(repr(cell))


def _is_missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124 - NaN and NaT differ from themselves
    except (TypeError, ValueError):  # the missing cell of pandas is neither equal nor unequal
        return True


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _float(value: float, rounding: Rounding | None) -> int:
    return int(cell_bits(np.array([value]), rounding=rounding)[0])


def to_single(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in single precision."""
    with np.errstate(over="ignore"):  # what is larger than all of them is infinite
        return values.astype(np.float32)


def round_fractions(precision: Any, values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as they are in another precision, except whole ones.

    Examples
    --------
    >>> round_fractions(np.float16, np.array([5001.0, 0.1])).tolist()
    [5001.0, 0.0999755859375]
    """
    if values.dtype.kind != "f":
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = values.astype(precision).astype(np.float64)
        return np.where(values % 1.0 == 0.0, values, rounded)


def _is_beyond_doubles(values: NDArray[Any]) -> bool:
    """Return whether doubles cannot tell all of these whole numbers apart."""
    if values.dtype.itemsize < 8 or not values.size:
        return False
    return int(values.max()) > _EXACT or int(values.min()) < -_EXACT


def _word(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


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


def _reach(found: RowSet) -> int:
    """Return up to which hash a sketch is complete."""
    return found.sketch[-1] if found.n_single > len(found.sketch) else 2**64


def _spread(values: Hashes) -> Hashes:
    """Return values whose bits are mixed well (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
