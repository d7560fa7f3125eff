"""Parts of CSV files: ranges of bytes that end where a row ends.

A line break between quotation marks ends no row: a mark opens or closes a cell, and two in a row
inside one do both, so that an even number of marks stands before every end of a row.
"""

import hashlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

BLOCK = 2**23
"""Bytes of a part, about."""

_LONGEST = 2**26  # bytes of a row: an open quotation mark would swallow all that follows
_QUOTE, _BREAK = ord('"'), ord("\n")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


def schema(file: str) -> Any:
    """Return the names of the columns and what the first rows say of their types."""
    with Path(file).open("rb") as stream:
        first = stream.read(2)
    if first in _BYTE_ORDER_MARKS or first == b"\x1f\x8b":
        raise ValueError(
            f"{file} is compressed, or not in UTF-8: it cannot be cut into blocks. Write it as "
            "plain CSV in UTF-8, or as Parquet"
        )
    options = csv.ConvertOptions(strings_can_be_null=True)
    try:
        with csv.open_csv(file, convert_options=options, parse_options=_layout()) as head:
            return head.schema
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{file} cannot be read as a CSV file: {error}") from error


def places(file: str, block: int | None = None) -> list[tuple[tuple[int, int], None]]:
    r"""Return ranges of bytes that hold whole rows, without the line of names.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write('a,b\n1,"x\ny"\n2,z\n')
    ...     file.flush()
    ...     places(file.name, block=4)
    [((4, 12), None), ((12, 16), None)]
    """
    with Path(file).open("rb") as stream:
        first = _end_of_row(stream, 0, 1, file)
        cuts = [first]
        size = Path(file).stat().st_size
        while cuts[-1] < size:
            cuts.append(_end_of_row(stream, cuts[-1], block or BLOCK, file))
        ranges = pairwise(cuts)
        return [(each, None) for each in ranges if _has_rows(stream, *each)]


def name(place: tuple[int, int]) -> str:
    """Return what a reader would call the part."""
    return f"bytes {place[0]:,} to {place[1]:,}"


def digest(file: str, place: tuple[int, int]) -> str:
    """Return the SHA-256 of a range of bytes."""
    return hashlib.sha256(_bytes(file, place)).hexdigest()


def batches(
    file: str, place: tuple[int, int], names: list[str], types: Any, size: int
) -> Iterator[Any]:
    """Yield the rows of a range of bytes, so many at a time; `types` are those of all columns."""
    content = _bytes(file, place)
    reader = csv.open_csv(
        pa.BufferReader(content),  # whose threads need no Python: it may be ending
        read_options=csv.ReadOptions(
            use_threads=False, column_names=types.names, block_size=max(2**20, len(content))
        ),
        parse_options=_layout(),
        convert_options=csv.ConvertOptions(
            column_types=types, include_columns=names, strings_can_be_null=True
        ),
    )
    for batch in reader:
        yield from (batch.slice(start, size) for start in range(0, batch.num_rows, size))


def _layout() -> Any:
    return csv.ParseOptions(newlines_in_values=True)


def _bytes(file: str, place: tuple[int, int]) -> bytes:
    start, end = place
    with Path(file).open("rb") as stream:
        stream.seek(start)
        content = stream.read(end - start)
    if len(content) < end - start:
        raise ValueError("the file ends in the middle of it")
    return content


def _end_of_row(stream: IO[bytes], start: int, least: int, file: str) -> int:
    """Return where the first row ends that ends at least so many bytes after a start."""
    stream.seek(start)
    marks = position = 0
    while content := stream.read(max(least, 2**16)):
        bytes_ = np.frombuffer(content, dtype=np.uint8)
        inside = (np.cumsum(bytes_ == _QUOTE, dtype=np.int32) + marks) & 1
        ends = np.flatnonzero((bytes_ == _BREAK) & (inside == 0)) + position + 1
        far = ends[ends >= least]
        if len(far):
            return start + int(far[0])
        marks += int(np.count_nonzero(bytes_ == _QUOTE))
        position += len(content)
        if position > least + _LONGEST:
            raise ValueError(
                f"a row of {file} after byte {start:,} is longer than {_LONGEST:,} bytes: a "
                "quotation mark may not be closed"
            )
    return start + position


def _has_rows(stream: IO[bytes], start: int, end: int) -> bool:
    """Return whether a range of bytes holds more than empty lines."""
    stream.seek(start)
    return bool(stream.read(end - start).strip())
