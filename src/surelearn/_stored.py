"""The names by which classes stand in model files and fingerprints; none says where a class lives.

A class may move or be renamed without losing what was stored: a private one keeps the name given by
`@stored`, a public one is known by its public name, `Perceptron` or `kernels.Sum`.
"""

import importlib
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

_Class = TypeVar("_Class", bound=type[Any])

_PRIVATE_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")  # never one of a public class
_PUBLIC_MODULES = ("impurities", "kernels", "losses")  # their classes are parameters of learners
_FOREIGN = {
    "ColumnTransformer": "sklearn.compose.ColumnTransformer",
    "OneHotEncoder": "sklearn.preprocessing.OneHotEncoder",
    "Pipeline": "sklearn.pipeline.Pipeline",
    "SimpleImputer": "sklearn.impute.SimpleImputer",
    "StandardScaler": "sklearn.preprocessing.StandardScaler",
}
_classes: dict[str, type[Any]] = {}
_names: dict[type[Any], str] = {}


def stored(name: str, *, version: int = 1) -> Callable[[_Class], _Class]:
    """Give a private class the name by which files and fingerprints know it, for good.

    Parameters
    ----------
    name
        Small letters and hyphens. It outlives the class's own name: never change or reuse it.
    version
        To be raised when the attributes change. A file that is older is then read through the
        classmethod `_upgrade_state(attributes) -> attributes`, if the class has one. A public
        class has no decorator; it says `_stored_version = 2` in its body, 1 if it says nothing.

    Examples
    --------
    >>> @stored("example-of-a-state")
    ... class State:
    ...     pass
    >>> stored_name(State), find_stored("example-of-a-state") is State
    ('example-of-a-state', True)
    """
    if not _PRIVATE_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no stored name: use small letters and hyphens")

    def register(cls: _Class) -> _Class:
        known = _classes.get(name)
        # A module that is loaded again makes the same class once more, and that is no collision.
        if known is not None and _place(known) != _place(cls):
            raise ValueError(f"{name!r} is the stored name of {_place(known)}: take another one")
        _classes[name], _names[cls] = cls, name
        cls._stored_version = version
        return cls

    return register


def holds(**layout: Any) -> Callable[[_Class], _Class]:
    """Say what stands in each attribute that objects of a class store in model files.

    A subclass adds to what its ancestors hold. The words are explained, and files are held to them,
    in `surelearn.persistence.layouts`; the parameters of a constructor need none.

    Examples
    --------
    >>> @holds(totals="float[arms]", pulls="int[arms]", n_rounds="count")
    ... class Tallies:
    ...     pass
    >>> Tallies._holds["pulls"]
    'int[arms]'
    """

    def declare(cls: _Class) -> _Class:
        cls._holds = layout
        return cls

    return declare


def stored_name(cls: type[Any]) -> str | None:
    """Return the name by which files and fingerprints know a class, or None if it has none.

    Examples
    --------
    >>> from surelearn.kernels import Linear, Sum
    >>> stored_name(Linear), stored_name(Sum), stored_name(int)
    ('Linear', 'kernels.Sum', None)
    """
    if cls in _names:
        return _names[cls]
    package = cls.__module__.partition(".")[0]
    found = None
    if package == "surelearn":
        found = _public_name(cls)
    elif package == "sklearn":
        found = _FOREIGN.get(cls.__qualname__)
        found = found if found is not None and find_stored(found) is cls else None
    if found is not None:
        _names[cls] = found
    return found


def stored_version(cls: type[Any]) -> int:
    """Return the version of a class's attributes; subclasses have it from their ancestors.

    Examples
    --------
    >>> stored_version(int)
    1
    """
    return getattr(cls, "_stored_version", 1)


def find_stored(name: str) -> type[Any] | None:
    """Return the class of a stored name; a private one must have been imported before.

    Examples
    --------
    >>> find_stored("Perceptron").__name__, find_stored("os.system")
    ('Perceptron', None)
    """
    if name in _classes:
        return _classes[name]
    module, _, last = name.rpartition(".")
    found = None
    if name in _FOREIGN.values():
        found = getattr(importlib.import_module(module), last, None)
    elif module in {"", *_PUBLIC_MODULES}:
        found = _member(_public(module), last)
    return found if isinstance(found, type) else None


def _public_name(cls: type[Any]) -> str | None:
    """Return the public name of a class of this library, wherever its code is."""
    name = cls.__qualname__
    for module in ("", *_PUBLIC_MODULES):
        if _member(_public(module), name) is cls:
            return f"{module}.{name}" if module else name
    return None


def _public(module: str = "") -> ModuleType:
    """Return the package itself, whose members load when they are asked for, or a module of it."""
    return importlib.import_module(f"surelearn.{module}" if module else "surelearn")


def _member(module: ModuleType, name: str) -> Any:
    """Return a public member of a module, or None."""
    return getattr(module, name) if name in getattr(module, "__all__", dir(module)) else None


def _place(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
