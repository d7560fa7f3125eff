"""Rows of a table that are copies of each other, and what becomes of them when it is split."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from shlex import quote
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from pyarrow import types

from surelearn._jit import fingerprints
from surelearn._jit.fingerprints import Hashes
from surelearn.app.errors import TableError
from surelearn.app.problem.split import Split
from surelearn.app.tables.memory_mapped import forget_pages
from surelearn.base.cell_bits import (
    Rounding,
    cell_bits,
    round_fractions,
    to_single,
    word_bits,
)
from surelearn.base.row_identity import RowSet, count_distinct, count_rounded, count_shared
from surelearn.evaluate._recorded_truths import tells

Mode: TypeAlias = Literal["together", "independent"]
MODES = ("together", "independent")
"""What becomes of copies: they stay on one side of the split, or each of them is a draw."""

_BLOCK = 2**18  # rows hashed at once


@dataclass(frozen=True)
class Copies:
    """How many rows are copies, as the model reads them, and where they stand.

    Parameters
    ----------
    mode
        What was asked for. None: the split of a certificate from before copies were looked at.
    n_rows, n_distinct
        How many rows there are, and how many of them are distinct.
    n_across
        How many held-out rows coincide with training rows.
    n_rounded
        How many do once fractions are rounded to single or half precision; if none does as it is.
    not_compared
        Columns that the model reads, though rows that differ in nothing else were taken for copies,
        each with why: all rows say that it is no feature, and the training rows that it is.
    """

    mode: Mode | None
    n_rows: int
    n_distinct: int
    n_across: int
    n_rounded: int = 0
    not_compared: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls, hashes: Hashes, split: Split, mode: Mode | None, rounded: Iterable[Hashes] = ()
    ) -> "Copies":
        """Count the copies among rows with these hashes, as they are and rounded.

        Examples
        --------
        >>> split = Split(np.array([0, 2]), np.array([1]), "random", 0, "")
        >>> found = Copies.of(np.array([7, 7, 9], dtype=np.uint64), split, "independent")
        >>> found.n_distinct, found.n_across
        (2, 1)
        """
        n, n_distinct = len(hashes), count_distinct(hashes)
        parts = hashes[split.holdout], hashes[split.train]
        n_across = count_shared(*parts) if n_distinct < n else 0
        n_rounded = 0
        if not n_across and mode is not None:
            n_rounded = count_rounded(hashes, rounded, train=split.train, held_out=split.holdout)
        return cls(mode, n, n_distinct, n_across, n_rounded)

    def refuse_unlike(self) -> None:
        """Refuse to call rows copies that the model tells apart: a claim about copies is not so."""
        for name, why in self.not_compared:
            reason, option = why.partition(": --")[0], quote(name)
            raise TableError(
                f"column {name!r}: among all rows looked at, {reason}, so that rows which differ "
                "only there would count as copies of one row; among the training rows alone it is "
                f"not so, and the model would read it: say --keep {option} or --drop {option}"
            )


def feature_hashes(X: Any) -> Hashes:
    """Return a hash of each row of features.

    Examples
    --------
    >>> X = pa.table({"a": [1.0, 1.0, None], "b": ["x", "x", "y"]})
    >>> first, second, third = feature_hashes(X)
    >>> bool(first == second), bool(first == third)
    (True, False)
    """
    return _hashes(enumerate(X.columns), X.num_rows)


def rounded_feature_hashes(X: Any) -> Iterator[Hashes]:
    """Yield the hashes of rows whose fractions are rounded: to single, then to half precision."""
    for precision in (np.float32, np.float16):
        rounding = partial(round_fractions, precision)
        yield _hashes(enumerate(X.columns), X.num_rows, rounding=rounding)


def identify(table: Any, target: str) -> RowSet:
    """Return the rows of a table, by which a ledger recognises it, with what is predicted there.

    Rows and columns may stand in another order, and in a file of another format, which may hold
    numbers, truth values and dates as text.

    Examples
    --------
    >>> table = pa.table({"a": [1, 2], "b": ["x", "7"]})
    >>> other = pa.table({"b": [None, 7.0], "a": [1.0, 2.0]}).set_column(0, "b", [["x", "7"]])
    >>> identify(table, "b").digest == identify(other.take([1, 0]), "b").digest
    True
    """
    return RowSet.of(identifying_hashes(table, target))


def identifying_hashes(table: Any, target: str) -> Hashes:
    """Return for each row the hash by which `identify` recognises it."""
    keys = zip(map(_key, table.column_names), table.columns, strict=True)
    hashes = _hashes(keys, table.num_rows, read_words=True, rounding=to_single)
    return hashes + np.uint64(_key(f"target {target}"))


def identify_unnamed(table: Any, target: str) -> RowSet | None:
    """Return the rows of a table whatever its columns are called; None if too few of them tell.

    Constant columns and those that number the rows do not count: they may come and go. Rows of
    which many are alike without names are the same only if all of them are.

    Examples
    --------
    >>> table = pa.table({"a": [1, 2, 4], "b": ["x", "7", "y"], "y": [0, 1, 1]})
    >>> other = table.rename_columns(["c", "d", "z"]).append_column("one", [[1, 1, 1]])
    >>> identify_unnamed(table, "y") == identify_unnamed(other.select(["one", "d", "c", "z"]), "z")
    True
    """
    total, n_telling = np.zeros(table.num_rows, dtype=np.uint64), 0
    for name, column in zip(table.column_names, table.columns, strict=True):
        key = int(name == target)
        own = _hashes([(key, column)], table.num_rows, read_words=True, rounding=to_single)
        if not key and ((own == own[:1]).all() or numbers_rows(column)):
            continue
        total += own
        n_telling += 1 - key
    if n_telling < 2:
        return None
    found = RowSet.of(fingerprints.finished(total))
    return found if tells(found) else RowSet(found.digest, found.n, 0, ())


def numbers_rows(column: Any) -> bool:
    """Return whether a column numbers the rows one after the other: every file may have such."""
    if not types.is_integer(column.type) or column.null_count or not len(column):
        return False
    numbers = column.to_numpy()
    width = int(numbers.max()) - int(numbers.min())
    return width == len(numbers) - 1 and len(column.unique()) == len(numbers)


def _hashes(
    columns: Iterable[tuple[int, Any]],
    n_rows: int,
    *,
    read_words: bool = False,
    rounding: Rounding | None = None,
) -> Hashes:
    hashes = np.zeros(n_rows, dtype=np.uint64)
    for key, column in columns:
        start = 0
        for bits in _bits(column, rounding, read_words=read_words):
            fingerprints.add_column(bits, key, hashes[start : start + len(bits)])
            start += len(bits)
            forget_pages()
    return fingerprints.finished(hashes)


def _bits(column: Any, rounding: Rounding | None, *, read_words: bool) -> Iterator[Hashes]:
    """Yield 64 bits for each cell, equal ones for equal cells, block by block.

    Where words are read, numbers among them are rounded to single precision: files may have that.
    """
    for chunk in column.chunks:
        words = np.zeros(0, dtype=np.uint64)
        if types.is_dictionary(chunk.type):
            known = chunk.dictionary.cast(pa.string()).to_pylist()
            gap = cell_bits(np.array([np.nan]))
            words = np.append(word_bits(known, read=read_words), gap)
        for start in range(0, len(chunk), _BLOCK):
            yield _block_bits(chunk.slice(start, _BLOCK), words, rounding)


def _block_bits(cells: Any, words: Hashes, rounding: Rounding | None) -> Hashes:
    if types.is_dictionary(cells.type):
        return words[cells.indices.fill_null(len(words) - 1).to_numpy()]
    if types.is_timestamp(cells.type):
        return cells.cast(pa.int64()).fill_null(-(2**63)).to_numpy().view(np.uint64)
    if types.is_boolean(cells.type) or types.is_integer(cells.type):
        cells = cells.cast(pa.float64(), safe=False)
    return cell_bits(cells.to_numpy(zero_copy_only=False), rounding=rounding)


def _key(name: str) -> int:
    """Return a number for a column by its name, so that its place does not matter."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(digest, "little")
