"""Parquet, Arrow and Feather files: their columns have types, which become the few we know."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import feather, ipc, parquet, types

from surelearn.app.errors import TableError
from surelearn.app.tables.memory_mapped import combined, is_large, mapped, too_many
from surelearn.app.tables.notes import Note
from surelearn.app.tables.text_columns import TEXT

_Reader: TypeAlias = Callable[[Path, Sequence[str]], tuple[Any, list[Note]]]
_compute: Any = pc


def reader_for(first: bytes) -> _Reader | None:
    """Return what reads a file that begins with these bytes, if its columns have types."""
    for mark, load in _MARKS.items():
        if first.startswith(mark):
            return lambda path, missing: _read(path, load, missing)
    return None


def _read(
    path: Path, load: Callable[[Path], Any], missing: Sequence[str]
) -> tuple[Any, list[Note]]:
    try:
        table = load(path)
    except TableError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TableError(f"{path} cannot be read: {str(error).splitlines()[0]}") from None
    return simplify(table, path, missing)


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
    pairs = ((name, _simplified(table.column(name), missing)) for name in table.column_names)
    known = combined((pair for pair in pairs if pair[1] is not None), large=is_large(table))
    notes = [Note("types", "as the file declares them", "it is not a text file")]
    for name in table.column_names:
        if name not in known.column_names:
            kind = str(table.column(name).type)
            notes.append(Note(f"column {name!r}", "not read", f"no learner reads its type, {kind}"))
    return known, notes


def _refuse_twins(names: Sequence[str], path: Path) -> None:
    if len(set(names)) < len(names):
        raise TableError(f"two columns of {path} have the same name; rename one of them")


def _read_parquet(path: Path) -> Any:
    with parquet.ParquetFile(path) as file:
        schema, meta = file.schema_arrow, file.metadata
        words = [field.name for field in schema if _is_text(field.type)]
    _refuse_twins(schema.names, path)
    if not too_many(8 * meta.num_rows * meta.num_columns):
        return parquet.read_table(path, read_dictionary=words, use_threads=False)
    with parquet.ParquetFile(path, read_dictionary=words) as file:
        columns = ((name, file.read([name], use_threads=False).column(0)) for name in schema.names)
        return combined(columns, large=True)


def _read_arrow(path: Path) -> Any:
    return ipc.open_file(mapped(path)).read_all()


def _read_stream(path: Path) -> Any:
    return ipc.open_stream(mapped(path)).read_all()


_MARKS: dict[bytes, Callable[[Path], Any]] = {
    b"PAR1": _read_parquet,
    b"ARROW1": _read_arrow,
    b"FEA1": feather.read_table,
    b"\xff\xff\xff\xff": _read_stream,
}


def _simplified(column: Any, missing: Sequence[str]) -> Any:
    """Return a column as numbers, truth values, text or moments; None if it is none of these."""
    kind = column.type
    if types.is_dictionary(kind) and not _is_text(kind.value_type):
        return _simplified(column.cast(kind.value_type), missing)
    if types.is_dictionary(kind) or _is_text(kind):
        return _text(column, missing)
    if types.is_boolean(kind) or types.is_null(kind):
        return column
    simple = _simple_type(kind)
    return None if simple is None else column.cast(simple, safe=not types.is_timestamp(kind))


def _simple_type(kind: Any) -> Any:
    if types.is_integer(kind):
        return pa.float64() if types.is_uint64(kind) else pa.int64()
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
        codes = chunk.indices.cast(pa.int32())
        chunks.append(words.take(codes).dictionary_encode())
    return pa.chunked_array(chunks, TEXT).unify_dictionaries()
