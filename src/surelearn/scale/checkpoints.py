"""Records kept in a folder, so that a run that was interrupted computes only what is missing.

A record is written under a temporary name and renamed, so that none is ever there in part. Its name
is a hash of the task with all its arguments, of the part's bytes and of the code: after any change
of these it is not found. It begins with the hash of its content; one that is damaged is computed
again. Only plain records are read: no file of the folder can make this process run code.
"""

import copyreg
import hashlib
import io
import pickle
import pickletools
from collections import Counter
from dataclasses import is_dataclass
from importlib import import_module
from math import prod
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from surelearn.base.fingerprint import fingerprint
from surelearn.base.whole_files import remove_left_over, replacing
from surelearn.scale._versions import code_version
from surelearn.scale.errors import CheckpointError

_PLAIN = {
    ("builtins", "complex"),
    ("builtins", "frozenset"),
    ("builtins", "set"),
    ("builtins", "slice"),
    ("collections", "OrderedDict"),
}  # types of C alone: a file can change no attribute of theirs
_PUTS = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})  # which no pickle of protocol 5 needs
_NUMBERS_AND_TEXT = "biufcSUVmM"
_HERE = __name__.partition(".")[0]


class Found(NamedTuple):
    """A record that was kept."""

    record: Any


class Checkpoint:
    """A folder of records of one task.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Checkpoint(folder, str.upper).keep("a", "A")
    ...     again = Checkpoint(folder, str.upper)
    ...     again.find("a"), again.find("b"), Checkpoint(folder, str.lower).find("a")
    (Found(record='A'), None, None)
    """

    def __init__(self, folder: str | PathLike[str], task: Any) -> None:
        self.folder, self.task = Path(folder), f"{fingerprint(task)} {code_version()}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            remove_left_over(self.folder)
        except OSError as error:
            raise CheckpointError(f"{folder} cannot be used as a checkpoint: {error}") from error

    def find(self, part: Any) -> Found | None:
        """Return the record of a part, if it was kept and is whole."""
        path = self._path(part)
        try:
            content = path.read_bytes() if path.is_file() else b""  # a pipe might never end
        except OSError:
            return None
        digest, payload = content[:32], content[32:]
        if hashlib.sha256(payload).digest() != digest:
            return None
        try:
            return Found(_read(payload))
        except Exception:  # noqa: BLE001 - whatever it is, it is not a record of ours
            return None

    def keep(self, part: Any, record: Any) -> None:
        """Write the record of a part."""
        payload = _written(record)
        try:
            _read(payload)
        except pickle.UnpicklingError as error:
            raise TypeError(
                f"a {type(record).__name__} cannot be kept in a checkpoint: {error}. Records are "
                "numbers, texts, lists, dicts, arrays, and dataclasses of surelearn"
            ) from error
        try:
            with replacing(self._path(part), tidy=False) as file:
                file.write(hashlib.sha256(payload).digest() + payload)
        except OSError as error:
            raise CheckpointError(f"{self.folder} cannot be written to: {error}") from error

    def _path(self, part: Any) -> Path:
        known = getattr(part, "key", None)
        told = known if isinstance(known, str) else fingerprint(part)
        name = hashlib.sha256(f"{self.task} {told}".encode()).hexdigest()
        return self.folder / f"{name[:40]}.record"


def _written(record: Any) -> bytes:
    file = io.BytesIO()
    _PlainPickler(file, protocol=5).dump(record)
    return file.getvalue()


def _read(payload: bytes) -> Any:
    """Return the record, unless it says where to remember a value: a place may be 64 GB away."""
    if any(step.name in _PUTS for step, _, _ in pickletools.genops(payload)):
        raise pickle.UnpicklingError("values are remembered in their order")
    return _PlainUnpickler(io.BytesIO(payload)).load()


class _PlainPickler(pickle.Pickler):
    """Writes arrays and this library's own records as what `_make` takes, the rest as ever."""

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind is np.ndarray or isinstance(value, np.generic):
            return _of_cells(np.asarray(value), scalar=kind is not np.ndarray)
        if kind is Counter:
            return _make, ("counter", dict(value))
        if _is_record(kind):
            return _of_record(kind, *value.__reduce_ex__(pickle.HIGHEST_PROTOCOL)[:3])
        return NotImplemented


def _of_cells(cells: NDArray[Any], *, scalar: bool) -> Any:
    if cells.dtype.kind == "O":
        return _make, ("objects", cells.shape, cells.ravel().tolist())
    if cells.dtype.kind not in _NUMBERS_AND_TEXT or cells.dtype.hasobject:
        return NotImplemented
    order = "F" if cells.flags.f_contiguous and not cells.flags.c_contiguous else "C"
    kind = npy.dtype_to_descr(cells.dtype)
    return _make, ("cells", kind, cells.shape, order, cells.tobytes(order), scalar)


def _of_record(kind: type[Any], make: Any, given: tuple[Any, ...], state: Any = None) -> Any:
    anew = make is copyreg.__newobj__  # type: ignore[attr-defined]
    if not anew and make is not kind:
        return NotImplemented
    given = given[1:] if anew else given
    return _make, ("record", kind.__module__, kind.__qualname__, anew, given, state)


def _is_record(kind: Any) -> bool:
    ours = isinstance(kind, type) and kind.__module__.partition(".")[0] == _HERE
    return ours and (is_dataclass(kind) or hasattr(kind, "_fields"))


def _make(what: str, *parts: Any) -> Any:
    """Return what a record holds beside numbers, texts and lists."""
    makers = {"cells": _cells, "objects": _objects, "counter": Counter, "record": _record}
    return makers[what](*parts)


def _cells(kind: Any, shape: Any, order: Any, content: bytes, scalar: Any) -> Any:
    """Return an array; of a type whose cells are no addresses, and as long as it says."""
    if not isinstance(kind, str | list):
        raise pickle.UnpicklingError("an array has no such type")
    dtype = npy.descr_to_dtype(cast("Any", kind))
    if dtype.hasobject or prod(shape) * dtype.itemsize != len(content):
        raise pickle.UnpicklingError("an array is not of its type or not as long as it says")
    made = np.ndarray(shape, dtype, buffer=bytearray(content), order=order)
    return made[()] if scalar else made


def _objects(shape: Any, values: list[Any]) -> NDArray[Any]:
    cells = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        cells[place] = value
    return cells.reshape(shape)


def _record(module: str, name: str, anew: Any, given: Any, state: Any) -> Any:
    if module.partition(".")[0] != _HERE:
        raise pickle.UnpicklingError(f"{module}.{name} is no plain record")
    kind = attrgetter(name)(import_module(module))
    if not _is_record(kind):
        raise pickle.UnpicklingError(f"{module}.{name} is no plain record")
    made = kind.__new__(kind, *given) if anew else kind(*given)
    if state is None:
        return made
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return made
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    vars(made).update(attributes or {})
    for each, value in (slots or {}).items():
        object.__setattr__(made, each, value)
    return made


class _PlainUnpickler(pickle.Unpickler):
    """Reads what `_PlainPickler` wrote; anything else could run code.

    NumPy's own way is not taken: types of arrays that a file describes itself can say of addresses
    that they are numbers. No class of ours is handed out either, whose attributes it could change.
    """

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        if (module, name) == (__name__, _make.__name__):
            return self._made  # the attributes of a method cannot be changed
        raise pickle.UnpicklingError(f"{module}.{name} is no plain record")

    def _made(self, what: str, *parts: Any) -> Any:
        return _make(what, *parts)
