"""JSON lines: one object a line, each a row; what Arrow's reader would not survive is refused."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json, types

from surelearn.app.errors import TableError

_compute: Any = pc
_BLOCK = 2**24  # bytes read at once
_DEEPEST = 500  # brackets within brackets; Arrow's reader overflows the stack at some thousand
_EXACT = 2**53  # beyond it not every whole number is one of the floats
_BOM = b"\xef\xbb\xbf"
_LINES = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*[\[{]")
_UTF_16 = (b"\xff\xfe{\x00", b"\xfe\xff\x00{")
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_LONG_NUMBER = re.compile(rb"[:\[,]\s*+-?\d{16,}+\s*+[,\]}]")


def is_json_lines(first: bytes, path: Path) -> bool:
    """Return whether a file begins as JSON lines do; refuse JSON of another shape.

    Examples
    --------
    >>> is_json_lines(b'{"a": 1}', Path("t")), is_json_lines(b"a,b", Path("t"))
    (True, False)
    """
    if _ARRAY.match(first):
        raise TableError(
            f"{path} is one JSON array: write JSON lines, an object a line, as `jq -c '.[]'` does"
        )
    if first.startswith(_UTF_16):
        raise TableError(f"{path} is JSON in UTF-16: save it in UTF-8")
    return _LINES.match(first) is not None


def read_json_lines(data: Any, path: Path) -> Any:
    """Return a table, a row for each line.

    Parameters
    ----------
    data
        The content of the file, as a buffer of Arrow.
    path
        What the file is called.
    """
    if data.slice(0, min(3, data.size)).to_pybytes() == _BOM:
        data = data.slice(3)
    if _may_be_deep(data) and _is_deep(data.to_pybytes()):
        raise TableError(
            f"{path} has more than {_DEEPEST} brackets within brackets: write rows of plain cells"
        )
    # One thread: blocks that are read at once may disagree about the type of a column.
    options = json.ReadOptions(use_threads=False, block_size=_BLOCK)
    table = json.read_json(pa.BufferReader(data), read_options=options)
    if any(map(_is_large, table.columns)) and _LONG_NUMBER.search(_TEXT.sub(b'""', data)):
        raise TableError(
            f"{path} holds whole numbers of more than 15 digits, which would be rounded to "
            "floating-point ones: write them in quotes, as text"
        )
    return table


def _may_be_deep(data: Any) -> bool:
    """Return whether a line has so many brackets that they might stand within each other."""
    for start in range(0, data.size, _BLOCK):
        block = np.frombuffer(data.slice(start, min(_BLOCK, data.size - start)), dtype=np.uint8)
        opening = ((block == ord("[")) | (block == ord("{"))).astype(np.int32)
        lines = np.flatnonzero(block == ord("\n"))
        if np.add.reduceat(opening, np.concatenate([[0], lines])).max() > _DEEPEST:
            return True
    return False


def _is_deep(content: bytes) -> bool:
    """Return whether brackets outside of text stand too deep within each other."""
    signs = np.frombuffer(_TEXT.sub(b"", content), dtype=np.uint8)
    opening = np.isin(signs, [ord("["), ord("{")]).astype(np.int64)
    closing = np.isin(signs, [ord("]"), ord("}")]).astype(np.int64)
    return bool(np.cumsum(opening - closing).max(initial=0) > _DEEPEST)


def _is_large(column: Any) -> bool:
    """Return whether a column of fractions has numbers beyond those that are all exact."""
    if not types.is_floating(column.type):
        return False
    largest = _compute.max(_compute.abs(column)).as_py()
    return largest is not None and largest >= _EXACT
