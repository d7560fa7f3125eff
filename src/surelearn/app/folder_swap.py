"""Putting files in place all at once: they are written aside, and one exchange of folders does it.

Aside is a hidden folder beside the output, named after the process that made it. It holds `new`,
which becomes the output, and `plan.json`, by which the next run, and whoever reads the output,
finishes or undoes what a killed process left. Files that are not ours stay in the output: the new
folder gets links to them. Where the output should not be exchanged (we stand in it, it is a mount,
it has folders or hundreds of files of others, its parent is read-only), the files are moved one by
one: first all old ones away, then the new ones in, so that there is never a mixture.
"""

import ctypes
import errno
import hashlib
import json
import os
import re
import shutil
import socket
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard, cast
from uuid import uuid4

_ASIDE = re.compile(r"\.surelearn-(?P<host>[0-9a-f]{6})-(?P<pid>\d+)-(?P<since>\d+)-[0-9a-f]{8}")
_FORMER = re.compile(r"\.surelearn-[0-9a-f]{8}")  # as earlier versions named it
_PLAN = "plan.json"
_LARGEST_PLAN = 10**6  # bytes
_EXCHANGE = 2  # of Linux: RENAME_EXCHANGE
_AT_FDCWD = -100
_MOST_OTHERS = 200  # files of others that are worth a link each


class Aside(NamedTuple):
    """A folder aside: where it is, the output it is for, and whether it stands in the output.

    `begun` is the identity of its new folder, which has another one once it is exchanged. `names`
    are the files that are ours. `others` are those that may be given back to the output, by name;
    all of them if it is None.
    """

    path: Path
    out: Path
    within: bool
    begun: list[int]
    names: tuple[str, ...]
    others: frozenset[str] | None = None

    @property
    def new(self) -> Path:
        """The folder of the new files, and of the old ones once they are exchanged."""
        return self.path / "new"

    @property
    def old(self) -> Path:
        """The folder for what was there before, if folders cannot be exchanged."""
        return self.path / "old"


@contextmanager
def aside(out: Path, names: Iterable[str]) -> Generator[Aside]:
    """Make a folder for new files on the disk of the output; it is gone afterwards.

    Parameters
    ----------
    out
        The output, which need not be there.
    names
        The files that are ours; all others in the output stay there.
    """
    ours = tuple(names)
    made = _make(_resolved(out), ours)
    try:
        yield made
    finally:
        finish(made)


def put_in_place(made: Aside) -> None:
    """Let the new files take the place of those in the output, at once."""
    if made.within:
        _move_in(made)
        return
    if not made.out.exists():
        made.out.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # somebody made it meanwhile
            made.new.rename(made.out)
            return
    ours = set(made.names)
    _write_plan(made, sorted({path.name for path in made.out.iterdir()} - ours))
    _link_others(made, ours)
    with suppress(OSError):
        shutil.copystat(made.out, made.new)
    if not _exchange(made.new, made.out):
        made.out.rename(made.old)
        made.new.rename(made.out)


def clean_up(out: Path, names: Iterable[str]) -> None:
    """Finish or undo what killed runs left in or beside the output; living ones are let alone."""
    whole, ours = _resolved(out), tuple(names)
    for parent in {whole, _nearest(whole.parent)}:
        for path in sorted(parent.glob(".surelearn-*")) if parent.is_dir() else ():
            if path.is_symlink() or not path.is_dir():
                continue
            if (named := _ASIDE.fullmatch(path.name)) and not _lives(named):
                _finish_left_over(path, whole, ours)
            elif _FORMER.fullmatch(path.name) and _holds_only(path, {*ours, "earlier"}):
                shutil.rmtree(path, ignore_errors=True)


def settle(path: Path) -> None:
    """Finish or undo what a killed run left of a folder, or of the folder of a file, to be read.

    Nothing is done where nothing was left; on a disk that cannot be written, all stays as it is.
    """
    with suppress(OSError, ValueError):  # a name that cannot be: whoever reads it says so
        for out in (path, path.parent):
            whole = _resolved(out)
            for left in (whole if whole.is_dir() else whole.parent).glob(".surelearn-*"):
                if (named := _ASIDE.fullmatch(left.name)) and not _lives(named):
                    _finish_left_over(left, whole, None)


