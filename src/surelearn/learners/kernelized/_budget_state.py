"""What a kernel Perceptron on a budget has learnt: slots that hold rows, and their coefficients."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.online.state import History
from surelearn.learners.kernelized._dual import stacked


@stored("budgeted-kernel-perceptron-state")
@holds(
    coef="finite[budget]",
    held="int[budget]",
    counts="int[3]",
    sums="finite[2]",
    radius="finite[1]",
    seed="int[1]",
    support=tuple,
)
class State(NamedTuple):
    """All that one two-class problem has learnt.

    Slot k holds row `held[k]` of `support`, a table that all problems share, with `coef[k]`; rows
    of a `fit` that is under way are numbered after those. `counts` are the slots in use, the oldest
    of them, and the terms dropped so far; `sums` a bound on the norm of f and the norms removed.
    """

    coef: Vector
    held: Indices
    counts: Indices
    sums: Vector
    radius: Vector
    seed: Indices
    support: History


def gathered(support: Any, table: Any, places: Indices) -> Any:
    """Return rows by their numbers: first those remembered, then those of the table."""
    old = places < support.shape[0]
    if old.all():
        return support[places]
    if not old.any():
        return table[places - support.shape[0]]
    both = stacked(support[places[old]], table[places[~old] - support.shape[0]])
    order = np.empty(len(places), dtype=np.int64)
    order[np.flatnonzero(old)] = np.arange(np.count_nonzero(old))
    order[np.flatnonzero(~old)] = np.count_nonzero(old) + np.arange(np.count_nonzero(~old))
    return both[order]


def spread_out(states: Sequence[State], n_rows: int) -> Matrix:
    """Return the coefficient of each row remembered, a line for each problem."""
    spread = np.zeros((len(states), n_rows))
    for state, line in zip(states, spread, strict=True):
        held = state.held[: state.counts[0]]
        known = held < n_rows  # another thread may be learning a row that is not yet remembered
        np.add.at(line, held[known], state.coef[: len(held)][known])
    return spread
