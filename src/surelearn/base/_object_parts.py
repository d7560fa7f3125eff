"""What an object consists of, as it would be stored: attributes, a state, or how to build it."""

import copyreg
import functools
import sys
from array import array
from copy import deepcopy
from threading import Lock, RLock
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator

from surelearn.base._function_parts import is_installed

OF_CALLBACKS = frozenset({"_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx"})
"""What scikit-learn sets on a learner, some of it only while it is fitted, in whatever thread."""

LAST_ASKED = "_stop_words_id"
"""Where scikit-learn notes at which address the words lay that it last looked through."""

NOT_LEARNT = frozenset({"_deprecated_key_to_warnings", "_seal", LAST_ASKED}) | OF_CALLBACKS
"""Attributes that say nothing of what a model answers: those of scikit-learn and one of ours."""

_MEASURED_BESIDE = frozenset({"correlation_of_losses_"})
"""What learners of ours measure and do not answer by; older files of the same model lack it."""

_ATOMS = (str, bytes, int, float, complex)
_HIDES_NOTHING = frozenset({"sklearn", "surelearn"})  # all that their objects hold are attributes
_STATE_IS_ALL = frozenset({"numpy", "scipy", "sklearn", "surelearn"})
_SEARCH_TREES = frozenset({"sklearn.neighbors._ball_tree", "sklearn.neighbors._kd_tree"})
_QUERIES = slice(7, 11)  # where they count what they were asked
_CACHES = {np.vectorize: "_ufunc"}  # attributes that come with the first call
_SPARSE_CACHES = ("_has_canonical_format", "_has_sorted_indices", "has_canonical_format")
_HOMES = ("numpy", "scipy.special", "numpy._core.umath")  # of universal functions, which know none
_LONG = 10_000  # bits of a number whose decimal digits Python may refuse to write
_STORING = ("__getstate__", "__reduce__", "__reduce_ex__")
_LOCKS = (type(Lock()), type(RLock()))
_PROTOCOL = 4  # not the newest: it would hand out buffers that live elsewhere
_BUILT_BY_CLASS = (
    *(getattr(copyreg, name) for name in ("__newobj__", "__newobj_ex__", "_reconstructor")),
    array("b").__reduce_ex__(_PROTOCOL)[0],
)


def refusal(value: Any, name: str = "") -> ValueError:
    """Return the error about a value whose content cannot be read; its name, if code has one."""
    where = f", {name}," if name else ""
    return ValueError(
        f"a model that holds a {type(value).__name__}{where} cannot be recognised again: it could "
        "not be told apart from others like it; keep it out of the model"
    )


def written(value: Any) -> str:
    """Return an atom as it is written in Python, whatever its class makes of that.

    Examples
    --------
    >>> written("a"), written(10**5000)[:4]
    ("'a'", '0x31')
    """
    if type(value) in {bool, type(None)}:
        return repr(value)
    base: Any = next(kind for kind in _ATOMS if isinstance(value, kind))
    return hex(cast("Any", value)) if is_long(value) else base.__repr__(value)


def is_long(value: Any) -> bool:
    """Return whether a value is a number with more digits than Python may agree to write."""
    return isinstance(value, int) and int.bit_length(value) > _LONG


