"""Hashes by which a certificate recognises the model and the data it speaks of.

A model's fingerprint is made of its class and everything it holds: numbers by their values, not by
how memory happens to lay them out, so that a copy or a stored and loaded model has the same one.
Classes count by their stored name, so that moving their code changes no fingerprint. What a model
keeps elsewhere (class attributes, globals, files) is not seen.
"""

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from typing import Any, cast

import narwhals as nw
import numpy as np
from scipy import sparse

from surelearn._jit.sound_matrices import sound
from surelearn._stored import stored_name
from surelearn.certificate import Certificate

_NOT_LEARNT = frozenset({"_skl_callbacks"})
_PLAIN = {str, int, float, bool, type(None)}
_TAGS = {  # of most values, which are not looked up
    cls: f"<{cls.__module__}.{cls.__qualname__}>"
    for cls in (*_PLAIN, dict, list, tuple, np.ndarray)
}
_BLOCK = 2**14  # cells described at once
_former: dict[str, str] = {}  # by today's fingerprint, so that a model that changed has none


def fingerprint(model: object) -> str:
    """Return a hash of a model: its class, parameters and everything it learnt.

    Refitting or changing a model changes its fingerprint, which detaches certificates from it.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    >>> before = fingerprint(model)
    >>> fingerprint(model) == before
    True
    >>> fingerprint(model.fit([[0.0], [1.0]], [0.0, 2.0])) == before
    False
    """
    return _Hasher().add(model).hexdigest()


def fingerprint_as(model: object, stated: Any) -> str:
    """Return the fingerprint of a model in the form in which one is stated.

    That of a model read from a file of format 1 has two: certificates of its time state the former.
    """
    found = fingerprint(model)
    former = _former.get(found)
    return former if former is not None and former == stated else found


def remember_former_fingerprint(model: object, former: str) -> None:
    """Note by which fingerprint older certificates know a model, as long as it stays as it is."""
    _former[fingerprint(model)] = former


def data_fingerprint(X: Any, y: Any) -> str:
    """Return a hash of a table and its labels that does not depend on the library holding them.

    Arrays and data frames of the same numbers, column by column, have the same one; a sparse matrix
    has its own.

    Examples
    --------
    >>> data_fingerprint([[1, 2]], ["a"]) == data_fingerprint(np.array([[1.0, 2.0]]), ["a"])
    True
    """
    hasher = _Hasher()
    if nw.dependencies.is_into_dataframe(X):
        for column in nw.from_native(X, eager_only=True).iter_columns():
            hasher.add(_as_numbers(column.to_numpy()))
    elif sparse.issparse(X):
        hasher.add(sparse.csr_array(sound(X)))
    else:
        for column in np.asarray(sound(X)).T:
            hasher.add(_as_numbers(column))
    return hasher.add(np.asarray(y)).hexdigest()


def check_certificate(certificate: Certificate, model: object) -> None:
    """Raise unless the certificate speaks of exactly this model as it stands now.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> model = Perceptron().fit([[-1.0], [1.0], [2.0]], [0, 1, 1])
    >>> certificate = model.certificates()[-1]
    >>> check_certificate(certificate, model)
    >>> check_certificate(certificate, model.partial_fit([[-0.5]], [1]))
    Traceback (most recent call last):
    ValueError: this certificate was issued for another model, or this one was refitted or changed
    since: certify it again on data it has not seen
    """
    stated = certificate.reproduce.get("model")
    if fingerprint_as(model, stated) != stated:
        raise ValueError(
            "this certificate was issued for another model, or this one was refitted or changed "
            "since: certify it again on data it has not seen"
        )


