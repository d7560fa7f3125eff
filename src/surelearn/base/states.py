"""States as values: copied to play on, compared, and hashed.

A state is a NamedTuple of arrays, of other such tuples and of immutable values. Coins are the one
exception: a generator may be shared with others, so that it is never copied but drawn from itself,
and `CoinsSetBack` returns it to where it was if what was begun fails.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, TypeVar, cast

import numpy as np
from numpy.random import Generator

_State = TypeVar("_State", bound=tuple[Any, ...])


def copy_of(state: _State) -> _State:
    """Return a state with arrays of its own; only generators are shared.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     totals: np.ndarray
    >>> state = State(np.zeros(2))
    >>> changed = copy_of(state)
    >>> changed.totals[0] = 1.0
    >>> state.totals, changed.totals
    (array([0., 0.]), array([1., 0.]))
    """
    fields: list[Any] = []
    for value in state:
        if isinstance(value, np.ndarray):
            fields.append(cast("Any", value).copy())
        else:
            fields.append(copy_of(cast("Any", value)) if isinstance(value, tuple) else value)
    return cast("Any", type(state))._make(fields)


def same(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Say whether two states hold exactly the same, coins included; NaN equals NaN.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     totals: np.ndarray
    >>> same(State(np.zeros(2)), State(np.zeros(2))), same(State(np.zeros(2)), State(np.ones(2)))
    (True, False)
    """
    return type(first) is type(second) and digest(first) == digest(second)


def digest(state: tuple[Any, ...]) -> str:
    """Return a hash of everything in a state.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     totals: np.ndarray
    >>> digest(State(np.zeros(2))) == digest(State(np.zeros(2)))
    True
    >>> digest(State(np.zeros(2))) == digest(State(np.ones(2)))
    False
    """
    sha256 = hashlib.sha256()
    for value in _leaves(state):
        if isinstance(value, np.ndarray):
            array = cast("Any", value)
            sha256.update(f"{array.dtype}{array.shape}".encode())
            sha256.update(array.tobytes())
        elif isinstance(value, Generator):
            sha256.update(repr(value.bit_generator.state).encode())
        else:
            sha256.update(repr(value).encode())
        sha256.update(b";")
    return sha256.hexdigest()


class CoinsSetBack:
    """Set the generators of a state back if the block fails.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     coins: Generator
    >>> state = State(np.random.default_rng(0))
    >>> try:
    ...     with CoinsSetBack(state):
    ...         raise ValueError(state.coins.random())
    ... except ValueError as error:
    ...     print(error.args[0] == state.coins.random())
    True
    """

    def __init__(self, state: tuple[Any, ...]) -> None:
        self._before = [(v, v.bit_generator.state) for v in state if isinstance(v, Generator)]

    def __enter__(self) -> None:
        """Begin what may fail."""

    def __exit__(self, failure: object, *_: object) -> None:
        if failure is not None:
            for coins, before in self._before:
                coins.bit_generator.state = before


def _leaves(state: tuple[Any, ...]) -> Iterator[Any]:
    for value in state:
        if isinstance(value, tuple):
            yield from _leaves(cast("Any", value))
        else:
            yield value