def finish(made: Aside) -> None:
    """Bring an exchange that was begun to its end or its beginning, and remove what is left."""
    if made.within:
        _settle_moves(made)
    elif made.old.exists() and not made.out.exists():
        made.old.rename(made.out)  # the second of two renames is missing
    if made.new.is_dir() and _identity(made.new) == made.begun:
        shutil.rmtree(made.new)  # never exchanged: what is in it is ours, or a link
    kept = [_give_back(folder, made) for folder in (made.old, made.new)]
    if all(kept):
        shutil.rmtree(made.path, ignore_errors=True)


def _resolved(out: Path) -> Path:
    """Return a path without links in it; those in a circle are an error as others of the disk."""
    try:
        return out.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(out)) from None


def _make(out: Path, names: tuple[str, ...]) -> Aside:
    within = out.is_dir() and _must_stay(out, names)
    parent = out if within else _nearest(out.parent)
    path = parent / f".surelearn-{_host()}-{os.getpid()}-{_since(os.getpid())}-{uuid4().hex[:8]}"
    try:
        path.mkdir(mode=0o700)
    except OSError as error:
        closed = error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}
        if within or not out.is_dir() or not closed:
            raise
        within, path = True, out / path.name
        path.mkdir(mode=0o700)
    try:
        (path / "new").mkdir()
        made = Aside(path, out, within, _identity(path / "new"), names)
        _write_plan(made)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    return made


def _write_plan(made: Aside, others: Iterable[str] = ()) -> None:
    """Write by what the next run finishes; a plan that is there is replaced as a whole."""
    out = os.path.relpath(made.out, made.path.parent)
    plan = {"out": out, "within": made.within, "begun": made.begun, "others": list(others)}
    plan["names"] = list(made.names)  # the next run may be of another command
    aside_of_it = made.path / f"{_PLAN}.new"
    aside_of_it.write_text(json.dumps(plan), encoding="utf-8")
    aside_of_it.replace(made.path / _PLAN)


def _must_stay(out: Path, names: tuple[str, ...]) -> bool:
    """Return whether the folder itself should not be exchanged."""
    if not os.access(out, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(out))
    here = Path.cwd().resolve()
    others = [entry for entry in os.scandir(out) if entry.name not in names]
    folders = any(e.is_dir(follow_symlinks=False) and not _is_aside(e.name) for e in others)
    stands = out == here or out in here.parents or out.is_mount()
    return stands or folders or len(others) > _MOST_OTHERS


def _is_aside(name: str) -> bool:
    return bool(_ASIDE.fullmatch(name) or _FORMER.fullmatch(name))


def _nearest(path: Path) -> Path:
    """Return the nearest folder above that is there."""
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def _link_others(made: Aside, ours: set[str]) -> None:
    """Let the new folder have the files of the old one that are not ours, without a copy."""
    for entry in os.scandir(made.out):
        if entry.name not in ours and not entry.is_dir(follow_symlinks=False):
            with suppress(OSError):  # it is moved after the exchange then
                os.link(entry.path, made.new / entry.name, follow_symlinks=False)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders at one instant; False if this system or disk cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    paths = os.fsencode(one), os.fsencode(other)
    return rename(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _EXCHANGE) == 0


def _move_in(made: Aside) -> None:
    made.old.mkdir()
    for name in made.names:
        with suppress(FileNotFoundError):
            (made.out / name).rename(made.old / name)
    for name in made.names:
        (made.new / name).rename(made.out / name)


def _settle_moves(made: Aside) -> None:
    """Move the rest of the new files in if one is in; else bring the old ones back."""
    if not made.old.is_dir():
        return
    waiting = [name for name in made.names if (made.new / name).exists()]
    source = made.new if len(waiting) < len(made.names) else made.old
    for name in made.names:
        with suppress(FileNotFoundError):
            (source / name).rename(made.out / name)


