"""Compiled loops on disk: each in a file of its own that says what it is, or none at all."""

import hashlib
import pickle
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    NullCache,
    UserWideCacheLocator,
)

from surelearn._jit import _sources

_SET_A_FOLDER = "Set NUMBA_CACHE_DIR to a folder that can be written to"
_NOT_KEPT = "Compiled loops cannot be kept"
_NOWHERE = "There is no folder in which compiled loops can be kept"
_FORM = b"a loop compiled by surelearn\n"
_LENGTH = hashlib.sha256().digest_size


def cache_of(function: Any) -> Any:
    """Return where the compiled forms of a function are kept."""
    try:
        return _KeptCode(function)
    except (RuntimeError, OSError):  # no folder can be written to
        return _NowhereToKeep()


class _SealedFiles(IndexDataCacheFile):
    """A file for each loop and types of its arguments, sealed: damaged machine code would run.

    Numba numbers such files and keeps an index of the numbers. Two processes that compile for
    other types at the same time choose the same number, and one then runs the other's code. So a
    file has the name of its types, and its seal covers them, the loop's name and all its sources.
    """

    def __init__(self, function: Any, cache_path: str, filename_base: str) -> None:
        super().__init__(cache_path, filename_base, source_stamp=b"")
        self._function = function
        self._base = filename_base

    @cached_property
    def _sources(self) -> bytes:
        """What the loop is made from; asked for late, when all that it calls is known."""
        return _sources.stamp(self._function)

    def _place(self, key: Any) -> Path | None:
        """Return the file of some types, None if their names mean nothing to another process."""
        types, machine, (_, enclosed) = key
        known = repr((types, machine, enclosed))
        if " at 0x" in known:  # a function among the arguments is known by its address
            return None
        number = hashlib.sha256(known.encode()).hexdigest()[:16]
        return Path(self._cache_path) / f"{self._base}.{number}.nbc"

    def _identity(self, key: Any) -> bytes:
        known = repr((self._base, self._version, self._sources, key))
        return hashlib.sha256(known.encode()).digest()

    def load(self, key: Any) -> Any:
        """Return what was kept for some types, None if there is nothing or it is out of date."""
        place = self._place(key)
        if place is None:
            return None
        try:
            kept = place.read_bytes()
        except FileNotFoundError:
            return None
        form, identity, seal, content = _cut(kept, len(_FORM), _LENGTH, _LENGTH)
        if form != _FORM or seal != hashlib.sha256(identity + content).digest():
            raise pickle.UnpicklingError(f"{place.name} is damaged")
        if identity != self._identity(key):
            return None
        return pickle.loads(content)  # noqa: S301 - our own, sealed

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled for some types, in place of what was kept for them before."""
        place = self._place(key)
        if place is None:
            return
        identity, content = self._identity(key), self._dump(data)
        with self._open_for_write(str(place)) as file:
            file.write(_FORM + identity + hashlib.sha256(identity + content).digest() + content)

    def flush(self) -> None:
        """Forget all that was kept of this loop."""
        for place in Path(self._cache_path).glob(f"{self._base}.*.nbc"):
            place.unlink(missing_ok=True)


def _cut(content: bytes, *lengths: int) -> Iterator[bytes]:
    """Yield pieces of these lengths, then the rest."""
    for length in lengths:
        yield content[:length]
        content = content[length:]
    yield content


class _HomeLocator(UserWideCacheLocator):
    """The folder of a user, who must have one: Numba makes one that is called "~" if not."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """Return where a function is kept, None if it is nowhere in particular."""
        if not Path(cls(py_func, py_file).get_cache_path()).is_absolute():
            return None
        return super().from_function(py_func, py_file)


class _Places(CompileResultCacheImpl):
    _locator_classes: ClassVar[list[type]] = [
        _HomeLocator if one is UserWideCacheLocator else one
        for one in CompileResultCacheImpl._locator_classes  # noqa: SLF001 - Numba's own list
    ]


class _KeptCode(FunctionCache):
    """Compiled loops on disk; a file that cannot be read or written costs time and nothing else."""

    _impl_class = _Places

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        base = f"{self._impl.filename_base}.sealed"  # Numba's own have no seal
        self._cache_file = _SealedFiles(function, self._cache_path, base)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled before, None if there is nothing that can be trusted."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # noqa: BLE001 - bytes that are no pickle raise anything
            _say_once(
                "Compiled loops on disk cannot be used", f" ({self.cache_path}: {error!r})", ""
            )
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if the disk allows it."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # noqa: BLE001 - whatever a disk may say
            self.disable()
            where = f" in {self.cache_path} ({error!r})"
            _say_once(_NOT_KEPT, where, _SET_A_FOLDER)


class _NowhereToKeep(NullCache):
    """What stands in for a cache where no folder can be written to."""

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Say that what was compiled is lost at the end of the process."""
        del sig, cres
        _say_once(_NOWHERE, "", _SET_A_FOLDER)


_told: dict[str, str] = {}


def why_not_kept() -> str | None:
    """Say why what this process compiled is not all on disk, None if it is."""
    return _told.get(_NOWHERE) or _told.get(_NOT_KEPT)


def _say_once(what: str, reason: str, remedy: str) -> None:
    """Warn that loops are compiled anew, once for all of them."""
    if what in _told:
        return
    _told[what] = f"{what}{reason}: they are compiled anew, which takes a while. {remedy}".strip()
    warnings.warn(_told[what], RuntimeWarning, stacklevel=3)
