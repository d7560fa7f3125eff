"""Weighted majority: experts that err keep a share of their weight.

    predict 1 if the experts that say 1 hold at least half of the weight;   w_k = β^(mistakes of k)

Littlestone and Warmuth (1994); the bound is `surelearn.bounds.mistakes.weighted_majority`.
"""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate, Status
from surelearn.learners.experts._voting import VotingGame

_SMALL = 1e-100


@jit
def _vote_rounds(
    said: Matrix,
    outcomes: Vector,
    beta: float,
    every_round: int,
    counts: Indices,
    powers: Vector,
    predictions: Indices,
) -> None:
    """Vote in each round; `counts` are the punished mistakes, `powers` of beta the weights."""
    for t in range(said.shape[0]):
        ones, zeros = 0.0, 0.0
        for k in range(powers.shape[0]):
            if said[t, k] == 1.0:
                ones += powers[k]
            else:
                zeros += powers[k]
        predictions[t] = ones >= zeros
        if every_round or predictions[t] != outcomes[t]:
            for k in range(powers.shape[0]):
                if said[t, k] != outcomes[t]:
                    counts[k] += 1
                    powers[k] *= beta
        if ones + zeros < _SMALL:  # the counts know what the powers have rounded to nothing
            for k in range(powers.shape[0]):
                powers[k] = beta ** float(counts[k] - counts.min())


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
        self._check_parameters()
        return mistakes.weighted_majority(
            best_mistakes=best_mistakes, n_experts=n_experts, beta=self.beta
        )

    @property
    def weights(self) -> Vector:
        """The weights of the experts in the next vote; they sum to 1."""
        self._refuse_before_the_first_round()
        powers = np.exp(math.log(self.beta) * (self.n_punished_ - self.n_punished_.min()))
        return powers / powers.sum()

    def _check_parameters(self) -> None:
        if self.beta == 0.0:
            raise ValueError("beta=0 forgives no mistake; that is the learner Halving")
        _arguments.open_fraction("beta", self.beta)

    def _start(self, n_experts: int) -> None:
        super()._start(n_experts)
        self.n_punished_, self.powers_ = np.zeros(n_experts, dtype=np.int64), np.ones(n_experts)

    def _vote(self, said: Matrix, outcomes: Vector, predictions: Indices) -> None:
        rules = float(self.beta), not self.only_on_mistakes
        _vote_rounds(said, outcomes, *rules, self.n_punished_, self.powers_, predictions)

    def _certificates(self) -> Iterable[Certificate]:
        built: tuple[Status, str] = ("by-construction", "the code does exactly this")
        best = int(self.expert_losses_.min())
        counted: tuple[Status, str] = ("checked", f"the best expert erred {best} times")
        bound = self.guarantee(n_experts=self.n_experts_, best_mistakes=best)
        yield self._certify(
            replace(bound, trivial=float(self.n_rounds_)),
            counted,
            built,
            built,
            kind="mistakes",
            observed=self.n_mistakes_,
        )
