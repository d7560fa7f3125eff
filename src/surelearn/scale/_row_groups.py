"""Parts of Parquet files: their row groups."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from surelearn.base.tables.parquet_pages import columns_of
from surelearn.base.tables.parquet_words import opened, read_batches

_AT_ONCE = 2**20  # bytes hashed at once


def schema(file: str) -> Any:
    """Return the names and types of the columns."""
    return _opened(file).schema_arrow


def places(file: str) -> list[tuple[int, int]]:
    """Return the row groups that have rows, and how many each has."""
    metadata = _opened(file).metadata
    sizes = [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)]
    return [(place, n_rows) for place, n_rows in enumerate(sizes) if n_rows > 0]


def name(place: int) -> str:
    """Return what a reader would call the part."""
    return f"row group {place}"


def digest(file: str, place: int) -> str:
    """Return the SHA-256 of the bytes of a row group, and of where its columns stand in them."""
    columns = columns_of(_opened(file), place)
    found = hashlib.sha256(repr([_description(column) for column in columns]).encode())
    with Path(file).open("rb") as stream:
        for column in columns:
            stream.seek(_start(column))
            left = column.total_compressed_size
            while left > 0:
                block = stream.read(min(left, _AT_ONCE))
                if not block:
                    raise ValueError("the file ends in the middle of it")
                found.update(block)
                left -= len(block)
    return found.hexdigest()


def batches(file: str, place: int, names: list[str], _: Any, size: int) -> Iterator[Any]:
    """Yield the rows of a row group, so many at a time."""
    return read_batches(_opened(file), file, size, names, [place])


def _opened(file: str) -> parquet.ParquetFile:
    try:
        return opened(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{file} cannot be read as a Parquet file: {error}") from error


def _start(column: Any) -> int:
    """Return where a column begins: with its dictionary, if there is one."""
    if column.dictionary_page_offset is None:
        return column.data_page_offset
    return min(column.dictionary_page_offset, column.data_page_offset)


def _description(column: Any) -> tuple[Any, ...]:
    """Return how the bytes of a column are to be read; equal bytes may mean different things."""
    told = (column.path_in_schema, column.physical_type, column.compression, column.encodings)
    return (*map(str, told), column.num_values, column.total_compressed_size)
