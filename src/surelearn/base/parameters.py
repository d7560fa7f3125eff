"""The parameters of a learner, held to what its constructor says it takes.

Only what is plainly of the wrong kind is refused here, before any code meets it: an array where a
truth value belongs, a text for a number. Values outside their domain are refused where they are
used.
"""

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from surelearn import _arguments

_SEEDS = ("random_state", "seed")  # of any size, and refused where they are sown
_LIMITS: dict[Any, int] = {bool: 1, int: 2**63 - 1, float: int(np.finfo(np.float64).max)}


_Estimator = TypeVar("_Estimator")


class WrongKindError(TypeError, ValueError):
    """A parameter is plainly of a wrong kind; whoever expects either error catches it."""


@cache
def names_of(cls: type[Any]) -> tuple[str, ...]:
    """Return the names of the parameters of a constructor.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> names_of(Perceptron)
    ('fit_intercept', 'max_iter')
    """
    if dataclasses.is_dataclass(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    return tuple(inspect.signature(cls).parameters)


def strange(cls: type[Any], held: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of parameters that are there and plainly of a wrong kind."""
    hints = _hints(cls)
    for name in names_of(cls):
        if name in held and name not in _SEEDS and not _fits(held[name], hints.get(name, Any)):
            yield name


def refuse_strange(estimator: Any) -> None:
    """Refuse a learner that was given a parameter of a wrong kind, by its name.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> refuse_strange(Perceptron(max_iter="many"))
    Traceback (most recent call last):
    surelearn.base.parameters.WrongKindError: max_iter='many' must be a whole number
    """
    cls = cast("type[Any]", type(estimator))
    for name in strange(cls, vars(estimator)):
        value = vars(estimator)[name]
        if isinstance(value, float | np.floating):  # whoever counts says what it may be
            continue
        raise _wrong_kind(name, value, _hints(cls)[name])
    for name, hint in _hints(cls).items():
        value = vars(estimator).get(name, False)
        # A learner may compute with a flag, as with the size of a constant feature.
        if hint is bool and isinstance(value, Real | np.bool_) and value not in (0, 1):
            raise _wrong_kind(name, value, hint)


def made_plain(estimator: _Estimator) -> _Estimator:
    """Let a copy to be fitted hold Python's own numbers: NumPy's small ones overflow in sums.

    A whole number that stands for a float, and is too large for compiled code, becomes one.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> type(made_plain(Perceptron(max_iter=np.uint8(255))).max_iter)
    <class 'int'>
    """
    cls, held = cast("type[Any]", type(estimator)), vars(estimator)
    hints = _hints(cls)
    for name in names_of(cls):
        value = held.get(name)
        if isinstance(value, np.bool_ | np.integer | np.floating):
            held[name] = value = _arguments.plain_number(value)
        if name in held and name not in _SEEDS:
            held[name] = value = _known(value, hints.get(name))
        if name in held and name in _counts(cls):
            held[name] = value = as_whole(value)
        if type(value) is int and abs(value) > _LIMITS[int] and name not in _SEEDS:
            with suppress(OverflowError):  # beyond all floats: learners refuse it by name
                held[name] = float(value) if _fits(0.5, hints.get(name, Any)) else value
    return estimator


def _known(value: Any, hint: Any) -> Any:
    """Return a fraction as a float, each end of an interval as Python's own, others as they are."""
    if isinstance(value, Real | Decimal) and not isinstance(value, Integral):
        return _arguments.known_number(value)
    if hint == tuple[float, float] and isinstance(value, tuple | list | np.ndarray):
        return tuple(map(_arguments.known_number, cast("Sequence[Any]", value)))
    return value


def check_jobs(model: Any) -> None:
    """Refuse an `n_jobs` that is none, as it may have been set after `fit`."""
    _arguments.jobs("n_jobs", as_whole(_arguments.plain_number(model.n_jobs)))


def as_whole(value: Any) -> Any:
    """Return what stands for a whole number as one, and anything else as it is.

    Examples
    --------
    >>> as_whole(3.0), as_whole(0.5)
    (3, 0.5)
    """
    fits = isinstance(value, float) and value.is_integer() and abs(value) < _LIMITS[int]
    return int(value) if fits or isinstance(value, bool) else value


def _wrong_kind(name: str, value: Any, hint: Any) -> WrongKindError:
    return WrongKindError(f"{name}={_arguments.short(value)} must be {_in_words(hint)}")


@cache
def _hints(cls: type[Any]) -> dict[str, Any]:
    """Return the types of a constructor's parameters, as far as they can be read."""
    try:
        return get_type_hints(cls if dataclasses.is_dataclass(cls) else cast("Any", cls).__init__)
    except (NameError, TypeError):  # a name that only a type checker imports
        return {}


@cache
def _counts(cls: type[Any]) -> frozenset[str]:
    """Return the names of the parameters that are whole numbers, or none."""
    return frozenset(
        name
        for name, hint in _hints(cls).items()
        if name not in _SEEDS and _fits(2, hint) and not _fits(0.5, hint)
    )


def _fits(value: Any, hint: Any) -> bool:
    """Say whether a value may be what a hint says; in doubt it may."""
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        return any(_fits(value, each) for each in get_args(hint))
    if origin is Literal:
        return isinstance(value, str | int | NoneType)
    kind = hint if origin is None else origin
    if not isinstance(kind, type) or kind in {object, Any} or getattr(kind, "_is_protocol", False):
        return True
    counts = kind in {bool, int, float} and _arguments.is_whole(value)
    if counts and abs(int(value)) > _LIMITS[kind]:
        return False
    if kind is int and isinstance(value, float | np.floating):
        return float(value).is_integer() and abs(float(value)) < _LIMITS[int]
    fits = isinstance(cast("object", value), _STAND_FOR.get(cast("Any", kind), kind))
    fits = fits and not isinstance(value, np.timedelta64)  # NumPy counts it among whole numbers
    return fits and (
        kind is not Mapping or _all_fit(cast("Any", value), *(get_args(hint) or (Any, Any)))
    )


def _in_words(hint: Any) -> str:
    """Return what a hint asks for, as one would say it."""
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        words = [_in_words(each) for each in get_args(hint)]
        return " or ".join(dict.fromkeys(sorted(words, key=lambda word: word == "None")))
    if origin is Literal:
        return " or ".join(repr(each) for each in get_args(hint))
    kind = hint if origin is None else origin
    return _SAID.get(kind, f"a {getattr(kind, '__name__', kind)}")


def _all_fit(mapping: Mapping[Any, Any], key: Any, value: Any) -> bool:
    return all(_fits(name, key) and _fits(each, value) for name, each in mapping.items())


_WHOLE = (int, np.integer, np.bool_)
_STAND_FOR: dict[Any, Any] = {
    bool: _WHOLE,
    int: _WHOLE,
    float: (*_WHOLE, float, np.floating),
    str: (str, np.str_),
    tuple: (tuple, list),
    Sequence: (tuple, list, str, np.ndarray),
    Mapping: dict,
}
"""What may stand where a constructor asks for such a thing."""

_SAID: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    NoneType: "None",
    tuple: "a tuple",
    Sequence: "a list",
    Mapping: "a mapping",
    Callable: "a function",
}
"""How such a thing is called."""
