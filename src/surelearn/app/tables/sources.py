"""What a path leads to: a file, or a pipe whose content is copied once; devices are refused.

Compressed content that grows far beyond its file is refused as well: a few megabytes can hold
gigabytes, and whoever made them need not be a friend.
"""

import difflib
import glob
import os
import re
import select
import stat
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from surelearn.app.errors import ArgumentError, TableError
from surelearn.base.tables import decompression
from surelearn.base.tables.decompression import LIMIT

_MOST_OF_A_PIPE = 2**34
_PATIENCE = 10.0  # seconds that a pipe may have no writer
_BLOCK = 2**20
_REFUSED = {
    stat.S_IFDIR: "is a folder; name a file in it",
    stat.S_IFCHR: "is a device, not a table; name a file, or write to it through a pipe",
    stat.S_IFBLK: "is a device, not a table; name a file in it",
    stat.S_IFSOCK: "is a socket, which cannot be read; write the table to a file",
}


STANDARD_INPUT = "-"
"""The name of a table that comes through a pipe."""

_ADDRESS = re.compile(r"(https?|ftp|s3|gs|az):/")


@contextmanager
def readable(path: Path) -> Generator[Path]:
    """Give a file that can be read again and again: the path itself, or a copy of a pipe.

    Examples
    --------
    >>> with readable(Path(__file__)) as file:
    ...     file.name
    'sources.py'
    """
    if str(path) == STANDARD_INPUT:
        with tempfile.NamedTemporaryFile(prefix="surelearn-") as copy:
            _copy_standard_input(copy)
            yield Path(copy.name)
        return
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except FileNotFoundError:
        raise TableError(_not_there(path)) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise TableError(f"{path} cannot be read: {why}") from None
    if kind in _REFUSED:
        raise TableError(f"{path} {_REFUSED[kind]}")
    if kind != stat.S_IFIFO:
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="surelearn-") as copy:
        _copy_pipe(path, copy)
        yield Path(copy.name)


def first_bytes(path: Path, most: int) -> bytes:
    """Return the beginning of a small file, or of what comes through a pipe; nobody waits for ever.

    Examples
    --------
    >>> len(first_bytes(Path(__file__), 3))
    3
    """
    if stat.S_ISFIFO(path.stat().st_mode):
        with readable(path) as copy, copy.open("rb") as file:
            return file.read(most)
    with path.open("rb") as file:
        return file.read(most)


def _not_there(path: Path) -> str:
    """Say that there is no such file, and what to do: addresses are not loaded, nor patterns."""
    if _ADDRESS.match(str(path)):
        address = str(path).replace(":/", "://", 1)  # a path has lost one of the two
        return (
            f"{address} is an address, and surelearn loads nothing from a network: save the table "
            "first, for example with curl -O, and name the file"
        )
    if not any(character in str(path) for character in "*?["):
        return no_file(path)
    found = sorted(glob.glob(str(path)))  # noqa: PTH207 - a pattern may be absolute
    if not found:
        return f"no file matches {path}"
    several = f"{len(found):,} files match {path}: " + ", ".join(found[:3])
    return f"{several}{', ...' if len(found) > 3 else ''}; name one of them, or join them first"


def no_file(path: Path) -> str:
    """Return the sentence about a file that is not there, with the nearest name in its folder."""
    try:
        names = [there.name for there in path.parent.iterdir()]
    except (OSError, ValueError):
        names = []
    near = difflib.get_close_matches(path.name, names, n=1)
    return f"there is no file {path}" + (
        f"; did you mean {path.with_name(near[0])}?" if near else ""
    )


def _copy_standard_input(copy: IO[bytes]) -> None:
    """Write to a file all that comes through the standard input."""
    if sys.stdin is None or sys.stdin.isatty():
        raise TableError("nothing comes through the standard input: write cat table.csv | before")
    n_bytes, most = 0, most_bytes(_MOST_OF_A_PIPE)
    while block := sys.stdin.buffer.read(_BLOCK):
        n_bytes += copy.write(block)
        if n_bytes > most:
            raise TableError(f"more than {most:,} bytes come through the standard input")
    copy.flush()


def most_bytes(otherwise: int) -> int:
    """Return how many bytes content may take: what the environment says, or else the number given.

    Examples
    --------
    >>> most_bytes(1000)
    1000
    """
    try:
        return decompression.most_bytes(otherwise)
    except ValueError as error:
        raise ArgumentError(str(error)) from None


def most_decompressed(n_compressed: int, floor: int | None = None) -> int:
    """Return how many bytes a file may take when it is decompressed; a floor may be lower."""
    try:
        return decompression.most_decompressed(n_compressed, floor)
    except ValueError as error:
        raise ArgumentError(str(error)) from None


def too_large(path: Path, n_compressed: int, most: int) -> TableError:
    """Return the sentence about a file that grows too much."""
    return TableError(decompression.too_large(path, n_compressed, most))


def _copy_pipe(path: Path, copy: IO[bytes]) -> None:
    """Write to a file all that comes through a pipe."""
    n_bytes, most = 0, most_bytes(_MOST_OF_A_PIPE)
    try:
        pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # or opening would wait for a writer
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None
    try:
        while block := _next_block(pipe, path, begun=n_bytes > 0):
            n_bytes += copy.write(block)
            if n_bytes > most:
                raise TableError(
                    f"more than {most:,} bytes come through {path}: write them to a file, or allow "
                    f"more in the environment variable {LIMIT}"
                )
        copy.flush()
    except OSError as error:
        raise TableError(
            f"what comes through {path} cannot be copied to {tempfile.gettempdir()} "
            f"({error.strerror}): write it to a file first"
        ) from None
    finally:
        os.close(pipe)


def _next_block(pipe: int, path: Path, *, begun: bool) -> bytes:
    """Return the next bytes of a pipe, none at its end; wait as long as someone may write."""
    while True:
        try:
            block = os.read(pipe, _BLOCK)
        except BlockingIOError:  # someone has it open for writing, and is slow
            select.select([pipe], [], [])
            continue
        if block or begun:
            return block
        poll = select.poll()
        poll.register(pipe, select.POLLIN | select.POLLHUP)
        events = poll.poll(1000 * _PATIENCE)
        if not events:
            raise TableError(
                f"{path} is a pipe, and nobody has written to it for {_PATIENCE:g} seconds: start "
                "what writes to it first"
            )
        if not events[0][1] & select.POLLIN:  # whoever had it open has gone
            return b""
