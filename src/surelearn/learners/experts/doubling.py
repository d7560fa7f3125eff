"""The doubling trick: restart Hedge at rounds 1, 2, 4, 8 ..., each time tuned to that many rounds.

    epoch k has 2^k rounds, fresh weights and the rate √(8 ln K / 2^k) / range

Cesa-Bianchi et al. (1997); the bound is `surelearn.bounds.regret.hedge_doubling`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from surelearn._stored import stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.bounds import Guarantee, regret
from surelearn.certificate import Certificate, checked
from surelearn.learners.experts import _validation
from surelearn.learners.experts._averaging import AveragingGame
from surelearn.learners.experts._game import BUILT
from surelearn.learners.experts._loops import Rounds
from surelearn.learners.experts.hedge import Hedge
from surelearn.losses import Interval


@stored("doubling-state")
class State(NamedTuple):
    """How many epochs have begun, how many rounds this one has left, and its learner's state."""

    n_epochs: Indices
    n_left: Indices
    epoch: tuple[Any, ...]


class Doubling(AveragingGame):
    """A learner tuned to a horizon, made to run for ever by restarts.

    It forgets at every restart; Hedge without a horizon has 2.4 times less regret in the worst
    case. It is here because so many proofs use it.

    Parameters
    ----------
    learner
        A `Hedge`, whose range of losses is used; each epoch plays a new one.

    Attributes
    ----------
    weights
        The distribution over the experts in the next round.
    regret_, regrets_
        What the learner lost beyond the best expert, and beyond each.
    cumulative_loss_, expert_losses_, n_experts_, n_rounds_, slept_
        The tallies of the game; see `AveragingGame`.
    n_epochs_
        How many epochs have begun.

    Examples
    --------
    >>> from surelearn.learners.experts.hedge import Hedge
    >>> learner = Doubling(Hedge())
    >>> learner.learn([[0, 1], [0, 1], [0, 1], [0, 1]]).round(3).tolist()
    [0.5, 0.5, 0.159, 0.5]
    >>> learner.n_epochs_, round(learner.certificates()[0].bound, 3)
    (3, 2.599)
    """

    def __init__(self, learner: Hedge) -> None:
        self.learner = learner

    @property
    def n_epochs_(self) -> int:
        """How many epochs have begun."""
        return int(self.state_.learnt.n_epochs[0])

    def guarantee(self, *, n_experts: int, n_rounds: int) -> Guarantee:
        """Bound the regret after `n_rounds` rounds, known before the first."""
        low, high = self.learner.loss_range
        return regret.hedge_doubling(n_experts=n_experts, n_rounds=n_rounds, loss_range=high - low)

    def _check_parameters(self) -> None:
        if type(self.learner) is not Hedge:  # the bound is that of its weights, and no other's
            raise TypeError(f"learner={self.learner!r} is not restarted here; give a Hedge()")
        _validation.check_range(self.learner.loss_range)

    @property
    def _range(self) -> Interval:
        return self.learner.loss_range

    def _epoch(self, length: int) -> AveragingGame:
        """Return the learner of an epoch of so many rounds."""
        return self.learner.for_horizon(length)

    def _start(self, n_experts: int) -> State:
        zero = np.zeros(1, dtype=np.int64)
        epoch = self._epoch(1)._start(n_experts)  # noqa: SLF001 - made here
        return State(n_epochs=zero, n_left=zero.copy(), epoch=epoch)

    def _play(
        self, table: Rounds, n_before: int, state: State, weights: Matrix, excess: Vector
    ) -> None:
        del n_before  # the epoch counts for itself
        start, end = 0, len(excess)
        while start < end:
            if state.n_left[0] == 0:
                self._restart(state, table.losses.shape[1])
            length = 1 << (int(state.n_epochs[0]) - 1)
            epoch, played = self._epoch(length), length - int(state.n_left[0])
            rows = slice(start, min(end, start + int(state.n_left[0])))
            chunk = table.chunk(rows), played, state.epoch, weights[rows], excess[rows]
            epoch._play(*chunk)  # noqa: SLF001 - made four lines above
            state.n_left[0] -= rows.stop - start
            start = rows.stop

    def _restart(self, state: State, n_experts: int) -> None:
        """Begin an epoch twice as long as the last one, with fresh weights."""
        state.n_left[0] = 1 << int(state.n_epochs[0])
        state.n_epochs[0] += 1
        fresh = self._epoch(int(state.n_left[0]))._start(n_experts)  # noqa: SLF001
        for held, new in zip(state.epoch, fresh, strict=True):
            held[...] = new

    def _check_state(self) -> None:
        super()._check_state()
        n_epochs, n_left = self.n_epochs_, int(self.state_.learnt.n_left[0])
        # Not more epochs than a whole number can count the rounds of, before a power is taken.
        fits = 0 <= n_epochs < 64 and 0 <= n_left <= (1 << n_epochs) >> 1
        if not fits or (1 << n_epochs) - 1 - n_left != self.n_rounds_:
            raise ValueError("its epochs are not those of the rounds that it has played")

    def _certificates(self) -> Iterable[Certificate]:
        inside = checked(f"all losses lie in {self.learner.loss_range}")
        known = self.guarantee(n_experts=self.n_experts_, n_rounds=self.n_rounds_)
        yield self._certify_regret(known, {"range": inside, "epochs": BUILT})

    @classmethod
    def _state_of_format_1(cls, old: Mapping[str, Any]) -> State:
        n_epochs, n_left = (np.array([old[name]]) for name in ("n_epochs_", "n_left_"))
        if "epoch_" in old:
            return State(n_epochs, n_left, old["epoch_"].state_.learnt)
        unplayed = cls(old["learner"])
        return unplayed._start(len(old["expert_losses_"]))
