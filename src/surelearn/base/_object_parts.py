"""What an object consists of, as it would be stored: attributes, a state, or how to build it."""

import copyreg
import functools
import sys
from array import array
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator

NOT_LEARNT = frozenset({"_deprecated_key_to_warnings", "_seal", "_skl_callbacks"})
"""Attributes that say nothing of what a model answers: two of scikit-learn's and one of ours."""

_ATOMS = (str, bytes, int, float, complex)
_HIDES_NOTHING = frozenset({"sklearn", "surelearn"})  # all that their objects hold are attributes
_STATE_IS_ALL = frozenset({"numpy", "scipy", "sklearn", "surelearn"})
_SEARCH_TREES = frozenset({"sklearn.neighbors._ball_tree", "sklearn.neighbors._kd_tree"})
_QUERIES = slice(7, 11)  # where they count what they were asked
_CACHES = {np.vectorize: "_ufunc"}  # attributes that come with the first call
_HOMES = ("numpy", "scipy.special", "numpy._core.umath")  # of universal functions, which know none
_LONG = 10_000  # bits of a number whose decimal digits Python may refuse to write
_PROTOCOL = 4  # not the newest: it would hand out buffers that live elsewhere
_BUILT_BY_CLASS = (
    *(getattr(copyreg, name) for name in ("__newobj__", "__newobj_ex__", "_reconstructor")),
    array("b").__reduce_ex__(_PROTOCOL)[0],
)


def refusal(value: Any) -> ValueError:
    """Return the error about a value whose content cannot be read."""
    return ValueError(
        f"a model that holds a {type(value).__name__} cannot be recognised again: it could not be "
        "told apart from others like it; keep it out of the model"
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
    attributes = dict(getattr(value, "__dict__", {}))
    for name in _slots(cls):
        if hasattr(value, name):
            attributes[name] = getattr(value, name)
    attributes.pop(_CACHES.get(cls, ""), None)
    return {name: part for name, part in attributes.items() if name not in NOT_LEARNT}


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
    return state


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
    return None if told else build, *parts


def _package(cls: type[Any]) -> str:
    """Return the package of a class; compiled ones may hide it behind a descriptor."""
    module: Any = cls.__module__
    return (module if isinstance(module, str) else repr(cls).split("'")[1]).partition(".")[0]


def _stores_attributes(cls: type[Any], value: Any) -> bool:
    """Return whether attributes are all that a value of a class holds."""
    if _package(cls) in _HIDES_NOTHING or isinstance(value, BaseEstimator):
        return True
    methods = ("__getstate__", "__reduce__", "__reduce_ex__")
    if any(getattr(cls, name) is not getattr(object, name) for name in methods):
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
