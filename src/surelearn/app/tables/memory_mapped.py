"""Tables too large for memory, kept in temporary files that are mapped into it.

Such a file has no name, or loses it at once: whatever ends the process, nothing is left behind, and
the space is free again when the last array that lies in it is gone. Its pages come into memory when
they are read, and `forget_pages` lets go of them.
"""

import hashlib
import mmap
import os
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from weakref import WeakSet

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import ipc

from surelearn._typing import Indices
from surelearn.app.errors import TableError

MOST_IN_MEMORY = 2**26
"""Bytes: a table that takes more is kept on disk."""

_BLOCK = 2**22  # bytes copied at once
_mapped: WeakSet[mmap.mmap] = WeakSet()


def too_many(n_bytes: int) -> bool:
    """Return whether so many bytes had better not be in memory."""
    return n_bytes > MOST_IN_MEMORY


def is_large(table: Any) -> bool:
    """Return whether a table had better not be in memory."""
    return too_many(table.nbytes)


def combined(columns: Iterable[tuple[str, Any]], *, large: bool) -> Any:
    """Return a table whose columns are of one piece each, made and put on disk one by one.

    Examples
    --------
    >>> cells = pa.chunked_array([[1, 2], [None]])
    >>> combined([("a", cells)], large=True).column("a").chunks[0].to_pylist()
    [1, 2, None]
    """
    whole: dict[str, Any] = {}
    for name, column in columns:
        cells = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        whole[name] = _moved(cells) if large else cells
        forget_pages()  # of what it was made from
    return pa.table(whole)


def take_rows(table: Any, rows: Indices) -> Any:
    """Return some rows of a table, column by column if it is large, and on disk if they are.

    Examples
    --------
    >>> take_rows(pa.table({"a": [1, 2, 3]}), np.array([0, 2])).to_pydict()
    {'a': [1, 3]}
    """
    if not is_large(table):
        return table.take(rows)
    pairs = zip(table.column_names, table.columns, strict=True)
    large = too_many(8 * len(rows) * table.num_columns)
    return combined(((name, column.take(rows)) for name, column in pairs), large=large)


def _moved(cells: Any) -> Any:
    """Return a column on disk; one that lies there already is not copied."""
    words = cells.dictionary.buffers() if pa.types.is_dictionary(cells.type) else []
    places = [buffer.address for buffer in (*cells.buffers(), *words) if buffer is not None]
    extents = [np.frombuffer(pages, np.uint8) for pages in _mapped]
    spans = [(extent.ctypes.data, extent.ctypes.data + len(extent)) for extent in extents]
    if all(any(start <= place < stop for start, stop in spans) for place in places):
        return cells
    return on_disk(pa.table({"": cells})).column(0)


def on_disk(table: Any) -> Any:
    """Return the same table, its cells in a mapped file."""
    with _filling() as file:
        with ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
        file.flush()
        pages = _map(file)
    return ipc.open_stream(pa.py_buffer(pages)).read_all()


def own_bytes(path: Path) -> tuple[Any, str]:
    """Return the bytes of a file as a buffer that nobody else can change, and their hash.

    A large file is copied before it is mapped: another process that rewrites or shortens it would
    change, or tear away, what was hashed.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table"
    ...     _ = path.write_bytes(b"1,2")
    ...     own_bytes(path)[0].to_pybytes()
    b'1,2'
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        if not too_many(os.fstat(file.fileno()).st_size):
            content = file.read()
            digest.update(content)
            return pa.py_buffer(content), digest.hexdigest()
        with _filling() as copy:
            while block := file.read(_BLOCK):
                digest.update(block)
                copy.write(block)
            copy.flush()
            return pa.py_buffer(_map(copy)), digest.hexdigest()


def array_on_disk(arrays: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays of one type, one after the other, as a single array in a mapped file.

    Examples
    --------
    >>> array_on_disk([np.array(["yes"]), np.array(["no ", "yes"])]).tolist()
    ['yes', 'no ', 'yes']
    """
    dtype = np.dtype(np.float64)
    with _filling() as file:
        for array in arrays:
            dtype = array.dtype
            file.write(np.ascontiguousarray(array).data)
        file.flush()
        pages = _map(file)
    return np.frombuffer(pages, dtype=dtype)


def forget_pages() -> None:
    """Let go of the pages that were read; they come back from their files when they are needed."""
    mapped = list(_mapped)
    for pages in mapped:
        if hasattr(pages, "madvise"):  # not on Windows, which takes them away when it is short
            pages.madvise(mmap.MADV_DONTNEED)
    if mapped:
        pa.default_memory_pool().release_unused()


@contextmanager
def _filling() -> Generator[IO[bytes]]:
    """Open a temporary file; say what to do if the disk is full."""
    try:
        with tempfile.TemporaryFile() as file:
            yield file
    except OSError as error:
        raise TableError(
            f"the table is larger than {MOST_IN_MEMORY:,} bytes, so it has to be kept in the "
            f"folder {tempfile.gettempdir()}, and that fails ({error.strerror or error}): name a "
            "folder with more space in the environment variable TMPDIR"
        ) from error


def _map(file: IO[bytes]) -> mmap.mmap:
    pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _mapped.add(pages)
    return pages
