"""Halving: the majority among the experts that have never erred.

    predict 1 if at least half of the pool says 1;   the experts that erred leave the pool

Angluin (1988), Littlestone (1988); the bound is `surelearn.bounds.mistakes.halving`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._stored import stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate, checked, violated
from surelearn.learners.experts._game import BUILT
from surelearn.learners.experts._voting import VotingGame


@stored("halving-state")
class State(NamedTuple):
    """Which experts are still in."""

    pool: Mask


@jit
def _vote_rounds(
    advice: Matrix, outcomes: Vector, every_round: int, pool: Mask, predictions: Indices
) -> int:
    """Vote in each round, then thin the pool; stop at the round that would empty it."""
    for t in range(advice.shape[0]):
        ones, right, size = 0, 0, 0
        for k in range(pool.shape[0]):
            if pool[k]:
                size += 1
                ones += advice[t, k] == 1.0
                right += advice[t, k] == outcomes[t]
        predictions[t] = 2 * ones >= size  # a tie is 1
        if every_round or predictions[t] != outcomes[t]:
            if right == 0:
                return t
            for k in range(pool.shape[0]):
                pool[k] = pool[k] and advice[t, k] == outcomes[t]
    return advice.shape[0]


class Halving(VotingGame):
    """Majority vote among the experts that were always right: at most log2 K mistakes.

    Some expert must never err; a round that contradicts all of them is refused.

    Parameters
    ----------
    only_on_mistakes
        Let experts that erred leave only when the vote was wrong too; the bound is the same.

    Attributes
    ----------
    pool_
        Which experts are still in.
    weights
        1 / (size of the pool) for those, 0 for the others.
    n_mistakes_, cumulative_loss_, expert_losses_, regret_, n_experts_, n_rounds_
        The tallies of the game; see `VotingGame`.

    Examples
    --------
    >>> learner = Halving()
    >>> learner.learn([[0, 1, 1], [0, 0, 1]], [0, 0]).tolist()
    [1, 0]
    >>> learner.pool_.tolist(), print(learner.certificates()[0].claim)
    With certainty, the number of mistakes is at most 1.
    ([True, False, False], None)
    """

    def __init__(self, *, only_on_mistakes: bool = False) -> None:
        self.only_on_mistakes = only_on_mistakes

    def guarantee(self, *, n_experts: int) -> Guarantee:
        """Bound the mistakes, if one of so many experts never errs."""
        return mistakes.halving(n_experts=n_experts)

    @property
    def pool_(self) -> Mask:
        """Which experts are still in."""
        return self.state_.learnt.pool

    def _weights(self, state: State) -> Vector:
        return state.pool / state.pool.sum()

    def _check_parameters(self) -> None:
        _arguments.flag("only_on_mistakes", self.only_on_mistakes)

    def _start(self, n_experts: int) -> State:
        return State(pool=np.ones(n_experts, dtype=np.bool_))

    def _vote(
        self, advice: Matrix, outcomes: Vector, n_before: int, state: State, predictions: Indices
    ) -> None:
        end = _vote_rounds(advice, outcomes, not self.only_on_mistakes, *state, predictions)
        if end < len(advice):
            raise ValueError(
                f"no expert is consistent: in round {n_before + end + 1} (row {end}) all "
                "that were left are wrong; WeightedMajority forgives mistakes"
            )

    def _certificates(self) -> Iterable[Certificate]:
        least = int(self.expert_losses_.min())
        perfect = checked("an expert has been right in every round")
        if least > 0:
            perfect = violated(f"the best expert erred {least} times")
        bound = replace(self.guarantee(n_experts=self.n_experts_), trivial=float(self.n_rounds_))
        evidence = {"realizable": perfect, "vote": BUILT, "update": BUILT}
        yield self._certify(bound, evidence, kind="mistakes", observed=self.n_mistakes_)

    @classmethod
    def _state_of_format_1(cls, old: Mapping[str, Any]) -> State:
        return State(old["pool_"])
