"""Text files of any encoding, compressed or not: their bytes, their hash, and what ails them."""

import codecs
import contextlib
import csv
import hashlib
import io
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from surelearn.app.errors import TableError
from surelearn.app.tables.layout import Layout, cells_up_to
from surelearn.app.tables.sources import most_decompressed, too_large

WESTERN = "cp1252"
"""Latin-1 with the quotation marks of Windows: the usual encoding of what is no UTF-8."""

_STRANGE = re.compile(r"[\x00\x81\x8d\x8f\x90\x9dÿþ¬¦¤]|Ã[\x80-\xbf€-™]")  # or damaged UTF-8
_HEAD = 2**18  # bytes looked at to find the layout
_BLOCK = 2**22  # bytes read at once
_N_LINES, _FEWEST_LINES = 200, 20
_LONGEST_HEAD = 2**24
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}


class BadByteError(TableError):
    """A byte that is not of the encoding in which a file was read."""


@dataclass(frozen=True)
class TextFile:
    """A text file and how to read it.

    Parameters
    ----------
    path
        What the file is called.
    content
        Where its bytes are; gzip, bzip2, Zstandard and LZ4 are decompressed on the way.
    encoding
        Its encoding.
    missing
        The cells that mean "missing", besides empty ones.
    text
        The columns that are text whatever their cells look like.
    on_bytes
        Called with the bytes read so far.
    longest
        The bytes of a row that are read at once, at most.
    """

    path: Path
    content: Path
    encoding: str
    missing: tuple[str, ...]
    text: frozenset[str] = field(default_factory=frozenset[str])
    on_bytes: Callable[[int], object] = int
    longest: int = 2**21


def head_of(file: TextFile) -> tuple[list[str], bool]:
    """Return the first lines of a text file, whole ones, and whether all of it was looked at."""
    with opened(file) as (stream, _):
        head = _read_fully(stream, _HEAD)
        whole = len(head) < _HEAD
        while not whole and head.count(b"\n") <= _FEWEST_LINES and len(head) < _LONGEST_HEAD:
            more = _read_fully(stream, len(head))  # lines of a wide table are long
            head, whole = head + more, len(more) < len(head)
    text = decoded(head, file, whole=whole)
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise TableError(f"{file.path} is empty")
    if "\0" in text:
        raise TableError(
            f"{file.path} is not a text file, for it holds zero bytes: save it as CSV, or say "
            "--encoding utf-16-le if that is its encoding"
        )
    if not whole and len(lines) > 1:
        lines.pop()  # it may have been cut
    return lines[:_N_LINES], whole


def decoded(data: bytes, file: TextFile, *, whole: bool) -> str:
    """Return bytes as text, or say which byte is none and what to do."""
    try:
        with contextlib.suppress(UnicodeError):
            b"a".decode(file.encoding)  # some codecs, such as hex, make no text of bytes
        decoder = codecs.getincrementaldecoder(file.encoding)()
    except (LookupError, ValueError):  # the latter of a name that nothing can have
        raise TableError(
            f"there is no encoding called {file.encoding!r}; utf-8 and latin-1 are the usual ones"
        ) from None
    try:
        return decoder.decode(data, final=whole).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _bad_byte(file, data, error.start) from None
    except UnicodeError as error:
        raise TableError(f"{file.path} is no text in {file.encoding}: {error}") from None


def is_compressed(first: bytes) -> bool:
    """Return whether a file that begins with these bytes is compressed.

    Examples
    --------
    >>> is_compressed(b"BZh91AY"), is_compressed(b"a,b")
    (True, False)
    """
    return first.startswith(tuple(_COMPRESSED))


def is_western(path: Path) -> bool:
    """Return whether a file, not compressed, is text as Windows writes it in the West."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            if is_compressed(block):
                return False
            if _STRANGE.search(block.decode(WESTERN, errors="replace").replace("\ufffd", "\0")):
                return False
    return True


class _Hashed(io.RawIOBase):
    """The bytes of a file, hashed as they are read."""

    def __init__(self, raw: io.BufferedReader) -> None:
        self._raw, self._digest = raw, hashlib.sha256()

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer and return how many bytes that took."""
        n = self._raw.readinto(buffer)
        self._digest.update(memoryview(buffer)[:n])
        return n

    def tell(self) -> int:
        """Return how many bytes were read."""
        return self._raw.tell()

    def sha256(self) -> str:
        """Return the hash of the whole file, which is read to its end."""
        while self.read(_BLOCK):
            pass
        return self._digest.hexdigest()


