"""AdaHedge: exponential weights whose rate follows from what mixing has cost so far.

    η_t = ln K / Δ_{t-1},   Δ_t = Δ_{t-1} + (weighted loss - mix loss)

de Rooij, van Erven, Grünwald and Koolen (2014); bounds in `surelearn.bounds.regret_adaptive`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from surelearn._jit import jit
from surelearn._stored import stored
from surelearn._typing import Matrix, Vector
from surelearn.bounds import Guarantee, regret_adaptive, regret_sleeping
from surelearn.certificate import Certificate, Evidence, checked
from surelearn.learners.experts import _loops, _units
from surelearn.learners.experts._averaging import AveragingGame
from surelearn.learners.experts._game import BUILT
from surelearn.learners.experts._loops import Rounds

_INFINITE = 1e300  # the rate before the first gap: only the leaders have weight


@stored("adahedge-state")
class State(NamedTuple):
    """How far each expert is behind the best, Δ before and after the last round, the widest one."""

    behind: Vector
    gaps: Vector
    widest: Vector


@jit
def _play_rounds(
    table: Rounds, behind: Vector, gaps: Vector, widest: Vector, weights: Matrix, excess: Vector
) -> None:
    """Play each round at the rate that the gaps so far give; the state changes in place."""
    log_k = math.log(behind.shape[0])
    for t in range(table.floor.shape[0]):
        rate = min(log_k / gaps[1], _INFINITE) if gaps[1] > 0.0 else _INFINITE
        # The gap is one of potentials over all experts, those asleep included: they are charged.
        before = _loops.weigh(t, behind, rate, weights)
        if table.awake.shape[0] > 0:
            _loops.weigh_awake(table, t, behind, rate, weights)
        excess[t] = _loops.excess_of(table, t, weights)
        gaps[0] = gaps[1]
        gaps[1] += _loops.advance(table, t, excess[t], rate, before, behind)
        for k in range(behind.shape[0]):
            widest[0] = max(widest[0], _loops.charged(table, t, k, excess[t]))


class AdaHedge(AveragingGame):
    """Experts with nothing to tune: no rate, no horizon, no range of losses.

    The default choice. Weights do not change if all losses are shifted or scaled.

    Attributes
    ----------
    weights
        The distribution over the experts in the next round.
    regret_, regrets_
        What the learner lost beyond the best expert, and beyond each.
    cumulative_loss_, expert_losses_, n_experts_, n_rounds_, slept_
        The tallies of the game; see `AveragingGame`.
    sum_mixability_gaps_, previous_sum_mixability_gaps_
        Weighted losses minus mix losses, summed up to the last round and the one before.
    largest_range_
        The largest difference between two experts' losses in one round.

    Examples
    --------
    >>> learner = AdaHedge()
    >>> learner.learn([[0, 1], [1, 0], [0, 1], [1, 0]]).round(4).tolist()
    [0.5, 0.8, 0.5, 0.7114]
    >>> realised, a_priori = learner.certificates()
    >>> round(learner.regret_, 4), round(realised.bound, 4), round(a_priori.bound, 4)
    (0.5114, 1.6391, 2.9423)
    """

    @property
    def sum_mixability_gaps_(self) -> float:
        """Weighted losses minus mix losses, summed up to the last round."""
        return float(self.state_.learnt.gaps[1])

    @property
    def previous_sum_mixability_gaps_(self) -> float:
        """The same up to the round before."""
        return float(self.state_.learnt.gaps[0])

    @property
    def largest_range_(self) -> float:
        """The largest difference between two experts' losses in one round."""
        return float(self.state_.learnt.widest[0])

    def guarantee(self, *, n_experts: int, n_rounds: int, loss_range: float = 1.0) -> Guarantee:
        """Bound the regret if the losses of every round span at most `loss_range`."""
        return regret_adaptive.adahedge(
            n_experts=n_experts, n_rounds=n_rounds, loss_range=loss_range
        )

    def _check_parameters(self) -> None:
        pass

    def _start(self, n_experts: int) -> State:
        return State(behind=np.zeros(n_experts), gaps=np.zeros(2), widest=np.zeros(1))

    def _play(
        self, table: Rounds, n_before: int, state: State, weights: Matrix, excess: Vector
    ) -> None:
        del n_before  # the rate follows from the gaps alone
        if state.widest[0] >= _units.SMALL:
            _play_rounds(table, *state, weights, excess)
        else:
            self._play_in_units(table, state, weights, excess)

    def _play_in_units(self, table: Rounds, state: State, weights: Matrix, excess: Vector) -> None:
        """Play at the beginning, and while all losses are tiny: the rate must not overflow."""
        lifted = _units.above_floor(table).losses
        unit = _units.unit_of(max(float(state.widest[0]), float(lifted.max(initial=0.0))))
        for held in state:
            np.divide(held, unit, out=held)
        _play_rounds(_units.in_units(table, unit), *state, weights, excess)
        for held in (*state, excess):
            np.multiply(held, unit, out=held)

    def _certificates(self) -> Iterable[Certificate]:
        asleep: dict[str, Evidence] = {"awake": BUILT} if self.slept_ else {}
        yield self._certify_regret(self._realised(), {"measured": BUILT, **asleep})
        if self.largest_range_ > 0.0:
            width = checked(f"the widest round spans {self.largest_range_:.6g}")
            evidence = {"range": width, **asleep}
            yield self._certify_regret(self._a_priori(), evidence, measured=("loss_range",))

    def _realised(self) -> Guarantee:
        plain, asleep = (
            regret_adaptive.adahedge_realised,
            regret_sleeping.sleeping_adahedge_realised,
        )
        return (asleep if self.slept_ else plain)(
            sum_mixability_gaps=self.sum_mixability_gaps_,
            previous_sum_mixability_gaps=self.previous_sum_mixability_gaps_,
        )

    def _a_priori(self) -> Guarantee:
        plain, asleep = regret_adaptive.adahedge, regret_sleeping.sleeping_adahedge
        return (asleep if self.slept_ else plain)(
            n_experts=self.n_experts_, n_rounds=self.n_rounds_, loss_range=self.largest_range_
        )

    @classmethod
    def _state_of_format_1(cls, old: Mapping[str, Any]) -> State:
        gaps = [old["previous_sum_mixability_gaps_"], old["sum_mixability_gaps_"]]
        return State(old["behind_"], np.array(gaps), np.array([old["largest_range_"]]))
