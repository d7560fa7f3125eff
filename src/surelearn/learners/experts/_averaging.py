"""The base of learners that average experts: they hold weights and pay a weighted loss."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._locks import in_turn
from surelearn._stored import stored
from surelearn._typing import ArrayLike, Indices, Mask, Matrix, Vector
from surelearn.base.states import CoinsSetBack
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Evidence
from surelearn.learners.experts import _loops, _validation
from surelearn.learners.experts._game import ExpertGame, GameState
from surelearn.learners.experts._loops import Rounds
from surelearn.learners.experts._validation import Advice, Table
from surelearn.losses import Interval, Loss

_CHUNK = 1 << 15  # numbers of a table at once: their weights stay in the processor's cache


@stored("averaging-tallies")
class Tallies(NamedTuple):
    """What learner and experts have lost so far; single numbers are arrays of one."""

    n_rounds: Indices
    cumulative_loss: Vector
    expert_losses: Vector
    regrets: Vector
    slept: Mask


class AveragingGame(ExpertGame):
    """A learner that holds a distribution over experts and pays its average of their losses.

    A learner defines `_play`, which fills the weights of each round and the learner's loss beyond
    the least loss of the round, and moves its state on in place.

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

    @abstractmethod
    def _play(
        self, table: Rounds, n_before: int, state: Any, weights: Matrix, excess: Vector
    ) -> None:
        """Play the rounds in order, `n_before` of them having been played before.

        `state` changes in place; `weights` and the weighted losses beyond the floor are filled.
        """

    def _tallies(self, n_experts: int) -> Tallies:
        return Tallies(
            n_rounds=np.zeros(1, dtype=np.int64),
            cumulative_loss=np.zeros(1),
            expert_losses=np.zeros(n_experts),
            regrets=np.zeros(n_experts),
            slept=np.zeros(1, dtype=np.bool_),
        )

    @property
    def cumulative_loss_(self) -> float:
        """What the learner lost."""
        return float(self.state_.tallies.cumulative_loss[0])

    @property
    def regrets_(self) -> Vector:
        """The learner's loss beyond each expert, over the rounds in which it was awake."""
        return self.state_.tallies.regrets

    @property
    def regret_(self) -> float:
        """The largest loss beyond an expert, over the rounds in which it was awake."""
        return float(self.regrets_.max())

    @property
    def slept_(self) -> bool:
        """Whether any expert ever slept."""
        return bool(self.state_.tallies.slept[0])

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

    @in_turn
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
        table = self._read(losses, outcomes, loss, awake)
        game = self._state_to_play_on(table.losses.shape[1])
        with CoinsSetBack(game.learnt):
            with np.errstate(over="ignore", invalid="ignore"):  # refused in the next line
                answers = self._learn_table(table, game)
            _refuse_overflow(game.tallies)
            vars(self)["state_"] = game
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
        row = _arguments.numbers("losses", sound(losses))[np.newaxis]
        truth = None if outcome is None else _arguments.numbers("outcome", outcome)[np.newaxis]
        mask = None if awake is None else _arguments.numbers("awake", awake)[np.newaxis]
        answer = self.learn(row, truth, loss=loss, awake=mask)
        if truth is None:
            return float(answer[0])
        judge = cast("Loss", getattr(self, "loss", loss))
        return 0.0 if np.isnan(answer[0]) else float(judge(truth, answer)[0])  # nobody was awake

    def predict(self, advice: ArrayLike, *, awake: ArrayLike | None = None) -> float:
        """Return the weighted average of what the experts say in the next round."""
        row = _validation.table("advice", _arguments.numbers("advice", sound(advice))[np.newaxis])
        mask = self._mask(
            None if awake is None else _arguments.numbers("awake", awake)[np.newaxis], row.shape
        )
        if not np.isfinite(row if mask is None else row[mask > 0.0]).all():
            raise ValueError("advice is NaN or infinite; let an expert that says nothing sleep")
        self._check_predictions("advice", row if mask is None else row[mask > 0.0])
        row = row if mask is None else np.where(mask > 0.0, row, 0.0)
        weights = self._next_weights(mask, row.shape[1])
        return float(self._predict(weights[np.newaxis], row)[0])

    def _read(
        self,
        losses: ArrayLike,
        outcomes: ArrayLike | None,
        loss: Loss | None,
        awake: ArrayLike | None,
    ) -> Table:
        """Return the arguments of `learn` as checked arrays; losses are checked chunk by chunk."""
        values = _validation.table("losses" if outcomes is None else "advice", losses)
        mask, advice = self._mask(awake, values.shape), None
        if outcomes is not None:
            advice = _validation.read_advice(values, outcomes, loss, mask, convex=self._averages)
            self._check_predictions("advice", advice.predictions)
            self._check_predictions("outcomes", advice.outcomes)
            values = advice.expert_losses()
        elif loss is not None:
            raise ValueError("a loss without outcomes: learn(advice, outcomes, loss=...)")
        if mask is not None:  # any loss will do for those asleep
            values = np.where(mask > 0.0, values, np.clip(0.0, *self._range))
        return Table(values, mask, advice)

    def _mask(self, awake: ArrayLike | None, shape: tuple[int, ...]) -> Matrix | None:
        if awake is None:
            return None
        if not self._may_sleep:
            name = type(self).__name__
            raise ValueError(f"the experts of {name} do not sleep; those of AdaHedge may")
        return _validation.confidences(awake, shape)

    def _next_weights(self, awake: Matrix | None, n_experts: int) -> Vector:
        """Return the weights of a round without losses, played on a state that nobody keeps."""
        game, weights = self._state_to_play_on(n_experts), np.empty((1, n_experts))
        table = _loops.rounds(np.zeros((1, n_experts)), awake)
        self._play(table, int(game.tallies.n_rounds[0]), game.learnt, weights, np.empty(1))
        return weights[0]

    def _learn_table(self, table: Table, game: GameState) -> Vector:
        answers, size = np.empty(len(table.losses)), max(1, _CHUNK // table.losses.shape[1])
        for start in range(0, len(answers), size):
            rows = slice(start, start + size)
            chunk = table.chunk(rows)
            self._check_losses(chunk.losses, start, game.tallies)
            answers[rows] = self._learn_chunk(
                _loops.rounds(chunk.losses, chunk.awake), chunk.advice, game
            )
        if table.awake is not None:
            game.tallies.slept[0] |= (table.awake < 1.0).any()
        return answers

    def _learn_chunk(self, table: Rounds, advice: Advice | None, game: GameState) -> Vector:
        weights, excess = np.empty(table.losses.shape), np.empty(len(table.floor))
        self._play(table, int(game.tallies.n_rounds[0]), game.learnt, weights, excess)
        self._act(table, game.learnt, weights, excess)
        predictions = None
        if advice is not None:
            predictions = self._predict(weights, advice.predictions)
            excess = np.asarray(advice.loss(advice.outcomes, predictions)) - table.floor
        self._settle(table, excess, game)
        if predictions is None:
            return table.floor + excess
        # A round in which nobody is awake has no prediction.
        return np.where(weights.any(axis=1), predictions, np.nan)

    def _settle(self, table: Rounds, excess: Vector, game: GameState) -> None:
        """Write what was paid beyond the floor into the tallies."""
        tallies: Tallies = game.tallies
        _loops.tally(table, excess, tallies.expert_losses, tallies.regrets)
        tallies.cumulative_loss[0] += (table.floor + excess).sum()
        tallies.n_rounds[0] += len(excess)

    def _act(self, table: Rounds, state: Any, weights: Matrix, excess: Vector) -> None:
        """Turn the weights into what is played; a learner that draws an expert does it here."""

    def _predict(self, weights: Matrix, predictions: Matrix) -> Vector:
        """Return the averages of what the experts predict; rounding may not leave their range."""
        average = np.einsum("tk,tk->t", weights, predictions)
        return np.clip(average, predictions.min(axis=1), predictions.max(axis=1))

    def _check_predictions(self, name: str, values: Matrix | Vector) -> None:
        """Refuse advice or outcomes that this learner cannot average."""

    def _check_losses(self, losses: Matrix, first: int, tallies: Tallies) -> None:
        """Refuse losses that must not be; `first` is the number of the first row."""
        del tallies
        _validation.check_losses(losses, self._range, first)

    def _certify_regret(
        self,
        guarantee: Guarantee,
        evidence: Mapping[str, Evidence],
        *,
        observed: float | None = None,
        amount: float = 0.0,
        scale: float = 1.0,
        measured: tuple[str, ...] = (),
    ) -> Certificate:
        """Bind a theorem on the regret to this run; observed is by default the regret."""
        return self._certify(
            guarantee,
            evidence,
            kind="regret",
            observed=self.regret_ if observed is None else observed,
            amount=amount,
            scale=scale,
            slept=self.slept_,
            measured=measured,
        )

    @classmethod
    def _tallies_of_format_1(cls, old: Mapping[str, Any]) -> Tallies:
        return Tallies(
            n_rounds=np.array([old["n_rounds_"]]),
            cumulative_loss=np.array([old["cumulative_loss_"]]),
            expert_losses=old["expert_losses_"],
            regrets=old["regrets_"],
            slept=np.array([old["slept_"]]),
        )


def _refuse_overflow(tallies: Tallies) -> None:
    # An expert may have lost infinitely much, under a logarithmic loss; the best one has not.
    if not np.isfinite([tallies.cumulative_loss[0], tallies.regrets.max()]).all():
        raise ValueError("sums of such large losses overflow; rescale the losses")
