"""Words of a Parquet file, read by their codes and written out only if they fit into memory.

A word stands in a file once, however many rows have it: a page of a kilobyte may say that a million
rows hold a megabyte each. PyArrow can read words as codes; how long they are written out is then
known before they are.
"""

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from surelearn.base.tables.decompression import most_decompressed, too_large
from surelearn.base.tables.parquet_pages import columns_of, unpacked_size

_compute: Any = pc
_OF_WORDS = "BYTE_ARRAY"
_READ_AHEAD = 2**16  # bytes per column; without it a whole row group is held


def coded_columns(file: Any) -> list[str]:
    """Return the columns of a file, those within others included, that PyArrow can read as codes.

    Examples
    --------
    >>> from pyarrow import parquet
    >>> sink = pa.BufferOutputStream()
    >>> parquet.write_table(pa.table({"a": [1], "b": ["x"], "c": [["x"]]}), sink)
    >>> coded_columns(parquet.ParquetFile(sink.getvalue()))
    ['b', 'c.list.element']
    """
    columns = columns_of(file, 0) if file.num_row_groups else []
    return [column.path_in_schema for column in columns if column.physical_type == _OF_WORDS]


def written_size(column: Any) -> int:
    """Return how many bytes the words of a column take, each in every cell that has it.

    Examples
    --------
    >>> written_size(pa.array(["ab", "ab", None]).dictionary_encode())
    4
    """
    if isinstance(column, pa.ChunkedArray):
        return sum(map(written_size, column.chunks))
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _written(column)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return written_size(column.flatten())
    if pa.types.is_struct(kind):
        return sum(map(written_size, column.flatten()))
    return 0


def _written(coded: Any) -> int:
    if not _has_lengths(coded.type.value_type):
        return 0
    lengths = np.asarray(_compute.fill_null(_compute.binary_length(coded.dictionary), 0))
    codes = np.asarray(coded.indices.drop_null())
    counts = np.bincount(codes.astype(np.int64), minlength=len(lengths))
    return int(lengths.astype(np.float64) @ counts)  # a bound, so rounding does not matter


def _has_lengths(kind: Any) -> bool:
    known = (pa.types.is_string, pa.types.is_binary, pa.types.is_large_string)
    return any(is_a(kind) for is_a in known)


def write_out(rows: Any, types: Any, most: int) -> Any:
    """Return rows with the types given, or None if their words would take more bytes than that.

    Parameters
    ----------
    rows
        A table or a record batch, read by codes; its offsets and codes are sound.
    types
        The schema of the same columns, as the file declares it.
    most
        How many bytes the words of all cells may take.
    """
    there = rows.schema
    other = [name for name in there.names if there.field(name).type != types.field(name).type]
    if sum(written_size(rows.column(name)) for name in other) > most:
        return None
    wanted = pa.schema([types.field(name) for name in there.names])
    return rows.cast(wanted)


def refuse_bombs(
    file: Any, path: str | PathLike[str], groups: Iterable[int], names: Iterable[str] | None = None
) -> int:
    """Refuse row groups of which some columns would take far more memory than the file.

    Return how many bytes they may take.

    Parameters
    ----------
    file, path
        What PyArrow has opened, and where it is.
    groups, names
        The row groups, and the columns of the table; all of them if None.
    """
    with pa.OSFile(str(path)) as source:
        n_packed = source.size()
        most = most_decompressed(n_packed)
        if unpacked_size(file, source, groups, names) > most:
            raise ValueError(too_large(path, n_packed, most))
    return most


def read_batches(
    file: Any, path: str | PathLike[str], size: int, names: Sequence[str], groups: Iterable[int]
) -> Iterator[Any]:
    """Yield rows of some row groups, so many at a time, in the types that the file declares.

    Parameters
    ----------
    file, path
        What PyArrow has opened, and where it is.
    size, names
        The rows read at once, and the columns of the table.
    groups
        The row groups, in order.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as made:
    ...     parquet.write_table(pa.table({"a": ["x", "y", "x"]}), made.name)
    ...     file = parquet.ParquetFile(made.name)
    ...     [batch.to_pydict() for batch in read_batches(file, made.name, 2, ["a"], [0])]
    [{'a': ['x', 'y']}, {'a': ['x']}]
    """
    chosen = list(groups)
    most = refuse_bombs(file, path, chosen, names)
    words = coded_columns(file)
    # Each reader has memory of its own for every column: where there are no words, one will do.
    coded = opened(path, metadata=file.metadata, read_dictionary=words) if words else file
    for batch in coded.iter_batches(size, row_groups=chosen, columns=names, use_threads=False):
        batch.validate(full=True)  # codes are followed
        written = write_out(batch, file.schema_arrow, most) if words else batch
        if written is None:
            raise ValueError(too_large(path, Path(path).stat().st_size, most))
        yield written


def opened(path: str | PathLike[str], read_ahead: int = _READ_AHEAD, **options: Any) -> Any:
    """Open a Parquet file so that pages are read one by one and their checksums looked at."""
    settings: Any = {"buffer_size": read_ahead, "pre_buffer": False} | options
    try:
        return parquet.ParquetFile(path, page_checksum_verification=True, **settings)
    except KeyError as error:  # a damaged footer: its two lists of columns differ
        raise pa.ArrowInvalid(f"its footer names a column that is not there: {error}") from error
