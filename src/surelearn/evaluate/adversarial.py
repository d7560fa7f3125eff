"""Games against an adversary that hears what the learner says before it answers."""

from typing import Any, Protocol

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Matrix, Vector
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
from surelearn.learners.experts._averaging import AveragingGame
from surelearn.learners.experts._game import ExpertGame
from surelearn.losses import Absolute, Loss


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
    if not callable(getattr(adversary, "next", None)):
        raise TypeError(f"adversary={adversary!r} has no method next(said) to answer with")
    if questions is None:
        if hasattr(player, "select"):
            return _play_arms(player, adversary, n_rounds)
        _refuse_unless(player, "starting_weights", _ASKED)
        experts = _arguments.count("n_experts", n_experts, at_least=1)
        return _play_weights(player, adversary, n_rounds, experts)
    asked = table_of("questions", questions)
    if len(asked) != n_rounds:
        raise _arguments.refuse("questions", asked.shape, f"a table of n_rounds={n_rounds} rows")
    if isinstance(player, ExpertGame):
        return _play_votes(player, adversary, asked)
    _refuse_unless(player, "select", _UNASKED, has=False)
    _refuse_unless(player, "learn_one", _BATCH)
    _refuse_unless(player, "decision_function", _NUMBERS)
    return _play_rows(player, adversary, asked)


_ASKED = "answers questions: give questions=, a row of advice or of features for each round"
_UNASKED = "is asked nothing: leave questions out, and its adversary names a loss for each arm"
_BATCH = "does not learn row by row, as a player must; Perceptron does"
_NUMBERS = "predicts numbers, which are never just right or wrong: give a classifier"


def _refuse_unless(player: Any, method: str, why: str, *, has: bool = True) -> None:
    if hasattr(type(player), method) != has:
        raise ValueError(f"{type(player).__name__} {why}")


def _losses(adversary: Adversary, said: Vector) -> Vector:
    """Return what the adversary answers to a distribution: a loss for each expert or arm."""
    answer = adversary.next(said)
    try:
        losses = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        losses = np.empty(0)
    if losses.shape != said.shape:
        raise ValueError(
            f"the adversary answered {answer!r}; to a distribution over {len(said)} it must answer "
            "with a loss for each"
        )
    return losses


def _play_weights(player: Any, adversary: Adversary, n_rounds: int, n_experts: int) -> Regret:
    diary, paid, table = expert_diary(player, n_rounds), np.empty(n_rounds), list[Any]()
    for t in range(n_rounds):
        said = np.array(player.weights) if t else player.starting_weights(n_experts)
        table.append(_losses(adversary, said))
        player.update(table[-1])
        paid[t] = said @ table[-1]  # also if the learner draws an expert: what it expects to pay
        diary.note(t + 1)
    return _settle(player, "expert", paid, np.array(table), diary)


def _play_arms(player: Any, adversary: Adversary, n_rounds: int) -> Regret:
    diary = bandit_diary(player, n_rounds, 0.05, OF_LOSSES)
    paid, table = np.empty(n_rounds), list[Any]()
    for t in range(n_rounds):
        table.append(_losses(adversary, np.array(player.probabilities)))
        arm = player.select()
        paid[t] = table[-1][arm]
        player.update(arm, paid[t])
        diary.note(t + 1)
    return _settle(player, "arm", paid, np.array(table), diary)


def _play_votes(player: Any, adversary: Adversary, asked: Matrix) -> Regret:
    diary, (outcomes, paid) = expert_diary(player, len(asked)), np.empty((2, len(asked)))
    judge: Loss = getattr(player, "loss", Absolute())
    told: dict[str, Any] = {"loss": judge} if isinstance(player, AveragingGame) else {}
    for t, advice in enumerate(asked):
        said = player.predict(advice)
        outcomes[t] = _arguments.real("what the adversary answers", adversary.next(said))
        player.learn(advice[np.newaxis], outcomes[t : t + 1], **told)
        paid[t] = judge.value(outcomes[t : t + 1], np.array([said], dtype=np.float64))[0]
        diary.note(t + 1)
    truth = np.broadcast_to(outcomes[:, np.newaxis], asked.shape)
    return _settle(player, "expert", paid, judge.value(truth, asked), diary)


def _play_rows(player: Any, adversary: Any, asked: Matrix) -> Mistakes:
    """Let a classifier play; before its first row it says the first label, as a score of 0 does.

    What the adversary answered is then played again, with the bounds.
    """
    names, answers = list(getattr(adversary, "labels", ())), list[Any]()
    if len(names) != 2:
        raise ValueError(
            f"a classifier needs an adversary that names its two labels, as Contrarian does; "
            f"{type(adversary).__name__} names {len(names)}"
        )
    for t, row in enumerate(asked):
        said = player.predict_one(row) if t else names[0]
        answers.append(adversary.next(said))
        player.partial_fit(row[np.newaxis], answers[-1:], classes=names)
    return mistakes_curve(player, asked, answers, classes=names)


def _settle(player: Any, comparator: str, paid: Vector, costs: Matrix, diary: Diary) -> Regret:
    totals = np.cumsum(paid[:, np.newaxis] - costs, axis=0)
    return settle(player, comparator, np.cumsum(paid), totals, diary)
