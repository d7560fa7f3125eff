"""Fingerprints of rows: enough to tell whether two tables share a row, in a few kilobytes.

A bottom-k sketch (Broder, 1997): of all row hashes keep the k smallest. A row of another table
whose hash lies in the kept range stands in the first table exactly if its hash is kept. A row's
hash is multilinear in the bits of its values; zeros add nothing, so sparse and dense rows agree.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._jit._decorator import inner, jit
from surelearn._jit.rows import Rows, SparseRows

Hashes = NDArray[np.uint64]

SKETCH_SIZE = 4096
_BLOCK = 4096  # rows of a table made ready at once
_HALF = np.uint64(32)
_ONE = np.uint64(1)
_MINUS_ZERO = np.uint64(1 << 63)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads consecutive integers
_MIX_AGAIN = np.uint64(0xBF58476D1CE4E5B9)


@inner
def _multiplier(column: int) -> np.uint64:
    """Return the odd number by which a column's values are multiplied."""
    key = np.uint64(column + 1) * _MIX
    return ((key ^ (key >> _HALF)) * _MIX_AGAIN) | _ONE


@inner
def _term(value: np.uint64, multiplier: np.uint64) -> np.uint64:
    """Return what the bits of one value add to its row's hash; nothing for 0.0 and -0.0."""
    value = np.uint64(0) if value == _MINUS_ZERO else value
    return (value ^ (value >> _HALF)) * multiplier


@jit
def _hash_dense(bits: NDArray[np.uint64], hashes: Hashes) -> None:
    """Hash each row; `bits` are the values read as integers, `hashes` is filled."""
    multipliers = np.empty(bits.shape[1], dtype=np.uint64)
    for j in range(bits.shape[1]):
        multipliers[j] = _multiplier(j)
    for t in range(bits.shape[0]):
        total = np.uint64(0)
        for j in range(bits.shape[1]):
            total += _term(bits[t, j], multipliers[j])
        hashes[t] = total


@jit
def _hash_sparse(
    bits: Hashes,
    indices: NDArray[np.integer[Any]],
    indptr: NDArray[np.integer[Any]],
    hashes: Hashes,
) -> None:
    """Hash each row of a CSR matrix; `hashes` is filled."""
    for t in range(len(indptr) - 1):
        total = np.uint64(0)
        for i in range(indptr[t], indptr[t + 1]):
            total += _term(bits[i], _multiplier(indices[i]))
        hashes[t] = total


@jit
def add_column(bits: Hashes, column: int, hashes: Hashes) -> None:
    """Add what the cells of one column contribute to the hash of each row."""
    multiplier = _multiplier(column)
    for t in range(len(bits)):
        hashes[t] += _term(bits[t], multiplier)


@jit
def checksum(bits: Hashes) -> np.uint64:
    """Return a hash of numbers in their order, the values read as integers."""
    total = np.uint64(0)
    for i in range(len(bits)):
        total += (bits[i] ^ (bits[i] >> _HALF)) * (np.uint64(2 * i + 1) * _MIX | _ONE)
    return total


@jit
def content_hash(bits: Hashes) -> np.uint64:
    """Return a hash of numbers in their order that notices exchanged ones, too.

    The multipliers of `checksum` grow evenly: numbers that move as far up as equal ones move down
    leave it as it was.
    """
    total = np.uint64(0)
    for i in range(len(bits)):
        total += (bits[i] ^ (bits[i] >> _HALF)) * _multiplier(i)
    return total


def checksum_after(bits: Hashes, n_before: int) -> np.uint64:
    """Return what numbers add to the checksum of a sequence in which so many come before them.

    Examples
    --------
    >>> bits = np.arange(5, dtype=np.uint64)
    >>> whole = int(checksum(bits[:2])) + int(checksum_after(bits[2:], 2))
    >>> whole % 2**64 == int(checksum(bits))
    True
    """
    # A multiplier is an odd number times its place, so to move by places adds so many sums.
    moved = 2 * n_before * int(_MIX) * int((bits ^ (bits >> _HALF)).sum())
    return np.uint64((int(checksum(bits)) + moved) % 2**64)


