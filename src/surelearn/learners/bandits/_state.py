"""The state of a game with a bandit, as a value."""

from typing import Any, NamedTuple

from surelearn._stored import holds, stored
from surelearn._typing import Indices, Vector


@stored("no-more-state")
class NothingMore(NamedTuple):
    """The state of a learner whose next arm follows from pulls and losses."""


@stored("bandit-counts")
@holds(
    pulls="int[arms]",
    arm_losses="finite[arms]",
)
class Counts(NamedTuple):
    """How often each arm was played, and the losses paid on it, summed."""

    pulls: Indices
    arm_losses: Vector


@stored("bandit-state")
@holds(
    begun_as="text",
    n_rounds="count",
    selected="count?",
    counts=Counts,
    learnt=tuple,
)
class BanditState(NamedTuple):
    """All that a game has come to.

    Parameters
    ----------
    begun_as
        The call that made the learner, as of the first round; empty before it.
    n_rounds
        The rounds played.
    selected
        The arm of this round, if it has been selected.
    counts
        How often each arm was played, and the losses paid on it.
    learnt
        What this learner keeps beside that: its own `State`, a NamedTuple of arrays and coins.
    """

    begun_as: str
    n_rounds: int
    selected: int | None
    counts: Counts
    learnt: Any
