"""Histograms: for each column and bin the sums of gradients, hessians and rows of a node.

Words are added in tables that stay in the nearest cache, eight columns at a time, and flushed to
wide sums before a field can overflow. Wide sums are two integers: the gradient, and
hessian << 26 | count. A node's histogram minus that of one child is that of the other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing, prefetching
from surelearn._typing import Indices
from surelearn.learners.ensembles._histogram.records import GRADIENT, HESSIAN, Records

TILE = 2048
"""Rows whose words are gathered before any table takes them."""

COUNT_BITS = 26
"""Bits of the number of rows in a wide sum; a histogram has less than 2^26 rows."""

MOST_WORDS = 8
"""Words counted together; their tables and tiles lie in the second cache."""

SCRATCH = (MOST_WORDS + 1) * TILE + MOST_WORDS * 2048
"""The words of memory that a worker needs to count."""

_AHEAD = 32  # rows between asking for a record and reading it
_HESSIAN_MASK = (1 << (GRADIENT - HESSIAN)) - 1
_COUNT_MASK = (1 << HESSIAN) - 1
_BYTE, _BYTE_BITS = np.uint64(255), np.uint64(8)
_ONE, _TWO = np.uint64(1), np.uint64(2)

Rows = NDArray[np.int32]
"""Places of rows."""

Words = NDArray[np.uint64]
"""Packed cells or packed sums."""


# An index of unsigned type is never counted from the end, which each access would ask for.


@borrowing
def gather(
    rows: Rows, first: int, last: int, records: Records, w: int, last_word: int, tiles: Words
) -> None:
    """Copy words w to last_word - 1, and the gradient word, of some rows to a tile each.

    There are two words or more. They go few at a time, since registers are few.
    """
    places, n_words, done = rows[first:last], last_word - w, min(3, last_word - w)
    gradient, k, end = np.uint64(records.shape[1] - 1), np.uint64(w), len(rows) - 1
    gradients = tiles[n_words * TILE :]
    if n_words == 2:
        for i in range(len(places)):
            prefetching.entry(records, rows[min(first + i + _AHEAD, end)])
            row = np.uint64(places[i])
            gradients[i] = records[row, gradient]
            tiles[np.uint64(i)] = records[row, k]
            tiles[np.uint64(TILE + i)] = records[row, k + _ONE]
    else:
        for i in range(len(places)):
            prefetching.entry(records, rows[min(first + i + _AHEAD, end)])
            row = np.uint64(places[i])
            gradients[i] = records[row, gradient]
            tiles[np.uint64(i)] = records[row, k]
            tiles[np.uint64(TILE + i)] = records[row, k + _ONE]
            tiles[np.uint64(2 * TILE + i)] = records[row, k + _TWO]
    while done + 4 <= n_words:
        _gather_four(places, records, w + done, tiles[done * TILE :])
        done += 4
    while done < n_words:
        k, tile = np.uint64(w + done), tiles[done * TILE :]
        for i in range(len(places)):
            tile[i] = records[np.uint64(places[i]), k]
        done += 1


@borrowing
def _gather_four(rows: Rows, records: Records, w: int, tiles: Words) -> None:
    """Copy four words of some rows to a tile each."""
    k = np.uint64(w)
    for i in range(len(rows)):
        row = np.uint64(rows[i])
        tiles[np.uint64(i)] = records[row, k]
        tiles[np.uint64(TILE + i)] = records[row, k + _ONE]
        tiles[np.uint64(2 * TILE + i)] = records[row, k + _TWO]
        tiles[np.uint64(3 * TILE + i)] = records[row, k + _TWO + _ONE]


@borrowing
def _add_word(word: Any, gradient: Any, table: Words) -> None:
    """Add a row's gradient word to its bin of eight columns, 256 places to a column."""
    for column in range(8):  # the compiler writes them one after the other
        table[np.uint64(256 * column) + (word & _BYTE)] += gradient
        word >>= _BYTE_BITS


@borrowing
def _add_half_word(word: Any, gradient: Any, table: Words) -> None:
    """Add a row's gradient word to its bin of the first four columns."""
    for column in range(4):
        table[np.uint64(256 * column) + (word & _BYTE)] += gradient
        word >>= _BYTE_BITS


