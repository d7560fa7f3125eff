"""Parts of Arrow and Feather files: their record batches."""

import hashlib
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from surelearn.base.tables.arrow_messages import file_sizes
from surelearn.base.tables.decompression import most_decompressed, too_large
from surelearn.scale._columns import sound


class _HashingSink:
    """A file that keeps nothing of what is written to it but its hash."""

    closed = False

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def write(self, content: Any) -> int:
        """Take bytes in."""
        self.digest.update(content)
        return len(content)

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def schema(file: str) -> Any:
    """Return the names and types of the columns."""
    return _opened(file).schema


def places(file: str) -> list[tuple[int, int]]:
    """Return the record batches that have rows, and how many each has; none of them is made."""
    _opened(file)
    sizes = file_sizes(pa.OSFile(file)).batches
    return [(place, size.n_rows) for place, size in enumerate(sizes) if size.n_rows > 0]


def name(place: int) -> str:
    """Return what a reader would call the part."""
    return f"record batch {place}"


def digest(file: str, place: int) -> str:
    """Return the SHA-256 of a record batch with its types and dictionaries."""
    batch, sink = sound(_batch(file, place)), _HashingSink()
    with ipc.new_stream(pa.PythonFile(sink, mode="w"), batch.schema) as writer:
        writer.write_batch(batch)
    return sink.digest.hexdigest()


def batches(file: str, place: int, names: list[str], _: Any, size: int) -> Iterator[Any]:
    """Yield the rows of a record batch, so many at a time."""
    batch = _batch(file, place).select(names)
    return (batch.slice(start, size) for start in range(0, batch.num_rows, size))


def _batch(file: str, place: int) -> Any:
    """Return a record batch, unless it and the dictionaries fill far more memory than the file."""
    reader, source = _opened(file), pa.OSFile(file)
    found, n_compressed = file_sizes(source), source.size()
    made = (*found.dictionaries, *found.batches[place : place + 1])
    if sum(size.n_bytes for size in made) > (most := most_decompressed(n_compressed)):
        raise ValueError(too_large(file, n_compressed, most))
    return reader.get_batch(place)


def _opened(file: str) -> Any:
    try:
        return ipc.open_file(pa.OSFile(file))  # a mapped one that is cut short ends the process
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(
            f"{file} cannot be read as an Arrow file: {error}. A stream of Arrow has no parts that "
            "could be found by their place: write it as a file, or as Parquet"
        ) from error
