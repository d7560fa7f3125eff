"""Feather files of version 1, which begin with FEA1, as they were written until 2020.

PyArrow reads them, but believes what their metadata say: one damaged byte may end the process. Here
each place must lie in the file, and what is made of it is to be validated. The format is told in
Arrow's cpp/src/arrow/ipc/feather.fbs: columns, of each the place of a bitmap if cells are missing,
of offsets if it has words, and of the cells.
"""

import struct
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from surelearn.base.tables.flat_buffers import field_of, follow, number_at

_MAGIC = b"FEA1"
_TYPES: tuple[Any, ...] = (
    pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(),
    pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float32(), pa.float64(),
    pa.string(), pa.binary(), None, None, None, None, pa.large_string(), pa.large_binary(),
)  # fmt: skip
_UNITS = ("s", "ms", "us", "ns")
_OFFSETS = {pa.string(): 4, pa.binary(): 4, pa.large_string(): 8, pa.large_binary(): 8}

# Places of fields in CTable, Column, PrimitiveArray and the metadata of a column.
_COLUMNS, _VERSION = 2, 3
_NAME, _VALUES, _META_KIND, _META = range(4)
_TYPE, _, _OFFSET, _LENGTH, _NULL_COUNT, _TOTAL_BYTES = range(6)
_LEVELS, _ORDERED = range(2)
_UNIT, _TIMEZONE = range(2)
_CATEGORY, _TIMESTAMP, _DATE, _TIME = range(1, 5)
_FIRST_PADDED = 2  # the version since which each part has a multiple of eight bytes


def read_feather_1(data: Any) -> Any:
    """Return the table of a file, whose columns may lie on one another, and are not validated.

    Examples
    --------
    >>> read_feather_1(pa.py_buffer(b"FEA1" + 4 * b"9" + b"FEA1"))
    Traceback (most recent call last):
    ValueError: its metadata point beyond its end
    """
    return _opened(data).table()


def size_of_feather_1(data: Any) -> int:
    """Return the bytes that all columns have by the metadata, also those that lie on one another.

    Examples
    --------
    >>> size_of_feather_1(pa.py_buffer(b"FEA1" + 4 * b"9" + b"FEA1"))
    Traceback (most recent call last):
    ValueError: its metadata point beyond its end
    """
    return sum(_opened(data).sizes())


def _opened(data: Any) -> "_File":
    end = data.size - 8
    length = number_at(_part(data, end, 8).to_pybytes(), 0, "<I")
    metadata = _part(data, end - length, length).to_pybytes()
    if _part(data, data.size - 4, 4).to_pybytes() != _MAGIC:
        raise ValueError("it was cut short")
    return _File(data, metadata)


class _File:
    """The bytes of a file, and its metadata among them."""

    def __init__(self, data: Any, metadata: bytes) -> None:
        self._data, self._metadata, self._root = data, metadata, follow(metadata, 0)
        self._is_padded = self._number(self._root, _VERSION, "<i") >= _FIRST_PADDED

    def table(self) -> Any:
        """Return all columns."""
        pairs = [self._column(table) for table in self._columns()]
        return pa.Table.from_arrays([cells for _, cells in pairs], [name for name, _ in pairs])

    def sizes(self) -> Iterator[int]:
        """Yield how many bytes the cells of each column have, and words that codes stand for."""
        for column in self._columns():
            held = [self._table(column, _VALUES)]
            if self._number(column, _META_KIND, "<B") == _CATEGORY:
                held.append(self._table(self._table(column, _META), _LEVELS))
            yield from (max(0, self._number(values, _TOTAL_BYTES, "<q")) for values in held)

    def _columns(self) -> Iterator[int]:
        vector = self._table(self._root, _COLUMNS)
        for i in range(number_at(self._metadata, vector, "<I")):
            yield follow(self._metadata, vector + 4 + 4 * i)

    def _column(self, column: int) -> tuple[str, Any]:
        """Return the name of a column, and its cells."""
        values, kind = self._table(column, _VALUES), self._number(column, _META_KIND, "<B")
        told = self._table(column, _META) if kind else 0
        plain, name = self._plain_type(values), self._text(column, _NAME)
        if kind == _CATEGORY:
            levels = self._table(told, _LEVELS)
            words = self._cells(levels, self._plain_type(levels))
            words.validate(full=True)  # codes are looked up in it
            ordered = bool(self._number(told, _ORDERED, "<B"))
            codes = self._cells(values, plain)
            return name, pa.DictionaryArray.from_arrays(codes, words, ordered=ordered)
        return name, self._cells(values, self._type_of_time(kind, told) or plain)

    def _type_of_time(self, kind: int, told: int) -> Any:
        """Return the type of dates or times, None of other cells."""
        if kind not in {_TIMESTAMP, _DATE, _TIME}:
            return None
        if kind == _DATE:
            return pa.date32()
        unit = _one_of(_UNITS, self._number(told, _UNIT, "<B"))
        if kind == _TIMESTAMP:
            return pa.timestamp(unit, self._text(told, _TIMEZONE) or None)
        return pa.time32(unit) if unit in {"s", "ms"} else pa.time64(unit)

    def _plain_type(self, values: int) -> Any:
        return _one_of(_TYPES, self._number(values, _TYPE, "<B"))

    def _cells(self, values: int, kind: Any) -> Any:
        """Return the cells of a column: which there are, where each word begins, and they."""
        names = (_OFFSET, _LENGTH, _NULL_COUNT, _TOTAL_BYTES)
        offset, n_rows, n_missing, size = (self._number(values, name, "<q") for name in names)
        if n_rows < 0:
            raise ValueError("a column has fewer rows than none")
        rest, parts = _part(self._data, offset, size), list[Any]()
        sizes = [(n_rows + 7) // 8 if n_missing > 0 else 0]
        sizes += [(n_rows + 1) * _OFFSETS[kind]] if kind in _OFFSETS else []
        for wanted in sizes:
            padded = -(-wanted // 8) * 8 if self._is_padded else wanted
            parts.append(_part(rest, 0, wanted) if wanted else None)
            rest = _part(rest, padded, rest.size - padded)
        cells = pa.Array.from_buffers(kind, n_rows, [*parts, rest])
        cells.validate()
        return cells

    def _number(self, table: int, place: int, form: str) -> int:
        at = field_of(self._metadata, table, place)
        return number_at(self._metadata, at, form) if at else 0

    def _text(self, table: int, place: int) -> str:
        at = field_of(self._metadata, table, place)
        if not at:
            return ""
        start = follow(self._metadata, at)
        length = number_at(self._metadata, start, "<I")
        return struct.unpack_from(f"{length}s", self._metadata, start + 4)[0].decode()

    def _table(self, table: int, place: int) -> int:
        """Return where a table, or a list, begins that another one holds."""
        at = field_of(self._metadata, table, place)
        if not at:
            raise ValueError("its metadata lack what each file has")
        return follow(self._metadata, at)


def _one_of(known: tuple[Any, ...], place: int) -> Any:
    if place >= len(known) or known[place] is None:
        raise ValueError("a column is of a type that none may have")
    return known[place]


def _part(data: Any, start: int, length: int) -> Any:
    """Return bytes of a file, all of which must be there."""
    if start < 0 or length < 0 or start + length > data.size:
        raise ValueError("its metadata point beyond its end")
    return data.slice(start, length)
