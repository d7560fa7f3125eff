"""Parquet files with many columns, decoded one column at a time through a file on disk.

Read side by side, every column holds a page of a megabyte and, where values are coded, a dictionary
of another: fifty columns fill a hundred. One after the other they need those of one.
"""

from collections.abc import Iterator
from itertools import repeat
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet

_MANY = 16  # of fewer columns a page and a dictionary each are little
_AT_ONCE = 2**12  # values of a column decoded at once


class _Spooled(NamedTuple):
    """Where the values of a column stand in the spool."""

    start: int
    kind: Any


def worth_spooling(file: parquet.ParquetFile, names: list[str]) -> bool:
    """Return whether there are many columns, all of numbers.

    Examples
    --------
    >>> import io
    >>> buffer = io.BytesIO()
    >>> parquet.write_table(pa.table({f"f{j}": [1.0, 2.0] for j in range(20)}), buffer)
    >>> file = parquet.ParquetFile(buffer)
    >>> worth_spooling(file, file.schema_arrow.names), worth_spooling(file, ["f0"])
    (True, False)
    """
    kinds = [file.schema_arrow.field(name).type for name in names]
    numbers = all(pa.types.is_floating(kind) or pa.types.is_integer(kind) for kind in kinds)
    return len(names) >= _MANY and numbers


def spooled_batches(
    file: parquet.ParquetFile, names: list[str], target: str | None, size: int
) -> Iterator[Any]:
    """Yield the rows of a file as record batches; cells that are missing are NaN.

    Examples
    --------
    >>> import io
    >>> buffer = io.BytesIO()
    >>> parquet.write_table(pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]}), buffer)
    >>> batches = spooled_batches(parquet.ParquetFile(buffer), ["a"], "b", 2)
    >>> [batch.to_pydict() for batch in batches]
    [{'a': [1, 2], 'b': ['x', 'y']}, {'a': [3], 'b': ['z']}]
    """
    labels = names if target is None else [*names, target]
    with TemporaryFile() as spool:
        for group in range(file.num_row_groups):
            spool.seek(0)
            places = [_write(spool, file, group, name) for name in names]
            spool.flush()
            targets = repeat(()) if target is None else _arrays(file, group, target, size)
            n = file.metadata.row_group(group).num_rows
            for start, last in zip(range(0, n, size), targets, strict=False):
                columns = [_read(spool, place, start, min(size, n - start)) for place in places]
                yield pa.RecordBatch.from_arrays([*columns, *last], names=labels)


def _arrays(file: parquet.ParquetFile, group: int, name: str, size: int) -> Iterator[list[Any]]:
    """Yield one column of a row group, so many rows at a time."""
    batches = file.iter_batches(size, row_groups=[group], columns=[name], use_threads=False)
    return (batch.columns for batch in batches)


def _write(
    spool: IO[bytes], file: parquet.ParquetFile, group: int, name: str, kind: Any = None
) -> _Spooled:
    """Write a column to the end of the spool; where integers are missing, all become floats."""
    start = spool.tell()
    for (array,) in _arrays(file, group, name, _AT_ONCE):
        values = array.to_numpy(zero_copy_only=False)
        if kind is None:
            kind = values.dtype
        elif values.dtype != kind != np.float64:
            spool.seek(start)
            return _write(spool, file, group, name, np.dtype(np.float64))
        spool.write(values.astype(kind, copy=False).tobytes())
    return _Spooled(start, kind)


def _read(spool: IO[bytes], place: _Spooled, start: int, count: int) -> Any:
    spool.seek(place.start + start * place.kind.itemsize)
    return pa.array(np.frombuffer(spool.read(count * place.kind.itemsize), dtype=place.kind))
