"""Parquet files with many columns, decoded one column at a time through a file on disk.

Read side by side, every column holds a page of a megabyte and, where values are coded, a dictionary
of another: fifty columns fill a hundred. One after the other they need those of one.
"""

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet

_MANY = 16  # of fewer columns a page and a dictionary each are little


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
    with TemporaryFile() as spool:
        for group in range(file.num_row_groups):
            spool.seek(0)
            places = [_write(spool, file, group, name) for name in names]
            last = None if target is None else _column(file, group, target)
            spool.flush()
            n = file.metadata.row_group(group).num_rows
            for start in range(0, n, size):
                count = min(size, n - start)
                columns = [_read(spool, place, start, count) for place in places]
                if last is not None:
                    columns.append(last.slice(start, count))
                labels = names if target is None else [*names, target]
                yield pa.RecordBatch.from_arrays(columns, names=labels)


def _column(file: parquet.ParquetFile, group: int, name: str) -> Any:
    table = file.read_row_group(group, columns=[name], use_threads=False)
    return table.column(0).combine_chunks()


def _write(spool: IO[bytes], file: parquet.ParquetFile, group: int, name: str) -> _Spooled:
    values = _column(file, group, name).to_numpy(zero_copy_only=False)
    start = spool.tell()
    spool.write(np.ascontiguousarray(values).tobytes())
    return _Spooled(start, values.dtype)


def _read(spool: IO[bytes], place: _Spooled, start: int, count: int) -> Any:
    spool.seek(place.start + start * place.kind.itemsize)
    return pa.array(np.frombuffer(spool.read(count * place.kind.itemsize), dtype=place.kind))
