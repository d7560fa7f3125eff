"""What has been learnt, as others may see it: to be looked at, and not to be written to.

A certificate speaks of the whole run of an online learner, a game or a bandit. Whoever writes into
its state and lets it learn on has a run that no theorem knows. So arrays are handed out as views
that cannot be written to, and a learner of which something learnt is replaced by hand says so: its
seal is broken until it is fitted anew. A state of another form, which compiled loops would follow
beyond its arrays, is refused. The learner itself reads and writes its `__dict__`.
"""

from abc import abstractmethod
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator

from surelearn._locks import CopiedInTurn, in_turn
from surelearn.base.fitting import as_it_is
from surelearn.base.seal import break_seal

_Value = TypeVar("_Value")


def locked(value: _Value) -> _Value:
    """Return a state whose arrays cannot be written to; no array is copied.

    A learner in it, which knows the parameters of its run, is handed out as a copy.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     totals: np.ndarray
    >>> held = State(np.zeros(2))
    >>> locked(held).totals[0] = 1.0
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    >>> held.totals[0] = 1.0
    """
    if type(value) is np.ndarray:
        view = cast("Any", value).view()
        view.flags.writeable = False
        return view
    if _is_plain(value):
        parts = [locked(part) for part in cast("tuple[Any, ...]", value)]
        return tuple.__new__(cast("Any", type(value)), parts)
    return as_it_is(value) if isinstance(value, BaseEstimator) else value


def _is_plain(value: Any) -> bool:
    """Return whether a value is a tuple and nothing more: a reader of rows has attributes, too."""
    return isinstance(value, tuple) and not hasattr(cast("Any", value), "__dict__")


def _unlocked(value: _Value) -> _Value:
    """Return a state that can be written to; only arrays that cannot are copied."""
    if type(value) is np.ndarray:
        array = cast("Any", value)
        return array if array.flags.writeable else array.copy()
    if _is_plain(value):
        parts = [_unlocked(part) for part in cast("tuple[Any, ...]", value)]
        return tuple.__new__(cast("Any", type(value)), parts)
    return value


class HandedOut:
    """An attribute of a class of learners: its own hold the state, others get it locked.

    A learner that has not begun has no such attribute: its method `_not_begun` returns the error to
    be raised.

    Examples
    --------
    >>> class Learner(OwnsItsState):
    ...     state_ = HandedOut()
    ...     def _not_begun(self):
    ...         return AttributeError("it is not fitted yet")
    >>> hasattr(Learner(), "state_")
    False
    """

    def __set_name__(self, owner: type[Any], name: str) -> None:
        """Take the name under which it stands in the class."""
        self._name = name

    def __get__(self, learner: Any, owner: type[Any]) -> Any:
        """Return the state of a learner, locked."""
        if learner is None:
            return self
        held = learner.__dict__
        if self._name not in held:
            raise learner._not_begun()  # noqa: SLF001 - a hook for this
        return locked(held[self._name])

    def __set__(self, learner: Any, value: Any) -> None:
        """Put a state in, as whoever loads a learner does; of what is locked it gets a copy."""
        learner.__dict__[self._name] = _unlocked(value)


class OwnsItsState(CopiedInTurn):
    """A learner that notices what is put in place of something it has learnt.

    Examples
    --------
    >>> from surelearn.learners.linear.online_ridge import OnlineRidge
    >>> model = OnlineRidge().partial_fit([[1.0], [2.0]], [1.0, 2.0])
    >>> model.n_rounds_ = 1
    >>> model.partial_fit([[3.0]], [3.0]).certificates()
    Traceback (most recent call last):
    ValueError: this OnlineRidge was changed after it was fitted, and nothing is proved of what it
    has become: fit it again
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let what is stated of a run wait for a round that another thread is in the middle of."""
        for name in {"certificates", "guarantee"} & vars(cls).keys():
            setattr(cls, name, in_turn(vars(cls)[name]))
        super().__init_subclass__(**kwargs)

    @abstractmethod
    def _check_form(self) -> None:
        """Refuse a state that this learner cannot have: compiled loops rely on its form."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; one that comes of learning is set by hand, if learning has begun."""
        if isinstance(getattr(type(self), name, None), HandedOut):
            _refuse_another_form(self, name, value)
        if name[-1:] == "_" and name in self.__dict__:
            break_seal(self)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        """Remove an attribute; whoever removes what came of learning could put another there."""
        object.__delattr__(self, name)
        if name[-1:] == "_":
            break_seal(self)


def _refuse_another_form(learner: Any, name: str, value: Any) -> None:
    """Refuse a state that no learning can lead to: no round looks at its arrays again."""
    twin = object.__new__(type(learner))
    twin.__dict__ = vars(learner) | {name: value}
    try:
        twin._check_form()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(
            f"this {type(learner).__name__} cannot have learnt such a {name}: {error}. It stays as "
            "it was"
        ) from error
