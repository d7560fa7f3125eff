"""Thompson sampling: play each arm as often as it is believed to be the best.

    draw θ_i ~ Beta(1 + gains_i, 1 + losses_i),   play the largest θ_i

Thompson (1933), with uniform priors; no bound beforehand, but every run is certified by
`surelearn.bounds.bandits_stochastic.stochastic_post_hoc`.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import special

from surelearn._stored import stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.states import refuse_other_stream
from surelearn.certificate import Certificate
from surelearn.learners.bandits._bandit import Bandit, check_seed
from surelearn.learners.bandits._state import Counts

_LEVELS = (np.arange(256) + 0.5) / 256.0


@stored("thompson-sampling-state")
class State(NamedTuple):
    """The means drawn for an arm selected and not yet paid for, NaN if there is none; the coins."""

    pending: Vector
    coins: Generator


class ThompsonSampling(Bandit):
    """Bandit for arms with fixed laws that draws from what it believes; the best in practice.

    The beliefs are those for losses of 0 or 1; a loss between counts as that part of one. The
    certificate is true for both.

    Parameters
    ----------
    n_arms
        The number of arms, two or more.
    seed
        A whole number, or a NumPy Generator to draw from.

    Attributes
    ----------
    pulls_, arm_losses_
        How often each arm was played, and the losses paid on it, summed.
    n_rounds_, cumulative_loss_
        Rounds played, and the sum of the losses paid.
    probabilities
        The chance of each arm in this round, to about four digits.

    Examples
    --------
    >>> bandit = ThompsonSampling(n_arms=3)
    >>> losses = np.random.default_rng(0).random((1000, 3)) < [0.2, 0.6, 0.7]
    >>> arms = bandit.play(losses)
    >>> bool(bandit.pulls_[0] > 900)
    True
    >>> [certificate.status for certificate in bandit.certificates()]
    ['valid']
    """

    def __init__(self, *, n_arms: int, seed: int | Generator = 0) -> None:
        self.seed = seed
        super().__init__(n_arms=n_arms)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_seed(self.seed)

    def _start(self) -> State:
        return State(np.full(self.n_arms, np.nan), np.random.default_rng(self.seed))

    @property
    def probabilities(self) -> Vector:
        """The chance that each arm's draw is the largest.

        Between neighbours on a grid of all arms' quantiles, an arm's belief gains a mass during
        which the other arms' distribution functions hardly change.
        """
        gains, losses = (a[:, np.newaxis] for a in _beliefs(self.state_.counts))
        inner = np.unique(special.betaincinv(gains, losses, _LEVELS))
        grid = np.concatenate([[0.0], inner, [1.0]])
        below = special.betainc(gains, losses, grid)
        middle = 0.5 * (below[:, 1:] + below[:, :-1])
        chances = np.array(
            [
                np.diff(below[arm]) @ np.prod(np.delete(middle, arm, axis=0), axis=0)
                for arm in range(self.n_arms)
            ]
        )
        return chances / chances.sum()

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the pseudo-regret that this run proves.

        The true means cannot be seen: observed is the pseudo-regret if the means seen were true.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        return (self._post_hoc(delta),) if self.n_rounds_ else ()

    def _check_learnt(self, n_rounds: int, selected: int | None, learnt: State) -> None:
        del n_rounds  # how many numbers were drawn depends on them
        refuse_other_stream(learnt.coins, self._start().coins)
        drawn = ~np.isnan(learnt.pending)
        inside = (learnt.pending[drawn] >= 0.0) & (learnt.pending[drawn] <= 1.0)
        if not (drawn == (selected is not None)).all() or not inside.all():
            raise ValueError("what was drawn for this round is no chance for each arm")

    def _play(
        self, losses: Matrix, n_before: int, counts: Counts, state: State, arms: Indices
    ) -> int:
        del n_before  # the beliefs know
        pending, coins = state
        for t in range(len(losses)):
            if math.isnan(pending.item(0)):
                pending[:] = coins.beta(*_beliefs(counts))
            arm = arms[t] = int(pending.argmax())
            loss = losses.item(t, arm)
            if not 0.0 <= loss <= 1.0:
                return t
            pending[0] = math.nan  # used up
            counts.pulls[arm] += 1
            counts.arm_losses[arm] += loss
        pending[:] = math.nan  # all of it: how rounds are cut leaves no trace
        return len(losses)


def _beliefs(counts: Counts) -> tuple[Vector, Vector]:
    """Return the two parameters of each arm's Beta distribution of the mean gain."""
    return 1.0 + counts.pulls - counts.arm_losses, 1.0 + counts.arm_losses
