"""Whether the arrays of an object are those that its class declares by `@holds`.

A compiled loop trusts shapes and types. Who sets an array by hand, or forges a file, must find that
out before the loop does.
"""

import re
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

SPEC = re.compile(r"(\w+)(?:\[([^\]]*)\])?(\?)?")
_SIDE = re.compile(r"(\w+)(?:\+(\d+))?")
TYPES: dict[str, Any] = {
    "float": np.float64,
    "finite": np.float64,
    "int": np.int64,
    "bool": np.bool_,
    "hash": np.uint64,
}
"""The types of numbers, by the words of declarations."""


class _Side(NamedTuple):
    name: str
    more: int


class _Declared(NamedTuple):
    name: str
    dtype: Any
    sides: tuple[_Side, ...]
    optional: bool


def refuse_unlike_declared(held: Any, **sides: int) -> None:
    """Refuse an object whose arrays have other types or shapes than its class declares.

    Parameters
    ----------
    held
        An object of a class that is decorated by `holds`.
    sides
        Lengths that are known beforehand, by their names in the declaration.

    Examples
    --------
    >>> from surelearn.learners.ensembles._histogram.trees import no_trees
    >>> refuse_unlike_declared(no_trees())
    >>> refuse_unlike_declared(no_trees(), nodes=3)
    Traceback (most recent call last):
    ValueError: feature of its HistogramTrees was changed after it was fitted. Fit it again
    """
    known = dict(sides)
    for name, dtype, declared, optional in _arrays_of(type(held)):
        array = getattr(held, name, None)
        if array is None and optional:
            continue
        typed = isinstance(array, np.ndarray) and array.dtype == dtype
        if not typed or not _are(cast("NDArray[Any]", array).shape, declared, known):
            raise ValueError(
                f"{name} of its {type(held).__name__} was changed after it was fitted. Fit it again"
            )


def has_shape(found: tuple[int, ...], declared: str, sides: dict[str, int]) -> bool:
    """Say whether a shape is the declared one; a side met for the first time is remembered.

    Examples
    --------
    >>> sides = {}
    >>> has_shape((3, 2), "nodes, 2", sides), has_shape((3,), "nodes+1", sides)
    (True, False)
    """
    return _are(found, _sides_of(declared), sides)


@cache
def _arrays_of(cls: type[Any]) -> tuple[_Declared, ...]:
    """Return the arrays of numbers that a class and its ancestors declare."""
    layout: dict[str, Any] = {}
    for ancestor in reversed(cls.__mro__):
        layout |= vars(ancestor).get("_holds", {})
    found: list[_Declared] = []
    for name, spec in layout.items():
        if not isinstance(spec, str):
            continue
        kind, shape, none = cast("Any", SPEC.fullmatch(spec.removeprefix("maybe "))).groups()
        if kind in TYPES and shape is not None:
            optional = none is not None or spec.startswith("maybe ")
            found.append(_Declared(name, np.dtype(TYPES[kind]), _sides_of(shape), optional))
    return tuple(found)


@cache
def _sides_of(declared: str) -> tuple[_Side, ...]:
    wanted = (cast("Any", _SIDE.fullmatch(side.strip())) for side in declared.split(","))
    return tuple(_Side(side.group(1), int(side.group(2) or 0)) for side in wanted)


def _are(found: tuple[int, ...], declared: tuple[_Side, ...], sides: dict[str, int]) -> bool:
    if len(found) != len(declared):
        return False
    for length, (name, more) in zip(found, declared, strict=True):
        known = int(name) if name.isdigit() else sides.setdefault(name, length - more)
        if known < 0 or length != known + more:
            return False
    return True
