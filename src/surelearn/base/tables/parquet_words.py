"""Words of a Parquet file, read by their codes and written out only if they fit into memory.

A word stands in a file once, however many rows have it: a page of a kilobyte may say that a million
rows hold a megabyte each. PyArrow can read words as codes; how long they are written out is then
known before they are. Words that a file holds as differences from those before them have no codes:
they are read a few rows at a time, and counted.
"""

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from surelearn.base.tables.decompression import LIMIT, most_decompressed, too_large
from surelearn.base.tables.parquet_pages import columns_of, pages_of, unpacked_size

_compute: Any = pc
_OF_WORDS = "BYTE_ARRAY"
_DELTAS = {"DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"}
"""Encodings of words of which PyArrow makes no codes; Spark, DuckDB and Rust write them."""

_PIECE = 2**26  # bytes that a few rows of such words may take, at most
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
    words = [column.path_in_schema for column in columns if column.physical_type == _OF_WORDS]
    return sorted(set(words) - _uncoded(file), key=words.index)


def _uncoded(file: Any) -> set[str]:
    """Return the columns of words that some row group writes as differences."""
    columns = (each for place in range(file.num_row_groups) for each in columns_of(file, place))
    return {
        column.path_in_schema
        for column in columns
        if column.physical_type == _OF_WORDS and not _DELTAS.isdisjoint(column.encodings)
    }


def uncoded_columns(file: Any, names: Sequence[str]) -> list[str]:
    """Return those of some columns of a table whose words PyArrow cannot read as codes.

    Words within lists or records are refused: one row may hold any number of them.

    Examples
    --------
    >>> from pyarrow import parquet
    >>> sink = pa.BufferOutputStream()
    >>> kinds = {"use_dictionary": False, "column_encoding": {"b": "DELTA_BYTE_ARRAY"}}
    >>> parquet.write_table(pa.table({"a": [1], "b": ["x"]}), sink, **kinds)
    >>> file = parquet.ParquetFile(sink.getvalue())
    >>> coded_columns(file), uncoded_columns(file, ["a", "b"])
    ([], ['b'])
    """
    found = list[str]()
    for path in sorted(_uncoded(file)):
        asked = [name for name in names if name == path or path.startswith(f"{name}.")]
        if asked not in ([], [path]):  # "a" is also asked for whatever begins with "a."
            raise ValueError(
                f"column {path!r} holds words within another column, written as differences from "
                "each other (DELTA_BYTE_ARRAY): write the file with a dictionary, or without it"
            )
        found += asked
    return found


def rows_at_once(
    file: Any, source: Any, names: Iterable[str], groups: Iterable[int], most: int
) -> int:
    """Return how many rows of columns without codes may be read at once, `most` at most.

    A word is no longer than the page in which it stands, and PyArrow makes no more than asked for.

    Parameters
    ----------
    file, source
        What PyArrow has opened, and the bytes of the same file.
    names, groups
        What `uncoded_columns` has found, and the row groups.
    most
        The rows that are wanted.
    """
    there, wanted = (column for place in groups for column in columns_of(file, place)), set(names)
    chosen = (column for column in there if column.path_in_schema in wanted)
    longest = max(
        (page.n_unpacked for each in chosen for page in pages_of(source, each)), default=0
    )
    return max(1, min(most, _PIECE // max(1, longest)))


def joined(pieces: Iterable[Any], size: int, most: int) -> Iterator[Any]:
    """Yield batches of so many rows made of smaller ones; refuse one that takes too many bytes.

    Examples
    --------
    >>> pieces = [pa.record_batch({"a": [i]}) for i in range(3)]
    >>> [batch.num_rows for batch in joined(pieces, 2, 100)]
    [2, 1]
    """
    held, n_rows, n_bytes = list[Any](), 0, 0
    for piece in pieces:
        held.append(piece)
        n_rows += piece.num_rows
        n_bytes += piece.nbytes
        if n_bytes > most:
            raise ValueError(
                f"{n_rows:,} of its rows take more than {most:,} bytes when they are decompressed, "
                f"as in files that are made to fill memory: if it is a table all the same, allow "
                f"more in the environment variable {LIMIT}"
            )
        if n_rows >= size:
            whole = pa.concat_batches(held)
            yield whole.slice(0, size)
            held, n_rows = [whole.slice(size)], n_rows - size
            n_bytes = held[0].nbytes
    if n_rows:
        yield pa.concat_batches(held)


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
    uncoded, few = uncoded_columns(file, names), size
    if uncoded:
        with pa.OSFile(str(path)) as source:
            few = rows_at_once(file, source, uncoded, chosen, size)
    batches = coded.iter_batches(few, row_groups=chosen, columns=names, use_threads=False)
    ready = (_sound(batch, file.schema_arrow if words else None, path, most) for batch in batches)
    yield from joined(ready, size, most) if uncoded else ready


def _sound(batch: Any, types: Any, path: str | PathLike[str], most: int) -> Any:
    """Return rows in their types, if these are given; refuse words that would take more bytes."""
    batch.validate(full=True)  # codes are followed
    written = batch if types is None else write_out(batch, types, most)
    if written is None:
        raise ValueError(too_large(path, Path(path).stat().st_size, most))
    return written


def opened(path: str | PathLike[str], read_ahead: int = _READ_AHEAD, **options: Any) -> Any:
    """Open a Parquet file so that pages are read one by one and their checksums looked at."""
    settings: Any = {"buffer_size": read_ahead, "pre_buffer": False} | options
    try:
        return parquet.ParquetFile(path, page_checksum_verification=True, **settings)
    except KeyError as error:  # a damaged footer: its two lists of columns differ
        raise pa.ArrowInvalid(f"its footer names a column that is not there: {error}") from error
