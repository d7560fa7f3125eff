"""Records kept in a folder, so that a run that was interrupted computes only what is missing.

A record is written under a temporary name and renamed, so that none is ever there in part. Its name
is a hash of the task with all its arguments, of the part's bytes and of the code: after any change
of these it is not found. It begins with the hash of its content; one that is damaged is computed
again. Only plain records are read: no file of the folder can make this process run code.
"""

import hashlib
import io
import pickle
from dataclasses import is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from surelearn.base.fingerprint import fingerprint
from surelearn.base.whole_files import remove_left_over, replacing
from surelearn.scale._versions import code_version
from surelearn.scale.errors import CheckpointError

_PLAIN = {
    ("builtins", "complex"),
    ("builtins", "frozenset"),
    ("builtins", "set"),
    ("builtins", "slice"),
    ("collections", "Counter"),
    ("collections", "OrderedDict"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
}
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
        try:
            content = self._path(part).read_bytes()
        except OSError:
            return None
        digest, payload = content[:32], content[32:]
        if hashlib.sha256(payload).digest() != digest:
            return None
        try:
            return Found(_PlainUnpickler(io.BytesIO(payload)).load())
        except Exception:  # noqa: BLE001 - whatever it is, it is not a record of ours
            return None

    def keep(self, part: Any, record: Any) -> None:
        """Write the record of a part."""
        payload = pickle.dumps(record, protocol=5)
        try:
            _PlainUnpickler(io.BytesIO(payload)).load()
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


class _PlainUnpickler(pickle.Unpickler):
    """Reads arrays and this library's own records; anything else could run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        if module.partition(".")[0] == _HERE:
            found = super().find_class(module, name)
            if isinstance(found, type) and (is_dataclass(found) or hasattr(found, "_fields")):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no plain record")
