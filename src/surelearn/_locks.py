"""Whose turn it is: one round of a learner, a game or a monitor after the other.

A round reads what was learnt, plays on and writes it back. Two threads that do so at once would
lose one of the rounds, and a certificate would tell of fewer than were played. The locks stand here
and not in the objects: so they are neither copied nor pickled, hashed or stored with them.
"""

import os
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from threading import RLock
from types import CodeType
from typing import Any, Self, TypeVar, cast
from weakref import finalize

_Method = TypeVar("_Method", bound=Callable[..., Any])

turns: dict[int, Any] = {}
"""The lock of each object that has one, by its `id`; see `new_turn`."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=turns.clear)  # whoever held one is not in the child


def new_turn(owner: Any) -> Any:
    """Return the lock of an object that has none yet; it is forgotten with the object.

    Write `with turns.get(id(owner)) or new_turn(owner):` where a call more would be felt.
    """
    finalize(owner, turns.pop, id(owner), None).atexit = False
    return turns.setdefault(id(owner), RLock())  # one that is held again: a round may call another


def turn_of(owner: Any) -> Any:
    """Return the lock of an object, held as long as it plays a round.

    Examples
    --------
    >>> class Game:
    ...     pass
    >>> game = Game()
    >>> turn_of(game) is turn_of(game), turn_of(game) is turn_of(Game())
    (True, False)
    """
    return turns.get(id(owner)) or new_turn(owner)


def in_turn(method: _Method) -> _Method:
    """Return a method that waits until no other thread is inside one of the same object.

    Examples
    --------
    >>> class Counter:
    ...     n = 0
    ...     @in_turn
    ...     def update(self):
    ...         self.n += 1
    >>> Counter().update()
    """

    @wraps(method)
    def taking_turns(self: Any, *args: Any, **kwargs: Any) -> Any:
        with turns.get(id(self)) or new_turn(self):
            return method(self, *args, **kwargs)

    return cast("_Method", taking_turns)


_TAKING_TURNS = next(c for c in in_turn.__code__.co_consts if isinstance(c, CodeType))


def without_turns(function: Any) -> Any:
    """Return the method of which `in_turn` made a function; any other value as it is.

    Examples
    --------
    >>> def update(self):
    ...     pass
    >>> without_turns(in_turn(update)) is update, without_turns(update) is update
    (True, True)
    """
    if getattr(function, "__code__", None) is not _TAKING_TURNS:
        return function
    return function.__closure__[0].cell_contents


class CopiedInTurn:
    """An object whose deep copies wait for a round that another thread is in the middle of.

    Examples
    --------
    >>> class Game(CopiedInTurn):
    ...     rounds = ()
    >>> game = Game()
    >>> game.rounds = [1]
    >>> deepcopy(game).rounds
    [1]
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return what `copy.deepcopy` would without this method, of one moment."""
        with turn_of(self):
            make, given, state = cast("Any", self.__reduce_ex__(4))[:3]
            twin = memo[id(self)] = make(*given)
            held = deepcopy(state, memo)
            put: Any = getattr(twin, "__setstate__", vars(twin).update)
            if held is not None:
                put(held)
        return twin
