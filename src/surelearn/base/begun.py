"""As what a game was begun: nothing is proved of one whose parameters were changed."""

import inspect
from functools import cache
from typing import Any

from numpy.random import Generator


def call_of(learner: Any) -> str:
    """Return the call that makes a learner anew; of a generator only its kind.

    Examples
    --------
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> call_of(Exp3(n_arms=2, seed=7))
    'Exp3(n_arms=2, learning_rate=None, horizon=None, seed=7)'
    """
    given = {name: getattr(learner, name) for name in _parameters(type(learner))}
    words = [f"{k}={v}" if isinstance(v, Generator) else f"{k}={v!r}" for k, v in given.items()]
    return f"{type(learner).__name__}({', '.join(words)})"


def refuse_changes(learner: Any, begun_as: str) -> None:
    """Refuse parameters other than those of the first round: no theorem speaks of both.

    Examples
    --------
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> refuse_changes(Exp3(n_arms=2), call_of(Exp3(n_arms=2)))
    """
    if call_of(learner) != begun_as:
        raise ValueError(
            f"the game was begun as {begun_as}; nothing is proved of {call_of(learner)}. Change "
            "the parameters back, or begin a game with a new learner"
        )


@cache
def _parameters(kind: type) -> tuple[str, ...]:
    return tuple(inspect.signature(kind).parameters)
