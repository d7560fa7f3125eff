"""Parquet, Arrow, Feather and JSON lines: their columns have types; they become the few we know."""

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc, parquet, types

from surelearn.app.errors import TableError
from surelearn.app.tables.json_lines import is_json_lines, read_json_lines
from surelearn.app.tables.memory_mapped import combined, is_large, own_bytes, too_many
from surelearn.app.tables.notes import Note
from surelearn.app.tables.sources import most_decompressed, too_large
from surelearn.app.tables.text_columns import TEXT
from surelearn.base.tables.arrow_messages import decompressed_size
from surelearn.base.tables.feather_1 import read_feather_1, size_of_feather_1
from surelearn.base.tables.parquet_pages import unpacked_size
from surelearn.base.tables.parquet_words import (
    coded_columns,
    joined,
    rows_at_once,
    uncoded_columns,
    write_out,
)

_Load: TypeAlias = Callable[[Any, Path], Any]
_compute: Any = pc
_LARGEST = 2**63 - 1  # that is a signed integer
_AT_ONCE = 2**16  # rows of words that are coded together


class TypedFile(NamedTuple):
    """A table whose file declares its types, what there is to say, its hash, and its lists."""

    table: Any
    notes: list[Note]
    sha256: str
    lists: dict[str, Any]


def has_types(first: bytes, path: Path) -> bool:
    """Return whether a file that begins with these bytes declares the types of its columns."""
    return _loader(first, path) is not None


def read_typed(path: Path, content: Path, missing: Sequence[str]) -> TypedFile:
    """Read a Parquet, Arrow or Feather file, or one of JSON lines.

    Parameters
    ----------
    path, content
        What the file is called, and where its bytes are.
    missing
        The words that mean that a cell is missing.
    """
    try:
        data, sha256 = own_bytes(content)
        table = _loaded(data, path)
        # Offsets and places of words that a damaged file holds would be followed anywhere.
        table.validate(full=True)
        return TypedFile(*simplify(table, path, missing), sha256, lists_in(table))
    except TableError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, struct.error) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        why = f"it names no column {why}" if isinstance(error, KeyError) else why
        raise TableError(
            f"{path} cannot be read, as it is damaged or of a kind we do not know: {why}"
        ) from None


def _loaded(data: Any, path: Path) -> Any:
    load = _loader(data.slice(0, min(_FIRST, data.size)).to_pybytes(), path)
    if load is None:
        raise TableError(f"{path} has changed while it was read: read it again")
    return load(data, path)


def _loader(first: bytes, path: Path) -> _Load | None:
    if is_json_lines(first, path):
        return read_json_lines
    return next((load for mark, load in _MARKS.items() if first.startswith(mark)), None)


def simplify(table: Any, path: Path, missing: Sequence[str]) -> tuple[Any, list[Note]]:
    """Return a table with the few types we know, and what there is to say about it.

    Examples
    --------
    >>> simple, _ = simplify(pa.table({"a": pa.array([1, 2], pa.int8())}), Path("t"), ())
    >>> simple.schema.field("a").type
    DataType(int64)
    """
    _refuse_twins(table.column_names, path)
    if table.num_rows == 0:
        raise TableError(f"{path} has no rows")
    names = table.column_names
    pairs = (
        (name, _named(name, column, missing))
        for name, column in zip(names, table.columns, strict=True)
    )
    known = combined((pair for pair in pairs if pair[1] is not None), large=is_large(table))
    there = set(known.column_names)
    notes = [Note("types", "as the file declares them", "its cells have types of their own")]
    for name in table.column_names:
        if name not in there:
            kind = table.column(name).type
            kind = kind.value_type if types.is_dictionary(kind) else kind
            notes.append(Note(f"column {name!r}", "not read", f"no learner reads its type, {kind}"))
    return known, notes


def lists_in(table: Any) -> dict[str, Any]:
    """Return the columns whose cells are lists: no learner reads them, but they may be sets.

    Examples
    --------
    >>> list(lists_in(pa.table({"a": [1], "labels": [["x", "y"]]})))
    ['labels']
    """
    return {
        name: column
        for name, column in zip(table.column_names, table.columns, strict=True)
        if _is_list(column.type)
    }


def _is_list(kind: Any) -> bool:
    return types.is_list(kind) or types.is_large_list(kind)


def _refuse_twins(names: Sequence[str], path: Path) -> None:
    if len(set(names)) < len(names):
        raise TableError(f"two columns of {path} have the same name; rename one of them")


def _read_parquet(data: Any, path: Path) -> Any:
    most = most_decompressed(data.size)
    with _opened(data) as file:
        schema, meta = file.schema_arrow, file.metadata
        _refuse_twins(schema.names, path)
        groups = range(meta.num_row_groups)
        written = sum(meta.row_group(i).total_byte_size for i in groups)
        n_bytes = max(8 * meta.num_rows * meta.num_columns, written)
        if n_bytes <= most:  # pages need not be as the footer says
            n_bytes = max(n_bytes, unpacked_size(file, pa.BufferReader(data), groups))
        if n_bytes > most:
            raise too_large(path, data.size, most)
        words, uncoded = coded_columns(file), uncoded_columns(file, schema.names)
        few = rows_at_once(file, pa.BufferReader(data), uncoded, groups, _AT_ONCE)
    with _opened(data, read_dictionary=words) as file:
        if not too_many(n_bytes) and not uncoded:
            return _with_lists(_all_groups(file), schema, data.size, path)
        read = (
            _encoded(file, name, few, most) if name in uncoded else _all_groups(file, [name])
            for name in schema.names
        )
        ready = (_with_lists(table, schema, data.size, path) for table in read)
        columns = ((table.column_names[0], table.column(0)) for table in ready)
        return combined(columns, large=too_many(n_bytes))


