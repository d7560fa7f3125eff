"""The base of learners that vote: the experts say 0 or 1, and so does the learner."""

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.experts import _tables
from surelearn.learners.experts._game import ExpertGame


class VotingGame(ExpertGame):
    """A learner that predicts 0 or 1 by a vote among experts that predict 0 or 1.

    A learner defines `_vote`, which writes the prediction of each round and moves its state on.

    Attributes
    ----------
    n_experts_, n_rounds_
        How many experts and rounds there were.
    n_mistakes_, cumulative_loss_, expert_losses_
        How often the learner and each expert erred.
    regret_
        The learner's mistakes minus those of the best expert.
    """

    n_mistakes_: int
    expert_losses_: Indices

    @abstractmethod
    def _vote(self, said: Matrix, outcomes: Vector, predictions: Indices) -> None:
        """Vote in each round before its outcome is seen; learn from the outcome."""

    @property
    @abstractmethod
    def weights(self) -> Vector:
        """The weights of the experts in the next vote; they sum to 1."""

    @property
    def regret_(self) -> float:
        """The learner's mistakes minus those of the best expert."""
        return float(self.n_mistakes_ - self.expert_losses_.min())

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
        table = _tables.bits("advice", _tables.table("advice", advice))
        truth = _tables.bits("outcomes", _tables.outcomes(outcomes, len(table)))
        predictions = np.empty(len(table), dtype=np.int64)
        with self._tentatively(table.shape[1]):
            self._vote(table, truth, predictions)
            self.n_mistakes_ += int((predictions != truth).sum())
            self.expert_losses_ += (table != truth[:, np.newaxis]).sum(axis=0)
            self.cumulative_loss_ = float(self.n_mistakes_)
            self.n_rounds_ += len(table)
        return predictions

    def update(self, advice: ArrayLike, outcome: int) -> int:
        """Play one round and return the prediction that was made for it."""
        return int(self.learn(np.asarray(advice)[np.newaxis], [outcome])[0])

    def predict(self, advice: ArrayLike) -> int:
        """Return the vote on what the experts say in the next round; a tie is 1."""
        row = _tables.bits("advice", _tables.table("advice", np.asarray(advice)[np.newaxis]))
        prediction = np.empty(1, dtype=np.int64)
        with self._tentatively(row.shape[1], keep=False):
            trusted = int(np.argmax(self.weights))  # is right, so that no pool becomes empty
            self._vote(row, row[:, trusted], prediction)
        return int(prediction[0])

    def _start(self, n_experts: int) -> None:
        self.n_mistakes_, self.expert_losses_ = 0, np.zeros(n_experts, dtype=np.int64)
