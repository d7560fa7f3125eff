"""Primitives of the game of experts: exponential weights, sleepers, mixability gaps.

`behind[k]` is how much more than the best expert so far expert k has lost; the best is 0 behind.
All of it works on what is lost beyond the least loss of a round, so that a common constant, however
large, rounds nothing away.
"""

import math
from typing import NamedTuple

import numpy as np

from surelearn._jit import inner, jit
from surelearn._jit.elementary import exp
from surelearn._jit.rows import unlocked
from surelearn._typing import Matrix, Vector


class Rounds(NamedTuple):
    """A table of losses in a form that compiled code accepts.

    `awake` has a row of confidences in [0, 1] for each round, or no row: then nobody sleeps.
    `floor` is the least loss of an awake expert in each round.
    """

    losses: Matrix
    awake: Matrix
    floor: Vector

    def chunk(self, rows: slice) -> "Rounds":
        """Return some consecutive rounds; nothing is copied."""
        awake = self.awake[rows] if len(self.awake) else self.awake
        return Rounds(self.losses[rows], awake, self.floor[rows])


def rounds(losses: Matrix, awake: Matrix | None = None) -> Rounds:
    """Return a table of losses with the least loss of each round.

    Examples
    --------
    >>> rounds(np.array([[3.0, 1.0], [2.0, 5.0]]), np.array([[1.0, 0.0], [0.0, 0.0]])).floor
    array([3., 0.])
    """
    losses, asleep = unlocked(losses), np.empty((0, losses.shape[1]))
    asleep = asleep if awake is None else unlocked(awake)
    table = Rounds(losses, asleep, np.empty(len(losses)))
    _find_floor(losses, asleep, table.floor)
    return table


@jit
def lie_within(losses: Matrix, low: float, high: float) -> bool:
    """Say whether every loss lies in [low, high]; one that is not a number does not."""
    flat, n_outside = losses.ravel(), 0
    for i in range(len(flat)):  # counting, not stopping at the first: so it becomes vectors
        n_outside += not low <= flat[i] <= high
    return n_outside == 0


@jit
def _find_floor(losses: Matrix, awake: Matrix, floor: Vector) -> None:
    """Write the least loss of an awake expert in each round; 0 if all sleep."""
    for t in range(losses.shape[0]):
        least = np.inf
        for k in range(losses.shape[1]):
            if awake.shape[0] == 0 or awake[t, k] > 0.0:
                least = min(least, losses[t, k])
        floor[t] = least if least < np.inf else 0.0


_TOO_SMALL = 1e-60  # the sum at which zero is moved up to the best: long before exp underflows


@jit
def weigh(t: int, behind: Vector, rate: float, weights: Matrix) -> float:
    """Weigh the experts in round `t` by exp(-rate x behind); return the sum before division."""
    for k in range(behind.shape[0]):  # our own exp: the library's would keep this a scalar loop
        weights[t, k] = exp(-rate * behind[k])
    # A sum in a loop that also writes may be taken in another order, by where the arrays lie in
    # memory: a last bit that differs from call to call would decide between equal experts.
    total = 0.0
    for k in range(behind.shape[0]):
        total += weights[t, k]
    share = 1.0 / total
    for k in range(behind.shape[0]):
        weights[t, k] *= share
    return total


@inner
def weigh_awake(table: Rounds, t: int, behind: Vector, rate: float, weights: Matrix) -> None:
    """Weigh the awake experts in round `t` relative to the best of them, who may be far behind."""
    nearest = np.inf
    for k in range(behind.shape[0]):
        if table.awake[t, k] > 0.0:
            nearest = min(nearest, behind[k])
    # If all sleep, `nearest` is infinite: the minimum makes that exp(0), and `restrict` a 0.
    for k in range(behind.shape[0]):
        weights[t, k] = exp(min(rate * (nearest - behind[k]), 0.0))
    restrict(table, t, weights)


@inner
def restrict(table: Rounds, t: int, weights: Matrix) -> None:
    """Multiply weights by the confidences of round `t`; they sum to 1, or to 0 if all sleep."""
    total = 0.0
    if table.awake.shape[0] > 0:
        for k in range(weights.shape[1]):
            weights[t, k] *= table.awake[t, k]
    for k in range(weights.shape[1]):
        total += weights[t, k]
    share = 1.0 / total if total > 0.0 else 0.0
    for k in range(weights.shape[1]):
        weights[t, k] *= share


@jit
def _potential(behind: Vector, rate: float) -> float:
    """Return the sum of exp(-rate x behind)."""
    total = 0.0
    for k in range(behind.shape[0]):
        total += exp(-rate * behind[k])
    return total


