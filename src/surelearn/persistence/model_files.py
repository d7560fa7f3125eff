"""Model files: `model.surelearn`, a versioned archive of JSON and arrays, without pickle.

The archive is an uncompressed zip: `model.json` describes the model, `arrays/0.npy` ... hold its
numbers, and `sha256` is a hash of all that. Loading runs no code from the file: it looks up classes
of this library by name and fills in their attributes. The same model gives the same bytes. Files of
format 1, which named classes by their modules, are read as well.
"""

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from surelearn.base.fingerprint import remember_former_fingerprint
from surelearn.persistence import format_1
from surelearn.persistence.names import StateError
from surelearn.persistence.state import Describer, restore

FORMAT = 2
"""The version of the format; a file with a larger one is refused."""

_KIND = "surelearn model"
_JSON, _HASH = "model.json", "sha256"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same time in every file


class ModelFileError(ValueError):
    """A file that is no model of ours, or a model that no file can hold, told in one sentence."""


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A model read from a file.

    Parameters
    ----------
    model
        The fitted estimator.
    schema
        How a table is to be read for it: `Problem.schema`.
    metadata
        What else was stored with it (JSON).
    sha256
        The hash of the file.
    """

    model: Any
    schema: Mapping[str, Any]
    metadata: Mapping[str, Any]
    sha256: str


def save_model(
    model: Any,
    path: str | PathLike[str],
    *,
    schema: Mapping[str, Any],
    metadata: Mapping[str, Any],
) -> str:
    """Write a fitted model, whole or not at all, and return the hash of the file.

    Parameters
    ----------
    model
        A learner of this library, or a scikit-learn pipeline of scalers, encoders and one of them.
    path
        The file to write; one that is there is replaced.
    schema, metadata
        What is to be stored with it: anything JSON can say.

    Examples
    --------
    >>> import tempfile
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> model = Perceptron().fit([[-1.0], [1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.surelearn"
    ...     digest = save_model(model, path, schema={}, metadata={"note": "tiny"})
    ...     saved = load_model(path)
    >>> saved.model.predict([[3.0]]).tolist(), saved.metadata, saved.sha256 == digest
    (['yes'], {'note': 'tiny'}, True)
    """
    content = _pack(model, schema, metadata)
    with replacing(Path(path)) as file:
        file.write(content)
    return hashlib.sha256(content).hexdigest()


def load_model(path: str | PathLike[str]) -> SavedModel:
    """Read a model file, or raise `ModelFileError` with one sentence."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise ModelFileError(f"there is no model file {path}") from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}") from None
    members = _unpack(content, path)
    description = _read_json(members, path)
    try:
        arrays = [_load_array(members[f"arrays/{i}.npy"]) for i in range(description["n_arrays"])]
        model = (_restore_format_1 if description["format"] == 1 else restore)(
            description["model"], arrays
        )
        schema, metadata = description["schema"], description["metadata"]
    except StateError as error:
        raise ModelFileError(f"{path} cannot be loaded: {error}") from None
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
        raise ModelFileError(f"{path} is damaged: its description makes no sense") from error
    return SavedModel(model, schema, metadata, hashlib.sha256(content).hexdigest())


@contextmanager
def replacing(path: Path) -> Generator[io.BufferedWriter]:
    """Open a file that takes the place of `path` when all is written, and vanishes on an error.

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
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def _pack(model: Any, schema: Mapping[str, Any], metadata: Mapping[str, Any]) -> bytes:
    """Return the bytes of the archive."""
    describer = Describer()
    try:
        description = {
            "kind": _KIND,
            "format": FORMAT,
            "model": describer.describe(model),
            "schema": dict(schema),
            "metadata": dict(metadata),
            "n_arrays": len(describer.arrays),
        }
        text = json.dumps(description, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except (StateError, TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"this model cannot be stored: {error}") from None
    members = {_JSON: text.encode("utf-8")}
    members |= {f"arrays/{i}.npy": _dump_array(a) for i, a in enumerate(describer.arrays)}
    members[_HASH] = _digest(members)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), data)
    return buffer.getvalue()


def _unpack(content: bytes, path: Any) -> dict[str, bytes]:
    """Return the members of the archive if they are as they were written."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            if any(info.compress_type != zipfile.ZIP_STORED for info in archive.infolist()):
                raise ModelFileError(f"{path} is not a model file of surelearn")
            members = {name: archive.read(name) for name in names}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        if _JSON.encode() not in content[:64]:
            raise ModelFileError(f"{path} is not a model file of surelearn") from error
        raise ModelFileError(f"{path} is damaged; take a fresh copy of it") from error
    if _JSON not in members or _HASH not in members:
        raise ModelFileError(f"{path} is not a model file of surelearn")
    if members.pop(_HASH) != _digest(members):
        raise ModelFileError(f"{path} is damaged: its hash does not fit; take a fresh copy of it")
    return members


def _read_json(members: Mapping[str, bytes], path: Any) -> dict[str, Any]:
    """Return the description if it is of a model and of a format known here."""
    description = json.loads(members[_JSON])
    if not isinstance(description, dict) or description.get("kind") != _KIND:
        raise ModelFileError(f"{path} is not a model file of surelearn")
    if not isinstance(description.get("format"), int) or description["format"] > FORMAT:
        raise ModelFileError(
            f"{path} has format {description.get('format')}, and this surelearn reads formats up "
            f"to {FORMAT}: update surelearn"
        )
    return description


def _restore_format_1(described: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    """Return a model of format 1, which certificates of its time know by another fingerprint."""
    former = format_1.fingerprint(described, arrays)
    model = restore(format_1.translate(described), arrays)
    remember_former_fingerprint(model, former)
    return model


def _digest(members: Mapping[str, bytes]) -> bytes:
    """Return the hash of names and contents, as text."""
    digest = hashlib.sha256()
    for name, data in members.items():
        digest.update(f"{name} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest().encode()


def _dump_array(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _load_array(data: bytes) -> NDArray[Any]:
    return np.load(io.BytesIO(data), allow_pickle=False)
