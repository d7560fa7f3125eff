"""Model files: `model.surelearn`, a versioned archive of JSON and arrays, without pickle.

The archive is an uncompressed zip: `model.json` describes the model, `arrays/0.npy` ... hold its
numbers, and `sha256` is a hash of all that. Loading runs no code from the file: it looks up classes
of this library by name and fills in their attributes. The same model gives the same bytes. Files of
format 1, which named classes by their modules, are read as well.
"""

import hashlib
import math
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from surelearn._locks import turn_of
from surelearn.base.fingerprint import remember_former_fingerprint
from surelearn.base.whole_files import replacing
from surelearn.persistence import archive, format_1
from surelearn.persistence.archive import ArchiveError
from surelearn.persistence.names import StateError
from surelearn.persistence.state import Describer, restore

FORMAT = 2
"""The version of the format; a file with a larger one is refused."""

_KIND = "surelearn model"
_PARTS = {"kind", "format", "model", "schema", "metadata", "n_arrays"}


_COPIES = 3  # of what a file holds, while it is read: the file, its members, their arrays
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CAN_DO = ("predict", "transform", "learn", "play")  # a model does one of these


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
    """Read a model file, or raise `ModelFileError` with one sentence.

    The file may come from anyone: nothing in it is run, and every array is held to what the
    compiled loops of its model will take for granted.
    """
    content = _read(Path(path))
    try:
        description, arrays = archive.unpack(content)
        _check_description(description, len(arrays))
    except ArchiveError as error:
        raise ModelFileError(f"{path} {error}") from error
    build = _restore_format_1 if description["format"] == 1 else restore
    try:
        model = build(description["model"], arrays)
    except StateError as error:
        raise ModelFileError(f"{path} cannot be loaded: {error}") from error
    # A forged description may trip any part of the code that builds objects from it.
    except Exception as error:
        raise ModelFileError(f"{path} is damaged: its description makes no sense") from error
    if not any(hasattr(model, does) for does in _CAN_DO):
        raise ModelFileError(f"{path} cannot be loaded: it holds no model")
    schema, metadata = description["schema"], description["metadata"]
    return SavedModel(model, schema, metadata, hashlib.sha256(content).hexdigest())


def _pack(model: Any, schema: Mapping[str, Any], metadata: Mapping[str, Any]) -> bytes:
    """Return the bytes of the archive."""
    describer = Describer()
    still = turn_of(model) if hasattr(model, "__weakref__") else nullcontext()
    try:
        # A round that another thread plays meanwhile would be in the file in part.
        with still:
            description = {
                "kind": _KIND,
                "format": FORMAT,
                "model": describer.describe(model),
                "schema": dict(schema),
                "metadata": dict(metadata),
                "n_arrays": len(describer.arrays),
            }
            return archive.pack(description, describer.arrays)
    except (StateError, TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"this model cannot be stored: {error}") from None


def _read(path: Path) -> bytes:
    """Return the content of a regular file; a pipe might never end."""
    try:
        # Without waiting for whoever might write into a pipe.
        with os.fdopen(os.open(path, os.O_RDONLY | _AT_ONCE), "rb") as file:
            told = os.fstat(file.fileno())
            if not stat.S_ISREG(told.st_mode):
                raise ModelFileError(f"{path} cannot be read: it is not a regular file")
            head = file.read(archive.HEAD)
            if not archive.may_be_one(head):  # which may be endless
                raise ModelFileError(f"{path} is not a model file of surelearn")
            _refuse_huge(path, told.st_size)
            return head + file.read(told.st_size - len(head))
    except FileNotFoundError:
        raise ModelFileError(f"there is no model file {path}") from None
    except (OSError, MemoryError, ValueError) as error:  # a name with a zero byte is a ValueError
        if isinstance(error, ModelFileError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise ModelFileError(f"{path} cannot be read: {reason}") from None


def _refuse_huge(path: Path, size: int) -> None:
    """Refuse a file of which this machine cannot hold what reading it takes."""
    memory = _memory()
    if size * _COPIES > memory:
        raise ModelFileError(
            f"{path} has {size / 1e9:,.1f} GB, and to load it takes {_COPIES} times as much memory "
            f"as that: this machine has {memory / 1e9:,.1f} GB"
        )


def _memory() -> float:
    """Return the bytes of memory that this machine has, infinity if it does not tell."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # not every system has it
        return math.inf


def _check_description(description: Mapping[str, Any], n_arrays: int) -> None:
    """Refuse a description that is not of a model, or of a format not known here."""
    if description.get("kind") != _KIND:
        raise ArchiveError("is not a model file of surelearn")
    version = description.get("format")
    if type(version) is not int or not 1 <= version <= FORMAT:
        later = type(version) is int and version > FORMAT
        raise ArchiveError(
            f"has format {version!r}, and this surelearn reads formats 1 to {FORMAT}"
            + (": update surelearn" if later else "; take a fresh copy of it")
        )
    known = set(description) == _PARTS and type(description["n_arrays"]) is int
    if not known or description["n_arrays"] != n_arrays:
        raise ArchiveError("is damaged: its description lacks a part, or has one too many")
    if not all(isinstance(description[part], dict) for part in ("schema", "metadata")):
        raise ArchiveError("is damaged: its schema or metadata is no mapping")


def _restore_format_1(described: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    """Return a model of format 1, which certificates of its time know by another fingerprint."""
    former = format_1.fingerprint(described, arrays)
    model = restore(format_1.translate(described), arrays)
    remember_former_fingerprint(model, former)
    return model
