"""The parameters a game was begun with: nothing is proved of one whose parameters were changed.

The call that makes the learner anew is kept in the state of the first round and compared before
every other.
"""

import inspect
from functools import cache
from typing import Any

from numpy.random import Generator


def constructor_call(learner: Any) -> str:
    """Return the call that makes a learner anew; of a generator only its kind.

    Examples
    --------
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> constructor_call(Exp3(n_arms=2, seed=7))
    'Exp3(n_arms=2, learning_rate=None, horizon=None, seed=7)'
    """
    kind = type(learner)
    words: list[str] = []
    for name in _parameters(kind):
        value = getattr(learner, name)
        words.append(f"{name}={value}" if isinstance(value, Generator) else f"{name}={value!r}")
    return f"{kind.__name__}({', '.join(words)})"


def call_of_first_round(learner: Any, begun_as: str) -> str:
    """Return the call that made the learner; refuse one other than that of the first round.

    `begun_as` is that, or empty in the first round. No theorem speaks of both.

    Examples
    --------
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> call_of_first_round(Exp3(n_arms=2), constructor_call(Exp3(n_arms=2)))
    'Exp3(n_arms=2, learning_rate=None, horizon=None, seed=0)'
    """
    call = constructor_call(learner)
    if begun_as and call != begun_as:
        raise ValueError(
            f"the game was begun as {begun_as}; nothing is proved of {call}. Change "
            "the parameters back, or begin a game with a new learner"
        )
    return call


@cache
def _parameters(kind: type) -> tuple[str, ...]:
    return tuple(inspect.signature(kind).parameters)
