"""The base of learners that average experts: they hold weights and pay a weighted loss."""

import math
from abc import abstractmethod
from typing import ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from surelearn._typing import Matrix, Vector
from surelearn.learners.experts import _loops, _tables
from surelearn.learners.experts._game import ExpertGame
from surelearn.learners.experts._loops import Rounds
from surelearn.learners.experts._tables import Advice
from surelearn.losses import Interval, Loss

_BLOCK = 1 << 15  # numbers in a block of a table: its weights stay in the processor's cache


class AveragingGame(ExpertGame):
    """A learner that holds a distribution over experts and pays its average of their losses.

    A learner defines `_play`, which fills the weights of each round and the learner's loss beyond
    the least loss of the round, and moves its own state on.

    Attributes
    ----------
    n_experts_, n_rounds_
        How many experts and rounds there were.
    cumulative_loss_, expert_losses_
        What the learner and each expert lost; a sleeping expert is charged the learner's loss.
    regrets_, regret_
        What the learner lost beyond each expert while it was awake, and the largest of these.
    slept_
        Whether any expert ever slept.
    """

    loss_range: Interval = (-math.inf, math.inf)
    _averages: ClassVar[bool] = True
    _may_sleep: ClassVar[bool] = True
    regrets_: Vector
    slept_: bool

    @abstractmethod
    def _play(self, table: Rounds, weights: Matrix, excess: Vector) -> None:
        """Play the rounds in order; fill `weights` and the weighted losses beyond the floor."""

    def _start(self, n_experts: int) -> None:
        self.expert_losses_, self.regrets_ = np.zeros(n_experts), np.zeros(n_experts)
        self.slept_ = False

    @property
    def regret_(self) -> float:
        """The largest loss beyond an expert, over the rounds in which it was awake."""
        return float(self.regrets_.max())

    @property
    def _range(self) -> Interval:
        """Where the losses must lie."""
        return self.loss_range

    @property
    def _width(self) -> float:
        low, high = self.loss_range
        return high - low

    @property
    def weights(self) -> Vector:
        """The distribution over the experts that the next round will be played with."""
        self._refuse_before_the_first_round()
        return self._next_weights(None, self.n_experts_)

    def starting_weights(self, n_experts: int) -> Vector:
        """Return the distribution over so many experts that a first round is played with."""
        return self._next_weights(None, n_experts)

    def learn(
        self,
        losses: ArrayLike,
        outcomes: ArrayLike | None = None,
        *,
        loss: Loss | None = None,
        awake: ArrayLike | None = None,
    ) -> Vector:
        """Play a table of losses and return the learner's loss in each round.

        With `outcomes` and `loss` the table holds what the experts predict; the learner predicts
        their weighted average, pays the loss of that, and the predictions are returned. How the
        rounds are cut into calls does not matter.

        Parameters
        ----------
        losses
            A row for each round, a column for each expert: losses, or predictions.
        outcomes
            What came true in each round, if the table holds predictions.
        loss
            What a prediction costs, convex in it, for example `Square()`.
        awake
            For each round and expert whether it takes part, or its confidence in [0, 1]. What a
            sleeping expert says or loses is not looked at.
        """
        values = _tables.table("losses" if outcomes is None else "advice", losses)
        mask = self._mask(awake, values.shape)
        spoken = None
        if outcomes is not None:
            spoken = _tables.read(values, outcomes, loss, mask, convex=self._averages)
            self._check_said("advice", spoken.said)
            self._check_said("outcomes", spoken.outcomes)
            values = spoken.expert_losses()
        elif loss is not None:
            raise ValueError("a loss without outcomes: learn(advice, outcomes, loss=...)")
        if mask is not None:  # any loss will do for those asleep
            values = np.where(mask > 0.0, values, np.clip(0.0, *self._range))
        with self._tentatively(values.shape[1]):
            answers = self._learn_table(values, mask, spoken)
            if not math.isfinite(self.cumulative_loss_) or np.isnan(self.regrets_).any():
                raise ValueError("sums of such large losses overflow; rescale the losses")
            return answers

    def update(
        self,
        losses: ArrayLike,
        outcome: float | None = None,
        *,
        loss: Loss | None = None,
        awake: ArrayLike | None = None,
    ) -> float:
        """Play one round and return the learner's loss; the arguments are those of one row."""
        row = np.asarray(losses)[np.newaxis]
        truth = None if outcome is None else np.array([outcome])
        mask = None if awake is None else np.asarray(awake)[np.newaxis]
        answer = self.learn(row, truth, loss=loss, awake=mask)
        if truth is None:
            return float(answer[0])
        judge = cast("Loss", getattr(self, "loss", loss))
        return 0.0 if np.isnan(answer[0]) else float(judge(truth, answer)[0])  # nobody was awake

    def predict(self, advice: ArrayLike, *, awake: ArrayLike | None = None) -> float:
        """Return the weighted average of what the experts say in the next round."""
        row = _tables.table("advice", np.asarray(advice)[np.newaxis])
        mask = self._mask(None if awake is None else np.asarray(awake)[np.newaxis], row.shape)
        if not np.isfinite(row if mask is None else row[mask > 0.0]).all():
            raise ValueError("advice is NaN or infinite; let an expert that says nothing sleep")
        self._check_said("advice", row if mask is None else row[mask > 0.0])
        row = row if mask is None else np.where(mask > 0.0, row, 0.0)
        weights = self._next_weights(mask, row.shape[1])
        return float(self._predictions(weights[np.newaxis], row)[0])

    def _mask(self, awake: ArrayLike | None, shape: tuple[int, ...]) -> Matrix | None:
        if awake is None:
            return None
        if not self._may_sleep:
            name = type(self).__name__
            raise ValueError(f"the experts of {name} do not sleep; those of AdaHedge may")
        return _tables.confidences(awake, shape)

    def _next_weights(self, awake: Matrix | None, n_experts: int) -> Vector:
        weights = np.empty((1, n_experts))
        with self._tentatively(n_experts, keep=False):
            self._play(_loops.rounds(np.zeros((1, n_experts)), awake), weights, np.empty(1))
        return weights[0]

    def _learn_table(self, losses: Matrix, awake: Matrix | None, spoken: Advice | None) -> Vector:
        answers, size = np.empty(len(losses)), max(1, _BLOCK // losses.shape[1])
        for start in range(0, len(losses), size):
            rows = slice(start, start + size)
            self._check_losses(losses[rows], start)
            table = _loops.rounds(losses[rows], None if awake is None else awake[rows])
            block = None if spoken is None else spoken.part(rows)
            answers[rows] = self._learn_block(table, block)
        self.slept_ = self.slept_ or (awake is not None and bool((awake < 1.0).any()))
        return answers

    def _learn_block(self, table: Rounds, spoken: Advice | None) -> Vector:
        weights, excess = np.empty(table.losses.shape), np.empty(len(table.floor))
        self._play(table, weights, excess)
        self._act(table, weights, excess)
        predictions = None
        if spoken is not None:
            predictions = self._predictions(weights, spoken.said)
            excess = np.asarray(spoken.loss(spoken.outcomes, predictions)) - table.floor
        self._settle(table, excess)
        if predictions is None:
            return table.floor + excess
        return np.where(weights.any(axis=1), predictions, np.nan)  # nobody awake, nothing said

    def _settle(self, table: Rounds, excess: Vector) -> None:
        """Write what was paid beyond the floor into the tallies."""
        _loops.tally(table, excess, self.expert_losses_, self.regrets_)
        self.cumulative_loss_ += float((table.floor + excess).sum())
        self.n_rounds_ += len(excess)

    def _act(self, table: Rounds, weights: Matrix, excess: Vector) -> None:
        """Turn the weights into what is played; a learner that draws an expert does it here."""

    def _predictions(self, weights: Matrix, said: Matrix) -> Vector:
        """Return the averages of what the experts say, within what they say."""
        average = np.einsum("tk,tk->t", weights, said)
        return np.clip(average, said.min(axis=1), said.max(axis=1))

    def _check_said(self, name: str, values: Matrix | Vector) -> None:
        """Refuse advice or outcomes that this learner cannot average."""

    def _check_losses(self, losses: Matrix, first: int) -> None:
        """Refuse losses that must not be; `first` is the number of the first row."""
        _tables.check_losses(losses, self._range, first)
