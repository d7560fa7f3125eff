"""Randomised weighted majority: follow an expert drawn at random; a loss of 1 multiplies by beta.

    draw k with probability w_k / Σ w,   w_k ← w_k β^ℓ_k

Littlestone and Warmuth (1994); bounds in `surelearn.bounds.regret`.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral
from typing import NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._stored import stored
from surelearn._typing import Matrix, Vector
from surelearn.base.states import refuse_other_draws
from surelearn.bounds import Guarantee, regret
from surelearn.certificate import Certificate, checked
from surelearn.learners.experts import _loops
from surelearn.learners.experts._averaging import AveragingGame
from surelearn.learners.experts._game import BUILT
from surelearn.learners.experts._loops import Rounds


@stored("randomized-weighted-majority-state")
class State(NamedTuple):
    """How far each expert is behind the best, the factor in use, the expected loss, and coins."""

    behind: Vector
    beta: Vector
    expected_loss: Vector
    coins: np.random.Generator


@jit
def _draw(table: Rounds, uniforms: Vector, weights: Matrix, excess: Vector) -> None:
    """Give all weight to the expert that each uniform number points at, and pay its loss."""
    for t in range(uniforms.shape[0]):
        chosen, left = 0, uniforms[t]
        # The last expert of positive weight is chosen if rounding leaves the sum below the number.
        for k in range(weights.shape[1]):
            if weights[t, k] > 0.0 and left >= 0.0:
                chosen = k
                left -= weights[t, k]
        weights[t] = 0.0
        weights[t, chosen] = 1.0
        excess[t] = table.losses[t, chosen] - table.floor[t]


class RandomizedWeightedMajority(AveragingGame):
    """Experts when only one can be followed: drawn in proportion to the weights.

    An adversary that sees the weights but not the draw cannot force more than the expected loss,
    which is what the certificates are about. Losses lie in [0, 1]; 0 and 1 are mistakes.

    Parameters
    ----------
    beta
        What a loss of 1 leaves of an expert's weight, in (0, 1); 1/2 if neither is given.
    horizon
        The number of rounds, if known: beta is then max(1/2, 1 - √(ln K / horizon)).
    seed
        A number or a generator; the same seed gives the same draws.

    Attributes
    ----------
    weights
        The distribution over the experts in the next round.
    expected_loss_
        The sum of the losses expected before each draw.
    cumulative_loss_, regret_, regrets_
        What the drawn experts lost, and what they lost beyond the best expert and beyond each.
    expert_losses_, n_experts_, n_rounds_
        The tallies of the game; see `AveragingGame`.
    beta_
        The factor in use.

    Examples
    --------
    >>> learner = RandomizedWeightedMajority(beta=0.5, seed=0)
    >>> learner.learn([[1, 0], [1, 0], [1, 0], [0, 1]]).tolist()
    [0.0, 1.0, 1.0, 0.0]
    >>> round(learner.expected_loss_, 4), round(learner.certificates()[0].bound, 4)
    (1.9222, 2.7726)
    """

    loss_range = (0.0, 1.0)
    _averages = False
    _may_sleep = False

    def __init__(
        self,
        *,
        beta: float | None = None,
        horizon: int | None = None,
        seed: int | np.random.Generator = 0,
    ) -> None:
        self.beta = beta
        self.horizon = horizon
        self.seed = seed

    @property
    def beta_(self) -> float:
        """The factor in use."""
        return float(self.state_.learnt.beta[0])

    @property
    def expected_loss_(self) -> float:
        """The sum of the losses expected before each draw."""
        return float(self.state_.learnt.expected_loss[0])

    def guarantee(self, *, n_experts: int, best_loss: float) -> Guarantee:
        """Bound the expected loss if the best expert loses `best_loss`."""
        self._settle_parameters()
        return regret.randomized_weighted_majority(
            best_loss=best_loss, n_experts=n_experts, beta=self._factor(n_experts)
        )

    def _factor(self, n_experts: int) -> float:
        if self.beta is not None:
            return float(self.beta)
        if self.horizon is None or n_experts == 1:
            return 0.5
        return max(0.5, 1.0 - math.sqrt(math.log(n_experts) / self.horizon))

    def _check_parameters(self) -> None:
        if self.beta is not None and self.horizon is not None:
            raise ValueError("give beta or horizon, not both: the horizon sets beta")
        if self.beta is not None:
            _arguments.open_fraction("beta", self.beta)
        if self.horizon is not None:
            _arguments.count("horizon", self.horizon, at_least=1)

    def _start(self, n_experts: int) -> State:
        return State(
            behind=np.zeros(n_experts),
            beta=np.array([self._factor(n_experts)]),
            expected_loss=np.zeros(1),
            coins=_arguments.generator("seed", self.seed),
        )

    def _check_state(self) -> None:
        super()._check_state()
        game = vars(self)["state_"]
        start = self._start(self.n_experts_)
        if game.learnt.beta != start.beta or game.learnt.behind.min() < 0.0:
            raise ValueError("its factor is not that of its parameters, or no expert is the best")
        if isinstance(self.seed, Integral):  # without a seed nobody knows which they were
            refuse_other_draws(game.learnt.coins, start.coins, self.n_rounds_)

    def _play(
        self, table: Rounds, n_before: int, state: State, weights: Matrix, excess: Vector
    ) -> None:
        del n_before  # the rate is always the same
        rates, gaps = np.full(len(excess), -math.log(state.beta[0])), np.zeros(1)
        _loops.exponential_weights(table, rates, state.behind, gaps, weights, excess)

    def _act(self, table: Rounds, state: State, weights: Matrix, excess: Vector) -> None:
        state.expected_loss[0] += (table.floor + excess).sum()
        _draw(table, state.coins.random(len(excess)), weights, excess)

    def _certificates(self) -> Iterable[Certificate]:
        inside = checked("all losses lie in [0, 1]")
        best = float(self.expert_losses_.min())
        tuned = self.guarantee(n_experts=self.n_experts_, best_loss=best)
        realised = replace(tuned, trivial=float(self.n_rounds_))
        evidence = {"range": inside, "measured": checked(f"the best expert lost {best:.6g}")}
        yield self._certify_regret(realised, evidence, observed=self.expected_loss_)
        if self.horizon == self.n_rounds_:
            a_priori = regret.randomized_weighted_majority_tuned(
                n_experts=self.n_experts_, n_rounds=self.n_rounds_
            )
            evidence = {"range": inside, "n_rounds": BUILT}
            paid = self.expected_loss_
            yield self._certify_regret(a_priori, evidence, observed=paid - best, amount=paid)