def row_hashes(X: Rows) -> Hashes:
    """Return a 64-bit hash of every row.

    Examples
    --------
    >>> hashes = row_hashes(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """
    if isinstance(X, SparseRows):
        hashes = np.empty(len(X.indptr) - 1, dtype=np.uint64)
        _hash_sparse(X.data.view(np.uint64), X.indices, X.indptr, hashes)
    else:
        hashes = np.empty(len(X), dtype=np.uint64)
        _hash_dense(X.view(np.uint64), hashes)
    return finished(hashes)


def column_hashes(columns: Iterable[tuple[int, Hashes]]) -> Hashes:
    """Return the hash of every row of a table that comes column by column, each with its number.

    Examples
    --------
    >>> table = np.array([[1.0, 2.0], [0.0, 4.0]])
    >>> bits = (np.ascontiguousarray(column).view(np.uint64) for column in table.T)
    >>> bool((column_hashes(enumerate(bits)) == row_hashes(table)).all())
    True
    """
    hashes = np.zeros(0, dtype=np.uint64)
    for number, bits in columns:
        hashes = hashes if len(hashes) == len(bits) else np.zeros(len(bits), dtype=np.uint64)
        add_column(bits, number, hashes)
    return finished(hashes)


def finished(hashes: Hashes) -> Hashes:
    """Return the hashes of rows once all their columns were added."""
    return (hashes ^ (hashes >> _HALF)) * _MIX


def table_hashes(table: NDArray[Any]) -> Hashes:
    """Return a hash of every row of a table of any precision and order; all gaps are alike.

    Examples
    --------
    >>> table = np.array([[1.0, np.nan], [1.0, -np.nan]], dtype=np.float32)
    >>> len(np.unique(table_hashes(table)))
    1
    """
    hashes = np.empty(len(table), dtype=np.uint64)
    for start in range(0, len(table), _BLOCK):
        block = np.array(table[start : start + _BLOCK], dtype=np.float64, order="C")
        block[np.isnan(block)] = np.nan
        hashes[start : start + _BLOCK] = row_hashes(block)
    return hashes


def sketch(hashes: Hashes) -> Hashes:
    """Return the smallest distinct hashes, sorted: all of them if there are few.

    Examples
    --------
    >>> copies = np.zeros(10 * SKETCH_SIZE, dtype=np.uint64)
    >>> len(sketch(np.append(copies, np.arange(10, dtype=np.uint64))))
    10
    """
    if len(hashes) > 2 * SKETCH_SIZE:
        few = np.unique(np.partition(hashes, 2 * SKETCH_SIZE)[: 2 * SKETCH_SIZE])
        if len(few) >= SKETCH_SIZE:  # else copies of some rows have left no place for others
            return few[:SKETCH_SIZE]
    return np.unique(hashes)[:SKETCH_SIZE]


def united(first: Hashes, second: Hashes) -> Hashes:
    """Return the sketch of all rows of two tables, given that of each.

    Examples
    --------
    >>> first, second = np.array([5, 7], dtype=np.uint64), np.array([6, 7], dtype=np.uint64)
    >>> united(first, second).tolist()
    [5, 6, 7]
    """
    return sketch(np.concatenate([first, second]))


def recognised(kept: Hashes, hashes: Hashes) -> NDArray[np.bool_]:
    """Return which of `hashes` the sketch `kept` recognises.

    Examples
    --------
    >>> first = np.array([5, 7, 9], dtype=np.uint64)
    >>> recognised(sketch(first), np.array([7, 8], dtype=np.uint64)).tolist()
    [True, False]
    """
    return np.isin(hashes, kept)


def shared_rows(kept: Hashes, hashes: Hashes) -> int:
    """Return how many of `hashes` the sketch `kept` recognises.

    Examples
    --------
    >>> first = np.array([5, 7, 9], dtype=np.uint64)
    >>> shared_rows(sketch(first), np.array([7, 8], dtype=np.uint64))
    1
    """
    return int(recognised(kept, hashes).sum())