def _give_back(folder: Path, made: Aside) -> bool:
    """Empty a folder: ours are removed, others are given back to the output. Whether all were."""
    if not folder.is_dir():
        return True
    for entry in list(os.scandir(folder)):
        path, there = Path(entry.path), made.out / entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name in made.names and not is_folder:
            with suppress(OSError):  # the new files are in place: the next run removes this one
                path.unlink()
        elif made.others is not None and entry.name not in made.others:
            continue  # nobody recorded it: it may be planted
        elif not os.path.lexists(there) or (not is_folder and _is_newer(path, there)):
            path.replace(there)
        elif not is_folder:
            path.unlink()  # the output has it, too
    return not list(os.scandir(folder))


def _is_newer(path: Path, there: Path) -> bool:
    """Return whether a file was replaced in the old folder after the new one had got its link."""
    one, other = path.lstat(), there.lstat()
    return one.st_ino != other.st_ino and one.st_mtime_ns > other.st_mtime_ns


def _finish_left_over(path: Path, out: Path, names: tuple[str, ...] | None) -> None:
    """Finish by the plan of a killed run, if both are of this user and for this output.

    `names` are taken for those of a plan that does not tell them; without any, it is let alone.
    """
    if not _is_our_folder(path):
        return
    try:
        plan = _read_plan(path / _PLAN)
    except (OSError, ValueError, RecursionError):
        for folder in (path / "new", path / "old"):  # empty: killed before or after it had a plan
            with suppress(OSError):
                folder.rmdir()
        if _holds_only(path, {_PLAN, f"{_PLAN}.new"}):
            shutil.rmtree(path, ignore_errors=True)
        return
    made = _accepted(path, plan, out, names)
    if made is not None:
        with suppress(OSError):
            finish(made)


def _read_plan(path: Path) -> Any:
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST_PLAN or not _is_ours(found):
        raise ValueError(f"{path} is no plan of ours")
    return json.loads(path.read_text(encoding="utf-8"))


def _accepted(path: Path, plan: Any, out: Path, names: tuple[str, ...] | None) -> Aside | None:
    """Return what a plan describes, or None if it is forged: it names another output, say."""
    if not isinstance(plan, dict):
        return None
    known = cast("dict[str, Any]", plan)
    target, within, begun, others = map(known.get, ("out", "within", "begun", "others"))
    ours = known.get("names", None if names is None else list(names))
    if not isinstance(target, str) or not isinstance(begun, list):
        return None
    if not _are_names(others) or not _are_names(ours):
        return None
    leads_here = os.path.normpath(path.parent / target) == str(out)
    if not leads_here or within is not (path.parent == out):
        return None
    made = Aside(path, out, path.parent == out, begun, tuple(ours), frozenset(others))
    return made if all(map(_is_folder_or_absent, (made.new, made.old))) else None


def _are_names(found: Any) -> TypeGuard[list[str]]:
    """Return whether something is a list of names in one folder, none of which leads out of it."""
    return isinstance(found, list) and all(
        isinstance(name, str) and name not in {"", ".", ".."} and Path(name).name == name
        for name in cast("list[Any]", found)
    )


def _is_folder_or_absent(path: Path) -> bool:
    """Return whether a path leads nowhere else: through a link, files of others would be ours."""
    return not os.path.lexists(path) or stat.S_ISDIR(path.lstat().st_mode)


def _is_our_folder(path: Path) -> bool:
    """Return whether a folder is of this user, and nobody else can have put anything into it."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or not _is_ours(found):
        return False
    return os.name == "nt" or not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_ours(found: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or found.st_uid == os.getuid()


def _holds_only(folder: Path, names: set[str]) -> bool:
    return all(path.name in names for path in folder.iterdir())


def _identity(path: Path) -> list[int]:
    found = path.stat()
    return [found.st_dev, found.st_ino]


def _lives(named: re.Match[str]) -> bool:
    """Return whether the process that made a folder is still there, or is another machine's."""
    if named["host"] != _host():
        return True
    pid = int(named["pid"])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return str(_since(pid)) == named["since"]


def _since(pid: int) -> int:
    """Return when a process began, in the clock of the kernel; 0 where nobody tells."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        return int(line.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _host() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]
