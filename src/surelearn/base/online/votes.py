"""How long each weight vector of a Perceptron survived: the votes of the voted Perceptrons.

A state has `votes`, the history of pairs of its weight vectors but the last: each came by adding
stored row k (+k) or subtracting it (-k), and survived so many rounds; `last` is this pair for the
current one.
"""

from typing import Any, TypeVar, cast

import numpy as np

from surelearn._typing import Indices
from surelearn.base.online.passes import Visits
from surelearn.base.online.state import appended

_State = TypeVar("_State", bound=Any)


def with_votes(state: _State, visits: Visits, names: Indices) -> _State:
    """Return a state whose votes go on through some passes over the same rows.

    `names` are the numbers of the rows in the store, from 1.
    """
    last, votes, n_rows = state.last.copy(), state.votes, len(names)
    for places in visits.places:
        if not len(places):
            last[1] += n_rows
            continue
        # The weights of each mistake live until the next; those before, until the first.
        lives = np.diff(places, append=n_rows)
        fresh = np.column_stack([visits.signs[places].astype(np.int64) * names[places], lives])
        last[1] += places[0]
        done = np.vstack([last, fresh[:-1]])
        # The first weights, 0, never survive a round and never vote.
        done = done[1:] if last[0] == 0 else done
        votes, last = appended(votes, done) if len(done) else votes, fresh[-1]
    return cast("Any", state)._replace(votes=votes, last=last)


def votes_of(state: Any) -> Indices:
    """Return all votes of a problem, the current one last: by which row, then for how long."""
    current = state.last[np.newaxis][: int(state.last[0] != 0)]
    return np.ascontiguousarray(np.concatenate([*state.votes, current]).T)


def refuse_forged_votes(state: Any, n_stored: int) -> None:
    """Refuse votes by rows that are not stored, as a forged model file may hold them."""
    if not all(
        isinstance(block, np.ndarray) and block.dtype == np.int64 and block.shape[1:] == (2,)
        for block in state.votes
    ):
        raise ValueError("its votes are not pairs of a row and a life")
    votes = votes_of(state)
    if votes.shape[1] and (abs(votes[0]).max() > n_stored or abs(votes[0]).min() < 1):
        raise ValueError("a vote is by a row that is not stored")
    if not (votes[1] >= 0).all() or not (state.last >= [-n_stored, 0]).all():
        raise ValueError("a vote has lived less than no round")
