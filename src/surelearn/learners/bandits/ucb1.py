"""UCB1: play the arm whose mean loss could be the least, given how little it was tried.

    play the least   mean_i − √(2 ln t / pulls_i),   each arm once first

Auer, Cesa-Bianchi and Fischer (2002), for losses; see `surelearn.bounds.bandits_stochastic`.
"""

import math
from typing import Any

import numpy as np

from surelearn._jit import inner, jit
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.bounds import Guarantee, bandits_stochastic
from surelearn.certificate import Certificate, assumed
from surelearn.learners.bandits._bandit import STOPPING, Bandit
from surelearn.learners.bandits._state import Counts


@inner
def _lowest_arm(t: int, pulls: Indices, totals: Vector) -> int:
    """Return the arm of least index in round t; a tie goes to the first."""
    best, least = 0, np.inf
    for i in range(len(pulls)):
        if pulls[i] == 0:  # each arm once, in order
            return i
        index = totals[i] / pulls[i] - math.sqrt(2.0 * math.log(t) / pulls[i])
        if index < least:  # strictly: a tie goes to the first
            best, least = i, index
    return best


@jit
def _play_rounds(
    losses: Matrix, n_before: int, pulls: Indices, totals: Vector, arms: Indices
) -> int:
    """Play the arm of least index in each round; `pulls` and `totals` change in place."""
    for t in range(len(losses)):
        arm = _lowest_arm(n_before + t + 1, pulls, totals)
        arms[t], loss = arm, losses[t, arm]
        if not 0.0 <= loss <= 1.0:  # NaN too: nothing has been learnt of this round
            return t
        pulls[arm] += 1
        totals[arm] += loss
    return len(losses)


class UCB1(Bandit):
    """Bandit for arms with fixed laws: optimism by Hoeffding's inequality, no coins, no horizon.

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
    >>> bandit = UCB1(n_arms=2)
    >>> losses = np.random.default_rng(0).random((2000, 2)) < [0.3, 0.5]
    >>> arms = bandit.play(losses)
    >>> bool(0.2 * bandit.pulls_[1] < bandit.guarantee(gaps=[0.0, 0.2], n_rounds=2000).bound)
    True
    >>> [certificate.method for certificate in bandit.certificates()]
    ['bandits_stochastic.stochastic_post_hoc', 'bandits_stochastic.ucb1_gap_free']
    """

    def __init__(self, *, n_arms: int) -> None:
        super().__init__(n_arms=n_arms)

    def guarantee(self, *, gaps: ArrayLike, n_rounds: int) -> Guarantee:
        """Bound the expected pseudo-regret, `gaps` being each arm's mean loss minus the least."""
        return bandits_stochastic.ucb1(gaps=gaps, n_rounds=n_rounds)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the pseudo-regret that this run proves, and what theory promised beforehand.

        The true means cannot be seen: observed is the pseudo-regret if the means seen were true.

        Parameters
        ----------
        delta
            The probability with which the first statement may fail.
        """
        if not self.n_rounds_:
            return ()
        promised = self._certify(
            bandits_stochastic.ucb1_gap_free(n_arms=self.n_arms, n_rounds=self.n_rounds_),
            "On average, the arms played have mean losses that sum to at most {bound} more than "
            "those of the best arm. Observed is the same for the mean losses seen.",
            observed=self._plug_in_regret,
            evidence={"arms": assumed("rewards are 1 − loss; no arm may change its law")},
            also=(STOPPING,),
        )
        return self._post_hoc(delta), promised

    def _play(
        self, losses: Matrix, n_before: int, counts: Counts, state: Any, arms: Indices
    ) -> int:
        del state  # there is none beside the counts
        return _play_rounds(losses, n_before, *counts, arms)