class _Limited(io.RawIOBase):
    """Decompressed bytes, as long as they do not grow beyond what is allowed."""

    def __init__(self, stream: Any, file: TextFile, floor: int | None) -> None:
        self._stream, self._n, self._path = stream, 0, file.path
        self._n_compressed = file.content.stat().st_size
        self._most = most_decompressed(self._n_compressed, floor)

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer and return how many bytes that took."""
        n = self._stream.readinto(buffer)
        self._n += n
        if self._n > self._most:
            raise too_large(self._path, self._n_compressed, self._most)
        return n


@contextmanager
def opened(file: TextFile, floor: int | None = None) -> Generator[tuple[Any, _Hashed]]:
    """Open a file, decompressed, and the bytes under it: how many were read, and their hash.

    Beyond `floor`, decompressed bytes may be no more than so many times those of the file.
    """
    with file.content.open("rb") as raw:
        first, hashed = raw.peek(4), _Hashed(raw)
        kind = next((kind for mark, kind in _COMPRESSED.items() if first.startswith(mark)), None)
        if kind is None:
            yield hashed, hashed
            return
        try:
            yield _Limited(pa.CompressedInputStream(hashed, kind), file, floor), hashed
        except OSError as error:
            raise TableError(
                f"{file.path} cannot be decompressed ({error}): take a fresh copy of it"
            ) from None


def _read_fully(stream: Any, n: int) -> bytes:
    pieces: list[bytes] = []
    while n > 0 and (piece := stream.read(n)):
        pieces.append(piece)
        n -= len(piece)
    return b"".join(pieces)


class BadRow(NamedTuple):
    """A row that cannot be read: its first line, and whether a quotation mark in it stays open."""

    line: str
    is_open: bool


def find_bad_row(file: TextFile, layout: Layout, longest: int) -> BadRow:
    """Return the first row with too few or too many cells, one that is too long, or the last."""
    first, text, pieces = 1, "", list[str]()
    with opened(file) as (stream, _):
        lines = io.TextIOWrapper(stream, file.encoding, errors="replace", newline="")
        # An endless line would fill the memory; the first piece of one that is cut is too long.
        read = map(_noted(pieces), iter(lambda: lines.readline(longest + 1), ""))
        reader = csv.reader(read, delimiter=layout.delimiter, quotechar=layout.quote)
        with suppress(csv.Error), cells_up_to(longest):
            for record in reader:
                text = "".join(pieces)
                if record and (len(record) != len(layout.names) or len(text) > longest):
                    break
                if text.count(layout.quote) % 2 and not lines.readline(1):
                    break  # it is the last
                pieces.clear()
                first = reader.line_num + 1
        text = "".join(pieces)
    return BadRow(f"line {first:,}", text.count(layout.quote) % 2 == 1)


def _noted(pieces: list[str]) -> Callable[[str], str]:
    def note(piece: str) -> str:
        pieces.append(piece)
        return piece

    return note


def find_bad_byte(file: TextFile) -> TableError:
    """Return the sentence about the first byte that is not of the encoding."""
    decoder = codecs.getincrementaldecoder(file.encoding)()
    with opened(file) as (stream, _):
        before = 0
        n_lines = 1
        while block := _read_fully(stream, _BLOCK):
            pending = decoder.getstate()[0]  # the first bytes of a character that goes on here
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                whole, start = pending + block, before - len(pending)
                return _bad_byte(file, whole, error.start, start, n_lines)
            except UnicodeError as error:
                return TableError(f"{file.path} is no text in {file.encoding}: {error}")
            before += len(block)
            n_lines += block.count(b"\n")
    return TableError(f"{file.path} ends in the middle of a character: its last byte is missing")


def _bad_byte(
    file: TextFile, block: bytes, place: int, before: int = 0, line: int = 1
) -> TableError:
    if b"\0" in block[:_BLOCK]:
        return TableError(
            f"{file.path} is no table: it holds neither text nor Parquet, Arrow or ARFF; save the "
            "table as CSV"
        )
    line += block[:place].count(b"\n")
    return BadByteError(
        f"byte {before + place + 1:,} of {file.path} (line {line:,}) is 0x{block[place]:02x}, and "
        f"that is no {file.encoding.upper()}: say which encoding it is, perhaps --encoding latin-1"
    )
