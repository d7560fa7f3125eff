"""What games with experts and with bandits share: their state, and the parameters they began with.

Nothing is proved of a game whose parameters were changed in the middle, so that the call which made
the learner is kept with the state of its first round and compared before every other.
"""

import inspect
from functools import cache
from typing import Any, NamedTuple

from numpy.random import Generator


class GameState(NamedTuple):
    """All that a game has come to; a call plays on a copy and puts it in place when all went well.

    Parameters
    ----------
    begun_as
        The call that made the learner, as of the first round; empty before it.
    tallies
        What every game of the family counts: a NamedTuple of arrays.
    learnt
        What this learner keeps: its own `State`, a NamedTuple of arrays.
    """

    begun_as: str
    tallies: Any
    learnt: Any


def constructor_call(learner: Any) -> str:
    """Return the call that makes a learner anew; of a generator only its kind.

    Examples
    --------
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> constructor_call(Exp3(n_arms=2, seed=7))
    'Exp3(n_arms=2, learning_rate=None, horizon=None, seed=7)'
    """
    given = {name: getattr(learner, name) for name in _parameters(type(learner))}
    words = [f"{k}={v}" if isinstance(v, Generator) else f"{k}={v!r}" for k, v in given.items()]
    return f"{type(learner).__name__}({', '.join(words)})"


def refuse_changed_parameters(learner: Any, begun_as: str) -> None:
    """Refuse parameters other than those of the first round: no theorem speaks of both.

    Examples
    --------
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> refuse_changed_parameters(Exp3(n_arms=2), constructor_call(Exp3(n_arms=2)))
    """
    call = constructor_call(learner)
    if call != begun_as:
        raise ValueError(
            f"the game was begun as {begun_as}; nothing is proved of {call}. Change "
            "the parameters back, or begin a game with a new learner"
        )


@cache
def _parameters(kind: type) -> tuple[str, ...]:
    return tuple(inspect.signature(kind).parameters)
