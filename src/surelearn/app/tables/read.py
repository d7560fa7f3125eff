"""Tables in files: CSV, Parquet, Arrow, Feather, ARFF, JSON lines, each inference in words."""

import hashlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Self, TypeAlias

import pyarrow as pa
from pyarrow import types

from surelearn.app.errors import TableError
from surelearn.app.tables import arrow_files
from surelearn.app.tables.arff import read_arff
from surelearn.app.tables.delimited import read_delimited
from surelearn.app.tables.json_lines import is_json_lines
from surelearn.app.tables.notes import Note
from surelearn.app.tables.sources import readable
from surelearn.app.tables.text_file import (
    WESTERN,
    BadByteError,
    TextFile,
    decoded,
    is_compressed,
    is_western,
    opened,
)

__all__ = [
    "MISSING",
    "Note",
    "Progress",
    "TableError",
    "TableFile",
    "read_in_its_encoding",
    "read_table_file",
]

Progress: TypeAlias = Callable[[int, int], object]
"""Called now and then with the bytes read so far and the bytes in all."""

MISSING = ("?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
"""The cells of text files that mean "missing" unless other words are given, besides empty ones."""

_BLOCK = 2**20  # bytes that are decompressed at once
_MOST_OF_ARFF = 2**26  # bytes of a compressed one: it is held whole, cell by cell
_LONGEST_NAME = 10_000  # characters of the name of a column


@dataclass(frozen=True, eq=False)
class TableFile:
    """What was read, and every inference in words.

    Parameters
    ----------
    path
        The file.
    table
        A PyArrow table: numbers, truth values, text (dictionary-encoded), dates; null is missing.
    notes
        What was inferred, why, and how to say otherwise.
    sha256
        The hash of the file.
    header
        Whether the columns have names of their own; otherwise they are column_1, column_2, ...
    missing
        The words that were read as missing cells.
    typed
        Whether the file itself declares the types of its columns.
    decimal
        What separates the whole from the fraction of a number.
    lists
        Columns whose cells are lists, which no learner reads.
    """

    path: Path
    table: Any
    notes: tuple[Note, ...]
    sha256: str
    header: bool = True
    missing: tuple[str, ...] = ()
    typed: bool = False
    decimal: str = "."
    lists: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        """Refuse names of columns that no line and no page can show."""
        for place, name in enumerate(self.table.column_names, 1):
            if len(name) > _LONGEST_NAME:
                raise TableError(
                    f"the name of column {place:,} of {self.path} has {len(name):,} characters: is "
                    "line 1 a row of cells? Then say --no-header; else give the column a short name"
                )

    @property
    def name(self) -> str:
        r"""The name of the file as text; bytes of it that are no UTF-8 are written out as \xff."""
        return os.fsencode(self.path.name).decode("utf-8", "backslashreplace")

    @classmethod
    def of_table(cls, table: Any, name: str = "table") -> Self:
        """Return a table in memory, of PyArrow, pandas or Polars, as if it had been read.

        Examples
        --------
        >>> import pyarrow as pa
        >>> TableFile.of_table(pa.table({"a": [1, 2], "b": ["x", ""]})).table.to_pylist()
        [{'a': 1, 'b': 'x'}, {'a': 2, 'b': None}]
        """
        given = pa.table(table)
        given.validate(full=True)
        simple, notes = arrow_files.simplify(given, Path(name), ())
        lists = arrow_files.lists_in(given)
        digest = hashlib.sha256()
        for part in (simple, given.select(list(lists)) if lists else simple.slice(0, 0)):
            for batch in part.to_batches():
                digest.update(batch.serialize())
        sha256 = digest.hexdigest()
        return cls(Path(name), simple, tuple(notes), sha256, typed=True, lists=lists)


def read_table_file(  # noqa: PLR0913 - an argument for each option of the command
    path: str | PathLike[str],
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    text: Iterable[str] = (),
    names: Sequence[Sequence[str]] = (),
    alone: bool = False,
    on_progress: Progress | None = None,
) -> TableFile:
    r"""Read a table, say what was inferred, or raise `TableError` with one sentence.

    The kind of file is told by its first bytes, not by its name. A table that takes more memory
    than `_disk.MOST_IN_MEMORY` is kept in temporary files, which vanish with it.

    Parameters
    ----------
    path
        A CSV, TSV, Parquet, Arrow, Feather or ARFF file, or JSON lines; text may be compressed
        (.gz, .zst ...). A pipe, and the standard input ("-"), is copied to a temporary file first.
    delimiter
        What stands between the cells of a line; None means: find out.
    header
        Whether the first line holds the names; None means: find out.
    missing
        The cells that mean "missing", besides empty ones; None means `MISSING` in text files, and
        none in the others, which have a way of their own to say it.
    encoding
        The encoding of a text file; None means UTF-8, or UTF-16 if it says so.
    decimal
        What separates the whole from the fraction of a number in a text file, a point or a comma;
        None means: find out.
    text
        Columns to leave as text even if all their cells are numbers.
    names
        Lists of names; columns without a header take the first list that is as long as a row.
    alone
        Whether one column alone will do, as results of an evaluation do.
    on_progress
        Called now and then with the bytes read so far and the bytes in all.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("kind;legs\ncat;4\nbird;?\n", encoding="utf-8")
    ...     file = read_table_file(path)
    >>> file.table.to_pylist()
    [{'kind': 'cat', 'legs': 4}, {'kind': 'bird', 'legs': None}]
    >>> print(file.notes[0])
    delimiter: ';' (it splits the first lines into the same number of cells; otherwise: --delimiter)
    """
    path = Path(path)
    options = {"delimiter": delimiter, "header": header, "decimal": decimal, "names": names}
    options["alone"] = alone
    with readable(path) as content:
        first, n_bytes = _first_bytes(path, content)
        words = tuple(word.strip() for word in (missing or ()))
        if arrow_files.has_types(first, path):
            return _typed(path, arrow_files.read_typed(path, content, words), words)
        utf_16 = first[:2] in {b"\xff\xfe", b"\xfe\xff"}
        source = TextFile(
            path,
            content,
            encoding=encoding or ("utf-16" if utf_16 else "utf-8"),
            missing=MISSING if missing is None else words,
            text=frozenset(text),
            on_bytes=(lambda _: None) if on_progress is None else lambda n: on_progress(n, n_bytes),
        )
        if is_compressed(first) and (lines := _compressed_lines(source, words)) is not None:
            return lines
        if _is_arff(path, first):
            return _read_arff(source, words)
        return _read_delimited(source, options)


def read_in_its_encoding(
    read: Callable[..., TableFile], path: Path, form: Mapping[str, Any]
) -> tuple[TableFile, dict[str, Any]]:
    """Read a table whose encoding may have to be guessed; return how it was read, too.

    What is no UTF-8 is read as Windows writes it in the West if all its bytes speak for that,
    unless an encoding is given.

    Parameters
    ----------
    read
        Reads the path: `read_table_file`, with what it needs beside `form`.
    path, form
        The file, and the options of `read_table_file`.
    """
    try:
        return read(path, **form), dict(form)
    except BadByteError:
        if form.get("encoding") is not None or not is_western(path):
            raise
    guessed = {**form, "encoding": WESTERN}
    file = read(path, **guessed)
    why = "some bytes are no UTF-8, and all of them are letters or signs in this encoding"
    note = Note("encoding", WESTERN, why, "--encoding")
    return replace(file, notes=(note, *file.notes)), guessed


def _typed(path: Path, file: arrow_files.TypedFile, words: tuple[str, ...]) -> TableFile:
    notes, sha256 = tuple(file.notes), file.sha256
    return TableFile(path, file.table, notes, sha256, missing=words, typed=True, lists=file.lists)


def _compressed_lines(source: TextFile, words: tuple[str, ...]) -> TableFile | None:
    """Read JSON lines that are compressed; None if the file holds other text."""
    with (
        opened(source) as (stream, raw),
        tempfile.NamedTemporaryFile(prefix="surelearn-") as copy,
    ):
        block = stream.read(_BLOCK)
        if not is_json_lines(block, source.path):
            return None
        while block:
            copy.write(block)
            block = stream.read(_BLOCK)
        copy.flush()
        file = arrow_files.read_typed(source.path, Path(copy.name), words)
        return _typed(source.path, file._replace(sha256=raw.sha256()), words)


def _read_arff(source: TextFile, words: tuple[str, ...]) -> TableFile:
    with opened(source, floor=_MOST_OF_ARFF) as (stream, raw):
        lines = decoded(stream.read(), source, whole=True).splitlines()
        sha256 = raw.sha256()
    table, notes = read_arff(lines, missing=words)
    return TableFile(source.path, table, tuple(notes), sha256, missing=words, typed=True)


def _read_delimited(source: TextFile, options: Mapping[str, Any]) -> TableFile:
    stamp = _stamp(source.content)
    table, layout, notes, sha256 = read_delimited(source, **options)
    if _stamp(source.content) != stamp:  # its first lines were read before the rest
        raise TableError(f"{source.path} has changed while it was read: read it again")
    notes = (*layout.notes, _types_note(table), *notes)
    header, decimal = layout.header, layout.decimal
    return TableFile(source.path, table, notes, sha256, header, source.missing, decimal=decimal)


def _stamp(content: Path) -> tuple[int, ...]:
    """Return what changes when a file is written to."""
    found = content.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _first_bytes(path: Path, content: Path) -> tuple[bytes, int]:
    """Return the first bytes of a file and its size, or say why there is nothing to read."""
    try:
        with content.open("rb") as file:
            first = file.read(2**12)
        n_bytes = content.stat().st_size
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None
    if not first.strip():
        raise TableError(f"{path} is empty")
    if first.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise TableError(f"{path} is a workbook or an archive; save the table in it as CSV")
    return first, n_bytes


def _is_arff(path: Path, first: bytes) -> bool:
    lines = (line.strip().lower() for line in first.splitlines())
    start = next((line for line in lines if line and not line.startswith(b"%")), b"")
    return path.suffix.lower() == ".arff" or start.startswith((b"@relation", b"@attribute"))


def _types_note(table: Any) -> Note:
    """Say how many columns are of which type."""
    kinds = Counter(_kind_of(column.type) for column in table.columns)
    found = ", ".join(f"{n} of {kind}" for kind, n in kinds.items())
    return Note("columns", found, "the narrowest type that fits all cells", "--categorical COLUMN")


def _kind_of(kind: Any) -> str:
    if types.is_dictionary(kind):
        return "text"
    if types.is_timestamp(kind):
        return "dates"
    if types.is_null(kind):
        return "empty cells"
    return "truth values" if types.is_boolean(kind) else "numbers"
