"""EXP3: exponential weights on losses estimated from the arm played alone.

    p_i ∝ exp(−η·L̂_i),   draw I from p,   L̂_I ← L̂_I + loss / p_I

Auer, Cesa-Bianchi, Freund and Schapire (2002), for losses; see `surelearn.bounds.bandits`.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._stored import stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.bounds import Guarantee, bandits, bandits_realised
from surelearn.certificate import Certificate, by_construction
from surelearn.learners.bandits._bandit import STOPPING
from surelearn.learners.bandits._randomized import (
    RandomizedBandit,
    Trace,
    add_in_order,
    anytime_rates,
    horizon_rate,
)
from surelearn.learners.bandits._sampling import draw, exponential_weights


@stored("exp3-state")
class State(NamedTuple):
    """What arms are drawn from (see `Sampling`), and the sum of chance times squared estimate."""

    estimated_losses: Vector
    pending: Vector
    coins: Generator
    second_moment: Vector


@jit
def _play_rounds(
    losses: Matrix,
    uniforms: Vector,
    rates: Vector,
    estimates: Vector,
    weights: Vector,
    arms: Indices,
    chances: Vector,
) -> int:
    """Draw an arm in each round and add its loss over its chance to its estimate."""
    for t in range(len(losses)):
        total = exponential_weights(estimates, rates[t], weights)
        arm = draw(weights, uniforms[t] * total)  # weights need not sum to 1
        arms[t], chances[t] = arm, weights[arm] / total
        loss = losses[t, arm]
        if not 0.0 <= loss <= 1.0:  # NaN too: nothing has been learnt of this round
            return t
        estimates[arm] += loss / chances[t]
    return len(losses)


class Exp3(RandomizedBandit):
    """Bandit against an adversary, with a regret bound that holds on average over its coins.

    Parameters
    ----------
    n_arms
        The number of arms, two or more.
    learning_rate
        A constant rate η; by default it follows from the horizon.
    horizon
        The number of rounds, if known: η = √(2 ln K/(K T)). By default η falls as √(ln K/(K t))
        and no horizon is needed.
    seed
        A whole number, or a NumPy Generator to draw from. Whoever chooses the losses must not know
        it.

    Attributes
    ----------
    pulls_, arm_losses_
        How often each arm was played, and the losses paid on it, summed.
    estimated_losses_
        The importance-weighted estimate of the total loss of each arm, unbiased.
    n_rounds_, cumulative_loss_
        Rounds played, and the sum of the losses paid.
    probabilities
        The chance of each arm in this round.
    second_moment_
        The sum of chance times squared estimate over the rounds.

    Examples
    --------
    >>> bandit = Exp3(n_arms=2, seed=7)
    >>> arm = bandit.select()
    >>> bandit.update(arm, 0.5)
    >>> arms = bandit.play(np.tile([0.8, 0.2], (500, 1)))
    >>> bool(bandit.pulls_[1] > 400)
    True
    >>> round(bandit.guarantee(n_rounds=501).bound, 2)
    52.71
    """

    _weigh = staticmethod(exponential_weights)
    _play_rounds = staticmethod(_play_rounds)

    def __init__(
        self,
        *,
        n_arms: int,
        learning_rate: float | None = None,
        horizon: int | None = None,
        seed: int | Generator = 0,
    ) -> None:
        self.learning_rate = learning_rate
        self.horizon = horizon
        super().__init__(n_arms=n_arms, seed=seed)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        rate, horizon = self.learning_rate, self.horizon
        if rate is not None and horizon is not None:
            raise ValueError("give learning_rate or horizon, not both: the rate follows from it")
        if rate is not None:
            _arguments.positive("learning_rate", rate)
        if horizon is not None:
            _arguments.at_least_one("horizon", horizon)

    def _start(self) -> State:
        return State(*self._sampling(), second_moment=np.zeros(1))

    @property
    def second_moment_(self) -> float:
        """The sum of chance times squared estimate over the rounds."""
        return float(self.state_.learnt.second_moment[0])

    def guarantee(self, *, n_rounds: int) -> Guarantee:
        """Bound the expected regret over `n_rounds` rounds, whatever the losses."""
        rate = self._constant_rate
        if rate is None:
            return bandits.exp3_anytime(n_arms=self.n_arms, n_rounds=n_rounds)
        return bandits.exp3_learning_rate(n_arms=self.n_arms, n_rounds=n_rounds, learning_rate=rate)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what theory promised for this run, and what the run itself proves.

        The expected regret against any losses; at a constant rate also, surely, the regret in
        estimated losses; and the pseudo-regret with confidence if the arms keep their laws. The
        regret itself cannot be seen: observed is the loss paid minus the least estimated loss.

        Parameters
        ----------
        delta
            The probability with which the statement on the pseudo-regret may fail.
        """
        if not self.n_rounds_:
            return ()
        promised = self._certify(
            self.guarantee(n_rounds=self.n_rounds_),
            "On average over the learner's coins, it pays at most {bound} more than any one arm. "
            "Observed is its regret in estimated losses.",
            observed=self._estimated_regret,
            evidence={
                "losses": self._losses_before_coins,
                "learning_rate": by_construction("the code does exactly this"),
            },
            also=(STOPPING,),
        )
        rate = self._constant_rate
        sure = () if rate is None else (self._pathwise(rate),)
        return (promised, *sure, self._post_hoc(delta))

    def _pathwise(self, rate: float) -> Certificate:
        guarantee = bandits_realised.exp3_pathwise(
            n_arms=self.n_arms, learning_rate=rate, second_moment=self.second_moment_
        )
        return self._certify(
            guarantee,
            "With certainty, the regret in estimated losses is at most {bound}.",
            observed=self._estimated_regret,
            evidence={
                "estimates": by_construction("a loss divided by a probability"),
                "learning_rate": by_construction(f"it is {rate:.6g} in every round"),
            },
        )

    @property
    def _constant_rate(self) -> float | None:
        if self.horizon is not None:
            return horizon_rate(self.n_arms, self.horizon)
        return self.learning_rate

    def _rates(self, rounds: Vector) -> Vector:
        rate = self._constant_rate
        if rate is None:
            return anytime_rates(self.n_arms, rounds)
        return np.full(len(rounds), rate)

    def _record(self, trace: Trace, state: State) -> None:
        add_in_order(state.second_moment, trace.losses**2 / trace.chances)
