"""Files that are written whole or not at all, and nothing beside them when a process was killed.

A file is written under a hidden name beside its own, and renamed when all is on the disk. Whoever
writes holds a lock on it, which ends with the process: a hidden file without a lock was left by one
that was killed, and whoever writes next removes it.
"""

import errno
import hashlib
import io
import os
import re
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

try:
    import fcntl
except ImportError:  # Windows has none; what was left then stays
    fcntl = None

_HIDDEN = re.compile(r"\.[0-9a-f]{16}-[0-9a-f]{32}\.surelearn")
_ANYBODY = 0o666  # less what the user's mask takes away
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
    if path.exists() and not (path.is_file() or path.is_dir()):  # a device is not ours to take away
        raise OSError(errno.EEXIST, "it is there and is no regular file", str(path))
    with _whole(path, Path.replace, tidy=tidy, mode=_ANYBODY) as file:
        yield file


@contextmanager
def adding(path: Path, *, mode: int = _ANYBODY) -> Generator[io.BufferedWriter]:
    """Open a file that is `path` when all is written; one that is there is left as it is.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.txt"
    ...     with adding(path) as file:
    ...         _ = file.write(b"first")
    ...     try:
    ...         with adding(path) as file:
    ...             _ = file.write(b"second")
    ...     except FileExistsError:
    ...         print(path.read_text())
    first
    """
    with _whole(path, _name_anew, tidy=True, mode=mode) as file:
        yield file


@contextmanager
def _whole(
    path: Path, put: Callable[[Path, Path], object], *, tidy: bool, mode: int
) -> Generator[io.BufferedWriter]:
    if tidy:
        remove_left_over(path.parent, path.name)
    beside, file = _begun(path, mode)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:  # Windows renames no open file, and here the lock must hold till then
                file.close()
            put(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def _name_anew(beside: Path, path: Path) -> None:
    """Give a whole file its name, which nobody has: a second name does that at one instant."""
    try:
        os.link(beside, path)
    except FileExistsError:
        raise
    except OSError:  # this disk knows no second names; a process killed here leaves an empty file
        path.touch(exist_ok=False)
        beside.replace(path)
    else:
        beside.unlink()


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


def _begun(path: Path, mode: int) -> tuple[Path, io.BufferedWriter]:
    """Open a new hidden file, and lock it; one that was removed before it was locked is no use."""
    while True:
        beside = path.parent / f".{_key(path.name)}-{uuid4().hex}.surelearn"
        try:
            file = open(beside, "xb", opener=lambda name, how: os.open(name, how, mode))  # noqa: SIM115
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