def attributes_of(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, those in slots too; nothing if it has more to store."""
    cls = cast("type[Any]", type(value))
    if not _stores_attributes(cls, value):
        return {}
    attributes = _held_by(value)
    attributes.pop(_CACHES.get(cls, ""), None)
    free = NOT_LEARNT | _MEASURED_BESIDE if _package(cls) == "surelearn" else NOT_LEARNT
    return {name: part for name, part in attributes.items() if name not in free}


def as_attributes(state: Any) -> Any:
    """Return a state with its names in one order: that in which they were set does not count.

    Examples
    --------
    >>> as_attributes({"b": 1, "a": 2})
    {'a': 2, 'b': 1}
    """
    if type(state) is tuple:  # attributes, and what stands in slots
        return tuple(map(as_attributes, cast("tuple[Any, ...]", state)))
    if type(state) is not dict or not all(type(name) is str for name in cast("Any", state)):
        return state
    known = cast("dict[str, Any]", state)
    return {name: known[name] for name in sorted(known, key=repr)}


def withheld_by(value: Any, state: Any) -> dict[str, Any]:
    """Return the attributes that an object's own way of storing itself leaves out.

    A lock is none of them: it says nothing of what a model answers. Packages that were installed
    are trusted to leave out nothing but what comes again.
    """
    cls = cast("type[Any]", type(value))
    owners = (base for base in cls.__mro__ for name in _STORING if name in vars(base))
    if is_installed(next(owners, object)):
        return {}
    stored = cast("dict[str, Any]", state) if type(state) is dict else {}
    return {
        name: part
        for name, part in as_attributes(_held_by(value)).items()
        if stored.get(name) is not part and name not in NOT_LEARNT and type(part) not in _LOCKS
    }


def kept_by_copies(array: Any) -> dict[str, Any]:
    """Return the attributes of an array; refuse one whose copies would lack some of them."""
    held = dict(getattr(array, "__dict__", {}))
    copied = getattr(deepcopy(array), "__dict__", {}) if held else {}
    if held.keys() != copied.keys():
        raise ValueError(
            f"a model that holds a {type(array).__name__} with attributes that its copies lack "
            "cannot be recognised again: keep a plain array, and the attributes beside it"
        )
    return held


def beside_cells(matrix: Any) -> dict[str, Any]:
    """Return the attributes of a sparse matrix that those of SciPy do not have."""
    home = next(base for base in type(matrix).__mro__ if _package(base) == "scipy")
    known = {*vars(home((1, 1))), *_SPARSE_CACHES}
    return {name: part for name, part in vars(matrix).items() if name not in known}


@functools.lru_cache(maxsize=1000)  # not all: classes may be made on the fly
def _slots(cls: type[Any]) -> tuple[str, ...]:
    """Return the names of what stands in slots, which a class that exists cannot change."""
    given = (np.atleast_1d(getattr(base, "__slots__", ())) for base in cls.__mro__)
    return tuple(name for names in given for name in names.tolist())


def state_of(value: Any) -> Any:
    """Return the state of a compiled object that holds nothing else; None if there is none."""
    cls = cast("type[Any]", type(value))
    if _package(cls) == "lightgbm" and hasattr(value, "model_to_string"):
        # Its own state holds what a copy does not.
        text = value.model_to_string(num_iteration=-1)
        return text, max(0, value.best_iteration), value.pandas_categorical
    if _package(cls) not in _STATE_IS_ALL or cls.__getstate__ is object.__getstate__:
        return None
    state = value.__getstate__()
    if is_search_tree(value):
        return (*state[: _QUERIES.start], *state[_QUERIES.stop :])
    return _in_one_order(state)


def is_search_tree(value: Any) -> bool:
    """Return whether a value is a tree of scikit-learn that counts what it was asked."""
    return type(value).__module__ in _SEARCH_TREES


def reduction(value: Any) -> tuple[Any, ...]:
    """Return what pickle would store: a function, its arguments, perhaps a state, and items.

    The function is None where the class of the value tells it.
    """
    reduce = copyreg.dispatch_table.get(type(value))
    try:
        found = reduce(value) if reduce else value.__reduce_ex__(_PROTOCOL)
    except Exception:  # noqa: BLE001 - code of others, which may raise anything
        raise refusal(value) from None
    if isinstance(found, str):
        return None, (found, _home(value, found)), _held_by_wrapper(value)
    build, *parts = cast("tuple[Any, ...]", found)
    told = build in _BUILT_BY_CLASS or (isinstance(build, type) and isinstance(value, build))
    if _package(cast("type[Any]", type(value))) in _STATE_IS_ALL:
        parts = map(_in_one_order, parts)
    return None if told else build, *parts


def _held_by(value: Any) -> dict[str, Any]:
    """Return all attributes of an object, those in slots too."""
    attributes = dict(getattr(value, "__dict__", {}))
    for name in _slots(cast("type[Any]", type(value))):
        if hasattr(value, name):
            attributes[name] = getattr(value, name)
    return attributes


def _in_one_order(state: Any) -> Any:
    """Return the state of a compiled object, its names in one order at every depth."""
    if type(state) is tuple:
        return tuple(map(_in_one_order, cast("tuple[Any, ...]", state)))
    if type(state) is not dict:
        return state
    known = cast("dict[Any, Any]", state)
    return as_attributes({name: _in_one_order(part) for name, part in known.items()})


def _package(cls: type[Any]) -> str:
    """Return the package of a class; compiled ones may hide it behind a descriptor."""
    module: Any = cls.__module__
    return (module if isinstance(module, str) else repr(cls).split("'")[1]).partition(".")[0]


def _stores_attributes(cls: type[Any], value: Any) -> bool:
    """Return whether attributes are all that a value of a class holds."""
    if _package(cls) in _HIDES_NOTHING or isinstance(value, BaseEstimator):
        return True
    if any(getattr(cls, name) is not getattr(object, name) for name in _STORING):
        return False
    if cls in copyreg.dispatch_table:
        return False
    try:
        object.__reduce_ex__(value, _PROTOCOL)  # it finds out what is hidden in compiled classes
    except TypeError:
        raise refusal(value) from None
    return True


def _home(value: Any, name: str) -> str | None:
    """Return the module that has a value under a name; of a wrapper, which holds more, none."""
    homes = _HOMES if isinstance(value, np.ufunc) else (getattr(value, "__module__", None),)
    for home in homes:
        found: Any = sys.modules.get(home or "builtins")
        for step in name.split("."):
            found = getattr(found, step, None)
        if found is value:
            return home
    if _held_by_wrapper(value) is None:
        raise refusal(value)
    return None


def _held_by_wrapper(value: Any) -> Any:
    return getattr(value, "__wrapped__", None) if not isinstance(value, np.ufunc) else None