@inner
def excess_of(table: Rounds, t: int, weights: Matrix) -> float:
    """Return the weighted loss of round `t` beyond the least loss of the awake."""
    total = 0.0
    for k in range(weights.shape[1]):
        total += weights[t, k] * (table.losses[t, k] - table.floor[t])
    return total


@jit
def charged(table: Rounds, t: int, k: int, excess: float) -> float:
    """Return what expert `k` loses beyond the floor; a sleeper is charged the learner's excess."""
    if table.awake.shape[0] == 0:
        return table.losses[t, k] - table.floor[t]
    awake = table.awake[t, k]
    return awake * (table.losses[t, k] - table.floor[t]) + (1.0 - awake) * excess


@inner
def _move_up(behind: Vector) -> float:
    """Move zero up to the best expert; return by how much."""
    least = behind.min()
    for k in range(behind.shape[0]):
        behind[k] -= least
    return least


@jit
def advance(
    table: Rounds, t: int, excess: float, rate: float, before: float, behind: Vector
) -> float:
    """Charge the losses of round `t` to `behind` and return the mixability gap, never negative.

    The gap is the weighted loss minus the increase of -ln(sum of exp(-rate x loss)) / rate, taken
    from the potentials and not from the weights, which may have underflowed. Zero stays below the
    best expert and is moved up to it only when the sum becomes too small.
    """
    for k in range(behind.shape[0]):
        behind[k] += charged(table, t, k, excess)
    after, moved = _potential(behind, rate), 0.0
    if after < _TOO_SMALL:
        moved = _move_up(behind)
        after = _potential(behind, rate)
    gap = excess - moved - math.log(before / after) / rate
    return min(max(gap, 0.0), excess)  # true of exact numbers; rounding may not break a theorem


@jit
def exponential_weights(
    table: Rounds, rates: Vector, behind: Vector, gaps: Vector, weights: Matrix, excess: Vector
) -> None:
    """Play each round at its own rate; `behind` and `gaps` change, `weights` and `excess` fill."""
    if table.awake.shape[0] == 0:
        _all_awake(table, rates, behind, gaps, weights, excess)
        return
    for t in range(table.floor.shape[0]):
        before = weigh(t, behind, rates[t], weights)
        weigh_awake(table, t, behind, rates[t], weights)
        excess[t] = excess_of(table, t, weights)
        gaps[0] += advance(table, t, excess[t], rates[t], before, behind)


@inner
def _write_terms(behind: Vector, rate: float, terms: Vector) -> float:
    """Write exp(-rate x behind) into `terms` and return the sum of them."""
    total = 0.0
    for k in range(behind.shape[0]):
        term = exp(-rate * behind[k])
        terms[k] = term
        total += term
    return total


@inner
def _all_awake(
    table: Rounds, rates: Vector, behind: Vector, gaps: Vector, weights: Matrix, excess: Vector
) -> None:
    """Do the same when nobody sleeps, in half the time: `terms` hold on while the rate does.

    One function without helpers, so that its two loops over the experts become vectors.
    """
    terms, total = np.empty(behind.shape[0]), 0.0
    for t in range(table.floor.shape[0]):
        rate, floor, paid, after, moved = rates[t], table.floor[t], 0.0, 0.0, 0.0
        if t == 0 or rate != rates[t - 1]:
            total = _write_terms(behind, rate, terms)
        share = 1.0 / total
        for k in range(behind.shape[0]):
            weight = share * terms[k]
            weights[t, k] = weight
            paid += weight * (table.losses[t, k] - floor)
        for k in range(behind.shape[0]):
            lost = behind[k] + (table.losses[t, k] - floor)
            term = exp(-rate * lost)
            behind[k] = lost
            terms[k] = term
            after += term
        if after < _TOO_SMALL:  # as in `advance`
            moved = _move_up(behind)
            after = _write_terms(behind, rate, terms)
        gap = paid - moved - math.log(total / after) / rate
        gaps[0] += min(max(gap, 0.0), paid)
        excess[t], total = paid, after


@jit
def tally(table: Rounds, excess: Vector, expert_losses: Vector, regrets: Vector) -> None:
    """Add up what each expert lost and what the learner lost beyond it while it was awake."""
    for t in range(table.floor.shape[0]):
        for k in range(regrets.shape[0]):
            loss = charged(table, t, k, excess[t])
            expert_losses[k] += table.floor[t] + loss
            regrets[k] += excess[t] - loss