@borrowing
def _add_rows(rows: Rows, first: int, last: int, records: Records, w: int, table: Words) -> None:
    """Add some rows to the table of one word."""
    gradient, k, end = np.uint64(records.shape[1] - 1), np.uint64(w), len(rows) - 1
    for i in range(first, last):
        prefetching.entry(records, rows[min(i + _AHEAD, end)])
        row = np.uint64(rows[i])
        _add_word(records[row, k], records[row, gradient], table)


@borrowing
def flush(table: Words, column: int, starts: Indices, kept: int, sums: Indices) -> None:
    """Add the packed sums of one column to its wide sums, and clear them; gaps come last.

    What the wide sums held before counts `kept` times: 0 for the first words of a node.
    """
    start, stop = starts[column], starts[column + 1]
    gradients, others, n_bins = sums[0, start:stop], sums[1, start:stop], stop - start - 1
    table[n_bins] = table[255]  # no cell has such a bin, or it is this one
    for b in range(n_bins + 1):
        word = np.int64(table[b])
        gradients[b] = kept * gradients[b] + (word >> GRADIENT)
        hessian = (word >> HESSIAN) & _HESSIAN_MASK
        others[b] = kept * others[b] + (hessian << COUNT_BITS) + (word & _COUNT_MASK)
        table[b] = np.uint64(0)
    table[255] = np.uint64(0)


@borrowing
def count_words(
    rows: Rows,
    bounds: Indices,
    records: Records,
    starts: Indices,
    rows_added: int,
    scratch: Words,
    sums: Indices,
) -> None:
    """Write the sums over some rows of the columns of some words.

    Parameters
    ----------
    bounds
        The first row and the one after the last, the first word and the one after the last.
    starts
        Where the bins of each column begin.
    rows_added
        How many rows may be added between flushes.
    scratch
        Room for tiles and tables, the tables all zeros.
    sums
        Gradients, and hessians with counts: two rows.
    """
    first, last, w, last_word = bounds[0], bounds[1], bounds[2], bounds[3]
    tables, at_once = scratch[(MOST_WORDS + 1) * TILE :], min(TILE, rows_added)
    n_added, kept = 0, 0
    for start in range(first, last, at_once):
        stop = min(start + at_once, last)
        if last_word - w > 1:
            gather(rows, start, stop, records, w, last_word, scratch)
            _add_tiles(scratch, stop - start, w, last_word, len(starts) - 1, tables)
        else:
            _add_rows(rows, start, stop, records, w, tables)
        n_added += at_once
        if n_added + at_once > rows_added or stop == last:
            for j in range(8 * w, min(8 * last_word, len(starts) - 1)):
                flush(tables[256 * (j - 8 * w) :], j, starts, kept, sums)
            for j in range(len(starts) - 1, 8 * last_word):  # bytes of a word that are no columns
                tables[256 * (j - 8 * w)] = 0
            n_added, kept = 0, 1
    if last <= first:
        clear(sums, int(starts[8 * w]), int(starts[min(8 * last_word, len(starts) - 1)]))


@borrowing
def _add_tiles(
    tiles: Words, n: int, w: int, last_word: int, n_features: int, tables: Words
) -> None:
    """Let the tables of each word take the tile; a last word of few columns needs fewer."""
    gradients = tiles[(last_word - w) * TILE :]
    for k in range(last_word - w):
        cells, table = tiles[k * TILE :], tables[2048 * k :]
        if n_features - 8 * (w + k) > 4:
            for i in range(n):
                _add_word(cells[i], gradients[i], table)
        else:
            for i in range(n):
                _add_half_word(cells[i], gradients[i], table)


@borrowing
def clear(sums: Indices, first: int, last: int) -> None:
    """Set the sums of some bins to 0."""
    for row in range(2):
        cleared = sums[row, first:last]
        for place in range(last - first):
            cleared[place] = 0


@borrowing
def subtract(whole: Indices, part: Indices, first: int, last: int) -> None:
    """Leave in a node's sums those of one child, given those of the other."""
    for row in range(2):
        left, taken = whole[row, first:last], part[row, first:last]
        for place in range(last - first):
            left[place] -= taken[place]
