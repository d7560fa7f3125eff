"""The container of a model file: an uncompressed zip of a description, arrays, and a hash of both.

Whoever wrote the file may have meant harm. So nothing is taken on trust: the members have the names
they must have, none is larger than the file itself, and an array is as long as its header says
before a byte of it is copied.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from math import prod
from typing import Any, Never

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

_JSON, _HASH = "model.json", "sha256"
_ZIP = b"PK"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same time in every file
NUMBERS_AND_TEXT = "biufUSV"
"""Kinds of arrays that a file may hold."""

_LONGEST_HEADER = 10_000  # characters of what precedes the numbers of an array
HEAD = 64
"""Bytes from which `may_be_one` tells."""

_FOREIGN = "is not a model file of surelearn"
_DAMAGED = "is damaged; take a fresh copy of it"


class ArchiveError(ValueError):
    """The end of a sentence that begins with the name of the file."""


def pack(description: Mapping[str, Any], arrays: list[NDArray[Any]]) -> bytes:
    """Return the bytes of an archive; JSON that cannot be written raises ValueError.

    Examples
    --------
    >>> content = pack({"n_arrays": 1}, [np.arange(2.0)])
    >>> unpack(content)
    ({'n_arrays': 1}, [array([0., 1.])])
    """
    text = json.dumps(description, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    members = {_JSON: text.encode("utf-8")}
    members |= {_array_name(i): _dump_array(array) for i, array in enumerate(arrays)}
    members[_HASH] = digest(members)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), data)
    return buffer.getvalue()


def unpack(content: bytes) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return the description and the arrays of an archive, or raise `ArchiveError`."""
    members = _members(content)
    if _JSON not in members or _HASH not in members:
        raise ArchiveError(_FOREIGN)
    if members.pop(_HASH) != digest(members):
        raise ArchiveError("is damaged: its hash does not fit; take a fresh copy of it")
    description = _read_json(members.pop(_JSON))
    if set(members) != {_array_name(i) for i in range(len(members))}:
        raise ArchiveError("is damaged: it holds other things than a description and arrays")
    return description, [_load_array(members[_array_name(i)]) for i in range(len(members))]


def may_be_one(head: bytes) -> bool:
    """Say whether a file that begins with these bytes may be an archive: others need no reading.

    Examples
    --------
    >>> may_be_one(pack({}, [])[:HEAD]), may_be_one(bytes(HEAD))
    (True, False)
    """
    return head.startswith(_ZIP) or _JSON.encode() in head


def digest(members: Mapping[str, bytes]) -> bytes:
    """Return the hash of names and contents, as text."""
    sha256 = hashlib.sha256()
    for name, data in members.items():
        sha256.update(f"{name} {len(data)}\n".encode("utf-8", "surrogatepass"))
        sha256.update(data)
    return sha256.hexdigest().encode()


def _members(content: bytes) -> dict[str, bytes]:
    """Return the members of a zip by their names, in order."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            _refuse_bombs(infos, len(content))
            return {info.filename: archive.read(info) for info in infos}
    except ArchiveError:
        raise
    # What a damaged zip raises is not documented: struct.error, OSError, IndexError and others.
    except Exception as error:
        raise ArchiveError(_DAMAGED if _JSON.encode() in content[:64] else _FOREIGN) from error


def _refuse_bombs(infos: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse members that would be larger together than the file they come from."""
    if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
        raise ArchiveError(_FOREIGN)
    names = {info.filename for info in infos}
    if len(names) < len(infos) or sum(info.file_size for info in infos) > size:
        raise ArchiveError("is damaged: its members overlap")


def _read_json(data: bytes) -> dict[str, Any]:
    """Return the description, which is a mapping; NaN and infinity are no JSON."""
    try:
        description = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ArchiveError("is damaged: its description is no JSON") from error
    if not isinstance(description, dict):
        raise ArchiveError(_FOREIGN)
    return description  # pyright: ignore[reportUnknownVariableType] - JSON has text for keys


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is no JSON")


def _array_name(place: int) -> str:
    return f"arrays/{place}.npy"


def _dump_array(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _load_array(data: bytes) -> NDArray[Any]:
    """Return an array of numbers or text, if there are as many bytes as its header says."""
    try:
        shape, fortran, kind, start = _header(data)
    except Exception as error:  # the header is a Python literal, and may be any
        raise ArchiveError("is damaged: the header of an array makes no sense") from error
    if kind.hasobject or kind.kind not in NUMBERS_AND_TEXT or kind.itemsize == 0:
        raise ArchiveError(f"is damaged: an array of {kind} has no place in a model")
    if prod(shape) * kind.itemsize != len(data) - start:
        raise ArchiveError("is damaged: an array is not as long as its header says")
    flat = np.frombuffer(data, kind, offset=start).copy()
    return flat.reshape(shape, order="F" if fortran else "C")


def _header(data: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return shape, order and type of an array, and where its cells begin."""
    file = io.BytesIO(data)
    version = npy.read_magic(file)
    read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
    shape, fortran, kind = read(file, max_header_size=_LONGEST_HEADER)
    if any(isinstance(side, bool) or side < 0 for side in shape):
        raise ValueError(f"{shape} is no shape")
    return shape, fortran, kind, file.tell()
