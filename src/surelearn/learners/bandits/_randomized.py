"""The base of bandits that draw their arm: coins, learning rates, estimated losses."""

import math
from abc import abstractmethod
from copy import deepcopy
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from surelearn._stored import stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.states import refuse_other_draws
from surelearn.certificate import Evidence, assumed
from surelearn.learners.bandits._bandit import Bandit, check_seed
from surelearn.learners.bandits._sampling import pay
from surelearn.learners.bandits._state import Counts

_NO_NUMBER = math.nan  # nothing is drawn for a round whose loss is still to come


@stored("bandit-trace")
class Trace(NamedTuple):
    """Rounds played: their arms, what these cost, the chances they had and the learning rates."""

    arms: Indices
    losses: Vector
    chances: Vector
    rates: Vector


@stored("bandit-sampling")
class Sampling(NamedTuple):
    """What is needed to draw arms: estimates, the number of an arm not yet paid for, the coins."""

    estimated_losses: Vector
    pending: Vector
    coins: Generator


class RandomizedBandit(Bandit):
    """A bandit whose arm is drawn from weights that fall with the estimated losses.

    One uniform number decides each round. A learner gives its learning rates and two compiled
    functions: `_weigh(estimates, rate, weights)` writes the weights and returns their sum;
    `_play_rounds(losses, uniforms, rates, estimates, weights, arms, chances)` plays the rows,
    writes each arm and the chance it had, and returns how many were played. Its `State` has, beside
    what it keeps for its certificates, the fields of `Sampling`.
    """

    _weigh: "ClassVar[staticmethod[[Vector, float, Vector], float]]"
    _play_rounds: "ClassVar[staticmethod[..., int]]"

    def __init__(self, *, n_arms: int, seed: int | Generator) -> None:
        self.seed = seed
        super().__init__(n_arms=n_arms)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_seed(self.seed)

    def _sampling(self) -> Sampling:
        """Return what is needed to draw arms, before the first round."""
        coins = np.random.default_rng(self.seed)  # a generator is drawn from, not copied
        return Sampling(np.zeros(self.n_arms), np.array([_NO_NUMBER]), coins)

    @abstractmethod
    def _rates(self, rounds: Vector) -> Vector:
        """Return the learning rate of each round, counted from 1."""

    @property
    def estimated_losses_(self) -> Vector:
        """The estimate of the total loss of each arm."""
        return self.state_.learnt.estimated_losses

    @property
    def probabilities(self) -> Vector:
        """The chance of each arm in this round, before and after `select`."""
        game = vars(self)["state_"]
        weights = np.empty(self.n_arms)
        rates = self._rates(np.array([game.n_rounds + 1.0]))
        total = self._weigh(game.learnt.estimated_losses, rates[0], weights)
        return weights / total

    def _play(
        self, losses: Matrix, n_before: int, counts: Counts, state: Any, arms: Indices
    ) -> int:
        n, first = len(losses), n_before + 1.0
        uniforms, rates = _numbers(state, n), self._rates(np.arange(first, first + n))
        weights, chances = np.empty(self.n_arms), np.empty(n)
        n_played = self._play_rounds(
            losses, uniforms, rates, state.estimated_losses, weights, arms, chances
        )
        state.pending[0] = uniforms[n_played] if n_played < n else _NO_NUMBER
        if n_played:
            done, paid = slice(n_played), np.empty(n_played)
            pay(losses, arms, *counts, paid)
            self._record(Trace(arms[done], paid, chances[done], rates[done]), state)
        return n_played

    def _record(self, trace: Trace, state: Any) -> None:
        """Keep what certificates need of the rounds played; nothing unless a learner says so."""

    def _check_learnt(self, n_rounds: int, selected: int | None, learnt: Any) -> None:
        pending, start = learnt.pending.item(), self._start()
        if math.isnan(pending) is not (selected is None):
            raise ValueError("an arm is drawn and not selected, or selected and not drawn")
        refuse_other_draws(learnt.coins, start.coins, n_rounds + (selected is not None))
        if selected is not None and pending != _last_number(learnt.coins):
            raise ValueError("the number drawn for this round is not that of its coins")
        if (learnt.estimated_losses < 0.0).any():
            raise ValueError("an estimate of a loss is less than 0")

    @property
    def _estimated_regret(self) -> float:
        """The loss paid minus the least estimated loss of an arm; the true one cannot be seen."""
        return self.cumulative_loss_ - float(self.estimated_losses_.min())

    @property
    def _losses_before_coins(self) -> Evidence:
        """What is known of the assumption that the losses do not depend on the arm drawn."""
        seen = "the losses seen lie in [0, 1]; whoever chose them"
        return assumed(f"{seen} must not foresee the coins of seed={self.seed!r}")


def _numbers(state: Any, n: int) -> Vector:
    """Return a uniform number for each round; that of an arm already selected comes first."""
    if math.isnan(state.pending[0]):
        return state.coins.random(n)
    if n == 1:  # the most frequent case: `update`
        return state.pending.copy()
    return np.concatenate((state.pending, state.coins.random(n - 1)))


def _last_number(coins: Generator) -> float:
    """Return the number that a generator gave last."""
    before: Any = deepcopy(coins)
    before.bit_generator.advance(-1)
    return before.random()


def horizon_rate(n_arms: int, horizon: int) -> float:
    """Return √(2 ln K/(K T)), the rate for a run of known length.

    Examples
    --------
    >>> round(horizon_rate(5, 400), 10)
    0.0401178004
    """
    return math.sqrt(2.0 * math.log(n_arms) / (n_arms * horizon))


def anytime_rates(n_arms: int, rounds: Vector) -> Vector:
    """Return √(ln K/(K t)) for each round t, the rates for a run of any length.

    Examples
    --------
    >>> anytime_rates(2, np.array([1.0, 4.0])).round(4)
    array([0.5887, 0.2944])
    """
    return np.sqrt(math.log(n_arms) / (n_arms * rounds))


def add_in_order(total: Vector, terms: Vector) -> None:
    """Add terms to a total, one by one from the left: how rounds are cut must not matter.

    Examples
    --------
    >>> total = np.array([0.5])
    >>> add_in_order(total, np.array([1.0, 2.0]))
    >>> total
    array([3.5])
    """
    total[0] = np.add.accumulate(np.concatenate((total, terms)))[-1]
