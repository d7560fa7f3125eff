"""Games against an adversary that hears what the learner says before it answers."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from surelearn import _arguments
from surelearn._typing import Matrix, Vector
from surelearn.evaluate._following import Diary, fresh
from surelearn.evaluate.mistakes import Mistakes, mistakes_curve
from surelearn.evaluate.regret import (
    OF_LOSSES,
    Regret,
    bandit_diary,
    expert_diary,
    settle,
    table_of,
)


class Adversary(Protocol):
    """Whoever answers what the learner says; see `surelearn.datasets.adversaries`."""

    def next(self, prediction: Any, /) -> Any:
        """Return the outcome, or the losses, of a round in which the learner says this."""
        ...


def play_against(
    learner: Any,
    adversary: Adversary,
    n_rounds: int,
    *,
    questions: ArrayLike | None = None,
    n_experts: int = 2,
) -> Regret | Mistakes:
    """Let a learner play against an adversary that adapts to it.

    Without questions the learner shows its distribution over experts or arms, and the adversary
    answers with a loss for each; it never sees the coins of a randomised learner. With questions
    the learner predicts and the adversary answers with the outcome.

    Parameters
    ----------
    learner
        What plays; a copy that has not played yet is taken.
    adversary
        Has a method `next(said)`; a classifier needs one that also names its two `labels`.
    n_rounds
        The number of rounds.
    questions
        A row per round: the advice of the experts, 0 or 1, or the features of an example.
    n_experts
        The number of experts, where there are no questions.

    Examples
    --------
    >>> from surelearn.datasets.adversaries import Contrarian
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> result = play_against(Perceptron(), Contrarian(), 50, questions=np.ones((50, 1)))
    >>> result.n_mistakes
    50
    """
    n_rounds, player = _arguments.count("n_rounds", n_rounds, at_least=1), fresh(learner)
    if questions is None:
        if hasattr(player, "select"):
            return _play_arms(player, adversary, n_rounds)
        return _play_weights(player, adversary, n_rounds, n_experts)
    asked = table_of("questions", questions)
    if len(asked) != n_rounds:
        raise _arguments.refuse("questions", asked.shape, f"a table of n_rounds={n_rounds} rows")
    classifies = hasattr(player, "learn_one")
    return (_play_rows if classifies else _play_votes)(player, adversary, asked)


def _play_weights(player: Any, adversary: Adversary, n_rounds: int, n_experts: int) -> Regret:
    diary, paid, table = expert_diary(player, n_rounds), np.empty(n_rounds), list[Any]()
    for t in range(n_rounds):
        said = np.array(player.weights) if t else player.starting_weights(n_experts)
        table.append(np.asarray(adversary.next(said), dtype=np.float64))
        player.update(table[-1])
        paid[t] = said @ table[-1]  # also if the learner draws an expert: what it expects to pay
        diary.note(t + 1)
    return _settle(player, "expert", paid, np.array(table), diary)


def _play_arms(player: Any, adversary: Adversary, n_rounds: int) -> Regret:
    diary = bandit_diary(player, n_rounds, 0.05, OF_LOSSES)
    paid, table = np.empty(n_rounds), list[Any]()
    for t in range(n_rounds):
        table.append(np.asarray(adversary.next(np.array(player.probabilities)), dtype=np.float64))
        arm = player.select()
        paid[t] = table[-1][arm]
        player.update(arm, paid[t])
        diary.note(t + 1)
    return _settle(player, "arm", paid, np.array(table), diary)


def _play_votes(player: Any, adversary: Adversary, asked: Matrix) -> Regret:
    diary, (outcomes, paid) = expert_diary(player, len(asked)), np.empty((2, len(asked)))
    for t, advice in enumerate(asked):
        said = player.predict(advice)
        outcomes[t] = adversary.next(said)
        paid[t] = abs(said - outcomes[t])
        player.learn(advice[np.newaxis], outcomes[t : t + 1])
        diary.note(t + 1)
    return _settle(player, "expert", paid, np.abs(asked - outcomes[:, np.newaxis]), diary)


def _play_rows(player: Any, adversary: Any, asked: Matrix) -> Mistakes:
    """Let a classifier play; before its first row it says the first label, as a score of 0 does.

    What the adversary answered is then played again, with the bounds.
    """
    names, answers = list(adversary.labels), list[Any]()
    for t, row in enumerate(asked):
        said = player.predict_one(row) if t else names[0]
        answers.append(adversary.next(said))
        player.partial_fit(row[np.newaxis], answers[-1:], classes=names)
    return mistakes_curve(player, asked, answers, classes=names)


def _settle(player: Any, comparator: str, paid: Vector, costs: Matrix, diary: Diary) -> Regret:
    totals = np.cumsum(paid[:, np.newaxis] - costs, axis=0)
    return settle(player, comparator, np.cumsum(paid), totals, diary)
