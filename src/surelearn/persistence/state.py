"""Fitted objects as JSON and arrays, and back: values are described, code is never stored.

Numbers, words, lists and mappings become JSON; arrays are put beside it and referred to. An object
becomes the stored name of its class, the version of that class, and its attributes. Only classes of
this library and a few of scikit-learn's are ever looked up, and an object is filled in without
running its constructor.
"""

from array import array
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn._arguments import plain_number
from surelearn._stored import stored_name, stored_version
from surelearn.base._object_parts import OF_CALLBACKS
from surelearn.base.seal import break_seal, is_intact, sealed
from surelearn.base.states import COINS
from surelearn.persistence.archive import NUMBERS_AND_TEXT
from surelearn.persistence.layouts import check_all, check_layout, may_hold
from surelearn.persistence.names import StateError, find_class
from surelearn.persistence.parameters import refuse_strange
from surelearn.persistence.random_generators import describe_coins, make_coins

_PLAIN = (type(None), bool, int, str)
_LONGEST = 2**16  # bytes of one word
_NOT_LEARNT = frozenset({"_seal"}) | OF_CALLBACKS  # a seal is made anew by `sealed`


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
        self._describers: dict[type[Any], Callable[[Any], Any]] = {
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
        if type(value) in self._describers:
            return self._describers[type(value)](value)
        if isinstance(value, np.generic):
            plain = plain_number(value)
            if isinstance(value, np.floating) and plain != value and not np.isnan(value):
                raise StateError("it holds a number of 80 bits: no file has one")
            return {"$scalar": value.dtype.str, "value": self.describe(plain)}
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
        if value.dtype.kind not in NUMBERS_AND_TEXT:  # moments, say, as labels
            raise StateError(
                f"it holds an array of type {value.dtype}, and a file numbers and text only: turn "
                "the labels into text before training"
            )
        self.arrays.append(value)
        return {"$array": len(self.arrays) - 1}

    def _sparse(self, value: Any) -> Any:
        rows = value.tocsr()
        parts = self._all((rows.data, rows.indices, rows.indptr))
        return {"$csr": parts, "shape": list(rows.shape), "matrix": sparse.isspmatrix(value)}

    def _object(self, value: Any) -> Any:
        name = stored_name(type(value))
        if name is None or find_class(name) is not type(value):
            raise StateError(_why_not(type(value)))
        version = stored_version(type(value))
        if isinstance(value, tuple):
            fields = zip(_fields(type(value)), cast("tuple[Any, ...]", value), strict=True)
            # Of a learner's own attributes a generator is one that others may draw from as well.
            described = {
                key: describe_coins(field) if key == COINS else self.describe(field)
                for key, field in fields
            }
            return {"$record": name, "version": version, "fields": described}
        state = {key: kept for key, kept in dict(vars(value)).items() if key not in _NOT_LEARNT}
        described = {key: self.describe(kept) for key, kept in state.items()}
        refuse_strange(type(value), vars(value))  # or the file could not be loaded
        changed = {} if "_seal" not in vars(value) or is_intact(value) else {"changed": True}
        return {"$object": name, "version": version, **changed, "state": described}


def restore(piece: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    """Return the object that a JSON value describes.

    Examples
    --------
    >>> restore({"$object": "os:system"}, [])
    Traceback (most recent call last):
    surelearn.persistence.names.StateError: 'os:system' is not a class of this library
    """

    def build(piece: Any) -> Any:
        if isinstance(piece, list):
            return [build(value) for value in cast("list[Any]", piece)]
        if not isinstance(piece, dict):
            return piece
        known = cast("dict[str, Any]", piece)
        kind = next(iter(known), "nothing")  # the first key says what it is
        if kind not in makers:
            raise StateError(f"{kind[:80]!r} is not known to this version of surelearn")
        return makers[kind](known)

    unused = dict(enumerate(arrays))  # two attributes that share an array would change each other

    makers: dict[str, Callable[[dict[str, Any]], Any]] = {
        "$array": lambda piece: _take(unused, piece["$array"]),
        "$coins": make_coins,
        "$csr": lambda piece: _make_sparse(piece, build),
        "$dict": lambda piece: {build(key): build(value) for key, value in piece["$dict"]},
        "$dtype": lambda piece: _dtype(piece["$dtype"]),
        "$float": lambda piece: float(piece["$float"]),
        "$numbers": lambda piece: _dtype(piece["$numbers"]).type,
        "$object": lambda piece: _make_object(piece, build),
        "$objects": lambda piece: _make_objects(piece, build),
        "$record": lambda piece: _make_record(piece, build),
        "$scalar": lambda piece: _make_scalar(piece, build),
        "$sequence": lambda piece: _make_sequence(piece, build),
        "$slice": lambda piece: slice(*build(piece["$slice"])),
        "$tuple": lambda piece: _make_tuple(piece, build),
    }
    return build(piece)


def _why_not(cls: type[Any]) -> str:
    """Say why an object cannot be stored, and of a class of ours what its author has to do."""
    if cls.__module__.partition(".")[0] == "surelearn":
        return (
            f"it holds a {cls.__name__}, which has no stored name: put "
            f'@stored("...") of surelearn._stored on {cls.__module__}.{cls.__qualname__}'
        )
    if issubclass(cls, np.random.Generator):
        return "it holds a Generator, which others may draw from: give it a number as its seed"
    return f"it holds a {cls.__name__}; only learners of surelearn, and pipelines of them, can be"


def _fields(cls: type[Any]) -> tuple[str, ...]:
    """Return the names of what a named tuple holds."""
    return cast("Any", cls)._fields


def _take(unused: dict[int, NDArray[Any]], place: Any) -> NDArray[Any]:
    """Return an array that nobody else has."""
    if type(place) is not int or place not in unused:
        raise StateError(f"there is no array {place!r}, or two attributes share it")
    return unused.pop(place)


def _dtype(name: Any) -> np.dtype[Any]:
    """Return a type of numbers or text; a forged one might make arrays of gigabytes."""
    kind = np.dtype(name) if isinstance(name, str) and len(name) < 20 else np.dtype("O")
    if kind.kind not in "biufUSO" or kind.subdtype is not None or kind.itemsize > _LONGEST:
        raise StateError(f"{name!r} is not a type of numbers or text")
    return kind


def _make_scalar(piece: dict[str, Any], build: Callable[[Any], Any]) -> Any:
    value, kind = build(piece["value"]), _dtype(piece["$scalar"])
    if not isinstance(value, bool | int | float | str) or kind.kind == "O":
        raise StateError(f"a {type(value).__name__} is not a single number or word")
    return np.array(value, dtype=kind)[()]


def _make_object(piece: dict[str, Any], build: Callable[[Any], Any]) -> Any:
    cls = find_class(piece["$object"])
    if issubclass(cls, tuple):  # object.__new__ would refuse it with no sentence
        raise StateError(f"{piece['$object']!r} is a tuple")
    made: Any = object.__new__(cls)
    for key, value in _of_today(cls, piece, piece["state"], build).items():
        if not may_hold(cls, key):  # it might hide a method
            raise StateError(f"a {cls.__name__} has no attribute {key[:80]!r}")
        object.__setattr__(made, key, value)  # dataclasses may be frozen
    (check_all if _is_old(cls, piece) else check_layout)(made)
    sealed(made)
    if piece.get("changed"):  # by hand, before it was stored: no file makes it what a fit made
        break_seal(made)
    return made


def _is_old(cls: type[Any], piece: dict[str, Any]) -> bool:
    """Say whether code that reads old files has made what an object holds."""
    return piece.get("version", 0) != stored_version(cls) and hasattr(cls, "_upgrade_state")


def _make_record(piece: dict[str, Any], build: Callable[[Any], Any]) -> tuple[Any, ...]:
    cls = find_class(piece["$record"])
    if not issubclass(cls, tuple):
        raise StateError(f"{piece['$record']!r} is not a tuple")
    made = cast("Any", cls)(**_of_today(cls, piece, piece["fields"], build))
    check_layout(made)
    return made


def _of_today(
    cls: type[Any], piece: dict[str, Any], described: dict[str, Any], build: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return the attributes as today's class has them; a file of format 1 states no version."""
    version, known = piece.get("version", 0), stored_version(cls)
    mapping = isinstance(cast("object", described), dict)
    if type(version) is not int or version < 0 or not mapping:
        raise StateError(f"the version or the content of its {cls.__name__} makes no sense")
    if version > known:
        raise StateError(f"its {cls.__name__} is of a later version: update surelearn")
    attributes = {key: build(value) for key, value in described.items()}
    if not _is_old(cls, piece):
        return attributes
    return cast("Any", cls)._upgrade_state(attributes)  # noqa: SLF001 - a hook for this


def _make_objects(piece: dict[str, Any], build: Callable[[Any], Any]) -> NDArray[Any]:
    cells = np.empty(len(piece["$objects"]), dtype=object)
    for place, value in enumerate(piece["$objects"]):
        cells[place] = build(value)
    return cells.reshape(piece["shape"])


def _make_tuple(piece: dict[str, Any], build: Callable[[Any], Any]) -> tuple[Any, ...]:
    if len(piece) > 1:  # in format 1 it might name a class
        raise StateError(f"a tuple has no {', '.join(list(piece)[1:])}")
    return tuple(build(piece["$tuple"]))


def _make_sequence(piece: dict[str, Any], build: Callable[[Any], Any]) -> Any:
    cells, code = build(piece["of"]), piece["$sequence"]
    if not isinstance(cells, np.ndarray) or cells.ndim != 1 or code not in {"q", "d"}:
        raise StateError(f"{code!r} is not a sequence of numbers")
    return cast("Any", array)(code, cells.tolist())


def _make_sparse(piece: dict[str, Any], build: Callable[[Any], Any]) -> Any:
    """Return a sparse matrix whose entries all stand in it: SciPy takes that for granted."""
    make = sparse.csr_matrix if piece["matrix"] else sparse.csr_array
    parts, shape = [build(part) for part in piece["$csr"]], tuple(piece["shape"])
    data, indices, starts = parts
    for part, kinds in ((data, "fiub"), (indices, "i"), (starts, "i")):
        if not isinstance(part, np.ndarray) or part.ndim != 1 or part.dtype.kind not in kinds:
            raise StateError("the parts of its sparse matrix are not three lists of numbers")
    inside = len(data) == len(indices) and bool(((indices >= 0) & (indices < shape[1])).all())
    rising = len(starts) == shape[0] + 1 and starts[0] == 0 and bool((np.diff(starts) >= 0).all())
    if not (inside and rising and starts[-1] == len(indices)):
        raise StateError("its sparse matrix has entries outside its rows and columns")
    return make((data, indices, starts), shape=shape)
