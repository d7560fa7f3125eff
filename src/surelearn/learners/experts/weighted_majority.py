"""Weighted majority: experts that err keep a share of their weight.

    predict 1 if the experts that say 1 hold at least half of the weight;   w_k = β^(mistakes of k)

Littlestone and Warmuth (1994); the bound is `surelearn.bounds.mistakes.weighted_majority`.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._stored import stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate, checked
from surelearn.learners.experts._game import BUILT
from surelearn.learners.experts._voting import VotingGame

_SMALL = 1e-100


@stored("weighted-majority-state")
class State(NamedTuple):
    """How often each expert was punished, and beta to that power, up to a common factor."""

    n_punished: Indices
    weights: Vector


@jit
def _vote_rounds(
    advice: Matrix,
    outcomes: Vector,
    beta: float,
    every_round: int,
    n_punished: Indices,
    weights: Vector,
    predictions: Indices,
) -> None:
    """Vote in each round, then punish those that erred; the state changes in place."""
    for t in range(advice.shape[0]):
        ones, zeros = 0.0, 0.0
        for k in range(weights.shape[0]):
            if advice[t, k] == 1.0:
                ones += weights[k]
            else:
                zeros += weights[k]
        predictions[t] = ones >= zeros  # a tie is 1
        if every_round or predictions[t] != outcomes[t]:
            for k in range(weights.shape[0]):
                if advice[t, k] != outcomes[t]:
                    n_punished[k] += 1
                    weights[k] *= beta
        if ones + zeros < _SMALL:  # the counts know what the weights have rounded to nothing
            for k in range(weights.shape[0]):
                weights[k] = beta ** float(n_punished[k] - n_punished.min())


class WeightedMajority(VotingGame):
    """Weighted vote of experts, none of which needs to be perfect.

    Parameters
    ----------
    beta
        What a mistake leaves of an expert's weight, in (0, 1); with 0 it would be `Halving`.
    only_on_mistakes
        Punish experts only when the vote was wrong too; the bound is the same.

    Attributes
    ----------
    weights
        The weights of the experts in the next vote; they sum to 1.
    n_mistakes_, cumulative_loss_, expert_losses_, regret_, n_experts_, n_rounds_
        The tallies of the game; see `VotingGame`.
    n_punished_
        How often each expert was punished.

    Examples
    --------
    >>> learner = WeightedMajority(beta=0.5, only_on_mistakes=True)
    >>> learner.learn([[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [0, 0, 0, 0]).tolist()
    [1, 0, 0, 1]
    >>> learner.weights.round(4).tolist(), round(learner.certificates()[0].bound, 4)
    ([0.1667, 0.1667, 0.6667], 3.8188)
    """

    def __init__(self, *, beta: float = 0.5, only_on_mistakes: bool = False) -> None:
        self.beta = beta
        self.only_on_mistakes = only_on_mistakes

    def guarantee(self, *, n_experts: int, best_mistakes: int) -> Guarantee:
        """Bound the mistakes, if some expert errs at most `best_mistakes` times."""
        self._settle_parameters()
        return mistakes.weighted_majority(
            best_mistakes=best_mistakes, n_experts=n_experts, beta=self.beta
        )

    @property
    def n_punished_(self) -> Indices:
        """How often each expert was punished."""
        return self.state_.learnt.n_punished

    def _weights(self, state: State) -> Vector:
        # From the counts, relative to the least: the weights of the loop may have underflowed.
        weights = np.exp(math.log(self.beta) * (state.n_punished - state.n_punished.min()))
        return weights / weights.sum()

    def _check_parameters(self) -> None:
        if _arguments.real("beta", self.beta) == 0.0:
            raise ValueError("beta=0 forgives no mistake; that is the learner Halving")
        _arguments.open_fraction("beta", self.beta)
        _arguments.flag("only_on_mistakes", self.only_on_mistakes)

    def _start(self, n_experts: int) -> State:
        return State(n_punished=np.zeros(n_experts, dtype=np.int64), weights=np.ones(n_experts))

    def _vote(
        self, advice: Matrix, outcomes: Vector, n_before: int, state: State, predictions: Indices
    ) -> None:
        del n_before  # every round is like the first
        constants = float(self.beta), not self.only_on_mistakes
        _vote_rounds(advice, outcomes, *constants, *state, predictions)

    def _certificates(self) -> Iterable[Certificate]:
        best = int(self.expert_losses_.min())
        counted = checked(f"the best expert erred {best} times")
        bound = self.guarantee(n_experts=self.n_experts_, best_mistakes=best)
        yield self._certify(
            replace(bound, trivial=float(self.n_rounds_)),
            {"best_expert": counted, "vote": BUILT, "update": BUILT},
            kind="mistakes",
            observed=self.n_mistakes_,
        )

    @classmethod
    def _state_of_format_1(cls, old: Mapping[str, Any]) -> State:
        return State(old["n_punished_"], old["powers_"])
