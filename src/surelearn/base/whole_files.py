"""Files that are written whole or not at all, and nothing beside them when a process was killed.

A file is written under a hidden name beside its own, and renamed when all is on the disk. Whoever
writes holds a lock on it, which ends with the process: a hidden file without a lock was left by one
that was killed, and whoever writes next removes it.
"""

import hashlib
import io
import os
import re
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

try:
    import fcntl
except ImportError:  # Windows has none; what was left then stays
    fcntl = None

_HIDDEN = re.compile(r"\.[0-9a-f]{16}-[0-9a-f]{32}\.surelearn")
_TO_LOOK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def replacing(path: Path, *, tidy: bool = True) -> Generator[io.BufferedWriter]:
    """Open a file that takes the place of `path` when all is written, and vanishes on an error.

    With `tidy`, what killed processes left of the same file is removed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         with replacing(Path(folder) / "a.txt") as file:
    ...             raise KeyboardInterrupt
    ...     except KeyboardInterrupt:
    ...         print(list(Path(folder).iterdir()))
    []
    """
    if tidy:
        remove_left_over(path.parent, path.name)
    beside, file = _begun(path)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:  # Windows renames no open file, and here the lock must hold till then
                file.close()
            beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def remove_left_over(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes left in a folder, of one file or of all; a living one's stays.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     left = Path(folder, f".{_key('a.txt')}-{uuid4().hex}.surelearn")
    ...     left.touch()
    ...     remove_left_over(Path(folder), "b.txt")
    ...     before = left.exists()
    ...     remove_left_over(Path(folder), "a.txt")
    ...     before, left.exists()
    (True, False)
    """
    if fcntl is None:
        return
    begin = "." if name is None else f".{_key(name)}-"
    try:
        with os.scandir(folder) as entries:
            found = [each.path for each in entries if each.name.startswith(begin)]
    except OSError:  # whoever writes there will say why not
        return
    for each in found:
        if _HIDDEN.fullmatch(Path(each).name):
            with suppress(OSError):
                _remove_unless_locked(each)


def _remove_unless_locked(path: str) -> None:
    place = os.open(path, _TO_LOOK)
    try:
        told = os.fstat(place)
        if stat.S_ISREG(told.st_mode) and told.st_uid == os.getuid():
            _locks().flock(place, _locks().LOCK_EX | _locks().LOCK_NB)
            Path(path).unlink()
    finally:
        os.close(place)


def _begun(path: Path) -> tuple[Path, io.BufferedWriter]:
    """Open a new hidden file, and lock it; one that was removed before it was locked is no use."""
    while True:
        beside = path.with_name(f".{_key(path.name)}-{uuid4().hex}.surelearn")
        try:
            file = beside.open("xb")
        except OSError as error:  # nobody knows the hidden name
            raise OSError(error.errno, error.strerror, str(path)) from None
        if fcntl is not None:
            with suppress(OSError):  # some disks know no locks, and there nothing is removed
                _locks().flock(file, _locks().LOCK_EX)
        if os.fstat(file.fileno()).st_nlink > 0:
            return beside, file
        file.close()


def _key(name: str) -> str:
    """Return what a hidden file has of a name, which may itself be as long as a name can be."""
    return hashlib.sha256(os.fsencode(name)).hexdigest()[:16]


def _locks() -> Any:
    return fcntl