def _all_groups(file: Any, names: list[str] | None = None) -> Any:
    """Return columns of a file, read group by group: PyArrow makes no lists of codes from several.

    Asked for "a" it also reads "a.b", which it takes for a part of it.
    """
    wanted = file.schema_arrow.names if names is None else names
    read = (
        file.read_row_group(place, columns=names, use_threads=False).select(wanted)
        for place in range(file.num_row_groups)
    )
    return pa.concat_tables(read) if file.num_row_groups else file.read(names)


def _encoded(file: Any, name: str, few: int, most: int) -> Any:
    """Return a column of words that PyArrow cannot read as codes, coded block by block."""
    chunks, n_bytes = list[Any](), 0
    for batch in joined(file.iter_batches(few, columns=[name], use_threads=False), _AT_ONCE, most):
        batch.validate(full=True)
        chunks.append(batch.column(name).dictionary_encode())
        n_bytes += chunks[-1].nbytes
        if n_bytes > most:
            raise TableError(f"the words of column {name!r} take more than {most:,} bytes")
    return pa.table({name: pa.chunked_array(chunks)})


def _with_lists(table: Any, schema: Any, n_packed: int, path: Path) -> Any:
    """Return a table whose lists hold words, and no codes, unless these would fill the memory."""
    table.validate(full=True)  # codes are followed
    most = most_decompressed(n_packed)
    for place, name in enumerate(table.column_names):
        if _is_list(table.column(place).type):
            written = write_out(table.select([name]), schema, most)
            if written is None:
                raise too_large(path, n_packed, most)
            table = table.set_column(place, name, written.column(0))
    return table


def _opened(data: Any, **options: Any) -> parquet.ParquetFile:
    return parquet.ParquetFile(pa.BufferReader(data), page_checksum_verification=True, **options)


def _read_arrow(data: Any, path: Path) -> Any:
    _refuse_bomb(data, path)
    return ipc.open_file(data).read_all()


def _read_stream(data: Any, path: Path) -> Any:
    _refuse_bomb(data, path)
    return ipc.open_stream(data).read_all()


def _refuse_bomb(data: Any, path: Path) -> None:
    if decompressed_size(data) > (most := most_decompressed(data.size)):
        raise too_large(path, data.size, most)


def _read_feather(data: Any, path: Path) -> Any:
    if size_of_feather_1(data) > (most := most_decompressed(data.size)):  # bytes that are shared
        raise too_large(path, data.size, most)
    return read_feather_1(data)


_MARKS: dict[bytes, _Load] = {
    b"PAR1": _read_parquet,
    b"ARROW1": _read_arrow,
    b"FEA1": _read_feather,
    b"\xff\xff\xff\xff": _read_stream,
}
_FIRST = 2**12  # bytes that tell what kind a file is


def _named(name: str, column: Any, missing: Sequence[str]) -> Any:
    """Return a column as one of the few types; if a cell does not fit, name the column."""
    try:
        return _simplified(column, missing)
    except pa.ArrowException as error:
        why = str(error).splitlines()[0]
        raise TableError(
            f"column {name!r} of type {column.type} cannot be read ({why}): leave it out, or turn "
            "it into numbers or text"
        ) from None


def _simplified(column: Any, missing: Sequence[str]) -> Any:
    """Return a column as numbers, truth values, text or moments; None if it is none of these."""
    kind = column.type
    if types.is_dictionary(kind) and not _is_text(kind.value_type):
        if not _is_plain(kind.value_type):  # what nobody reads is not written out
            return None
        return _simplified(column.cast(kind.value_type), missing)
    if types.is_dictionary(kind) or _is_text(kind):
        return _text(column, missing)
    if types.is_boolean(kind) or types.is_null(kind):
        return column
    if types.is_uint64(kind) and (_compute.max(column).as_py() or 0) > _LARGEST:
        return column  # different ones would be the same float
    simple = _simple_type(kind)
    exact = not (types.is_timestamp(kind) and kind.unit == "ns")
    return None if simple is None else column.cast(simple, safe=exact)


def _is_plain(kind: Any) -> bool:
    return types.is_boolean(kind) or types.is_null(kind) or _simple_type(kind) is not None


def _simple_type(kind: Any) -> Any:
    if types.is_integer(kind):
        return pa.int64()
    if types.is_floating(kind) or types.is_decimal(kind):
        return pa.float64()
    if types.is_timestamp(kind):
        return pa.timestamp("us", tz=kind.tz)
    return pa.timestamp("us") if types.is_date(kind) else None


def _is_text(kind: Any) -> bool:
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _text(column: Any, missing: Sequence[str]) -> Any:
    """Return text by its words, null where one is empty or means that the cell is missing."""
    if not types.is_dictionary(column.type):
        column = column.cast(pa.large_string()).dictionary_encode()
    tokens = pa.array(["", *missing], pa.string())
    chunks: list[Any] = []
    for chunk in column.chunks:
        words = _compute.utf8_trim_whitespace(chunk.dictionary.cast(pa.string()))
        words = _compute.if_else(
            _compute.is_in(words, value_set=tokens), pa.scalar(None, pa.string()), words
        )
        chunks.append(_coded(words.dictionary_encode(), chunk.indices.cast(pa.int32())))
    return pa.chunked_array(chunks, TEXT).unify_dictionaries()


def _coded(words: Any, codes: Any) -> Any:
    """Return a column of words by their codes, the distinct ones in order of appearance.

    No word is written out for its rows: one of a page for each of a million rows would not fit.
    """
    cells = words.indices.take(codes)
    there = cells.drop_null().unique()
    places = _compute.index_in(cells, value_set=there)
    return pa.DictionaryArray.from_arrays(places, words.dictionary.take(there))
