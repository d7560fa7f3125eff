"""How large the columns of an Arrow file become, known before any of them is made.

Each compressed buffer begins with its size. Where the buffers lie is told by the metadata of its
message, a FlatBuffer (https://arrow.apache.org/docs/format/Columnar.html), which PyArrow keeps to
itself. A file is read by the blocks in its footer, so by these it is measured: several of them may
lead to the same bytes, and what stands between them is never read.
"""

import struct
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import ipc

from surelearn.base.tables.flat_buffers import field_of, follow

_MAGIC = b"ARROW1"  # a file begins and ends so; a stream does not
_CONTINUED = b"\xff\xff\xff\xff"
_OLD_COMPRESSION = b"ARROW:experimental_compression"  # which Arrow still reads

# Places of fields in Footer, Message, DictionaryBatch and RecordBatch.
_DICTIONARIES, _BATCHES = 2, 3
_HEADER_TYPE, _HEADER = 1, 2
_DATA = 1
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3
_DICTIONARY, _RECORD_BATCH = 2, 3  # types of headers


class Size(NamedTuple):
    """What becomes of a message: its rows, and the bytes of its columns."""

    n_rows: int
    n_bytes: int


class FileSizes(NamedTuple):
    """What becomes of each dictionary and each record batch of an Arrow file."""

    dictionaries: list[Size]
    batches: list[Size]


def decompressed_size(data: Any) -> int:
    """Return how many bytes the columns of an Arrow file or stream become.

    Examples
    --------
    >>> sink, table = pa.BufferOutputStream(), pa.table({"a": [0] * 1000})
    >>> options = ipc.IpcWriteOptions(compression="zstd")
    >>> with ipc.new_stream(sink, table.schema, options=options) as writer:
    ...     writer.write_table(table)
    >>> decompressed_size(sink.getvalue())
    8000
    """
    source = pa.BufferReader(data)
    if data.slice(0, min(len(_MAGIC), data.size)).to_pybytes() == _MAGIC:
        found = file_sizes(source)
        return sum(size.n_bytes for size in (*found.dictionaries, *found.batches))
    with _damage_told():
        pairs = ((one.metadata.to_pybytes(), pa.BufferReader(one.body)) for one in _messages(data))
        return sum(_size(*pair).n_bytes for pair in pairs)


def file_sizes(source: Any) -> FileSizes:
    """Return what becomes of the blocks in the footer of an Arrow file.

    Examples
    --------
    >>> sink, table = pa.BufferOutputStream(), pa.table({"a": [0] * 1000})
    >>> with ipc.new_file(sink, table.schema) as writer:
    ...     writer.write_table(table, max_chunksize=500)
    >>> file_sizes(pa.BufferReader(sink.getvalue())).batches
    [Size(n_rows=500, n_bytes=4000), Size(n_rows=500, n_bytes=4000)]
    """
    end = source.size() - len(_MAGIC) - 4
    with _damage_told():
        (length,) = struct.unpack("<i", _at(source, end, 4))
        footer = _at(source, end - length, length)
        blocks = _blocks(footer, _DICTIONARIES), _blocks(footer, _BATCHES)
        return FileSizes(*([_size_at(source, *block) for block in found] for found in blocks))


@contextmanager
def _damage_told() -> Generator[None]:
    """Say that a FlatBuffer is damaged whose places lead nowhere."""
    try:
        yield
    except (struct.error, IndexError) as error:
        raise ValueError(f"the messages of the Arrow file are damaged: {error}") from error


def _blocks(footer: bytes, place: int) -> Iterator[tuple[int, int]]:
    """Yield where messages begin and how long their metadata are."""
    field = field_of(footer, follow(footer, 0), place)
    if not field:
        return
    vector = follow(footer, field)
    (count,) = struct.unpack_from("<I", footer, vector)
    for i in range(count):
        yield struct.unpack_from("<qi", footer, vector + 4 + 24 * i)


def _size_at(source: Any, start: int, length: int) -> Size:
    metadata = _at(source, start, length)
    prefix = 8 if metadata.startswith(_CONTINUED) else 4  # as it was before there was a mark
    return _size(metadata[prefix:], source, start + length)


def _messages(data: Any) -> Iterator[Any]:
    """Yield messages up to the end, or to what is none: reading the table will tell."""
    reader = ipc.MessageReader.open_stream(pa.BufferReader(data))
    while True:
        try:
            yield reader.read_next_message()
        except (StopIteration, pa.ArrowException, OSError):
            return


def _size(metadata: bytes, source: Any, body: int = 0) -> Size:
    """Return what becomes of a message whose body begins there."""
    message = follow(metadata, 0)
    kind_at, header = (field_of(metadata, message, place) for place in (_HEADER_TYPE, _HEADER))
    kind = metadata[kind_at] if kind_at else 0
    if kind not in {_DICTIONARY, _RECORD_BATCH} or not header:
        return Size(0, 0)
    batch = follow(metadata, header)
    if kind == _DICTIONARY:
        batch = follow(metadata, field_of(metadata, batch, _DATA))
    length = field_of(metadata, batch, _LENGTH)
    n_rows = struct.unpack_from("<q", metadata, length)[0] if length else 0
    n_bytes = sum(_buffer_sizes(metadata, batch, source, body))
    return Size(n_rows, max(n_bytes, 8 * n_rows))  # a column of nulls has rows and no buffer


def _buffer_sizes(metadata: bytes, batch: int, source: Any, body: int) -> Iterator[int]:
    """Yield the size of each buffer; of a compressed one that which it says it will have."""
    compressed = field_of(metadata, batch, _COMPRESSION) or _OLD_COMPRESSION in metadata
    field = field_of(metadata, batch, _BUFFERS)
    if not field:
        return
    vector = follow(metadata, field)
    (count,) = struct.unpack_from("<I", metadata, vector)
    for place in range(count):
        start, length = struct.unpack_from("<qq", metadata, vector + 4 + 16 * place)
        if not compressed or length < 8:
            yield max(length, 0)
            continue
        (size,) = struct.unpack("<q", _at(source, body + start, 8))
        yield length - 8 if size == -1 else max(size, 0)  # -1: it was left as it is


def _at(source: Any, start: int, length: int) -> bytes:
    """Return bytes of a source, all of which must be there."""
    if start < 0 or length < 0 or start + length > source.size():
        raise ValueError("its messages point beyond its end")
    source.seek(start)
    return source.read(length)
