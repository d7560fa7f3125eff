"""Theorems: numbers in, `Guarantee` out; one file per thing bounded.

Every function is keyword-only, named as the theorem is cited, refuses arguments outside its domain
and rounds outward. Planners return the integer they plan. A theorem never knows a learner.
"""

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from surelearn.bounds._guarantee import Guarantee, Validity

__all__ = ["Guarantee", "Validity", "evaluate", "find", "realised", "state", "theorems"]


def theorems() -> dict[str, Callable[..., Guarantee | int]]:
    """Return every theorem and planner by its name, such as "concentration.hoeffding".

    Examples
    --------
    >>> theorems()["concentration.clopper_pearson"](errors=0, n=300, delta=0.05).bound < 0.01
    True
    """
    found: dict[str, Callable[..., Guarantee | int]] = {}
    for name in _public_modules():
        module = importlib.import_module(f"{__name__}.{name}")
        for key, function in inspect.getmembers(module, inspect.isfunction):
            own = function.__module__ == module.__name__ and not key.startswith("_")
            if own and inspect.signature(function).return_annotation in {Guarantee, int}:
                found[f"{name}.{key}"] = function
    return dict(sorted(found.items()))


def evaluate(theorem: str, **inputs: Any) -> Guarantee | int:
    """Evaluate a theorem by its name: what a stored certificate is recomputed with.

    Examples
    --------
    >>> evaluate("concentration.hoeffding", mean=0.1, n=50, delta=0.05).direction
    'upper'
    """
    return find(theorem)(**inputs)


def state(theorem: str, inputs: Mapping[str, Any]) -> Guarantee:
    """Evaluate a theorem, and nothing else that may bear its name: the file may be forged.

    Examples
    --------
    >>> state("mistakes.halving", {"n_experts": 8}).bound
    3.0
    """
    function = find(theorem)
    if not hasattr(function, "realised"):  # only `@theorem` gives it that
        raise ValueError(f"{theorem} plans or inverts, and bounds nothing: it is no theorem")
    found = function(**inputs)
    if not isinstance(found, Guarantee):
        raise TypeError(f"{theorem} gave {type(found).__name__}, not a guarantee")
    return found


def find(theorem: str) -> Callable[..., Guarantee | int]:
    """Return the theorem or planner of that name.

    Examples
    --------
    >>> find("concentration.hoeffding").__name__
    'hoeffding'
    """
    module, _, function = theorem.partition(".")
    if module in _public_modules() and not function.startswith("_"):
        found: Any = getattr(importlib.import_module(f"{__name__}.{module}"), function, None)
        if getattr(found, "__module__", "") == f"{__name__}.{module}":
            return found
    raise ValueError(f"theorem={theorem!r} is unknown; see surelearn.bounds.theorems()")


def realised(theorem: str) -> frozenset[str]:
    """Return which inputs of a theorem are read from the run; all others are known beforehand.

    Examples
    --------
    >>> sorted(realised("mistakes.halving")), sorted(realised("concentration.hoeffding"))
    ([], ['mean'])
    """
    return getattr(find(theorem), "realised", frozenset[str]())


@functools.cache
def _public_modules() -> list[str]:
    return [m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]


def __getattr__(name: str) -> ModuleType:
    """Import a file of theorems when it is first named: `surelearn.bounds.regret`."""
    if name in _public_modules():
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_public_modules()])
