"""CSV, TSV and the like, read block by block: memory stays near the size of the encoded table.

All cells come as text; blanks around them are removed and the words for "missing" become null; then
each column takes the narrowest type that fits. A column that turns out to be text only late is read
a second time, alone. What grows too large for memory is moved to disk.
"""

import io
import re
import threading
import weakref
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from surelearn.app.errors import TableError
from surelearn.app.tables.layout import Layout, find_layout
from surelearn.app.tables.memory_mapped import combined, too_many
from surelearn.app.tables.notes import Note
from surelearn.app.tables.text_columns import GrowingColumn, describe_mixture, move_to_disk
from surelearn.app.tables.text_file import (
    BadRow,
    TextFile,
    find_bad_byte,
    find_bad_row,
    head_of,
    opened,
)

_compute: Any = pc
_BLOCK = 2**21  # bytes of text per block; the reader holds some thirty of them
_PATIENCE = 10.0  # seconds that a read of a slow disk may take


class Contents(NamedTuple):
    """What a text file holds: its table, how that is laid out, what else was inferred, its hash."""

    table: Any
    layout: Layout
    notes: tuple[Note, ...]
    sha256: str


def read_delimited(
    file: TextFile, *, names: Sequence[Sequence[str]] = (), **options: Any
) -> Contents:
    """Return what a text file holds.

    Parameters
    ----------
    file, names
        The file, and lists of names that columns without a header may take.
    **options
        What is known of its layout: delimiter, header, decimal, alone.
    """
    head, whole = head_of(file)
    layout = find_layout(head, missing=file.missing, names=names, **options)
    if layout.header and len(head) == 1 and whole:  # else a line follows that is too long
        raise _no_rows(file)
    file = replace(file, longest=max(_BLOCK, 4 * max(map(len, head))))
    found: Counter[str] = Counter()
    columns = {
        name: GrowingColumn(text=name in file.text, decimal=layout.decimal) for name in layout.names
    }
    sha256 = _fill(columns, file, layout, found)
    again = {name: GrowingColumn(text=True) for name in columns if columns[name].was_too_narrow}
    if again and _fill(again, file, layout, Counter()) != sha256:
        raise TableError(f"{file.path} has changed while it was read: read it again")
    table = _joined({**columns, **again})
    if table.num_rows == 0:
        raise _no_rows(file)
    _refuse_open_quote(table, file, layout)
    notes = (*_missing_note(found), *_mixtures(table, file.text, layout.decimal))
    return Contents(table, layout, notes, sha256)


def _no_rows(file: TextFile) -> TableError:
    return TableError(f"{file.path} has names of columns but no rows")


def _fill(
    columns: dict[str, GrowingColumn], file: TextFile, layout: Layout, found: Counter[str]
) -> str:
    """Read the file once, add every block to the columns asked for, and return its hash."""
    tokens = pa.array(["", *file.missing], pa.string())
    with opened(file) as (stream, raw):
        try:
            for block in _blocks(stream, list(columns), file, layout):
                for name, cells in zip(columns, block.columns, strict=True):
                    columns[name].add(_without_missing(cells, tokens, found))
                if too_many(sum(column.nbytes for column in columns.values())):
                    move_to_disk(columns.values())
                file.on_bytes(raw.tell())
        except pa.ArrowInvalid as error:
            raise _explained(error, file, layout) from None
        except UnicodeError:  # of whichever encoding it is not
            raise find_bad_byte(file) from None
        return raw.sha256()


def _joined(columns: dict[str, GrowingColumn]) -> Any:
    """Return the table of columns that are read, on disk if some of it is there already."""
    if not any(column.is_on_disk for column in columns.values()):
        return pa.table({name: column.finish() for name, column in columns.items()})
    return combined(((name, columns.pop(name).finish()) for name in list(columns)), large=True)


class _Lent(io.RawIOBase):
    """A stream as Arrow's threads know it: once nobody does, none of them reads it any more."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer and return how many bytes that took."""
        stream = self._stream
        del self  # the traceback of what goes wrong below would know it, and be waited for
        return stream.readinto(buffer)


