"""ARFF, the format of Weka: names and types are declared, `?` is a missing cell, % a comment."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from surelearn.app.errors import TableError
from surelearn.app.tables.notes import Note
from surelearn.app.tables.text_columns import TEXT, GrowingColumn

_Cell: TypeAlias = tuple[str, bool]  # what it says, and whether it was quoted

_WORD = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]*"""
_CELL = re.compile(rf"\s*({_WORD})\s*(?:,|$)")
_NAME = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.*)""", re.DOTALL)
_NUMBERS = {"numeric", "real", "integer"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class _Attribute(NamedTuple):
    """A declared column: its name, its type, and the values it may take if it is nominal."""

    name: str
    kind: str
    domain: tuple[str, ...] = ()


def read_arff(lines: Iterable[str], *, missing: Sequence[str]) -> tuple[Any, list[Note]]:
    """Return the table in the lines of an ARFF file, and what there is to say about it.

    Examples
    --------
    >>> lines = ["@relation r", "@attribute 'a b' numeric", "@attribute c {x, y}", "@data", "?,y"]
    >>> read_arff(lines, missing=())[0].to_pylist()
    [{'a b': None, 'c': 'y'}]
    """
    numbered = _meaningful(lines)
    attributes = _read_header(numbered)
    names = [attribute.name for attribute in attributes]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise TableError(f"two attributes are called {twice[0]!r}; rename one of them")
    rows = [_read_row(line, number, len(names), missing) for number, line in numbered]
    if not rows:
        raise TableError("the @data section has no rows")
    columns = zip(*rows, strict=True)
    table = {a.name: _column(a, list(cells)) for a, cells in zip(attributes, columns, strict=True)}
    return pa.table(table), [Note("types", "as the file declares them", "it is an ARFF file")]


def _meaningful(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Return the lines that are neither empty nor comments, with their numbers."""
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.lstrip().startswith("%"):
            yield number, line.strip()


def _read_header(numbered: Iterator[tuple[int, str]]) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    for number, line in numbered:
        keyword, _, rest = line.replace("\t", " ").partition(" ")
        if keyword.lower() == "@attribute":
            attributes.append(_read_attribute(rest, number))
        elif keyword.lower() == "@data":
            if not attributes:
                raise TableError(f"line {number}: @data comes before any @attribute")
            return attributes
        elif keyword.lower() != "@relation":
            raise TableError(f"line {number}: {line!r} is neither @relation, @attribute nor @data")
    raise TableError("the file has no @data section, so it has no rows")


def _read_attribute(declaration: str, number: int) -> _Attribute:
    match = _NAME.fullmatch(declaration)
    if match is None:
        raise TableError(f"line {number}: @attribute needs a name and a type")
    name, kind = _unquoted(match[1])[0], match[2].strip()
    if kind.startswith("{") and kind.endswith("}"):
        domain = tuple(word for word, _ in _cells(kind[1:-1], number))
        return _Attribute(name, "nominal", domain)
    word = kind.split(" ")[0].lower()
    if word in {*_NUMBERS, "string", "date"}:
        return _Attribute(name, "numeric" if word in _NUMBERS else word)
    raise TableError(
        f"line {number}: attribute {name!r} has the type {kind!r}; numeric, nominal {{a, b}}, "
        "string and date can be read"
    )


def _read_row(line: str, number: int, width: int, missing: Sequence[str]) -> list[str | None]:
    if line.startswith("{"):
        raise TableError(
            f"line {number}: sparse ARFF is not read; save it dense, for instance with Weka's "
            "SparseToNonSparse filter"
        )
    cells = _cells(line, number)
    if len(cells) != width:
        raise TableError(
            f"line {number} has {len(cells)} cells, but {width} attributes are declared"
        )
    return [
        None if not quoted and (word in {"", "?"} or word in missing) else word
        for word, quoted in cells
    ]


def _cells(line: str, number: int) -> list[_Cell]:
    """Split a line at its commas, but not at those between quotes."""
    cells: list[_Cell] = []
    place = 0
    while True:
        match = _CELL.match(line, place)
        if match is None:
            raise TableError(f"line {number}: what follows {line[:place]!r} is not a cell")
        cells.append(_unquoted(match[1].strip()))
        if not match[0].endswith(",") or match.end() == place:
            return cells
        place = match.end()


def _unquoted(word: str) -> _Cell:
    if len(word) < 2 or word[0] not in "'\"" or word[-1] != word[0]:
        return word, False
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), word[1:-1]), True


def _column(attribute: _Attribute, cells: list[str | None]) -> Any:
    if attribute.kind == "numeric":
        return _numbers(attribute, cells)
    if attribute.kind == "nominal":
        return _nominal(attribute, cells)
    column = GrowingColumn(text=attribute.kind == "string")  # dates in odd formats stay text
    column.add(pa.array(cells, pa.string()))
    return column.finish()


def _numbers(attribute: _Attribute, cells: list[str | None]) -> Any:
    try:
        return pa.array(cells, pa.string()).cast(pa.float64())
    except pa.ArrowInvalid:
        row, word = next((i, c) for i, c in enumerate(cells) if c is not None and not _is_number(c))
        raise TableError(
            f"row {row + 1} holds {word!r} in {attribute.name!r}, which is declared numeric"
        ) from None


def _is_number(word: str) -> bool:
    try:
        pa.scalar(word).cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _nominal(attribute: _Attribute, cells: list[str | None]) -> Any:
    places = {word: place for place, word in enumerate(attribute.domain)}
    for row, word in enumerate(cells):
        if word is not None and word not in places:
            raise TableError(
                f"row {row + 1} holds {word!r} in {attribute.name!r}, which is declared "
                f"{{{', '.join(attribute.domain)}}}"
            )
    codes = pa.array([None if word is None else places[word] for word in cells], pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(attribute.domain, pa.string())).cast(TEXT)
