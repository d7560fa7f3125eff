"""States as values: copied to learn or play on, compared, and hashed.

A state is a NamedTuple of arrays, of other such records and of values that nobody writes to. A
plain tuple in it is history (rows kept, votes cast), which is replaced and never written to, so
copies share it. Coins are the one exception: a generator may be shared with others, so to play on
it is not copied but drawn from itself, and `CoinsSetBack` returns it to where it was if what was
begun fails. Its field is called `coins`. Only `twin_of` gives a copy of a whole learner its own.
"""

import hashlib
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, TypeVar, cast

import numpy as np
from numpy.random import Generator
from scipy import sparse

COINS = "coins"
"""The field of a state that holds its generator of random numbers."""

_State = TypeVar("_State", bound=tuple[Any, ...])
_Learner = TypeVar("_Learner")


def copy_of(state: _State) -> _State:
    """Return a state with arrays of its own; history and generators are shared.

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
    if not state:  # some games have no state beside their counts
        return state
    # Before every round: without helpers and without the NamedTuple's constructor it is faster.
    fields = [
        value.copy()
        if type(value) is np.ndarray
        # Another record is copied; a plain tuple is history, however long, and is shared.
        else (copy_of(value) if isinstance(value, tuple) and type(value) is not tuple else value)
        for value in state
    ]
    return tuple.__new__(type(state), fields)


def twin_of(learner: _Learner) -> _Learner:
    """Return a copy of a learner that plays on as it would, without changing it: for `copy.copy`.

    Its coins stand where those of the learner do, and are its own. Arrays are shared, since a game
    is played on copies of them.

    Examples
    --------
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> bandit = Exp3(n_arms=50)
    >>> twin = twin_of(bandit)
    >>> twin.select() == bandit.select()
    True
    """
    twin = object.__new__(type(learner))
    twin.__dict__ = vars(learner).copy()
    if "state_" in vars(twin):
        vars(twin)["state_"] = _with_own_coins(vars(twin)["state_"])
    return twin


def _with_own_coins(state: _State) -> _State:
    return tuple.__new__(
        type(state),
        [
            _with_own_coins(cast("tuple[Any, ...]", part))
            if isinstance(part, tuple)
            else (deepcopy(part) if isinstance(part, Generator) else part)
            for part in state
        ],
    )


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
    for piece in _pieces(state):
        sha256.update(piece)
        sha256.update(b";")
    return sha256.hexdigest()


def refuse_unlike(state: tuple[Any, ...], start: tuple[Any, ...]) -> None:
    """Refuse a state that is not of the form in which it starts: compiled loops rely on that.

    Arrays keep type and shape, and what is finite at the start stays so. History may have grown:
    whoever keeps it knows what it must be.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     totals: np.ndarray
    >>> refuse_unlike(State(np.ones(2)), State(np.zeros(2)))
    >>> refuse_unlike(State(np.ones(3)), State(np.zeros(2)))
    Traceback (most recent call last):
    ValueError: totals of its State is float64(3,), not float64(2,)
    """
    if type(state) is not type(start):
        raise ValueError(f"a {type(state).__name__} stands where a {type(start).__name__} belongs")
    for name, part, like in zip(_names(start), state, start, strict=True):
        if isinstance(like, tuple) and type(like) is not tuple:
            refuse_unlike(part, cast("tuple[Any, ...]", like))
        elif type(part) is not type(like):
            raise ValueError(f"{name} of its {type(start).__name__} is a {type(part).__name__}")
        elif isinstance(like, np.ndarray):
            _refuse_unlike_array(f"{name} of its {type(start).__name__}", part, like)


def refuse_other_draws(coins: Generator, start: Generator, n_drawn: int) -> None:
    """Refuse coins that do not stand where so many numbers in [0, 1) bring those of the start.

    Examples
    --------
    >>> coins = np.random.default_rng(0)
    >>> _ = coins.random(3)
    >>> refuse_other_draws(coins, np.random.default_rng(0), 3)
    >>> refuse_other_draws(coins, np.random.default_rng(0), 2)
    Traceback (most recent call last):
    ValueError: its coins were not tossed once in each of 2 rounds
    """
    bits: Any = start.bit_generator
    refuse_other_stream(coins, start)
    if bits.advance(n_drawn).state != coins.bit_generator.state:
        raise ValueError(f"its coins were not tossed once in each of {n_drawn} rounds")


def refuse_other_stream(coins: Generator, start: Generator) -> None:
    """Refuse coins that go along another sequence than those of the start, wherever they stand.

    Examples
    --------
    >>> refuse_other_stream(np.random.default_rng(0), np.random.default_rng(1))
    Traceback (most recent call last):
    ValueError: its coins are not those of its seed
    """
    if _stream(coins) != _stream(start):
        raise ValueError("its coins are not those of its seed")


def _stream(coins: Generator) -> Any:
    """Return what a seed decides for good: which of all sequences a generator goes along."""
    held: Any = coins.bit_generator.state
    return held["bit_generator"], held["state"].get("inc")


def _names(state: Any) -> tuple[str, ...]:
    return state._fields


def _refuse_unlike_array(name: str, part: Any, like: Any) -> None:
    found, wanted = (f"{array.dtype}{array.shape}" for array in (part, like))
    if found != wanted:
        raise ValueError(f"{name} is {found}, not {wanted}")
    wild = ~np.isfinite(part)
    if (wild & np.isfinite(like)).any() or (np.isnan(part) & ~np.isnan(like)).any():
        raise ValueError(f"{name} holds NaN or infinity")


class CoinsSetBack:
    """Set the generator of a state, if it has one, back if the block fails.

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

    __slots__ = ("_before", "_coins")

    def __init__(self, state: tuple[Any, ...]) -> None:
        self._coins: Generator | None = getattr(state, COINS, None)
        self._before: Any = None if self._coins is None else self._coins.bit_generator.state

    def __enter__(self) -> None:
        """Begin what may fail."""

    def __exit__(self, failure: object, *_: object) -> None:
        if failure is not None and self._coins is not None:
            self._coins.bit_generator.state = self._before


def _pieces(value: Any) -> Iterator[bytes]:
    """Yield what a state consists of, its form included, as bytes."""
    if isinstance(value, tuple):
        parts = cast("tuple[Any, ...]", value)
        yield f"<{type(parts).__name__} of {len(parts)}>".encode()
        for part in parts:
            yield from _pieces(part)
    elif isinstance(value, np.ndarray):
        array = cast("Any", value)
        yield f"{array.dtype}{array.shape}".encode()
        yield array.tobytes()
    elif sparse.issparse(value):
        table = cast("Any", value).tocsr()
        yield from _pieces((np.array(table.shape), table.data, table.indices, table.indptr))
    elif isinstance(value, Generator):
        yield repr(value.bit_generator.state).encode()
    else:
        yield repr(value).encode()
