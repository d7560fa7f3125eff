"""What a stored object must look like: a file is held to it before any loop reads an array.

`@holds` of `surelearn._stored` says what stands in each attribute of a class, in these words:

- `"int[nodes]"`, `"float[nodes, features]"`: an array of that type, whose sides have these lengths.
  Whatever has the same name has the same length; `features` and `classes` are those of the learner,
  `nodes+1` is one more, a number is itself. Types are `float`, `finite` (no NaN, no infinity),
  `int`, `bool`, `hash`, `any` (numbers or text), `names`, and `table` for dense or sparse rows of
  floats;
- `"count"`, a whole number, 0 or more; `"seed"`, one of any size; `"number"`; `"flag"`; `"text"`;
  `"words"`, a list of texts; `"categories"`, for each feature its sorted categories or None;
  `"classes"`, sorted labels; `"anything"`;
- a class, or a union of classes, for what is stored as an object of its own.

A `?` at the end allows None as well; `maybe` in front, of a class in `("maybe", Class)`, allows
that the attribute is not there.
Where more than lengths must be true, where an array holds places in another one, say, the class
also has a method `_check_state`, which raises a ValueError; what it holds is checked before.
"""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn.base.declared import SPEC, TYPES, has_shape
from surelearn.base.parameters import names_of
from surelearn.persistence import foreign, parameters
from surelearn.persistence.names import StateError

_LARGEST_COUNT = 2**53  # whole numbers up to here are floats as well
_OF_ALL_LEARNERS = {
    "n_features_in_": "maybe count",
    "feature_names_in_": "maybe names[features]",
}


class Place(NamedTuple):
    """What stands in one attribute, and whether it may be absent."""

    spec: Any
    optional: bool


def check_layout(made: Any) -> None:
    """Refuse an object that does not look as its class declares, or that its class refuses.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> check_layout(stump)
    >>> check_layout(dataclasses.replace(stump, depth=np.zeros(1, dtype=np.int64)))
    Traceback (most recent call last):
    surelearn.persistence.names.StateError: depth of its Tree has shape (1,) and type int64, and
    int[nodes] belongs there
    """
    cls, held = type(made), _held(made)
    layout = layout_of(cls)
    if not isinstance(made, tuple):
        parameters.refuse_strange(cls, held)
        _refuse_types(cls, held)
        may_begin = _has_parameters(cls) and not getattr(cls, "_begins_at_once", False)
        if may_begin and layout.keys().isdisjoint(held):
            return  # it has not learnt
    sides = _known_sides(held)
    for name, (spec, optional) in layout.items():
        if name in held:
            _check(cls, name, held[name], spec, sides)
        elif not optional:
            raise StateError(f"its {cls.__name__} lacks {name}")
    _let_it_check(made)


def _refuse_types(cls: type[Any], held: Mapping[str, Any]) -> None:
    """Refuse a type among what an object of ours holds: it would be called as a function."""
    for name, value in ({} if _is_foreign(cls) else held).items():
        parts: Any = value if isinstance(value, list | tuple) else (value,)
        if any(isinstance(part, type) for part in parts):
            raise StateError(f"{name} of its {cls.__name__} holds a type, and none belongs there")


def check_all(made: Any) -> None:
    """Check an object and all that it holds: code that reads old files has made some of that.

    Examples
    --------
    >>> check_all((1, "a", None))
    """
    ours = type(made).__module__.startswith("surelearn.")
    if isinstance(made, tuple) or ours:
        held: Any = cast("Any", made) if isinstance(made, tuple) else list(vars(made).values())
        for part in held:
            check_all(part)
    if ours:
        check_layout(made)


@cache
def layout_of(cls: type[Any]) -> dict[str, Place]:
    """Return what a class declares with all its ancestors, by the names of the attributes.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> layout_of(Perceptron)["n_rounds_"]
    Place(spec='count', optional=False)
    """
    declared: dict[str, Any] = {}
    if _has_parameters(cls):
        declared |= _OF_ALL_LEARNERS
    for ancestor in reversed(cls.__mro__):
        declared |= vars(ancestor).get("_holds", {})
    if _is_foreign(cls):
        declared |= foreign.LAYOUTS.get(cls.__name__, {})
    return {name: _place(spec) for name, spec in declared.items()}


def _place(spec: Any) -> Place:
    if isinstance(spec, tuple):  # ("maybe", a class)
        return Place(cast("tuple[str, Any]", spec)[1], optional=True)
    if not isinstance(spec, str):
        return Place(spec, optional=False)
    return Place(spec.removeprefix("maybe "), optional=spec.startswith("maybe "))


def may_hold(cls: type[Any], name: str) -> bool:
    """Say whether an object may have this attribute in a file: what hides nothing of its class.

    Users may have added attributes of their own, whose names end in `_`.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> [may_hold(Perceptron, name) for name in ("max_iter", "note_", "predict", "__class__")]
    [True, True, False, False]
    """
    if name in layout_of(cls) or name in names_of(cls) or name in _annotated(cls):
        return True
    added = name.endswith("_") and not name.startswith("_") and not hasattr(cls, name)
    return added or name == "_sklearn_output_config"


