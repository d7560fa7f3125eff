"""CSV, TSV and the like, read block by block: memory stays near the size of the encoded table.

All cells come as text; blanks around them are removed and the words for "missing" become null; then
each column takes the narrowest type that fits. A column that turns out to be text only late is read
a second time, alone.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from surelearn.app._cells import GrowingColumn, describe_mixture
from surelearn.app._layout import Layout, find_layout
from surelearn.app._notes import Note, TableError

_compute: Any = pc
_HEAD = 2**18  # bytes looked at to find the layout
_BLOCK = 2**22  # bytes of text per block
_N_LINES = 200


@dataclass(frozen=True)
class TextFile:
    """A text file and how to read it.

    Parameters
    ----------
    path
        The file; .gz, .bz2, .zst and .lz4 are decompressed on the way.
    encoding
        Its encoding.
    missing
        The cells that mean "missing", besides empty ones.
    text
        The columns that are text whatever their cells look like.
    on_bytes
        Called with the bytes read so far.
    """

    path: Path
    encoding: str
    missing: tuple[str, ...]
    text: frozenset[str] = field(default_factory=frozenset[str])
    on_bytes: Callable[[int], object] = int


def read_delimited(
    file: TextFile,
    *,
    delimiter: str | None,
    header: bool | None,
    names: Sequence[Sequence[str]] = (),
) -> tuple[Any, Layout, list[Note]]:
    """Return the table in a text file, its layout and what else was inferred."""
    layout = find_layout(head_of(file), delimiter=delimiter, header=header, names=names)
    found: Counter[str] = Counter()
    columns = {name: GrowingColumn(text=name in file.text) for name in layout.names}
    _fill(columns, file, layout, found)
    again = {name: GrowingColumn(text=True) for name in columns if columns[name].was_too_narrow}
    if again:
        _fill(again, file, layout, Counter())
    table = pa.table({name: (again.get(name) or columns[name]).finish() for name in columns})
    if table.num_rows == 0:
        raise TableError(f"{file.path} has names of columns but no rows")
    return table, layout, [*_missing_note(found), *_mixtures(table, file.text)]


def head_of(file: TextFile) -> list[str]:
    """Return the first lines of a text file, whole ones."""
    with opened(file) as (stream, _):
        head = _read_fully(stream, _HEAD)
    text = decoded(head, file, whole=len(head) < _HEAD)
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise TableError(f"{file.path} is empty")
    if "\0" in text:
        raise TableError(f"{file.path} is not a text file: it holds zero bytes")
    if len(head) == _HEAD and len(lines) > 1:
        lines.pop()  # it may have been cut
    return lines[:_N_LINES]


def decoded(data: bytes, file: TextFile, *, whole: bool) -> str:
    """Return bytes as text, or say which byte is none and what to do."""
    try:
        decoder = codecs.getincrementaldecoder(file.encoding)()
    except LookupError:
        raise TableError(
            f"there is no encoding called {file.encoding!r}; utf-8 and latin-1 are the usual ones"
        ) from None
    try:
        return decoder.decode(data, final=whole).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _bad_byte(file, data, error.start) from None


@contextmanager
def opened(file: TextFile) -> Generator[tuple[Any, Any]]:
    """Open a file, decompressed, and the bytes under it, whose place tells the progress."""
    kinds = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
    kind = kinds.get(file.path.suffix.lower())
    with file.path.open("rb") as raw:
        yield (pa.CompressedInputStream(raw, kind) if kind else raw), raw


def _read_fully(stream: Any, n: int) -> bytes:
    parts: list[bytes] = []
    while n > 0 and (part := stream.read(n)):
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def _fill(
    columns: dict[str, GrowingColumn], file: TextFile, layout: Layout, found: Counter[str]
) -> None:
    """Read the file once and add every block to the columns asked for."""
    tokens = pa.array(["", *file.missing], pa.string())
    with opened(file) as (stream, raw):
        try:
            for block in _blocks(stream, list(columns), file, layout):
                for name, column in columns.items():
                    column.add(_without_missing(block.column(name), tokens, found))
                file.on_bytes(raw.tell())
        except pa.ArrowInvalid as error:
            raise _explained(error, file) from None


def _blocks(stream: Any, names: list[str], file: TextFile, layout: Layout) -> Any:
    return csv.open_csv(
        stream,
        read_options=csv.ReadOptions(
            use_threads=False,
            block_size=_BLOCK,
            column_names=layout.names,
            skip_rows_after_names=int(layout.header),
            encoding=file.encoding,
        ),
        parse_options=csv.ParseOptions(
            delimiter=layout.delimiter, quote_char=layout.quote, newlines_in_values=True
        ),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(layout.names, pa.string()), include_columns=names
        ),
    )


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


def _mixtures(table: Any, asked: frozenset[str]) -> list[Note]:
    notes = (
        describe_mixture(table.column(name), name)
        for name in table.column_names
        if pa.types.is_dictionary(table.column(name).type) and name not in asked
    )
    return [note for note in notes if note is not None]


def _explained(error: Exception, file: TextFile) -> TableError:
    """Return PyArrow's complaint as a sentence for someone with a file."""
    message = str(error)
    if "UTF8" in message or "decode" in message:
        return _find_bad_byte(file)
    ragged = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", message)
    if ragged:
        where = f"line {ragged[1]}" if ragged[1] else "a line"
        return TableError(
            f"{where} of {file.path} has {ragged[3]} cells where {ragged[2]} are expected: mend "
            "that line, or say --delimiter if the table was split wrongly"
        )
    return TableError(f"{file.path} cannot be read as a table: {message.splitlines()[0]}")


def _find_bad_byte(file: TextFile) -> TableError:
    """Return the sentence about the first byte that is not of the encoding."""
    decoder = codecs.getincrementaldecoder(file.encoding)()
    with opened(file) as (stream, _):
        before = 0
        n_lines = 1
        while block := _read_fully(stream, _BLOCK):
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                return _bad_byte(file, block, error.start - pending, before, n_lines)
            before += len(block)
            n_lines += block.count(b"\n")
    return TableError(f"{file.path} ends in the middle of a character: its last byte is missing")


def _bad_byte(
    file: TextFile, block: bytes, place: int, before: int = 0, line: int = 1
) -> TableError:
    line += block[: max(place, 0)].count(b"\n")
    return TableError(
        f"byte {before + place + 1:,} of {file.path} (line {line:,}) is 0x{block[place]:02x}, and "
        f"that is no {file.encoding.upper()}: say which encoding it is, perhaps --encoding latin-1"
    )
