"""The base of bandits that draw their arm: coins, learning rates, estimated losses."""

import math
from abc import abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from surelearn._typing import Indices, Matrix, Vector
from surelearn.certificate import Status
from surelearn.learners.bandits._bandit import Bandit, generator


class Trace(NamedTuple):
    """Rounds played: their arms, what these cost, the chances they had and the learning rates."""

    arms: Indices
    losses: Vector
    chances: Vector
    rates: Vector


class RandomizedBandit(Bandit):
    """A bandit whose arm is drawn from weights that fall with the estimated losses.

    One uniform number decides each round. A learner gives its learning rates and two compiled
    functions: `_weigh(estimates, rate, weights)` writes the weights and returns their sum;
    `_play_rounds(losses, uniforms, rates, estimates, weights, arms, chances)` plays the rows,
    writes each arm and the chance it had, and returns how many were played.
    """

    _weigh: "ClassVar[staticmethod[[Vector, float, Vector], float]]"
    _play_rounds: "ClassVar[staticmethod[..., int]]"

    def __init__(self, *, n_arms: int, seed: int | Generator) -> None:
        super().__init__(n_arms=n_arms)
        self.seed = seed
        self.estimated_losses_: Vector = np.zeros(self.n_arms)
        self._rng = generator(seed)
        self._drawn: Vector = np.empty(0)  # the number of an arm selected and not yet paid for

    @abstractmethod
    def _rates(self, rounds: Vector) -> Vector:
        """Return the learning rate of each round, counted from 1."""

    @property
    def probabilities(self) -> Vector:
        """The chance of each arm in this round, before and after `select`."""
        weights, rates = np.empty(self.n_arms), self._rates(np.array([self.n_rounds_ + 1.0]))
        total = self._weigh(self.estimated_losses_, rates[0], weights)
        return weights / total

    def _play(self, losses: Matrix, arms: Indices) -> int:
        n, first = len(losses), self.n_rounds_ + 1.0
        uniforms = np.concatenate([self._drawn, self._rng.random(n - len(self._drawn))])
        rates = self._rates(np.arange(first, first + n))
        weights, chances = np.empty(self.n_arms), np.empty(n)
        n_played = self._play_rounds(
            losses, uniforms, rates, self.estimated_losses_, weights, arms, chances
        )
        self._drawn = uniforms[n_played:].copy()
        if n_played:
            done = slice(n_played)
            paid = losses[np.arange(n_played), arms[done]]
            self._pay(arms[done], paid)
            self._record(Trace(arms[done], paid, chances[done], rates[done]))
        return n_played

    def _record(self, trace: Trace) -> None:
        """Keep what certificates need of the rounds played; nothing unless a learner says so."""

    @property
    def _estimated_regret(self) -> float:
        """The loss paid minus the least estimated loss of an arm; the true one cannot be seen."""
        return self.cumulative_loss_ - float(self.estimated_losses_.min())

    @property
    def _losses_before_coins(self) -> tuple[Status, str]:
        """What is known of the assumption that the losses do not depend on the arm drawn."""
        seen = "the losses seen lie in [0, 1]; whoever chose them"
        return "assumed", f"{seen} must not foresee the coins of seed={self.seed!r}"


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


def add_in_order(total: float, terms: Vector) -> float:
    """Return total + terms, added one by one from the left: blocks must not matter.

    Examples
    --------
    >>> add_in_order(0.5, np.array([1.0, 2.0]))
    3.5
    """
    return float(np.add.accumulate(np.append(total, terms))[-1])