@cache
def _annotated(cls: type[Any]) -> set[str]:
    """Return the attributes of a dataclass, those that it makes itself included."""
    if not dataclasses.is_dataclass(cls):
        return set()
    return {name for each in cls.__mro__ for name in vars(each).get("__annotations__", {})}


def _held(made: Any) -> dict[str, Any]:
    """Return the attributes of an object, or the fields of a record."""
    return cast("Any", made)._asdict() if isinstance(made, tuple) else vars(made)


def _known_sides(held: Mapping[str, Any]) -> dict[str, int]:
    """Return the lengths that a learner knows beside its arrays."""
    sides: dict[str, int] = {}
    if "n_features_in_" in held:
        sides["features"] = held["n_features_in_"]
    if isinstance(held.get("classes_"), np.ndarray):
        sides["classes"] = held["classes_"].size
    return sides


def _let_it_check(made: Any) -> None:
    """Ask an object whether what it holds makes sense: its parameters, then its state."""
    cls = type(made)
    asked = [getattr(cls, method, None) for method in ("__post_init__", "_check_state")]
    if _is_foreign(cls):
        asked.append(foreign.CHECKS.get(cls.__name__))
    for ask in asked:
        if ask is not None:
            try:
                ask(made)
            except (ValueError, TypeError) as error:
                raise StateError(f"its {cls.__name__} makes no sense: {error}") from error


def _has_parameters(cls: type[Any]) -> bool:
    """Say whether objects of a class hold, beside what they learn, parameters: learners do."""
    others = issubclass(cls, tuple) or dataclasses.is_dataclass(cls)
    return not others and cls.__name__ not in foreign.STATELESS


def _is_foreign(cls: type[Any]) -> bool:
    return cls.__module__.startswith("sklearn.")


def _check(cls: type[Any], name: str, value: Any, spec: Any, sides: dict[str, int]) -> None:
    """Refuse a value that does not fit what is declared."""
    if not isinstance(spec, str):
        if not isinstance(value, spec):
            raise _misfit(cls, name, value, f"a {getattr(spec, '__name__', spec)}")
        return
    kind, shape, may_be_none = cast("Any", SPEC.fullmatch(spec)).groups()
    if value is None and may_be_none:
        return
    if shape is None:
        fits = _SINGLE[kind](value)
        if kind == "categories":
            fits = fits and has_shape((len(cast("Any", value)),), "features", sides)
        if not fits:
            raise _misfit(cls, name, value, spec)
    elif not _is_array_of(kind, value) or not has_shape(cast("Any", value).shape, shape, sides):
        raise _misfit(cls, name, value, spec)


def _misfit(cls: type[Any], name: str, value: Any, wanted: str) -> StateError:
    found = f"is a {type(value).__name__}"
    if isinstance(value, np.ndarray):
        array = cast("NDArray[Any]", value)
        found = f"has shape {array.shape} and type {array.dtype}"
    return StateError(f"{name} of its {cls.__name__} {found}, and {wanted} belongs there")


def _is_array_of(kind: str, value: Any) -> bool:
    if kind == "table":
        return _is_table(value)
    if not isinstance(value, np.ndarray):
        return False
    array = cast("NDArray[Any]", value)
    if kind == "any":
        return array.dtype.kind in "biufUSO"
    if kind == "names":
        return _are_words(array.ravel().tolist())
    fits = bool(array.dtype == TYPES[kind])
    return fits and (kind != "finite" or bool(np.isfinite(array).all()))


def _is_table(value: Any) -> bool:
    """Say whether these are finite rows; of a sparse matrix its parts were checked when made."""
    cells = cast("Any", value).data if sparse.issparse(value) else value
    return isinstance(cells, np.ndarray) and _is_array_of("finite", cells)


def _is_count(value: Any) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and bool(0 <= value <= _LARGEST_COUNT)


def _is_number(value: Any) -> bool:
    """Say whether this is a number; whole ones of any size are none to NumPy."""
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, float | np.floating | np.integer)


def _are_categories(value: Any) -> bool:
    """Say whether these are numbers or words for each column, as tables are read by them."""
    return isinstance(value, tuple) and all(
        known is None
        or (_are_sorted(known) and (known.dtype == np.float64 or _are_words(known.tolist())))
        for known in cast("tuple[Any, ...]", value)
    )


def _are_words(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _are_sorted(value: Any) -> bool:
    """Say whether these are labels or categories, each once, as `np.unique` returns them."""
    if not isinstance(value, np.ndarray):
        return False
    labels = cast("NDArray[Any]", value)
    if labels.ndim != 1 or labels.dtype.kind not in "biufUSO":
        return False
    try:
        return bool((labels[:-1] < labels[1:]).all()) and bool((labels == labels).all())  # noqa: PLR0124
    except TypeError:
        return False


_SINGLE: dict[str, Callable[[Any], bool]] = {
    "anything": lambda _: True,
    "categories": _are_categories,
    "classes": lambda value: _are_sorted(value) and len(value) > 0,
    "count": _is_count,
    "flag": lambda value: isinstance(value, bool | np.bool_),
    "number": _is_number,
    "seed": lambda value: type(value) is int and value >= 0,
    "words": lambda value: isinstance(value, list) and _are_words(cast("list[Any]", value)),
    "text": lambda value: isinstance(value, str),
}