class _Hasher:
    """SHA-256 over a canonical description of an object, part by part."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._open: set[int] = set()  # objects being described, so that a cycle ends

    def hexdigest(self) -> str:
        return self._digest.hexdigest()[:40]

    def add(self, value: Any) -> "_Hasher":
        """Describe any object; equal content gives equal bytes."""
        cls = cast("type[Any]", type(value))
        self._text(_TAGS.get(cls) or f"<{_name(cls)}>")
        if isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, str | bytes | int | float | complex | bool | np.generic | None):
            self._text(repr(value))
        elif id(value) in self._open:
            self._text("<cycle>")
        else:
            self._open.add(id(value))
            self._compound(value)
            self._open.discard(id(value))
        return self

    def _compound(self, value: Any) -> None:
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            self._all(part for item in sorted(items, key=lambda kv: repr(kv[0])) for part in item)
        elif isinstance(value, list | tuple):
            self._row(cast("list[Any]", value))
        elif isinstance(value, set | frozenset):
            self._all(sorted(cast("set[Any]", value), key=repr))
        elif sparse.issparse(value):
            csr = sound(value)
            self._all(
                (csr.shape, csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64))
            )
        elif isinstance(value, type) or hasattr(value, "__code__"):
            self._function(value)
        else:
            self._state(value)

    def _array(self, array: Any) -> None:
        self._text(f"{array.dtype}{array.shape}")
        if isinstance(array, np.ma.MaskedArray):
            self._all((np.ma.getmaskarray(array), array.filled(array.fill_value).tolist()))
        elif array.dtype.names:  # bytes between the fields are arbitrary
            self._all(array[name] for name in array.dtype.names)
        elif array.dtype.kind == "O":
            self._all(array.ravel().tolist())
        else:
            self._digest.update(np.ascontiguousarray(array).tobytes())

    def _function(self, value: Any) -> None:
        self._text(_name(value))
        if hasattr(value, "__code__"):
            self._text(value.__code__.co_code.hex() + repr(value.__code__.co_consts))
            self._all(cell.cell_contents for cell in value.__closure__ or ())

    def _state(self, value: Any) -> None:
        """Describe an object by what it would store: its attributes, or else its pickle."""
        attributes = dict(getattr(value, "__dict__", {}))
        for cls in type(value).__mro__:
            for name in np.atleast_1d(getattr(cls, "__slots__", ())).tolist():
                if hasattr(value, name):
                    attributes[name] = getattr(value, name)
        if attributes:
            self.add({k: v for k, v in attributes.items() if k not in _NOT_LEARNT})
        elif type(value).__getstate__ is not object.__getstate__:
            self.add(value.__getstate__())
        else:
            self._reduced(value)

    def _reduced(self, value: Any) -> None:
        try:
            self._all(part for part in value.__reduce_ex__(pickle.DEFAULT_PROTOCOL)[1:3])
        except (TypeError, pickle.PicklingError):
            raise ValueError(
                f"a model that holds a {type(value).__name__} cannot be recognised again; keep it "
                "out of the model"
            ) from None

    def _row(self, values: Sequence[Any]) -> None:
        """Describe values one after the other, as `_all` does; plain ones many at once."""
        if not set(map(type, values)) <= _PLAIN:
            self._all(values)
            return
        for start in range(0, len(values), _BLOCK):
            cells = values[start : start + _BLOCK]
            self._text("".join(f"<builtins.{type(cell).__name__}>{cell!r}" for cell in cells))
        self._text("<end>")

    def _all(self, parts: Any) -> None:
        for part in parts:
            self.add(part)
        self._text("<end>")

    def _text(self, text: str) -> None:
        self._digest.update(text.encode("utf-8", "surrogatepass"))


def _name(value: Any) -> str:
    """Return the stored name of a class; what is not ours, or a function, has its full name."""
    name = stored_name(value) if isinstance(value, type) else None
    return name or f"{value.__module__}.{value.__qualname__}"


def _as_numbers(column: Any) -> Any:
    """Return a column of numbers in double precision, others as a list."""
    return column.astype(np.float64) if column.dtype.kind in "biuf" else column.tolist()
