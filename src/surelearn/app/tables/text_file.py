"""Text files of any encoding, compressed or not: their bytes, their hash, and what ails them."""

import codecs
import csv
import hashlib
import io
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from surelearn.app.errors import TableError
from surelearn.app.tables.layout import Layout
from surelearn.app.tables.sources import FLOOR, most_decompressed, too_large

_HEAD = 2**18  # bytes looked at to find the layout
_BLOCK = 2**22  # bytes read at once
_N_LINES = 200
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}


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
    """

    path: Path
    content: Path
    encoding: str
    missing: tuple[str, ...]
    text: frozenset[str] = field(default_factory=frozenset[str])
    on_bytes: Callable[[int], object] = int


def head_of(file: TextFile) -> list[str]:
    """Return the first lines of a text file, whole ones."""
    with opened(file) as (stream, _):
        head = _read_fully(stream, _HEAD)
    text = decoded(head, file, whole=len(head) < _HEAD)
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise TableError(f"{file.path} is empty")
    if "\0" in text:
        raise TableError(
            f"{file.path} is not a text file, for it holds zero bytes: save it as CSV, or say "
            "--encoding utf-16-le if that is its encoding"
        )
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

    def __init__(self, stream: Any, file: TextFile, floor: int) -> None:
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
def opened(file: TextFile, floor: int = FLOOR) -> Generator[tuple[Any, _Hashed]]:
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


def find_ragged_line(file: TextFile, layout: Layout) -> str:
    """Return the name of the first line with too few or too many cells."""
    first = 1
    with opened(file) as (stream, _):
        text = io.TextIOWrapper(stream, file.encoding, errors="replace", newline="")
        reader = csv.reader(text, delimiter=layout.delimiter, quotechar=layout.quote)
        with suppress(csv.Error):
            for record in reader:
                if record and len(record) != len(layout.names):
                    break
                first = reader.line_num + 1
    return f"line {first:,}"


def find_bad_byte(file: TextFile) -> TableError:
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
