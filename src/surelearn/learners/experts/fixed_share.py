"""Fixed share: after every round each expert gives a share of its weight to the others.

    v_k ∝ w_k exp(-η ℓ_k),   w_k ← (1 - α) v_k + α (1 - v_k) / (K - 1)

Herbster and Warmuth (1998); bounds in `surelearn.bounds.regret_tracking`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._jit.elementary import exp
from surelearn._stored import stored
from surelearn._typing import Matrix, Vector
from surelearn.bounds import Guarantee, regret_tracking
from surelearn.certificate import Certificate, checked
from surelearn.learners.experts import _loops, _validation
from surelearn.learners.experts._averaging import AveragingGame
from surelearn.learners.experts._game import BUILT, GameState
from surelearn.learners.experts._loops import Rounds
from surelearn.losses import Interval

_MOST_SWITCHES = 2**24  # a path is kept for each


@stored("fixed-share-state")
class State(NamedTuple):
    """The rates in use, the shares of the experts, the mixability gaps, regrets to sequences.

    A `switch_rate` of NaN is 1/t before round t. `paths` has the largest regret to a sequence for
    each number of switches (row) and last expert (column).
    """

    learning_rate: Vector
    switch_rate: Vector
    shares: Vector
    gaps: Vector
    paths: Matrix


@jit
def _play_rounds(
    table: Rounds,
    rate: float,
    switch_rates: Vector,
    shares: Vector,
    gaps: Vector,
    weights: Matrix,
    excess: Vector,
) -> None:
    """Play each round; `shares` and `gaps` change, `weights` and `excess` fill."""
    n_experts = shares.shape[0]
    for t in range(table.floor.shape[0]):
        for k in range(n_experts):
            weights[t, k] = shares[k]
        _loops.restrict(table, t, weights)
        excess[t] = _loops.excess_of(table, t, weights)
        least, total = np.inf, 0.0  # above 0 if nobody is wide awake: shares must not all vanish
        for k in range(n_experts):
            least = min(least, _loops.charged(table, t, k, excess[t]))
        # Relative to `least` the largest factor is 1, so that `total` cannot underflow to 0.
        for k in range(n_experts):
            shares[k] *= exp(-rate * (_loops.charged(table, t, k, excess[t]) - least))
            total += shares[k]
        gaps[0] += min(max(excess[t] - least + math.log(total) / rate, 0.0), excess[t])
        given = switch_rates[t] / max(n_experts - 1, 1)
        for k in range(n_experts):
            kept = shares[k] / total
            shares[k] = (1.0 - switch_rates[t]) * kept + given * (1.0 - kept)


@jit
def _follow_paths(table: Rounds, excess: Vector, first: int, paths: Matrix) -> None:
    """Move on the largest regret to a sequence of experts, by its switches and its last expert."""
    for t in range(table.floor.shape[0]):
        # From the most switches down: row s - 1 is still that of the round before. Nothing has
        # been followed before the very first round, so that nobody can switch there.
        for s in range(paths.shape[0] - 1 if t + first > 0 else 0, 0, -1):
            leader, best, second = 0, -np.inf, -np.inf
            for k in range(paths.shape[1]):
                if paths[s - 1, k] > best:
                    leader, best, second = k, paths[s - 1, k], best
                elif paths[s - 1, k] > second:
                    second = paths[s - 1, k]
            # A switch comes from another expert: the leader itself from the second best.
            for k in range(paths.shape[1]):
                paths[s, k] = max(paths[s, k], second if k == leader else best)
        for k in range(paths.shape[1]):
            regret = excess[t] - _loops.charged(table, t, k, excess[t])
            for s in range(paths.shape[0]):
                paths[s, k] += regret


class FixedShare(AveragingGame):
    """Experts when the best one changes: little regret to sequences of experts with few switches.

    Parameters
    ----------
    switch_rate
        The share α in (0, 1) that an expert gives away. If left out, it is tuned to `horizon` and
        `n_switches`; without a horizon it is 1/t before round t.
    learning_rate
        The rate η; if left out, tuned likewise, and 1 / range without a horizon.
    horizon
        The number of rounds, if known.
    n_switches
        How often the best sequence may switch; the run keeps the regret to all such sequences.
    loss_range
        The least and the largest possible loss; a loss outside is refused.

    Attributes
    ----------
    weights
        The distribution over the experts in the next round.
    path_regrets_
        What the learner lost beyond the best sequence of experts with exactly 0, 1, ... switches.
    regret_, regrets_
        What the learner lost beyond the best expert, and beyond each.
    cumulative_loss_, expert_losses_, n_experts_, n_rounds_, slept_
        The tallies of the game; see `AveragingGame`.
    sum_mixability_gaps_
        Weighted losses minus mix losses, summed.
    learning_rate_, switch_rate_
        The rates in use; the latter is None if it is 1/t.

    Examples
    --------
    >>> learner = FixedShare(horizon=100, n_switches=1)
    >>> losses = [[0, 1]] * 50 + [[1, 0]] * 50
    >>> float(learner.learn(losses).sum().round(2)), learner.path_regrets_.round(2).tolist()
    (8.53, [-41.47, 8.53])
    """

    def __init__(
        self,
        *,
        switch_rate: float | None = None,
        learning_rate: float | None = None,
        horizon: int | None = None,
        n_switches: int = 1,
        loss_range: Interval = (0.0, 1.0),
    ) -> None:
        self.switch_rate = switch_rate
        self.learning_rate = learning_rate
        self.horizon = horizon
        self.n_switches = n_switches
        self.loss_range = loss_range

    @property
    def path_regrets_(self) -> Vector:
        """The loss beyond the best sequence with exactly 0, 1, ... switches."""
        return self.state_.learnt.paths.max(axis=1)

    @property
    def sum_mixability_gaps_(self) -> float:
        """Weighted losses minus mix losses, summed."""
        return float(self.state_.learnt.gaps[0])

    @property
    def learning_rate_(self) -> float:
        """The learning rate in use."""
        return self.state_.learnt.learning_rate.item()

    @property
    def switch_rate_(self) -> float | None:
        """The share that is given away; None if it is 1/t."""
        rate = float(self.state_.learnt.switch_rate[0])
        return None if math.isnan(rate) else rate

    def _check_parameters(self) -> None:
        _validation.check_range(self.loss_range)
        _arguments.count("n_switches", self.n_switches, at_least=1, at_most=_MOST_SWITCHES)
        if self.switch_rate is not None:
            _arguments.open_fraction("switch_rate", self.switch_rate)
        if self.learning_rate is not None:
            _arguments.positive("learning_rate", self.learning_rate)
        if self.horizon is not None:
            _arguments.count("horizon", self.horizon, at_least=self.n_switches + 1)

    def _start(self, n_experts: int) -> State:
        switch_rate, learning_rate = self._tune(n_experts)
        paths = np.full((self.n_switches + 1, n_experts), -np.inf)
        paths[0] = 0.0
        return State(
            learning_rate=np.array([learning_rate]),
            switch_rate=np.array([switch_rate]),
            shares=np.full(n_experts, 1.0 / n_experts),
            gaps=np.zeros(1),
            paths=paths,
        )

    def _tune(self, n_experts: int) -> tuple[float, float]:
        """Return the rates in use; a switch rate of NaN is 1/t before round t."""
        switch_rate, learning_rate = self.switch_rate, self.learning_rate
        if n_experts == 1:
            switch_rate = 0.0
        elif self.horizon is not None:
            game = {"n_experts": n_experts, "n_rounds": self.horizon, "n_switches": self.n_switches}
            switch_rate = switch_rate or regret_tracking.fixed_share_switch_rate(**game)
            tuned = regret_tracking.fixed_share_learning_rate(**game, loss_range=self._width)
            learning_rate = learning_rate or tuned
        share = math.nan if switch_rate is None else float(switch_rate)
        return share, learning_rate or 1.0 / self._width

    def _play(
        self, table: Rounds, n_before: int, state: State, weights: Matrix, excess: Vector
    ) -> None:
        rate, share = float(state.learning_rate[0]), float(state.switch_rate[0])
        rates = np.full(len(excess), share)
        if math.isnan(share):  # 1/t from round t - 1 to round t
            rates = 1.0 / np.arange(n_before + 2.0, n_before + len(excess) + 2.0)
        _play_rounds(table, rate, rates, state.shares, state.gaps, weights, excess)

    def _settle(self, table: Rounds, excess: Vector, game: GameState) -> None:
        _follow_paths(table, excess, int(game.tallies.n_rounds[0]), game.learnt.paths)
        super()._settle(table, excess, game)

    def _certificates(self) -> Iterable[Certificate]:
        inside = checked(f"all losses lie in {self.loss_range}")
        reachable = min(self.n_switches, self.n_rounds_ - 1) if self.n_experts_ > 1 else 0
        exactly, at_most = self.path_regrets_[reachable], self.path_regrets_.max()
        realised, a_priori = self._realised(reachable), self._a_priori(reachable)
        untuned = self.switch_rate_ is None
        observed, rates = (at_most, "switch_rate") if untuned else (exactly, "rates")
        evidence = {rates: BUILT, "measured": BUILT}
        yield self._certify_regret(realised, evidence, observed=float(observed))
        if a_priori is not None:
            evidence = {"range": inside, rates: BUILT}
            yield self._certify_regret(a_priori, evidence, observed=float(at_most))

    def _realised(self, n_switches: int) -> Guarantee:
        run: dict[str, Any] = {
            "n_experts": self.n_experts_,
            "n_rounds": self.n_rounds_,
            "n_switches": n_switches,
            "learning_rate": self.learning_rate_,
            "sum_mixability_gaps": self.sum_mixability_gaps_,
        }
        if self.switch_rate_ is None:
            return regret_tracking.fixed_share_untuned_realised(**run)
        return regret_tracking.fixed_share_realised(**run, switch_rate=self.switch_rate_)

    def _a_priori(self, n_switches: int) -> Guarantee | None:
        game: dict[str, Any] = {
            "n_experts": self.n_experts_,
            "n_rounds": self.n_rounds_,
            "n_switches": n_switches,
            "loss_range": self._width,
        }
        if self.switch_rate_ is None:
            return regret_tracking.fixed_share_untuned(**game, learning_rate=self.learning_rate_)
        tuned = self.switch_rate is None and self.learning_rate is None
        finished = tuned and self.horizon == self.n_rounds_
        return regret_tracking.fixed_share(**game) if finished else None

    @classmethod
    def _state_of_format_1(cls, old: Mapping[str, Any]) -> State:
        share = math.nan if old["switch_rate_"] is None else old["switch_rate_"]
        rates = np.array([old["learning_rate_"]]), np.array([share])
        gaps = np.array([old["sum_mixability_gaps_"]])
        return State(*rates, old["shares_"], gaps, old["paths_"])
