"""Tsallis-INF: one bandit for adversaries and for arms with fixed laws, not told which.

    w = argmin ⟨w, L̂⟩ − 2√t·Σ√w_i over the simplex,   draw I from w,   L̂_I ← L̂_I + loss / w_I

Zimmert and Seldin (2021), importance weighting; see `surelearn.bounds.bandits`.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from surelearn._jit import jit
from surelearn._stored import stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.bounds import Guarantee, bandits, bandits_realised
from surelearn.certificate import Certificate, by_construction
from surelearn.learners.bandits._bandit import STOPPING
from surelearn.learners.bandits._randomized import RandomizedBandit, Trace, add_in_order
from surelearn.learners.bandits._sampling import draw, gaps

_STEPS = 60  # about five are needed
_CLOSE = 1e-15


@stored("tsallis-inf-state")
class State(NamedTuple):
    """What arms are drawn from (see `Sampling`), and what the estimates can have cost."""

    estimated_losses: Vector
    pending: Vector
    coins: Generator
    stability: Vector


@jit
def _root(gaps: Vector, rate: float) -> float:
    """Return the z at which the weights (z + rate gap)^-2 sum to 1.

    Newton's method for 1/√(Σ weights) = 1: the left side is a norm with exponent -2, concave in z,
    so that the steps from z = 1, where it is at most 1, never pass the root.
    """
    z = 1.0
    for _ in range(_STEPS):
        squares, cubes = 0.0, 0.0
        for i in range(len(gaps)):
            root = 1.0 / (z + rate * gaps[i])
            squares += root * root
            cubes += root * root * root
        step = (math.sqrt(squares) - 1.0) * squares / cubes
        if step <= _CLOSE * z:
            break
        z += step
    return z


@jit
def _tsallis_weights(estimates: Vector, rate: float, weights: Vector) -> float:
    """Write the weights of the arms into `weights` and return their sum, nearly 1."""
    gaps(estimates, weights)
    z, total = _root(weights, rate), 0.0
    for i in range(len(weights)):  # in place: see `_sampling`
        root = 1.0 / (z + rate * weights[i])
        weights[i] = root * root
        total += weights[i]
    return total


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
        total = _tsallis_weights(estimates, rates[t], weights)
        arm = draw(weights, uniforms[t] * total)
        arms[t], chances[t] = arm, weights[arm] / total
        loss = losses[t, arm]
        if not 0.0 <= loss <= 1.0:  # NaN too: nothing has been learnt of this round
            return t
        estimates[arm] += loss / chances[t]
    return len(losses)


class TsallisInf(RandomizedBandit):
    """Bandit with the best regret known both against an adversary and for arms with fixed laws.

    There is nothing to tune and no horizon: the learning rate is 1/√t.

    Parameters
    ----------
    n_arms
        The number of arms, two or more.
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
    stability_
        What the estimates seen so far can have cost: the second term of the sure bound.

    Examples
    --------
    >>> bandit = TsallisInf(n_arms=3)
    >>> losses = np.random.default_rng(1).random((2000, 3)) < [0.2, 0.6, 0.7]
    >>> arms = bandit.play(losses)
    >>> bool(bandit.pulls_[0] > 1700)
    True
    >>> round(bandit.guarantee(n_rounds=2000).bound, 2)
    218.66
    """

    _weigh = staticmethod(_tsallis_weights)
    _play_rounds = staticmethod(_play_rounds)

    def __init__(self, *, n_arms: int, seed: int | Generator = 0) -> None:
        super().__init__(n_arms=n_arms, seed=seed)

    def _start(self) -> State:
        return State(*self._sampling(), stability=np.zeros(1))

    @property
    def stability_(self) -> float:
        """What the estimates seen so far can have cost."""
        return float(self.state_.learnt.stability[0])

    def guarantee(self, *, n_rounds: int) -> Guarantee:
        """Bound the expected regret over `n_rounds` rounds, whatever the losses."""
        return bandits.tsallis_inf(n_arms=self.n_arms, n_rounds=n_rounds)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what theory promised for this run, and what the run itself proves.

        The expected regret against any losses; surely, the regret in estimated losses; and the
        pseudo-regret with confidence if the arms keep their laws. The regret itself cannot be seen:
        observed is the loss paid minus the least estimated loss.

        Parameters
        ----------
        delta
            The probability with which the statement on the pseudo-regret may fail.
        """
        if not self.n_rounds_:
            return ()
        rate = by_construction("the code does exactly this")
        promised = self._certify(
            self.guarantee(n_rounds=self.n_rounds_),
            "On average over the learner's coins, it pays at most {bound} more than any one arm. "
            "Observed is its regret in estimated losses.",
            observed=self._estimated_regret,
            evidence={"losses": self._losses_before_coins, "learning_rate": rate},
            also=(STOPPING,),
        )
        sure = self._certify(
            bandits_realised.tsallis_inf_pathwise(
                n_arms=self.n_arms, n_rounds=self.n_rounds_, stability=self.stability_
            ),
            "With certainty, the regret in estimated losses is at most {bound}.",
            observed=self._estimated_regret,
            evidence={
                "estimates": by_construction("a loss divided by a probability"),
                "learning_rate": rate,
            },
        )
        return promised, sure, self._post_hoc(delta)

    def _rates(self, rounds: Vector) -> Vector:
        return 1.0 / np.sqrt(rounds)

    def _record(self, trace: Trace, state: State) -> None:
        steps = trace.rates * trace.losses
        terms = steps * trace.losses / (np.sqrt(trace.chances) + steps)
        add_in_order(state.stability, terms)
