"""Thompson sampling: play each arm as often as it is believed to be the best.

    draw θ_i ~ Beta(1 + gains_i, 1 + losses_i),   play the largest θ_i

Thompson (1933), with uniform priors; no bound beforehand, but every run is certified by
`surelearn.bounds.bandits_stochastic.stochastic_post_hoc`.
"""

import numpy as np
from numpy.random import Generator
from scipy import special

from surelearn._typing import Indices, Matrix, Vector
from surelearn.certificate import Certificate
from surelearn.learners.bandits._bandit import Bandit, generator

_LEVELS = (np.arange(256) + 0.5) / 256.0


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
        super().__init__(n_arms=n_arms)
        self.seed = seed
        self._rng = generator(seed)
        self._drawn: Vector | None = None  # for an arm selected and not yet paid for

    @property
    def probabilities(self) -> Vector:
        """The chance that each arm's draw is the largest.

        Between neighbours on a grid of all arms' quantiles, an arm's belief gains a mass during
        which the other arms' distribution functions hardly change.
        """
        gains, losses = (a[:, np.newaxis] for a in self._beliefs())
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

    def _beliefs(self) -> tuple[Vector, Vector]:
        """Return the two parameters of each arm's Beta distribution of the mean gain."""
        return 1.0 + self.pulls_ - self.arm_losses_, 1.0 + self.arm_losses_

    def _play(self, losses: Matrix, arms: Indices) -> int:
        for t, row in enumerate(losses):
            draws = self._rng.beta(*self._beliefs()) if self._drawn is None else self._drawn
            arm = arms[t] = np.argmax(draws)
            if not 0.0 <= row[arm] <= 1.0:
                self._drawn = draws
                return t
            self._drawn = None
            self.pulls_[arm] += 1
            self.arm_losses_[arm] += row[arm]
        return len(losses)
