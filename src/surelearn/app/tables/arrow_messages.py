"""How large the columns of a compressed Arrow file become, known before any of them is made.

Each compressed buffer begins with its size. Where the buffers lie is told by the metadata of its
message, a FlatBuffer (https://arrow.apache.org/docs/format/Columnar.html), which PyArrow keeps to
itself.
"""

import struct
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import ipc

_HEADER, _BUFFERS, _COMPRESSION = 2, 2, 3  # places of fields in Message and in RecordBatch
_DATA, _MAGIC = 1, b"ARROW1\0\0"  # where a DictionaryBatch has its RecordBatch; a file, no stream


def decompressed_size(data: Any) -> int:
    """Return how many bytes the compressed buffers of an Arrow file or stream become.

    Examples
    --------
    >>> sink, table = pa.BufferOutputStream(), pa.table({"a": [0] * 1000})
    >>> options = ipc.IpcWriteOptions(compression="zstd")
    >>> with ipc.new_stream(sink, table.schema, options=options) as writer:
    ...     writer.write_table(table)
    >>> decompressed_size(sink.getvalue())
    8000
    """
    is_file = data.slice(0, len(_MAGIC)).to_pybytes() == _MAGIC
    stream = data.slice(len(_MAGIC)) if is_file else data
    total = 0
    for message in _messages(stream):
        if message.type in {"record batch", "dictionary"}:
            total += sum(_sizes(message.metadata.to_pybytes(), message.body, message.type))
    return total


def _messages(stream: Any) -> Iterator[Any]:
    """Yield messages up to the end, or to what is none: reading the table will tell."""
    reader = ipc.MessageReader.open_stream(pa.BufferReader(stream))
    while True:
        try:
            yield reader.read_next_message()
        except (StopIteration, pa.ArrowException, OSError):
            return


def _sizes(metadata: bytes, body: Any, kind: str) -> Iterator[int]:
    """Yield the size that each compressed buffer of a message says it will have."""
    batch = _table(metadata, _field(metadata, _table(metadata, 0), _HEADER))
    if kind == "dictionary":
        batch = _table(metadata, _field(metadata, batch, _DATA))
    if not _field(metadata, batch, _COMPRESSION):
        return
    vector = _table(metadata, _field(metadata, batch, _BUFFERS))
    (count,) = struct.unpack_from("<I", metadata, vector)
    for place in range(count):
        start, length = struct.unpack_from("<qq", metadata, vector + 4 + 16 * place)
        if length >= 8:
            (size,) = struct.unpack_from("<q", body, start)
            yield length - 8 if size == -1 else max(size, 0)  # -1: it was left as it is


def _table(metadata: bytes, place: int) -> int:
    """Return where an offset leads."""
    return place + struct.unpack_from("<I", metadata, place)[0]


def _field(metadata: bytes, table: int, place: int) -> int:
    """Return where a field of a table is, 0 if it is absent."""
    vtable = table - struct.unpack_from("<i", metadata, table)[0]
    size = struct.unpack_from("<H", metadata, vtable)[0]
    if 4 + 2 * place >= size:
        return 0
    offset = struct.unpack_from("<H", metadata, vtable + 4 + 2 * place)[0]
    return table + offset if offset else 0