def _blocks(stream: Any, names: list[str], file: TextFile, layout: Layout) -> Generator[Any]:
    """Yield the blocks of a text file; at the end, of whatever kind, wait for those who read ahead.

    A thread of Arrow that reads, or lets go of a stream, while Python ends aborts the process.
    """
    lent, released = _Lent(stream), threading.Event()
    known = weakref.ref(lent, lambda _: released.set())
    reader = None
    try:
        reader = csv.open_csv(lent, **_options(names, file, layout))
        yield from reader
    finally:
        del lent, reader
        if known() is not None:
            released.wait(_PATIENCE)


def _options(names: list[str], file: TextFile, layout: Layout) -> dict[str, Any]:
    """Return how a text file is read."""
    return {
        "read_options": csv.ReadOptions(
            use_threads=False,
            block_size=file.longest,
            column_names=layout.names,
            skip_rows_after_names=int(layout.header),
            encoding=file.encoding,
        ),
        "parse_options": csv.ParseOptions(
            delimiter=layout.delimiter, quote_char=layout.quote, newlines_in_values=True
        ),
        "convert_options": csv.ConvertOptions(
            column_types=dict.fromkeys(layout.names, pa.string()), include_columns=names
        ),
    }


def _without_missing(cells: Any, tokens: Any, found: Counter[str]) -> Any:
    """Return the cells without blanks around them, null where one is missing."""
    cells = _compute.utf8_trim_whitespace(cells)
    missing = _compute.is_in(cells, value_set=tokens)
    if not _compute.any(missing).as_py():
        return cells
    for entry in _compute.value_counts(cells.filter(missing)).to_pylist():
        found[entry["values"]] += entry["counts"]
    return _compute.if_else(missing, pa.scalar(None, pa.string()), cells)


def _missing_note(found: Counter[str]) -> list[Note]:
    if not found:
        return []
    words = ", ".join(f"{n:,} {repr(word) if word else 'empty'}" for word, n in found.items())
    why = "such cells usually mean that a value is missing"
    return [Note("missing cells", words, why, "--missing WORD, for each word that means it")]


def _mixtures(table: Any, asked: frozenset[str], decimal: str) -> list[Note]:
    notes = (
        describe_mixture(table.column(name), name, decimal)
        for name in table.column_names
        if pa.types.is_dictionary(table.column(name).type) and name not in asked
    )
    return [note for note in notes if note is not None]


def _explained(error: Exception, file: TextFile, layout: Layout) -> TableError:
    """Return PyArrow's complaint as a sentence for someone with a file."""
    message = str(error)
    if "UTF8" in message or "decode" in message:
        return find_bad_byte(file)
    ragged = re.search(r"Expected (\d+) columns, got (\d+)", message)
    if ragged is None and "straddl" not in message:  # two blocks
        return TableError(f"{file.path} cannot be read as a table: {message.splitlines()[0]}")
    row = find_bad_row(file, layout, file.longest)
    if row.is_open:
        return _open_quote(row, file)
    if ragged is None:
        return TableError(
            f"{row.line} of {file.path} has more than {file.longest:,} bytes, and no more are read "
            "at once: shorten its cells, or leave that line out"
        )
    return TableError(
        f"{row.line} of {file.path} has {ragged[2]} cells where {ragged[1]} are expected: mend "
        "that line, or say --delimiter if the table was split wrongly"
    )


def _refuse_open_quote(table: Any, file: TextFile, layout: Layout) -> None:
    """Refuse a last row that swallowed lines after a quotation mark that is not closed."""
    last = table.slice(table.num_rows - 1)
    words = [column for column in last.columns if pa.types.is_dictionary(column.type)]
    if any("\n" in (column[0].as_py() or "") for column in words):
        row = find_bad_row(file, layout, file.longest)
        if row.is_open:
            raise _open_quote(row, file)


def _open_quote(row: BadRow, file: TextFile) -> TableError:
    return TableError(
        f"in the row that begins in {row.line} of {file.path} a quotation mark is not closed: all "
        "that follows would be one cell"
    )
