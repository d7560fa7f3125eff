"""Streams of rows as they come: JSON lines from a file or a pipe, or a Parquet file in batches."""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from surelearn._typing import Vector
from surelearn.app.errors import TableError
from surelearn.app.monitoring.outcomes import Columns
from surelearn.base.tables.parquet_words import opened, read_batches

_AT_ONCE = 2**16  # bytes that are asked for; fewer are taken as they come
_LONGEST = 2**24  # bytes of a line
_BATCH = 4096  # rows of a Parquet file
_SUFFIXES = (".parquet", ".pq")
_TABLES = (".csv", ".tsv", ".arrow", ".feather", ".arff", ".gz", ".zip", ".xlsx")


class Block(NamedTuple):
    """Losses of rows that came together, and those of another model, if there is one."""

    losses: Vector
    others: Vector | None


def read_blocks(source: str, columns: Columns, pipe: BinaryIO) -> Iterator[Block]:
    """Yield the losses of a stream; a row that is none ends it, after those before it.

    Parameters
    ----------
    source
        A file of JSON lines, a Parquet file, or "-" for the pipe.
    columns
        Which columns say what a row costs.
    pipe
        The standard input.
    """
    if source == "-":
        yield from _of_rows(_lines(pipe), columns, "line")
        return
    path = Path(source)
    if path.suffix.lower() in _TABLES:
        raise TableError(
            f"{path} is no stream: give JSON lines, a Parquet file, or - for the standard input"
        )
    with _opened(path) as file:
        if path.suffix.lower() in _SUFFIXES:
            yield from _of_rows(_parquet_rows(path, columns), columns, "row")
        else:
            yield from _of_rows(_lines(file), columns, "line")


@contextmanager
def _opened(path: Path) -> Generator[BinaryIO]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None
    with file:
        yield file


class _Rows(NamedTuple):
    """Rows that came together, as texts or as mappings, and the number of the first."""

    first: int
    rows: list[Any]


def _of_rows(blocks: Iterator[_Rows], columns: Columns, unit: str) -> Iterator[Block]:
    """Yield the losses of rows; where one is refused, those before it are counted first."""
    for first, rows in blocks:
        found: list[tuple[float, float | None]] = []
        wrong = ""
        for number, row in enumerate(rows, start=first):
            if isinstance(row, bytes) and not row.strip():
                continue
            try:
                found.append(columns.losses_of(_parsed(row)))
            except (ValueError, RecursionError) as error:
                wrong = f"{unit} {number:,}: {error}"
                break
        if found:
            yield _block(found, paired=columns.baseline is not None)
        if wrong:
            raise TableError(wrong)


def _block(found: list[tuple[float, float | None]], *, paired: bool) -> Block:
    others = np.array([other for _, other in found], dtype=np.float64) if paired else None
    return Block(np.array([loss for loss, _ in found]), others)


def _lines(file: BinaryIO) -> Iterator[_Rows]:
    """Yield complete lines as they come, with the number of the first of them."""
    number, rest = 1, b""
    pipe: Any = file  # a read of it would wait until all bytes asked for are there
    while chunk := pipe.read1(_AT_ONCE):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > _LONGEST:
            many = number + len(lines)
            raise TableError(f"line {many:,}: longer than {_LONGEST:,} bytes; is this JSON lines?")
        if lines:
            yield _Rows(number, lines)
        number += len(lines)
    if rest.strip():
        yield _Rows(number, [rest])


def _parsed(row: Any) -> Mapping[str, Any]:
    """Return a row; a line of text must be one JSON object."""
    if not isinstance(row, bytes):
        return row
    try:
        found = json.loads(row.decode("utf-8-sig"), object_pairs_hook=_once)
    except UnicodeDecodeError:
        raise ValueError("it is no text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON ({error.msg} at character {error.pos + 1})") from None
    except RecursionError:
        raise ValueError("it has brackets within brackets, too many to be read") from None
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object, such as {...}")  # noqa: TRY004 - a file is at fault
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands in it twice")
    return found


def _parquet_rows(path: Path, columns: Columns) -> Iterator[_Rows]:
    """Yield rows of a Parquet file, batch by batch."""
    number = 1
    try:
        with opened(path) as file:
            _refuse_other_columns(path, columns, file.schema_arrow.names)
            groups = range(file.num_row_groups)
            for batch in read_batches(file, path, _BATCH, columns.names, groups):
                rows = batch.to_pylist()
                yield _Rows(number, rows)
                number += len(rows)
    except TableError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TableError(f"{path} cannot be read as Parquet: {why}") from None


def _refuse_other_columns(path: Path, columns: Columns, there: list[str]) -> None:
    """Refuse a table that lacks a column, or has two of a name that is asked for."""
    for name in columns.names:
        if name not in there:
            names = ", ".join(there[:20])
            raise TableError(f"{path} has no column {name!r}: there are {names}")
        if there.count(name) > 1:
            raise TableError(f"two columns of {path} are called {name!r}; rename one of them")
