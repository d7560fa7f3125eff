"""SHA-256 over a canonical description of an object, part by part.

What equals itself in value has the same description in a copy and after storing; what differs in
anything that counts has another one. What has no content that can be read, a generator or a lock,
is refused: it could not be told apart from others of its kind.
"""

import hashlib
import math
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, Self, cast

import numpy as np
from scipy import sparse

from surelearn._jit.sound_matrices import sound
from surelearn._stored import stored_name
from surelearn.base import _function_parts as functions
from surelearn.base import _object_parts as objects

_PLAIN = {str, int, float, bool, type(None)}
_ATOMS = (str, bytes, int, float, complex, bool, type(None))
_TAGS = {  # of most values, which are not looked up
    cls: f"<{cls.__module__}.{cls.__qualname__}>"
    for cls in (*_PLAIN, dict, list, tuple, np.ndarray)
}
_BLOCK = 2**14  # cells described at once
_NAN = struct.pack("d", math.nan)


class Hasher:
    """Describes one object after the other; `hexdigest` is the hash of all of them."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._open: dict[int, int] = {}  # depth of what is being described, so that a cycle ends
        self._known: dict[Any, str] = {}  # classes and functions that were described
        self.asked_for_state = False  # whether an object was asked what it would store

    def hexdigest(self) -> str:
        """Return the hash in 40 digits."""
        return self._digest.hexdigest()[:40]

    def add(self, value: Any) -> Self:
        """Describe any object; equal content gives equal bytes."""
        cls = cast("type[Any]", type(value))
        if cls in _PLAIN and value == value and not objects.is_long(value):  # noqa: PLR0124
            self._text(f"{_TAGS[cls]}{value!r}")  # as below, at half the cost
            return self
        self._text(_TAGS.get(cls) or self._tag(cls))
        if isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, _ATOMS) or (
            isinstance(value, np.generic) and not isinstance(value, np.void)
        ):
            self._atom(value)
        elif id(value) in self._open:
            self._cycle(self._open[id(value)])
        else:
            self._open[id(value)] = len(self._open)
            self._compound(value)
            del self._open[id(value)]
        return self

    def _cycle(self, depth: int) -> None:
        self._text(f"<cycle {depth}>")

    def _tag(self, cls: type[Any]) -> str:
        """Return the name of a class; of one that no package has, what it says as well."""
        if cls in self._known:
            return self._known[cls]
        self._known[cls] = f"<{_name(cls)}>"  # before its body, which may refer to it
        if functions.is_installed(cls) or stored_name(cls) is not None:
            return self._known[cls]
        told = (cls.__qualname__, cls.__bases__, self._by_name(functions.parts_of_class(cls)))
        self._known[cls] = f"<{_name(cls)} {self._apart(told)}>"
        return self._known[cls]

    def _atom(self, value: Any) -> None:
        scalar = isinstance(value, np.generic)
        self._text(repr(value) if scalar else objects.written(value))
        if scalar:
            self._extras([getattr(value, "__dict__", None)])
        elif type(value) not in _ATOMS:
            self._extras(objects.reduction(value)[2:3])
        elif isinstance(value, float) and value != value:  # noqa: PLR0124 - NaN has a sign, too
            bits = struct.pack("d", value)
            self._text("" if bits == _NAN else bits.hex())

    def _compound(self, value: Any) -> None:
        describe = next((how for kinds, how in self._ways() if isinstance(value, kinds)), None)
        if sparse.issparse(value):  # some of them are mappings as well
            self._sparse(value)
        elif describe is not None:
            describe(value)
        elif functions.is_function(value):
            self._function(value)
        else:
            self._object(value)

    def _ways(self) -> Iterator[tuple[Any, Callable[[Any], None]]]:
        """Yield kinds of values, each with the method that describes it."""
        yield (dict, MappingProxyType), self._mapping
        yield (list, tuple), self._sequence
        yield (set, frozenset), self._set
        yield (memoryview, np.void), self._buffer
        yield type, self._class
        yield ModuleType, lambda value: self._text(value.__name__)
        yield CodeType, lambda value: self._all(functions.parts_of_code(value))

    def _array(self, array: Any) -> None:
        self._text(f"{array.dtype}{array.shape}")
        if isinstance(array, np.ma.MaskedArray):
            shown = array.filled(array.fill_value)
            self._all((np.ma.getmaskarray(array), shown.tolist()))
            hidden = np.asarray(array.data)
            self._extras([] if np.array_equal(hidden, shown) else [hidden])
        elif array.dtype.names:  # bytes between the fields are arbitrary
            self._all(array[name] for name in array.dtype.names)
        elif array.dtype.kind in "OT":  # their bytes are addresses
            self._all(array.ravel().tolist())
        else:
            self._numbers(array)
        if type(array) not in {np.ndarray, np.ma.MaskedArray, np.memmap, memoryview}:
            self._extras([objects.kept_by_copies(array)])

    def _buffer(self, value: Any) -> None:
        try:
            array = np.asarray(value)
        except Exception:  # noqa: BLE001 - any kind of memory may stand behind it
            raise objects.refusal(value) from None
        if array.dtype.kind == "O" and isinstance(value, memoryview):  # it was released
            raise objects.refusal(value)
        self._array(array)

    def _numbers(self, array: Any) -> None:
        self._digest.update(np.ascontiguousarray(array).tobytes())

    def _mapping(self, value: Any) -> None:
        items = list(cast("Mapping[Any, Any]", value).items())
        places = list(range(len(items)))
        if not isinstance(value, OrderedDict):
            places = self._in_order([key for key, _ in items])
        self._all(part for place in places for part in items[place])
        self._order(places)
        if type(value) is not dict and isinstance(value, dict):
            _, arguments, *state = objects.reduction(value)
            self._extras([part for part in arguments if part is not type(value)] + state[:1])

    def _sequence(self, value: Any) -> None:
        self._row(value)
        if type(value) not in {list, tuple}:
            self._extras(objects.reduction(value)[2:3])

    def _set(self, value: Any) -> None:
        elements = list(value)
        self._all(elements[place] for place in self._in_order(elements))
        if type(value) not in {set, frozenset}:
            self._extras(objects.reduction(value)[2:3])

    def _order(self, places: list[int]) -> None:
        """Describe the order of a mapping, unless it is the one in which any is described."""
        if any(place != i for i, place in enumerate(places)):
            self._text(f"<order {places}>")

    def _in_order(self, values: Sequence[Any]) -> list[int]:
        """Return the places of values in an order that depends on their content alone."""
        plain = all(map(_is_plain, values))
        keys = [repr(value) if plain else self._apart(value) for value in values]
        return sorted(range(len(values)), key=keys.__getitem__)

    def _sparse(self, value: Any) -> None:
        csr = sound(value if value.ndim == 2 else value.reshape(1, -1))
        self._all((csr.shape, csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)))
        self._extras([None if value.ndim == 2 else value.shape, objects.beside_cells(value)])

    def _class(self, value: Any) -> None:
        told = self._tag(value)
        self._text(_name(value) if told == f"<{_name(value)}>" else told)

    def _function(self, value: Any) -> None:
        self._text(_name(value))
        if functions.is_told_by_name(value):
            self._text(value.__code__.co_code.hex() + repr(value.__code__.co_consts))
            self._text("<end>")
        elif isinstance(value, FunctionType):
            if value not in self._known:
                self._known[value] = "<recursive>"
                self._known[value] = self._code(value)
            self._text(self._known[value])
        else:  # a method is made anew whenever it is looked up
            self._text(self._code(value))

    def _code(self, value: Any) -> str:
        parts, names = functions.parts_of_function(value), self._names_in_module(value)
        return self._apart((*parts, self._by_name(names)))

    def _names_in_module(self, function: Any) -> dict[str, functions.Part]:
        return functions.names_in_module(function)

    def _object(self, value: Any) -> None:
        """Describe an object by its attributes, or else by what it would store."""
        if isinstance(value, Iterator) and not hasattr(value, "__dict__"):
            raise objects.refusal(value)
        state = self._attributes(value) or objects.state_of(value)
        if state is not None:
            self.add(objects.as_attributes(state))
            return
        self.asked_for_state = True
        build, *parts = objects.reduction(value)
        if build is not None:
            self._text("<built by>")
            self.add(build)
        self._all(map(objects.as_attributes, parts[:2]))
        self._extras(None if part is None else list(part) for part in parts[2:4])
        self._withheld(value, (*parts, None)[1])

    def _attributes(self, value: Any) -> dict[str, Any]:
        return objects.attributes_of(value)

    def _extras(self, parts: Iterable[Any]) -> None:
        """Describe what a value holds beside its content, if anything."""
        there = [_learnt(part) for part in parts]
        if any(part is not None and not (type(part) is dict and not part) for part in there):
            self._text("<with>")
            self._all(there)

    def _withheld(self, value: Any, state: Any) -> None:
        """Describe the attributes that an object would not store: they count all the same."""
        withheld = objects.withheld_by(value, state)
        if withheld:
            self._text("<withheld>")
            self.add({name: self._apart(part) for name, part in withheld.items()})

    def _by_name(self, parts: Mapping[str, functions.Part]) -> dict[str, Any]:
        """Return a hash of each part; of one that cannot be described and cannot count, its class.

        Any other that cannot be described is refused.
        """
        told: dict[str, Any] = {}
        for name, (value, counts) in parts.items():
            try:
                told[name] = self._apart(value)
            except ValueError:
                if counts:
                    raise objects.refusal(value, name) from None
                told[name] = _name(type(value))
        return objects.as_attributes(told)

    def _apart(self, value: Any) -> str:
        """Return a hash of one value, described by itself."""
        other = type(self)()
        other._open, other._known = dict(self._open), self._known  # noqa: SLF001 - our own
        return other.add(value).hexdigest()

    def _row(self, values: Sequence[Any]) -> None:
        """Describe values one after the other, as `_all` does; plain ones many at once."""
        kinds = set(map(type, values))
        curious = not kinds <= _PLAIN or (float in kinds and any(v != v for v in values))  # noqa: PLR0124
        if curious or (int in kinds and any(map(objects.is_long, values))):
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
    module: Any = value.__module__
    known = isinstance(value, type) and isinstance(module, str)
    name = stored_name(value) if known else None
    return name or f"{module}.{getattr(value, '__qualname__', '<unnamed>')}"


def _is_plain(key: Any) -> bool:
    """Return whether a key is written as no other key is."""
    if type(key) is tuple:
        return all(map(_is_plain, cast("tuple[Any, ...]", key)))
    return type(key) in _ATOMS or (isinstance(key, np.generic) and not isinstance(key, np.void))


def _learnt(part: Any) -> Any:
    if type(part) is not dict:
        return part
    known = cast("dict[Any, Any]", objects.as_attributes(part))
    return {name: value for name, value in known.items() if name not in objects.NOT_LEARNT}
