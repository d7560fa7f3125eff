"""Fitted objects as JSON and arrays, and back: values are described, code is never stored.

Numbers, words, lists and mappings become JSON; arrays are put beside it and referred to. An object
becomes the name of its class and its attributes. Only classes of this library and a few of
scikit-learn's are ever looked up, and an object is filled in without running its constructor.
"""

import importlib
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_OWN = "surelearn."
_FOREIGN = frozenset(
    {
        "sklearn.compose._column_transformer:ColumnTransformer",
        "sklearn.impute._base:SimpleImputer",
        "sklearn.pipeline:Pipeline",
        "sklearn.preprocessing._data:StandardScaler",
        "sklearn.preprocessing._encoders:OneHotEncoder",
    }
)
_PLAIN = (type(None), bool, int, str)
_PASSING = frozenset({"_skl_callbacks"})  # scikit-learn's, not learnt


class StateError(ValueError):
    """Something that cannot be stored, or that was not stored by this library."""


class Describer:
    """Describes objects as JSON; the arrays it meets are collected in `arrays`.

    Examples
    --------
    >>> describer = Describer()
    >>> describer.describe({"a": (1, np.zeros(2))})
    {'$dict': [['a', {'$tuple': [1, {'$array': 0}]}]]}
    >>> restore(_, describer.arrays)
    {'a': (1, array([0., 0.]))}
    """

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._ways: dict[type[Any], Callable[[Any], Any]] = {
            array: lambda v: {"$sequence": v.typecode, "of": self.describe(np.array(v))},
            dict: lambda v: {"$dict": [self._all(item) for item in v.items()]},
            float: lambda v: v if np.isfinite(v) else {"$float": repr(v)},
            list: self._all,
            np.ndarray: self._array,
            slice: lambda v: {"$slice": self._all((v.start, v.stop, v.step))},
            tuple: lambda v: {"$tuple": self._all(v)},
        }

    def describe(self, value: Any) -> Any:
        """Return a JSON value from which `restore` makes an equal object."""
        if type(value) in _PLAIN:
            return value
        if type(value) in self._ways:
            return self._ways[type(value)](value)
        if isinstance(value, np.generic):
            return {"$scalar": value.dtype.str, "value": self.describe(value.item())}
        if isinstance(value, np.dtype):
            return {"$dtype": cast("Any", value).str}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"$numbers": np.dtype(value).str}
        return self._sparse(value) if sparse.issparse(value) else self._object(value)

    def _all(self, values: Any) -> list[Any]:
        return [self.describe(value) for value in values]

    def _array(self, value: NDArray[Any]) -> Any:
        if value.dtype.kind == "O":
            return {"$objects": self._all(value.ravel().tolist()), "shape": list(value.shape)}
        if value.dtype.hasobject:
            raise StateError("an array of records with objects cannot be stored in a model file")
        self.arrays.append(value)
        return {"$array": len(self.arrays) - 1}

    def _sparse(self, value: Any) -> Any:
        rows = value.tocsr()
        parts = self._all((rows.data, rows.indices, rows.indptr))
        return {"$csr": parts, "shape": list(rows.shape), "matrix": sparse.isspmatrix(value)}

    def _object(self, value: Any) -> Any:
        name = f"{type(value).__module__}:{type(value).__qualname__}"
        known = None
        with suppress(StateError):
            known = find_class(name)
        if known is not type(value):
            raise StateError(
                f"it holds a {type(value).__name__}; only learners of surelearn, and pipelines of "
                "them, can be"
            )
        if isinstance(value, tuple):
            return {"$tuple": self._all(cast("tuple[Any, ...]", value)), "class": name}
        state = {key: kept for key, kept in vars(value).items() if key not in _PASSING}
        return {"$object": name, "state": {key: self.describe(v) for key, v in state.items()}}


def restore(told: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    """Return the object that a JSON value describes.

    Examples
    --------
    >>> restore({"$object": "os:system"}, [])
    Traceback (most recent call last):
    surelearn.persistence.state.StateError: 'os:system' is not a class of this library
    """

    def build(told: Any) -> Any:
        if isinstance(told, list):
            return [build(value) for value in cast("list[Any]", told)]
        if not isinstance(told, dict):
            return told
        parts = cast("dict[str, Any]", told)
        kind = next(iter(parts), "nothing")
        if kind not in makers:
            raise StateError(f"{kind!r} is not known to this version of surelearn")
        return makers[kind](parts)

    makers: dict[str, Callable[[dict[str, Any]], Any]] = {
        "$array": lambda told: cast("list[Any]", arrays)[told["$array"]],
        "$csr": lambda told: _make_sparse(told, build),
        "$dict": lambda told: {build(key): build(value) for key, value in told["$dict"]},
        "$dtype": lambda told: np.dtype(told["$dtype"]),
        "$float": lambda told: float(told["$float"]),
        "$numbers": lambda told: np.dtype(told["$numbers"]).type,
        "$object": lambda told: _make_object(told, build),
        "$objects": lambda told: _make_objects(told, build),
        "$scalar": lambda told: np.array(build(told["value"]), dtype=told["$scalar"])[()],
        "$sequence": lambda told: _make_sequence(told, build),
        "$slice": lambda told: slice(*build(told["$slice"])),
        "$tuple": lambda told: _make_tuple(told, build),
    }
    return build(told)


def find_class(name: str) -> type[Any]:
    """Return a class of this library, or one of the few of scikit-learn's, by its full name."""
    module, _, qualname = name.partition(":")
    if name in _FOREIGN or (module.startswith(_OWN) and qualname.isidentifier()):
        try:
            found = getattr(importlib.import_module(module), qualname)
        except (ImportError, AttributeError):
            raise StateError(f"this version of surelearn has no {name!r}") from None
        if isinstance(found, type) and found.__module__ == module:
            return found
    raise StateError(f"{name!r} is not a class of this library")


def _make_object(told: dict[str, Any], build: Callable[[Any], Any]) -> Any:
    cls = find_class(told["$object"])
    made: Any = object.__new__(cls)
    for key, value in told["state"].items():
        object.__setattr__(made, key, build(value))  # dataclasses may be frozen
    return made


def _make_objects(told: dict[str, Any], build: Callable[[Any], Any]) -> NDArray[Any]:
    cells = np.empty(len(told["$objects"]), dtype=object)
    cells[:] = [build(value) for value in told["$objects"]]
    return cells.reshape(told["shape"])


def _make_tuple(told: dict[str, Any], build: Callable[[Any], Any]) -> tuple[Any, ...]:
    values = [build(value) for value in told["$tuple"]]
    if "class" not in told:
        return tuple(values)
    cls = find_class(told["class"])
    if not issubclass(cls, tuple):
        raise StateError(f"{told['class']!r} is not a tuple")
    return cast("Any", cls)(*values)


def _make_sequence(told: dict[str, Any], build: Callable[[Any], Any]) -> Any:
    return cast("Any", array)(told["$sequence"], build(told["of"]).tolist())


def _make_sparse(told: dict[str, Any], build: Callable[[Any], Any]) -> Any:
    make = sparse.csr_matrix if told["matrix"] else sparse.csr_array
    return make(tuple(build(part) for part in told["$csr"]), shape=tuple(told["shape"]))
