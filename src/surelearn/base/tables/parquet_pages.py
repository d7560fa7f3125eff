"""How large the columns of a Parquet file become, known before any page of them is made.

A footer says how many values and bytes a column has, and the header of each page says so again. A
forged file need not be true to itself: its footer may be modest, and one page say that it becomes
two gigabytes. PyArrow makes room for what each says, so both are looked at. Headers are written in
Thrift's compact protocol (https://github.com/apache/parquet-format), which PyArrow keeps to itself.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

_WIDTH = 8  # bytes of a value in memory, at least
_FIRST_LOOK, _LONGEST_HEADER = 2**9, 2**24  # bytes; statistics may hold long words
_DEEPEST = 8  # structures within each other; those of a header are three deep

# Numbers of fields of PageHeader, and of the headers in it that tell a number of values.
_UNPACKED, _PACKED = 2, 3
_VALUES_OF = (5, 8)  # data pages; others, such as dictionaries, do not count
_ALL_VALUES_OF = (5, 7, 8)
_N_VALUES = 1

# Types of fields in the compact protocol.
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 0, 1, 2, 3, 7, 8, 12
_INTEGERS = (4, 5, 6)
_DAMAGED = "the header of a page is damaged"


class Page(NamedTuple):
    """What the header of a page says: bytes in the file and in memory, and its values."""

    n_packed: int
    n_unpacked: int
    n_values: int
    is_data: bool


def unpacked_size(
    file: Any, source: Any, groups: Iterable[int], names: Iterable[str] | None = None
) -> int:
    """Return how many bytes the columns of some row groups become, by whoever says more.

    Words that are coded count once, as they do in memory if they are read as codes.

    Parameters
    ----------
    file, source
        What PyArrow has opened, and the bytes of the same file.
    groups, names
        The row groups, and the columns of the table; all of them if None.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from pyarrow import parquet
    >>> sink = pa.BufferOutputStream()
    >>> parquet.write_table(pa.table({"a": [0.0] * 1000}), sink, use_dictionary=False)
    >>> data = sink.getvalue()
    >>> 8000 < unpacked_size(parquet.ParquetFile(data), pa.BufferReader(data), [0]) < 9000
    True
    """
    wanted = None if names is None else set(names)
    total = 0
    for place in groups:
        n_rows = file.metadata.row_group(place).num_rows
        for i, column in enumerate(columns_of(file, place)):
            if wanted is None or _is_in(column.path_in_schema, wanted):
                total += _size_of(source, column, n_rows, _width(file, column, i))
    return total


def columns_of(file: Any, place: int) -> list[Any]:
    """Return what a file tells of the columns of a row group.

    PyArrow ends the process where a damaged file tells nonsense of a column; a reader of it that
    reads no row raises an error instead. Of a file without columns it divides by those no rows.
    """
    if not file.metadata.num_columns:
        return []
    for _ in file.reader.iter_batches(0, row_groups=[place], use_threads=False):
        break
    group = file.metadata.row_group(place)
    return [group.column(i) for i in range(group.num_columns)]


def _is_in(path: str, names: set[str]) -> bool:
    """Return whether a column of the file belongs to one of the table, whose name may have dots."""
    pieces = path.split(".")
    return any(".".join(pieces[:n]) in names for n in range(1, len(pieces) + 1))


def _width(file: Any, column: Any, i: int) -> int:
    """Return the bytes of a value in memory: those of a fixed length may be coded in the file.

    The schema is asked for them alone: it and its file hold each other, and stay for a while.
    """
    fixed = column.physical_type == "FIXED_LEN_BYTE_ARRAY"
    return max(_WIDTH, file.schema.column(i).length) if fixed else _WIDTH


def _size_of(source: Any, column: Any, n_rows: int, width: int) -> int:
    """Return how many bytes a column of a row group becomes."""
    n_bytes = n_values = 0
    for page in pages_of(source, column):
        n_bytes += page.n_unpacked
        n_values += page.n_values
    n_cells = max(n_values, column.num_values, n_rows)
    return max(column.total_uncompressed_size, n_bytes, width * n_cells)


def pages_of(source: Any, column: Any) -> Iterator[Page]:
    """Yield what the headers of a column's pages say, as many of them as PyArrow would read."""
    start = column.data_page_offset
    if column.has_dictionary_page and column.dictionary_page_offset is not None:
        start = min(start, column.dictionary_page_offset)
    end, left = start + column.total_compressed_size, column.num_values
    if start < 0 or column.total_compressed_size < 0 or end > source.size():
        raise ValueError("its columns point beyond its end")
    while left > 0 and start < end:
        page, length = _page_at(source, start, end)
        yield page
        start += length + page.n_packed
        left -= page.n_values if page.is_data else 0


def _page_at(source: Any, start: int, end: int) -> tuple[Page, int]:
    """Return what the header of a page says, and how long it is itself."""
    size = _FIRST_LOOK
    while True:
        source.seek(start)
        data = source.read(min(size, end - start))
        try:
            return _read_header(data)
        except IndexError:  # it goes on beyond what was read
            if size >= min(_LONGEST_HEADER, end - start):
                raise ValueError(_DAMAGED) from None
            size *= 8


def _read_header(data: bytes) -> tuple[Page, int]:
    fields, length = _struct(data, 0, 0)
    told = [fields[place] for place in _ALL_VALUES_OF if place in fields]
    if not all(isinstance(inner, dict) for inner in told):
        raise ValueError(_DAMAGED)
    counts = [_size(inner.get(_N_VALUES)) for inner in told]
    is_data = any(place in fields for place in _VALUES_OF)
    sizes = _size(fields.get(_PACKED)), _size(fields.get(_UNPACKED))
    return Page(*sizes, max(counts, default=0), is_data), length


def _size(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError(_DAMAGED)
    return value


def _struct(data: bytes, place: int, depth: int) -> tuple[dict[int, Any], int]:
    """Return the integers and structures among the fields of a structure, and where it ends."""
    if depth > _DEEPEST:
        raise ValueError(_DAMAGED)
    fields: dict[int, Any] = {}
    number = 0
    while True:
        head, place = data[place], place + 1
        kind, step = head & 15, head >> 4
        if kind == _STOP:
            return fields, place
        if step:
            number += step
        else:
            coded, place = _varint(data, place)
            number = _signed(coded)
        fields[number], place = _value(data, place, kind, depth)


def _value(data: bytes, place: int, kind: int, depth: int) -> tuple[Any, int]:
    """Return a value and where it ends; what is neither an integer nor a structure is None."""
    if kind in {_TRUE, _FALSE}:
        return None, place
    if kind == _STRUCT:
        return _struct(data, place, depth + 1)
    if kind in _INTEGERS:
        coded, place = _varint(data, place)
        return _signed(coded), place
    if kind == _BINARY:
        length, place = _varint(data, place)
        return None, place + length
    if kind in {_BYTE, _DOUBLE}:
        return None, place + (1 if kind == _BYTE else 8)
    raise ValueError(_DAMAGED)  # a header has no lists


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, place = data[place], place + 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7
        if shift > 63:
            raise ValueError(_DAMAGED)


def _signed(coded: int) -> int:
    return (coded >> 1) ^ -(coded & 1)
