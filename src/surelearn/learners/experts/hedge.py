"""Hedge: weights proportional to exp(-learning_rate x cumulative loss).

    w_k ∝ exp(-η L_k),   the learner pays Σ w_k ℓ_k

Freund and Schapire (1997); bounds in `surelearn.bounds.regret`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._stored import stored
from surelearn._typing import Matrix, Vector
from surelearn.bounds import Guarantee, regret
from surelearn.certificate import Certificate, checked
from surelearn.learners.experts import _loops, _validation
from surelearn.learners.experts._averaging import AveragingGame
from surelearn.learners.experts._game import BUILT
from surelearn.learners.experts._loops import Rounds
from surelearn.losses import Interval


@stored("hedge-state")
class State(NamedTuple):
    """How far each expert is behind the best, and the sum of the mixability gaps."""

    behind: Vector
    gaps: Vector


class Hedge(AveragingGame):
    """Exponential weights: fixed rate, tuned to a horizon, or at any time (the default).

    With `outcomes` and a convex loss it is the exponentially weighted average forecaster.

    Parameters
    ----------
    learning_rate
        A fixed rate η > 0; if left out, the rate follows from `horizon` or from the round.
    horizon
        The number of rounds, if known: the rate is then √(8 ln K / horizon) / range. Without it
        the rate of round t is 2 √(ln K / t) / range.
    loss_range
        The least and the largest possible loss; a loss outside is refused.

    Attributes
    ----------
    weights
        The distribution over the experts in the next round.
    regret_, regrets_
        What the learner lost beyond the best expert, and beyond each.
    cumulative_loss_, expert_losses_, n_experts_, n_rounds_, slept_
        The tallies of the game; see `AveragingGame`.
    sum_mixability_gaps_
        Weighted losses minus mix losses, summed: what the realised bound is made of.

    Examples
    --------
    >>> learner = Hedge(learning_rate=1.0)
    >>> learner.learn([[0, 1], [1, 0], [0, 1]]).round(4).tolist()
    [0.5, 0.7311, 0.5]
    >>> realised, a_priori = learner.certificates()
    >>> round(learner.regret_, 4), round(realised.bound, 4), round(a_priori.bound, 4)
    (0.7311, 1.0443, 1.0681)
    """

    def __init__(
        self,
        *,
        learning_rate: float | None = None,
        horizon: int | None = None,
        loss_range: Interval = (0.0, 1.0),
    ) -> None:
        self.learning_rate = learning_rate
        self.horizon = horizon
        self.loss_range = loss_range

    @property
    def sum_mixability_gaps_(self) -> float:
        """Weighted losses minus mix losses, summed."""
        return float(self.state_.learnt.gaps[0])

    def guarantee(self, *, n_experts: int, n_rounds: int) -> Guarantee:
        """Bound the regret after `n_rounds` rounds, known before the first."""
        self._settle_parameters()
        width, n_rounds = self._width, _arguments.count("n_rounds", n_rounds)
        if self.learning_rate is None and self.horizon is None:
            return regret.hedge_anytime(n_experts=n_experts, n_rounds=n_rounds, loss_range=width)
        if self.horizon == n_rounds:
            return regret.hedge_tuned(n_experts=n_experts, n_rounds=n_rounds, loss_range=width)
        return regret.hedge(
            n_experts=n_experts,
            n_rounds=n_rounds,
            learning_rate=float(self._rates(n_experts, 0, 1)[0]),
            loss_range=width,
        )

    def for_horizon(self, n_rounds: int) -> "Hedge":
        """Return a learner that has played no round, tuned to so many."""
        return Hedge(horizon=n_rounds, loss_range=self.loss_range)

    def _rates(self, n_experts: int, start: int, n_rounds: int) -> Vector:
        """Return the rates of some rounds; one expert alone has rates too, which change nothing."""
        if self.learning_rate is not None:
            return np.full(n_rounds, float(self.learning_rate))
        log_k = math.log(max(n_experts, 2))
        if self.horizon is not None:
            return np.full(n_rounds, math.sqrt(8.0 * log_k / self.horizon) / self._width)
        rounds = np.arange(start + 1.0, start + n_rounds + 1.0)
        return 2.0 * np.sqrt(log_k / rounds) / self._width

    def _check_parameters(self) -> None:
        _validation.check_range(self.loss_range)
        if self.learning_rate is not None and self.horizon is not None:
            raise ValueError("give learning_rate or horizon, not both: the horizon sets the rate")
        if self.learning_rate is not None:
            _arguments.positive("learning_rate", self.learning_rate)
        if self.horizon is not None:
            _arguments.count("horizon", self.horizon, at_least=1)

    def _start(self, n_experts: int) -> State:
        return State(behind=np.zeros(n_experts), gaps=np.zeros(1))

    def _play(
        self, table: Rounds, n_before: int, state: State, weights: Matrix, excess: Vector
    ) -> None:
        rates = self._rates(len(state.behind), n_before, len(excess))
        _loops.exponential_weights(table, rates, *state, weights, excess)

    def _certificates(self) -> Iterable[Certificate]:
        yield self._certify_regret(self._realised(), {"learning_rate": BUILT, "measured": BUILT})
        known = self.guarantee(n_experts=self.n_experts_, n_rounds=self.n_rounds_)
        tuned = "n_rounds" if self.horizon == self.n_rounds_ else "learning_rate"
        inside = checked(f"all losses lie in {self.loss_range}")
        yield self._certify_regret(known, {"range": inside, tuned: BUILT})

    def _realised(self) -> Guarantee:
        if self.learning_rate is None and self.horizon is None:
            return regret.hedge_anytime_realised(
                n_experts=self.n_experts_,
                n_rounds=self.n_rounds_,
                sum_mixability_gaps=self.sum_mixability_gaps_,
                loss_range=self._width,
            )
        return regret.hedge_realised(
            n_experts=self.n_experts_,
            learning_rate=float(self._rates(self.n_experts_, 0, 1)[0]),
            sum_mixability_gaps=self.sum_mixability_gaps_,
        )

    @classmethod
    def _state_of_format_1(cls, old: Mapping[str, Any]) -> State:
        return State(old["behind_"], np.array([old["sum_mixability_gaps_"]]))
