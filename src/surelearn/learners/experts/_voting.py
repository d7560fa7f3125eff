"""The base of learners that vote: the experts say 0 or 1, and so does the learner."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._locks import in_turn
from surelearn._stored import stored
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.learners.experts import _validation
from surelearn.learners.experts._game import ExpertGame


@stored("voting-tallies")
class Tallies(NamedTuple):
    """How often learner and experts have erred; single numbers are arrays of one."""

    n_rounds: Indices
    n_mistakes: Indices
    expert_losses: Indices


class VotingGame(ExpertGame):
    """A learner that predicts 0 or 1 by a vote among experts that predict 0 or 1.

    A learner defines `_vote`, which writes the prediction of each round and moves its state on in
    place, and `_weights`.

    Attributes
    ----------
    n_experts_, n_rounds_
        How many experts and rounds there were.
    n_mistakes_, cumulative_loss_, expert_losses_
        How often the learner and each expert erred.
    regret_
        The learner's mistakes minus those of the best expert.
    """

    @abstractmethod
    def _vote(
        self, advice: Matrix, outcomes: Vector, n_before: int, state: Any, predictions: Indices
    ) -> None:
        """Vote in each round before its outcome is seen, then learn from the outcome.

        `n_before` rounds have been played before.
        """

    @abstractmethod
    def _weights(self, state: Any) -> Vector:
        """Return the weights of the experts in the next vote; they sum to 1."""

    def _tallies(self, n_experts: int) -> Tallies:
        zero = np.zeros(1, dtype=np.int64)
        return Tallies(zero, zero.copy(), np.zeros(n_experts, dtype=np.int64))

    @property
    def weights(self) -> Vector:
        """The weights of the experts in the next vote; they sum to 1."""
        self._refuse_before_the_first_round()
        return self._weights(self.state_.learnt)

    @property
    def n_mistakes_(self) -> int:
        """How often the learner erred."""
        return int(self.state_.tallies.n_mistakes[0])

    @property
    def cumulative_loss_(self) -> float:
        """How often the learner erred, as a loss."""
        return float(self.n_mistakes_)

    @property
    def regret_(self) -> float:
        """The learner's mistakes minus those of the best expert."""
        return float(self.n_mistakes_ - self.expert_losses_.min())

    @in_turn
    def learn(self, advice: ArrayLike, outcomes: ArrayLike) -> Indices:
        """Play rounds of advice and return the learner's predictions.

        How the rounds are cut into calls does not matter.

        Parameters
        ----------
        advice
            What the experts predict, 0 or 1: a row for each round, a column for each expert.
        outcomes
            What came true, 0 or 1, in each round.
        """
        table = _validation.bits("advice", _validation.table("advice", advice))
        truth = _validation.bits("outcomes", _validation.outcomes(outcomes, len(table)))
        predictions = np.empty(len(table), dtype=np.int64)
        game = self._state_to_play_on(table.shape[1])
        tallies: Tallies = game.tallies
        self._vote(table, truth, int(tallies.n_rounds[0]), game.learnt, predictions)
        tallies.n_mistakes[0] += (predictions != truth).sum()
        tallies.expert_losses[:] += (table != truth[:, np.newaxis]).sum(axis=0)
        tallies.n_rounds[0] += len(table)
        vars(self)["state_"] = game
        return predictions

    def update(self, advice: ArrayLike, outcome: int) -> int:
        """Play one round and return the prediction that was made for it."""
        return int(
            self.learn(_arguments.numbers("advice", sound(advice))[np.newaxis], [outcome])[0]
        )

    def predict(self, advice: ArrayLike) -> int:
        """Return the vote on what the experts say in the next round; a tie is 1."""
        row = _validation.bits(
            "advice",
            _validation.table("advice", _arguments.numbers("advice", sound(advice))[np.newaxis]),
        )
        game, prediction = self._state_to_play_on(row.shape[1]), np.empty(1, dtype=np.int64)
        # The outcome is that of an expert still trusted, so that no pool becomes empty.
        trusted = int(np.argmax(self._weights(game.learnt)))
        n_before = int(game.tallies.n_rounds[0])
        self._vote(row, row[:, trusted], n_before, game.learnt, prediction)
        return int(prediction[0])

    @classmethod
    def _tallies_of_format_1(cls, old: Mapping[str, Any]) -> Tallies:
        n_rounds, n_mistakes = (np.array([old[name]]) for name in ("n_rounds_", "n_mistakes_"))
        return Tallies(n_rounds, n_mistakes, old["expert_losses_"])
