"""KL-UCB: play the arm whose mean loss could be the least, judged by the relative entropy of coins.

    play the least   q_i = min{q : pulls_i·kl(mean_i, q) ≤ f(t)},   each arm once first,
    f(t) = 1.5 ln t + 2 ln(1 + ln t)

Garivier and Cappé (2011), for losses; see `surelearn.bounds.bandits_stochastic`.
"""

import math
from typing import Any

import numpy as np

from surelearn import _arguments
from surelearn._jit import inner, jit
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.bounds import Guarantee, bandits_stochastic
from surelearn.certificate import Certificate
from surelearn.learners.bandits._bandit import Bandit
from surelearn.learners.bandits._state import Counts

_STEPS = 60  # about five are needed
_CLOSE = 1e-14
_TINY = 1e-300  # what is below counts as 0


@inner
def _divergence(mean: float, q: float) -> float:
    """Return the relative entropy of a coin of bias `mean` to one of bias `q` in (0, 1)."""
    total = 0.0
    if mean > 0.0:
        total += mean * math.log(mean / q)
    if mean < 1.0:
        total += (1.0 - mean) * math.log((1.0 - mean) / (1.0 - q))
    return total


@jit
def _least_mean(mean: float, level: float) -> float:
    """Return the least q whose divergence from `mean` is at most `level`.

    Newton's method: the divergence is convex and falls towards `mean`, so that the steps from a
    point below the root (Pinsker's; or as the second logarithm is at most `mean`) never pass it.
    """
    if mean <= 0.0:
        return 0.0
    q = max(mean - math.sqrt(0.5 * level), mean * math.exp(-level / mean - 1.0))
    for _ in range(_STEPS):
        if not _TINY < q < mean:
            break
        step = (_divergence(mean, q) - level) * q * (1.0 - q) / (mean - q)
        if step <= _CLOSE * q:
            break
        q += step
    return q


@inner
def _lowest_arm(budget: float, pulls: Indices, totals: Vector) -> int:
    """Return the arm of least index; a tie goes to the first.

    An arm from whose mean the least index so far is too far cannot have a lower one: most arms are
    passed by without looking for theirs.
    """
    best, least = 0, np.inf
    for i in range(len(pulls)):
        if pulls[i] == 0:  # each arm once, in order
            return i
        mean, level = totals[i] / pulls[i], budget / pulls[i]
        if least <= 0.0 or (least < mean and _divergence(mean, least) > level):
            continue
        index = _least_mean(mean, level)
        if index < least:
            best, least = i, index
    return best


@jit
def _play_rounds(
    losses: Matrix, n_before: int, pulls: Indices, totals: Vector, arms: Indices
) -> int:
    """Play the arm of least index in each round; `pulls` and `totals` change in place."""
    for t in range(len(losses)):
        log_round = math.log(n_before + t + 1)
        budget = 1.5 * log_round + 2.0 * math.log1p(log_round)
        arm = _lowest_arm(budget, pulls, totals)
        arms[t], loss = arm, losses[t, arm]
        if not 0.0 <= loss <= 1.0:  # NaN too: nothing has been learnt of this round
            return t
        pulls[arm] += 1
        totals[arm] += loss
    return len(losses)


class KLUCB(Bandit):
    """Bandit for arms with fixed laws that explores less than UCB1, most of all near 0 and 1.

    No coins, no horizon, nothing to tune.

    Parameters
    ----------
    n_arms
        The number of arms, two or more.

    Attributes
    ----------
    pulls_, arm_losses_
        How often each arm was played, and the losses paid on it, summed.
    n_rounds_, cumulative_loss_
        Rounds played, and the sum of the losses paid.
    probabilities
        1 for the arm of this round, 0 for the others.

    Examples
    --------
    >>> bandit = KLUCB(n_arms=3)
    >>> losses = np.random.default_rng(0).random((3000, 3)) < [0.1, 0.2, 0.4]
    >>> arms = bandit.play(losses)
    >>> bool(bandit.pulls_[0] > 2000)
    True
    >>> round(bandit.guarantee(mean_losses=[0.1, 0.2, 0.4], n_rounds=3000).bound, 1)
    151.7
    """

    def __init__(self, *, n_arms: int) -> None:
        super().__init__(n_arms=n_arms)

    def guarantee(self, *, mean_losses: ArrayLike, n_rounds: int) -> Guarantee:
        """Bound the expected pseudo-regret, if the arms have these mean losses."""
        rewards = 1.0 - _arguments.numbers("mean_losses", mean_losses)
        return bandits_stochastic.kl_ucb_time_uniform(means=rewards, n_rounds=n_rounds)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the pseudo-regret that this run proves.

        The true means cannot be seen: observed is the pseudo-regret if the means seen were true.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        return (self._post_hoc(delta),) if self.n_rounds_ else ()

    def _play(
        self, losses: Matrix, n_before: int, counts: Counts, state: Any, arms: Indices
    ) -> int:
        del state  # there is none beside the counts
        return _play_rounds(losses, n_before, *counts, arms)
