"""The rounds of AdaBoost: weights of rows, the weight of each member's vote, when to stop."""

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from surelearn._jit import jit
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.learners.ensembles._stumps import add_votes

Learn = Callable[[Vector], tuple[Any, Indices]]
"""From weights of rows that sum to 1 to a member and the class that it names for each row."""


@jit
def _weigh_answers(
    shares: Vector, wrong: Mask, codes: Indices, answers: Indices
) -> tuple[float, float]:
    """Mark the rows that are wrong; return their weight and that of the others."""
    lost, won = 0.0, 0.0
    for i in range(len(shares)):
        wrong[i] = answers[i] != codes[i]
        lost += shares[i] if wrong[i] else 0.0
        won += 0.0 if wrong[i] else shares[i]
    return lost, won


@jit
def _reweigh(logs: Vector, wrong: Mask, alpha: float) -> None:
    """Move the logarithms of the weights by α, up where a row was wrong and down elsewhere."""
    for i in range(len(logs)):
        logs[i] += alpha if wrong[i] else -alpha


class VoteRule(NamedTuple):
    """What turns the weighted error of a round into the weight of its vote.

    Attributes
    ----------
    n_classes
        The number of classes; chance is an error of 1 - 1/n_classes.
    learning_rate
        The factor of each weight.
    edge
        None, or what every error must stay below 1/2 by: then all weights are equal.
    """

    n_classes: int
    learning_rate: float
    edge: float | None

    @property
    def largest_error(self) -> float:
        """The error from which on a round is worth nothing."""
        return 1.0 - 1.0 / self.n_classes if self.edge is None else 0.5 - self.edge

    def allows(self, error: float) -> bool:
        """Say whether a round with this error counts; rounding decides nothing."""
        if self.edge is None:
            return error < self.largest_error * (1.0 - 1e-12)
        return error <= self.largest_error * (1.0 + 1e-12)

    def weight(self, wrong: float, right: float) -> float:
        """Return the α of a round from the weights of the rows that are wrong and right."""
        if self.edge is not None:
            return 0.5 * math.log((0.5 + self.edge) / max(0.5 - self.edge, sys.float_info.min))
        odds = math.log(right) - math.log(wrong) + math.log(self.n_classes - 1.0)
        return 0.5 * self.learning_rate * odds

    def fits(self, errors: Vector, alphas: Vector) -> bool:
        """Say whether these are the weights of rounds with these errors, but for rounding."""
        played = errors > 0.0  # one member without errors votes alone, with any weight
        due = [self.weight(error, 1.0 - error) for error in errors[played].tolist()]
        return np.allclose(alphas[played], due, rtol=1e-6, atol=1e-9)


class Rounds(NamedTuple):
    """What a run of AdaBoost leaves behind, an entry for each round that counts."""

    members: list[Any]
    errors: list[float]
    alphas: list[float]
    normalisers: list[float]
    scores: Matrix
    stop_reason: str


def run_rounds(learn: Learn, codes: Indices, weights: Vector, most: int, rule: VoteRule) -> Rounds:
    """Play the rounds of AdaBoost on rows whose classes are known.

    Weights are kept as logarithms: a row may lose all but e^-1000 of its weight and come back.
    """
    with np.errstate(divide="ignore"):  # a row of weight 0 stays without weight
        logs = np.log(weights)
    run = Rounds([], [], [], [], np.zeros((len(codes), rule.n_classes)), "")
    counts, wrong = weights > 0.0, np.zeros(len(codes), dtype=np.bool_)
    for _ in range(most):
        shares = np.exp(logs - logs.max())
        shares /= shares.sum()
        member, answers = learn(shares)
        error, right = _weigh_answers(shares, wrong, codes, answers)
        if not (wrong & counts).any():  # the weight of such a row may have vanished by rounding
            return _alone(member, answers, rule)
        if not rule.allows(error):
            return run._replace(stop_reason=_why(len(run.members), error, rule))
        error = max(error, sys.float_info.min)
        alpha = rule.weight(error, right)
        _reweigh(logs, wrong, alpha)
        run.members.append(member)
        run.errors.append(error)
        run.alphas.append(alpha)
        run.normalisers.append(right * math.exp(-alpha) + math.exp(alpha + math.log(error)))
        add_votes(answers, alpha if rule.edge is None else 1.0, run.scores)
    return run


def _alone(member: Any, answers: Indices, rule: VoteRule) -> Rounds:
    """Return the run that keeps a member without error alone: no weight would be enough for it."""
    scores = np.zeros((len(answers), rule.n_classes))
    add_votes(answers, 1.0, scores)
    reason = "a member made no error on the training rows, and was kept alone"
    return Rounds([member], [0.0], [1.0], [0.0], scores, reason)


def _why(n_members: int, error: float, rule: VoteRule) -> str:
    """Say why a round was discarded."""
    told = f"round {n_members + 1} was discarded: its weighted error is {error:.6g}, "
    if rule.edge is None:
        return told + f"no better than chance ({rule.largest_error:.6g})"
    return told + f"above 1/2 - edge ({rule.largest_error:.6g}), where the guarantee lapses"


def margins_of(scores: Matrix, codes: Indices) -> Vector:
    """Return the share of the votes for the true class minus that for the best other one.

    Examples
    --------
    >>> margins_of(np.array([[3.0, 1.0], [2.0, 2.0]]), np.array([0, 1])).tolist()
    [0.5, 0.0]
    """
    rows = np.arange(len(codes))
    own, others = scores[rows, codes], scores.copy()
    others[rows, codes] = -np.inf
    total = scores.sum(axis=1)
    return (own - others.max(axis=1)) / np.where(total > 0.0, total, 1.0)
