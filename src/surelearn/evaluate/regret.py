"""The ledger of a game: what the learner paid, what the best comparator paid, and the bounds.

Regret is counted against the best comparator in hindsight of the rounds so far, so that after every
round it stands beside what the theorems say of exactly those rounds. A sure bound that is exceeded
raises `BoundViolatedError`: it is a bug.
"""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.certificate import Certificate
from surelearn.evaluate._following import (
    BoundCurve,
    Diary,
    Shares,
    assert_sure,
    curves,
    fresh,
)
from surelearn.losses import Absolute, Loss

OF_LOSSES, OF_MEANS = ("L_alg - min_i L_i", "max_i E[L_alg - L_i]"), ("pulls times gap",)
"""How theorems on bandits name the regret in losses, and the one in expected losses."""

_TOTAL = "cumulative weighted loss"  # some theorems bound what is paid, not the regret
_OF_A_SET = "set of experts"  # some bound the regret to an average of experts, not to the best


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Regret(Shown, drawn_by="regret.plot_regret"):
    """What a learner paid beyond the best comparator in hindsight; `surelearn.plots` draws it.

    Parameters
    ----------
    learner
        The learner after the run.
    comparator, best
        What the learner is compared with, in words, and the best of them over the whole run.
    rounds
        The rounds after which the accounts below stand.
    learner_losses, best_losses
        What the learner had paid by then, and what the best comparator of those rounds had paid, or
        a proven lower bound on it. A learner that draws the expert it follows is charged the loss
        expected before each draw, which is what its theorems speak of.
    gaps
        How much too low `best_losses` may be: 0 unless the comparator was found numerically.
    bounds
        What theorems said of the regret after some rounds.
    shares
        The weights of the experts or the probabilities of the arms after some rounds.

    Examples
    --------
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> result = bandit_regret(Exp3(n_arms=2, seed=0), [[0.0, 1.0]] * 100)
    >>> result.best, result.best_losses[-1].item(), result.shares.values.shape
    (0, 0.0, (100, 2))
    """

    learner: Any
    comparator: str
    best: Any
    rounds: Indices
    learner_losses: Vector
    best_losses: Vector
    gaps: Vector
    bounds: tuple[BoundCurve, ...]
    shares: Shares | None = None

    @property
    def regrets(self) -> Vector:
        """The regret after each of `rounds`; where `gaps` are not 0, an upper bound on it."""
        return self.learner_losses - self.best_losses

    @property
    def regret(self) -> float:
        """The regret after the last round."""
        return float(self.regrets[-1])


def experts_regret(
    learner: Any,
    losses: ArrayLike,
    *,
    outcomes: ArrayLike | None = None,
    loss: Loss | None = None,
    awake: ArrayLike | None = None,
) -> Regret:
    """Let a learner of expert advice play a table, and follow its regret to the best expert.

    Parameters
    ----------
    learner
        What plays; a copy that has not played yet is taken.
    losses
        The loss of each expert in each round; or, if outcomes are given, what each expert says.
    outcomes
        What happened in each round.
    loss
        What a prediction costs; left out for learners that vote, whose mistakes count.
    awake
        How much each expert is awake in each round, for learners that let experts sleep. The regret
        is then to the best plan "do as this expert while it is awake, as I did otherwise".

    Examples
    --------
    >>> from surelearn.learners.experts.hedge import Hedge
    >>> losses = np.random.default_rng(0).random((1000, 3)) * [1.0, 0.5, 1.0]
    >>> result = experts_regret(Hedge(), losses)
    >>> result.best, [curve.label for curve in result.bounds]
    (1, ['hedge anytime realised', 'hedge anytime, before the run'])
    >>> [bool(result.regret <= curve.bounds[-1]) for curve in result.bounds]
    [True, True]
    """
    player, table = fresh(learner), table_of("losses", losses)
    sides = {"outcomes": outcomes, "awake": awake}
    given = {n: _arguments.numbers(n, side) for n, side in sides.items() if side is not None}
    if not hasattr(learner, "learn") or not isinstance(cast("object", loss), Loss | None):
        raise TypeError("learner must learn from experts, and loss be a loss of surelearn.losses")
    _refuse_lacking(learner, given)
    for name, side in given.items():
        if side.shape[:1] != (len(table),):
            raise ValueError(f"{name} has shape {side.shape}, and there are {len(table)} rounds")
    answers, diary = np.empty(len(table)), expert_diary(player, len(table))
    expected = list[float]()
    for block in diary.blocks():
        more: dict[str, Any] = {name: side[block] for name, side in given.items()}
        answers[block] = player.learn(table[block], **more, **({"loss": loss} if loss else {}))
        expected.append(getattr(player, "expected_loss_", math.nan))
        diary.note(block.stop)
    paid, costs = answers, table
    if outcomes is not None:
        truth, judge = np.asarray(outcomes, dtype=np.float64), loss or _own_loss(player)
        # A round in which nobody was awake has no prediction and costs nothing.
        paid = judge.value(truth, np.where(np.isnan(answers), truth, answers))
        costs = judge.value(np.broadcast_to(truth[:, np.newaxis], table.shape), table)
    if math.isfinite(expected[-1]):
        owed = np.array(expected)
        totals = owed[:, np.newaxis] - np.cumsum(costs, axis=0)[diary.stops - 1]
        return settle(player, "expert", owed, totals, diary, rounds=diary.stops)
    excess = paid[:, np.newaxis] - costs
    if awake is not None:  # what those asleep say or lose is not looked at
        excess = np.where(given["awake"] > 0.0, excess * given["awake"], 0.0)
    return settle(player, "expert", np.cumsum(paid), np.cumsum(excess, axis=0), diary)


