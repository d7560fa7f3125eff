"""EXP3-IX: EXP3 whose estimates are biased downward, so that its bounds hold with confidence.

    p_i ∝ exp(−η·L̂_i),   draw I from p,   L̂_I ← L̂_I + loss / (p_I + γ),   γ = η/2

Neu (2015); see `surelearn.bounds.bandits` and, for what a run proves, `bandits_realised`.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._stored import stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn._wording import confidence
from surelearn.bounds import Guarantee, bandits, bandits_realised
from surelearn.certificate import Certificate, assumed, by_construction, violated
from surelearn.learners.bandits._bandit import STOPPING
from surelearn.learners.bandits._randomized import (
    RandomizedBandit,
    Trace,
    anytime_rates,
    horizon_rate,
)
from surelearn.learners.bandits._sampling import draw, exponential_weights

_ANYTIME_GRID = [2.0**j for j in range(-12, 2)]  # serves from ten rounds to a million


@stored("exp3-ix-state")
class State(NamedTuple):
    """What arms are drawn from (see `Sampling`), and the wealth of bets at each rate of a grid."""

    estimated_losses: Vector
    pending: Vector
    coins: Generator
    grid: Vector
    log_wealths: Matrix


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
    """Draw an arm in each round and add its loss over its chance plus half the rate."""
    for t in range(len(losses)):
        total = exponential_weights(estimates, rates[t], weights)
        arm = draw(weights, uniforms[t] * total)
        arms[t], chances[t] = arm, weights[arm] / total
        loss = losses[t, arm]
        if not 0.0 <= loss <= 1.0:  # NaN too: nothing has been learnt of this round
            return t
        # γ is half the rate of this round: it falls with it if there is no horizon.
        estimates[arm] += loss / (chances[t] + 0.5 * rates[t])
    return len(losses)


@jit
def _add_log_wealths(
    arms: Indices, losses: Vector, chances: Vector, grid: Vector, log_wealths: Matrix
) -> None:
    """Add ln(1 + α·loss/chance) to the arm played, for each α of the grid."""
    for t in range(len(arms)):
        if losses[t] > 0.0:  # ln(1 + 0) adds nothing
            for j in range(len(grid)):
                log_wealths[j, arms[t]] += math.log1p(grid[j] * (losses[t] / chances[t]))


class Exp3IX(RandomizedBandit):
    """Bandit against an adversary, even one that reacts: its regret is bounded with confidence.

    The run proves far less regret than theory promises beforehand; both are certified. What is
    proved holds at every number of rounds at once.

    Parameters
    ----------
    n_arms
        The number of arms, two or more.
    horizon
        The number of rounds, if known: η = √(2 ln K/(K T)). By default η falls as √(ln K/(K t))
        and no horizon is needed.
    delta
        The probability with which a certificate may fail: the theorems want it before the run.
    seed
        A whole number, or a NumPy Generator to draw from. Whoever chooses the losses must not know
        it.

    Attributes
    ----------
    pulls_, arm_losses_
        How often each arm was played, and the losses paid on it, summed.
    estimated_losses_
        The estimate of the total loss of each arm, biased downward by implicit exploration.
    n_rounds_, cumulative_loss_
        Rounds played, and the sum of the losses paid.
    probabilities
        The chance of each arm in this round.
    grid_, log_wealths_
        Rates fixed before the run; for each (row) and arm (column) the sum of ln(1 + rate · loss /
        chance): all that the realised certificate needs.

    Examples
    --------
    >>> bandit = Exp3IX(n_arms=3, horizon=2000, delta=0.05)
    >>> losses = np.random.default_rng(1).random((2000, 3)) < [0.2, 0.6, 0.7]
    >>> arms = bandit.play(losses)
    >>> realised, promised = bandit.certificates()
    >>> regret = losses[np.arange(2000), arms].sum() - losses.sum(axis=0).min()
    >>> bool(regret < realised.bound < promised.bound)
    True
    """

    _weigh = staticmethod(exponential_weights)
    _play_rounds = staticmethod(_play_rounds)

    def __init__(
        self,
        *,
        n_arms: int,
        horizon: int | None = None,
        delta: float = 0.05,
        seed: int | Generator = 0,
    ) -> None:
        self.horizon = horizon
        self.delta = delta
        super().__init__(n_arms=n_arms, seed=seed)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.horizon is not None:
            _arguments.at_least_one("horizon", self.horizon)
        _arguments.open_fraction("delta", self.delta)

    def _start(self) -> State:
        grid = np.array(self._grid())
        wealths = np.zeros((len(grid), self.n_arms))
        return State(*self._sampling(), grid=grid, log_wealths=wealths)

    @property
    def grid_(self) -> Vector:
        """Rates fixed before the run."""
        return self.state_.learnt.grid

    @property
    def log_wealths_(self) -> Matrix:
        """For each rate and arm the sum of ln(1 + rate · loss / chance)."""
        return self.state_.learnt.log_wealths

    def guarantee(self, *, n_rounds: int) -> Guarantee:
        """Bound the regret over `n_rounds` rounds with probability 1 - delta."""
        if self.horizon is not None and n_rounds > self.horizon:
            raise ValueError(
                f"n_rounds={n_rounds} is beyond horizon={self.horizon}, for which the rate was "
                "chosen: nothing is promised there"
            )
        return self._promise(n_rounds, self.delta)

    def certificates(self, *, delta: float | None = None) -> tuple[Certificate, ...]:
        """State the regret that this run proves, and what theory promised beforehand.

        The regret itself cannot be seen: observed is the loss paid minus the least estimated loss.

        Parameters
        ----------
        delta
            The probability with which each statement may fail; by default the constructor's. A
            different one is assumed to have been chosen without looking at the run.
        """
        if not self.n_rounds_:
            return ()
        level = self.delta if delta is None else delta
        return (self._realised(level), self._promised(level))

    def _realised(self, delta: float) -> Certificate:
        guarantee = bandits_realised.exp3_ix_realised_mixture(
            algorithm_loss=self.cumulative_loss_,
            log_wealths=self.log_wealths_,
            rates=self.grid_,
            n_rounds=self.n_rounds_,
            delta=delta,
        )
        fixed = by_construction("they were given to the constructor")
        if delta != self.delta:
            fixed = assumed(f"delta={self.delta} was announced, {delta} is asked")
        return self._certify(
            guarantee,
            f"With confidence {confidence(delta)}, at all rounds up to here at once, the "
            "learner has paid at most {bound} more than the best arm would have. Observed is its "
            "regret in estimated losses.",
            observed=self._estimated_regret,
            evidence={
                "losses": self._losses_before_coins,
                "probabilities": by_construction("it is kept for each round"),
                "fixed_before": fixed,
            },
        )

    def _promised(self, delta: float) -> Certificate:
        tuned = by_construction("the code does exactly this")
        stopping = (STOPPING,)
        if self.horizon is not None:
            stopping = ()  # rounds not played up to the horizon are rounds without loss
            if self.n_rounds_ > self.horizon:
                tuned = violated(f"{self.n_rounds_} rounds, the rate is that for {self.horizon}")
        return self._certify(
            self._promise(self.n_rounds_, delta),
            f"With confidence {confidence(delta)}, the learner pays at most "
            "{bound} more than the best arm. Observed is its regret in estimated losses.",
            observed=self._estimated_regret,
            evidence={"losses": self._losses_before_coins, "learning_rate": tuned},
            also=stopping,
        )

    def _promise(self, n_rounds: int, delta: float) -> Guarantee:
        if self.horizon is None:
            return bandits.exp3_ix_anytime(n_arms=self.n_arms, n_rounds=n_rounds, delta=delta)
        n_rounds = max(n_rounds, self.horizon)
        return bandits.exp3_ix(n_arms=self.n_arms, n_rounds=n_rounds, delta=delta)

    def _grid(self) -> list[float]:
        """Return the rates of the realised certificate, known before the first round."""
        if self.horizon is None:
            return _ANYTIME_GRID
        rate = horizon_rate(self.n_arms, self.horizon)
        return bandits_realised.exploration_grid(exploration=rate / 2.0)

    def _rates(self, rounds: Vector) -> Vector:
        if self.horizon is None:
            return anytime_rates(self.n_arms, rounds)
        return np.full(len(rounds), horizon_rate(self.n_arms, self.horizon))

    def _check_learnt(self, n_rounds: int, selected: int | None, learnt: State) -> None:
        super()._check_learnt(n_rounds, selected, learnt)
        if learnt.grid.tolist() != self._grid():
            raise ValueError("its grid is not that of its parameters")

    def _record(self, trace: Trace, state: State) -> None:
        bets = state.grid, state.log_wealths
        _add_log_wealths(trace.arms, trace.losses, trace.chances, *bets)
