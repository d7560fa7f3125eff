"""Squint: exponential weights of regret and its variance, over a grid of learning rates.

    w_k ∝ π_k Σ_j γ_j η_j exp(η_j R_k - η_j² V_k),   R_k = Σ r_k,   V_k = Σ r_k²,   r_k = h - ℓ_k

Koolen and van Erven (2015); bounds in `surelearn.bounds.regret_adaptive`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._jit import inner, jit
from surelearn._jit.elementary import exp
from surelearn._stored import stored
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.bounds import Guarantee, regret_adaptive, regret_sleeping
from surelearn.certificate import Certificate, Evidence, checked
from surelearn.learners.experts import _loops, _units, _validation
from surelearn.learners.experts._averaging import AveragingGame
from surelearn.learners.experts._game import BUILT
from surelearn.learners.experts._loops import Rounds
from surelearn.losses import Interval

_LONGEST = 4**30  # rounds that thirty rates cover
_MOST_ROUNDS = 4**100  # beyond it rates would become too small


@stored("squint-state")
class State(NamedTuple):
    """The prior, the grid of rates, and each expert's regret and variance under the weights.

    Regrets and variances are in the unit that `_units` has for the width of the losses, which is 1
    unless the width is extreme.
    """

    prior: Vector
    learning_rates: Vector
    regrets: Vector
    variances: Vector


@jit
def _highest(table: Rounds, t: int, rates: Vector, regrets: Vector, variances: Vector) -> float:
    """Return the largest exponent η R - η² V of an awake expert."""
    highest = -np.inf
    for k in range(regrets.shape[0]):
        if table.awake.shape[0] == 0 or table.awake[t, k] > 0.0:
            for j in range(rates.shape[0]):
                highest = max(highest, rates[j] * (regrets[k] - rates[j] * variances[k]))
    return highest


@inner
def _mix_rates(rates: Vector, regret: float, variance: float, highest: float) -> float:
    """Return the sum of η exp(η R - η² V - highest) over the grid."""
    total = 0.0
    for j in range(rates.shape[0]):
        # Shifted by `highest` no exponent is above 0, so that nothing overflows.
        exponent = rates[j] * (regret - rates[j] * variance) - highest
        total += rates[j] * exp(min(exponent, 0.0))
    return total


@jit
def _play_rounds(
    table: Rounds,
    prior: Vector,
    rates: Vector,
    regrets: Vector,
    variances: Vector,
    weights: Matrix,
    excess: Vector,
) -> None:
    """Play each round; `regrets` and `variances` change, `weights` and `excess` fill."""
    for t in range(table.floor.shape[0]):
        highest = _highest(table, t, rates, regrets, variances)
        for k in range(prior.shape[0]):
            weights[t, k] = prior[k] * _mix_rates(rates, regrets[k], variances[k], highest)
        _loops.restrict(table, t, weights)
        excess[t] = _loops.excess_of(table, t, weights)
        for k in range(prior.shape[0]):
            regret = excess[t] - _loops.charged(table, t, k, excess[t])
            regrets[k] += regret
            variances[k] += regret * regret


class Squint(AveragingGame):
    """Experts by a prior over learning rates: little regret where the regret varies little.

    The bound to each expert depends on its own variance and prior weight, so that easy sequences
    and many good experts are recognised without tuning.

    Parameters
    ----------
    prior
        Positive weights of the experts before the first round; equal if left out.
    horizon
        The grid has the rates 1/2, 1/4, ... that cover so many rounds; thirty if left out.
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
    variances_
        For each expert the sum of the squared differences between the weighted loss and its own.
    learning_rates_, prior_
        The grid, equally weighted, and the prior, made to sum to 1.

    Examples
    --------
    >>> learner = Squint(horizon=16)
    >>> learner.learn([[0, 1], [1, 0], [0, 1], [1, 0]]).round(4).tolist()
    [0.5, 0.602, 0.4906, 0.6108]
    >>> learner.variances_.round(4).tolist()
    [0.8005, 1.245]
    """

    def __init__(
        self,
        *,
        prior: ArrayLike | None = None,
        horizon: int = _LONGEST,
        loss_range: Interval = (0.0, 1.0),
    ) -> None:
        self.prior = prior
        self.horizon = horizon
        self.loss_range = loss_range

    @property
    def prior_(self) -> Vector:
        """The prior, made to sum to 1."""
        return self.state_.learnt.prior

    @property
    def learning_rates_(self) -> Vector:
        """The grid of rates, for losses of range 1."""
        return self.state_.learnt.learning_rates

    @property
    def variances_(self) -> Vector:
        """For each expert the squared differences to the weighted loss, summed."""
        return self.state_.learnt.variances * self._unit * self._unit

    @property
    def _unit(self) -> float:
        return _units.unit_of(self._width)

    def guarantee(self, *, prior: float, n_rounds: int) -> Guarantee:
        """Bound the regret to an expert with this prior weight, on losses of range 1.

        Known before the run, for at most `horizon` rounds: the variance is at most their number.
        """
        closed = regret_adaptive.squint(variance=n_rounds, prior=prior, n_rounds=self.horizon)
        return replace(closed, trivial=float(n_rounds))

    def _check_parameters(self) -> None:
        _validation.check_range(self.loss_range)
        _arguments.count("horizon", self.horizon, at_least=1, at_most=_MOST_ROUNDS)

    def _start(self, n_experts: int) -> State:
        prior = (
            np.ones(n_experts) if self.prior is None else _arguments.numbers("prior", self.prior)
        )
        if prior.shape != (n_experts,) or not (np.isfinite(prior) & (prior > 0.0)).all():
            raise ValueError(f"prior must hold {n_experts} positive weights, one for each expert")
        prior = prior / prior.max()  # or the sum of huge weights would overflow
        if prior.min() < _units.SMALL:
            raise ValueError(
                f"prior weights differ by a factor beyond {1 / _units.SMALL:g}: the smallest would "
                "be lost in rounding. Leave such experts out, or raise their weights"
            )
        return State(
            prior=prior / prior.sum(),
            learning_rates=regret_adaptive.squint_rates(n_rounds=self.horizon),
            regrets=np.zeros(n_experts),
            variances=np.zeros(n_experts),
        )

    def _play(
        self, table: Rounds, n_before: int, state: State, weights: Matrix, excess: Vector
    ) -> None:
        del n_before  # the grid is the same in every round
        unit, sums = self._unit, (state.regrets, state.variances)
        rates = state.learning_rates / (self._width / unit)
        if unit == 1.0:
            _play_rounds(table, state.prior, rates, *sums, weights, excess)
        else:
            counted = _units.in_units(table, unit)
            _play_rounds(counted, state.prior, rates, *sums, weights, excess)
            excess *= unit

    def _certificates(self) -> Iterable[Certificate]:
        best = int(np.argmax(self.regrets_))
        inside = checked(f"all losses lie in {self.loss_range}")
        evidence: dict[str, Evidence] = {"range": inside, "learning_rate": BUILT}
        asleep: dict[str, Evidence] = {"awake": BUILT} if self.slept_ else {}
        theorem = regret_sleeping.sleeping_squint if self.slept_ else regret_adaptive.squint_root
        n_rates, prior = len(self.learning_rates_), float(self.prior_[best])
        realised = theorem(
            variance=self._squares(best),
            prior=prior,
            learning_rates=self.learning_rates_.tolist(),
            rate_weights=[1.0 / n_rates] * n_rates,
        )
        yield self._certify_regret(realised, {**evidence, **asleep}, scale=self._width)
        if prior <= 0.5 and self.n_rounds_ <= self.horizon:
            known = self.guarantee(prior=prior, n_rounds=self.n_rounds_)
            # Which expert is the best, and what prior it had, is known only now.
            chosen = ("prior",) if np.ptp(self.prior_) > 0.0 else ()
            yield self._certify_regret(known, evidence, scale=self._width, measured=chosen)

    def _squares(self, expert: int) -> float:
        """Return the variance of an expert for losses of range 1, which it is stated for."""
        width = self._width / self._unit
        return float(self.state_.learnt.variances[expert]) / (width * width)

    @classmethod
    def _state_of_format_1(cls, old: Mapping[str, Any]) -> State:
        sums = old["weighted_regrets_"], old["variances_"]
        return State(old["prior_"], old["learning_rates_"], *sums)