def _refuse_lacking(learner: Any, given: Mapping[str, Any]) -> None:
    """Refuse a learner that needs more than the losses, and what else is given."""
    known, name = inspect.signature(learner.learn).parameters, type(learner).__name__
    needed = [one.name for one in known.values() if one.default is one.empty]
    if "y" in needed:
        raise TypeError(f"{name} learns from rows: use mistakes_curve or linear_regret")
    if "outcomes" in needed and "outcomes" not in given:
        raise ValueError(f"{name} votes: give what experts say as losses, and outcomes=...")


def _own_loss(player: Any) -> Loss:
    """Return the loss that a learner has for itself; mistakes count for those that vote."""
    return getattr(player, "loss", Absolute())


def bandit_regret(
    learner: Any, losses: ArrayLike, *, means: ArrayLike | None = None, delta: float = 0.05
) -> Regret:
    """Let a bandit play a table of which it sees one arm a round, and follow its regret.

    Parameters
    ----------
    learner
        What plays; a copy that has not played yet is taken.
    losses
        The loss of each arm in each round; only the evaluator sees them all.
    means
        The expected loss of each arm, if it is known and never changes. The accounts are then in
        expected losses: what is followed is the pseudo-regret, the sum of the gaps.
    delta
        The probability with which a certificate may fail.

    Examples
    --------
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> losses = np.random.default_rng(0).random((1000, 3)) < [0.2, 0.5, 0.5]
    >>> result = bandit_regret(Exp3(n_arms=3, seed=1), losses)
    >>> result.best, [curve.label for curve in result.bounds]
    (0, ['exp3 anytime, before the run, on average'])
    >>> bool(result.regret < result.bounds[0].bounds[-1])
    True
    """
    if not hasattr(learner, "play"):
        raise TypeError(f"{learner!r} is no bandit: it has no method play")
    player, table = fresh(learner), table_of("losses", losses)
    costs, quantities = table, OF_LOSSES
    if means is not None:
        costs = np.broadcast_to(_arguments.vector("means", means), table.shape)
        quantities = OF_MEANS
    arms = np.empty(len(table), dtype=np.int64)
    diary = bandit_diary(player, len(table), delta, quantities)
    for block in diary.blocks():
        arms[block] = player.play(table[block])
        diary.note(block.stop)
    paid = costs[np.arange(len(arms)), arms]
    totals = np.cumsum(paid[:, np.newaxis] - costs, axis=0)
    return settle(player, "arm", np.cumsum(paid), totals, diary)


def settle(
    player: Any,
    comparator: str,
    paid: Vector,
    totals: Matrix,
    diary: Diary,
    *,
    rounds: Indices | None = None,
) -> Regret:
    """Return the accounts of a game after some rounds, or all of them, and check the bounds.

    `paid` is what the learner had paid by then, `totals` how much more that is than each comparator
    had paid.
    """
    after = np.arange(1, len(paid) + 1) if rounds is None else rounds
    regrets = totals.max(axis=1)
    # What was added up, whatever its signs: so much may have been rounded.
    moved = np.cumsum(np.abs(np.diff(paid, prepend=0.0)) + np.abs(np.diff(regrets, prepend=0.0)))
    best_losses, stated = paid - regrets, list[tuple[int, Certificate, float]]()
    for n, said in diary.entries:
        i = int(np.searchsorted(after, n))
        offset = float(best_losses[i]) if _is_of_total(said) else 0.0
        assert_sure(said, regrets[i] + offset, moved[i])
        stated.append((n, said, offset))
    return Regret(
        learner=player,
        comparator=f"the best {comparator} in hindsight",
        best=int(totals[-1].argmax()),
        rounds=after,
        learner_losses=paid,
        best_losses=best_losses,
        gaps=np.zeros(len(paid)),
        bounds=curves(stated),
        shares=diary.shares,
    )


def expert_diary(player: Any, n_rounds: int) -> Diary:
    """Return the diary of a learner of expert advice: its weights, and bounds on its regret."""

    def ask() -> list[Certificate]:
        return [c for c in player.certificates() if _covers_every_expert(c)]

    return Diary(n_rounds, ask, lambda: player.weights)


def bandit_diary(player: Any, n_rounds: int, delta: float, quantities: tuple[str, ...]) -> Diary:
    """Return the diary of a bandit: its probabilities, and bounds on one kind of regret."""

    def ask() -> list[Certificate]:
        stated = player.certificates(delta=delta)
        return [c for c in stated if any(quantity in c.quantity for quantity in quantities)]

    return Diary(n_rounds, ask, lambda: player.probabilities)


def table_of(name: str, values: ArrayLike) -> Matrix:
    """Return a table with a row per round, at least one."""
    table = _arguments.numbers(name, values)
    if table.ndim != 2 or not table.size:
        raise _arguments.refuse(name, table.shape, "a table with a row per round")
    return table


def _covers_every_expert(said: Certificate) -> bool:
    """Return whether a bound holds for the regret to one expert, that never changes.

    One on sequences of experts with so many switches does if to switch is no likelier than to go on
    with the same expert.
    """
    inputs = said.reproduce["inputs"]
    chance = inputs.get("switch_rate", 0.0) / max(1, inputs.get("n_experts", 1) - 1)
    return _OF_A_SET not in said.quantity and chance <= 1.0 - inputs.get("switch_rate", 0.0)


def _is_of_total(said: Certificate) -> bool:
    """Whether a theorem bounds what is paid; subtracting what the best paid bounds the regret."""
    return said.kind == "mistakes" or _TOTAL in said.quantity
