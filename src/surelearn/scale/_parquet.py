"""Parquet files of numbers, decoded one column at a time through a file on disk.

Read side by side, every column holds a page of a megabyte and, where values are coded, a dictionary
of another: fifty columns fill a hundred. One after the other they need those of one. The file on
disk holds one row group at a time.
"""

from collections.abc import Iterator
from itertools import repeat
from os import PathLike
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet, types

from surelearn.base.tables.parquet_words import read_batches

_AT_ONCE = 2**12  # values of a column decoded at once
_WIDEST = 8  # bytes of a number


class _ColumnOnDisk(NamedTuple):
    """Where the values of a column begin in the file on disk, and their type."""

    start: int
    kind: Any


def holds_only_numbers(file: parquet.ParquetFile, names: list[str]) -> bool:
    """Return whether these columns are all numbers, or yes and no.

    Examples
    --------
    >>> import io
    >>> buffer = io.BytesIO()
    >>> parquet.write_table(pa.table({"age": [40, 20], "town": ["Bonn", "Kiel"]}), buffer)
    >>> file = parquet.ParquetFile(buffer)
    >>> holds_only_numbers(file, ["age"]), holds_only_numbers(file, ["age", "town"])
    (True, False)
    """
    kinds = [file.schema_arrow.field(name).type for name in names]
    known = (types.is_floating, types.is_integer, types.is_boolean)
    return all(any(is_a(kind) for is_a in known) for kind in kinds)


def read_by_columns(
    file: parquet.ParquetFile,
    path: str | PathLike[str],
    names: list[str],
    target: str | None,
    size: int,
) -> Iterator[Any]:
    """Yield the rows of a file as record batches; cells that are missing are NaN.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as made:
    ...     parquet.write_table(pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]}), made.name)
    ...     file = parquet.ParquetFile(made.name)
    ...     batches = read_by_columns(file, made.name, ["a"], "b", 2)
    ...     [batch.to_pydict() for batch in batches]
    [{'a': [1, 2], 'b': ['x', 'y']}, {'a': [3], 'b': ['z']}]
    """
    labels = names if target is None else [*names, target]
    with TemporaryFile() as disk:
        for group in range(file.num_row_groups):
            disk.seek(0)
            on_disk = [_write_column(disk, file, group, name) for name in names]
            targets = repeat(()) if target is None else _targets(file, path, group, target, size)
            n = file.metadata.row_group(group).num_rows
            for start, last in zip(range(0, n, size), targets, strict=False):
                columns = _read_rows(disk, on_disk, start, min(size, n - start))
                _release_memory()
                yield pa.RecordBatch.from_arrays([*columns, *last], names=labels)


def _targets(
    file: parquet.ParquetFile, path: str | PathLike[str], group: int, name: str, size: int
) -> Iterator[list[Any]]:
    """Yield the targets of a row group, so many rows at a time; they may be words."""
    batches = read_batches(file, path, size, [name], [group])
    return ([batch.column(name)] for batch in batches)


def _column_batches(
    file: parquet.ParquetFile, group: int, name: str, size: int
) -> Iterator[list[Any]]:
    """Yield one column of a row group, so many rows at a time."""
    batches = file.iter_batches(size, row_groups=[group], columns=[name], use_threads=False)
    return ([batch.column(name)] for batch in batches)  # "a" also reads "a.b"


def _write_column(
    disk: IO[bytes], file: parquet.ParquetFile, group: int, name: str, kind: Any = None
) -> _ColumnOnDisk:
    """Append a column to the file on disk; where integers are missing, all become floats."""
    start, n_left = disk.tell(), file.metadata.row_group(group).num_rows
    for (array,) in _column_batches(file, group, name, _AT_ONCE):
        values = _numbers(array)
        if kind is None:
            kind = values.dtype
        elif values.dtype != kind != np.float64:
            disk.seek(start)  # a later page has gaps where the first had none: begin again
            return _write_column(disk, file, group, name, np.dtype(np.float64))
        disk.write(values.astype(kind, copy=False).tobytes())
        n_left -= len(values)
    if n_left != 0:  # rows would be made of what comes next
        raise ValueError(f"the table is damaged: the column {name!r} has other rows than the table")
    _release_memory()
    return _ColumnOnDisk(start, kind)


def _numbers(array: Any) -> NDArray[Any]:
    """Return the values of a column; where some are missing, floats."""
    if array.null_count and types.is_boolean(array.type):
        array = array.cast(pa.int8())
    return array.to_numpy(zero_copy_only=False)


def _read_rows(disk: IO[bytes], columns: list[_ColumnOnDisk], start: int, count: int) -> list[Any]:
    """Return so many values of every column; they share one piece of memory, returned as one."""
    # One allocation for all columns: Arrow's arrays are views of it and free it together.
    memory = np.empty((len(columns), count * _WIDEST), dtype=np.uint8)
    arrays = list[Any]()
    for column, part in zip(columns, memory, strict=True):
        disk.seek(column.start + start * column.kind.itemsize)
        values = part[: count * column.kind.itemsize].view(column.kind)
        cast("Any", disk).readinto(values)
        arrays.append(pa.array(values))
    return arrays


def _release_memory() -> None:
    """Return the memory of decoded pages, which Arrow keeps for later: ten megabytes and more."""
    pa.default_memory_pool().release_unused()
