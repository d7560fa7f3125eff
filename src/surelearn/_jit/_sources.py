"""From which sources a compiled loop is made: its own file, and those of all steps it may call.

A loop holds the code of its steps. Code kept from before must not be used if a step has changed
meanwhile, in whatever file: an older release may have stood in the same folder.
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numba.core import config

settings: Any = config
_NUMBERS = (bool, int, float, complex, str)


class _Source(NamedTuple):
    digest: bytes
    names: dict[str, Any]


_compiled: dict[str, _Source] = {}


def enlist(function: Any) -> None:
    """Remember the file of a function that is to be compiled, as it is now.

    Later would be too late: the file may be replaced while its old self is in memory.
    """
    path = function.__code__.co_filename
    known = _compiled.get(path)
    if known is None or known.names is not function.__globals__:
        _compiled[path] = _Source(_digest(path), function.__globals__)


def stamp(function: Any) -> bytes:
    """Return a hash of all that a function is compiled from, and of the compiler's settings.

    Examples
    --------
    >>> from surelearn._jit import rows
    >>> stamp(rows.largest_norm.py_func) == stamp(rows.largest_norm.py_func)
    True
    """
    known = hashlib.sha256(_SETTINGS + repr(settings.BOUNDSCHECK).encode())
    for path, source in sorted(_reached(function.__code__.co_filename).items()):
        known.update(repr((Path(path).name, source.digest, _constants(source.names))).encode())
    return known.digest()


def files(function: Any) -> set[str]:
    """Return the files that `stamp` covers."""
    return set(_reached(function.__code__.co_filename))


def _reached(path: str) -> dict[str, _Source]:
    """Follow the names of each file to other files with something to compile."""
    found: dict[str, _Source] = {}
    ahead = [path]
    while ahead:
        path = ahead.pop()
        if path in found or path not in _compiled:
            continue
        found[path] = _compiled[path]
        ahead.extend(_origins(_compiled[path].names))
    return found


def _origins(names: dict[str, Any]) -> Iterator[str]:
    for value in tuple(names.values()):
        plain = getattr(value, "py_func", value) if callable(value) else value
        if isinstance(plain, ModuleType):
            yield getattr(plain, "__file__", None) or ""
        elif hasattr(plain, "__code__"):
            yield plain.__code__.co_filename
        else:
            home = sys.modules.get(getattr(plain, "__module__", None) or "")
            yield getattr(home, "__file__", None) or ""


def _constants(names: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the numbers among names: they are frozen into the code, and may come from anywhere."""
    shown = ((name, _shown(value)) for name, value in names.items() if not name.startswith("__"))
    return sorted((name, value) for name, value in shown if value is not None)


def _shown(value: Any) -> str | None:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, (*_NUMBERS, np.generic)):
        return repr(value)
    if isinstance(value, tuple):
        return repr([_shown(part) for part in value])
    fields: Any = getattr(value, "_fields", None)  # a loop finds these by their places
    return repr(fields) if isinstance(value, type) and isinstance(fields, tuple) else None


def _digest(path: str) -> bytes:
    try:
        return hashlib.sha256(Path(path).read_bytes()).digest()
    except OSError:  # nothing is kept of what has no file
        return b""


# Every private file beside this one has a say in how loops are compiled.
_SETTINGS = b"".join(
    _digest(str(path)) for path in sorted(Path(__file__).parent.glob("_[a-z]*.py"))
)
