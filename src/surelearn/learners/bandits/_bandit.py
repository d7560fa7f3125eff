"""The base of bandits: choose an arm, pay its loss, see no other.

A learner supplies `_play`, which plays the rows of a table in order, reads of each row only the
loss of the arm it chose, and stops before a loss outside [0, 1]. Everything else is that: `select`
plays a row in which no loss can be seen, `update` the same row with the loss of the arm chosen.
Each plays on a copy of the state, which takes the place of the old one when all went well.
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache
from types import NoneType
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.random import Generator
from scipy import sparse

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._locks import in_turn
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn._wording import confidence, outward
from surelearn.base.constructor_calls import call_of_first_round, constructor_call
from surelearn.base.fingerprint import fingerprint
from surelearn.base.parameters import made_plain
from surelearn.base.read_only import HandedOut, OwnsItsState
from surelearn.base.seal import refuse_changed
from surelearn.base.states import CoinsSetBack, copy_of, refuse_unlike, twin_of
from surelearn.bounds import Guarantee, bandits_stochastic
from surelearn.certificate import (
    Certificate,
    Evidence,
    Precondition,
    assumed,
    by_construction,
    certify,
)
from surelearn.learners.bandits._state import BanditState, Counts, NothingMore

_RANGE = "losses lie in [0, 1]; rescale them first"
STOPPING = Precondition(
    "fixed_n",
    "the number of rounds was fixed without looking at the run",
    "assumed",
    "the statement is about one number of rounds, not about the best of many",
)


@holds(
    state_=BanditState,
)
class Bandit(OwnsItsState, ABC):
    """A game in rounds: `select` an arm, then `update` with its loss; `play` does both for a table.

    A learner stores its parameters before it calls this constructor, refuses bad ones in
    `_check_parameters`, and makes its own state, if it has one, in `_start`.

    Examples
    --------
    >>> class InTurn(Bandit):
    ...     def _play(self, losses, n_before, counts, state, arms):
    ...         for t, row in enumerate(losses):
    ...             arms[t] = (n_before + t) % self.n_arms
    ...             if not 0.0 <= row[arms[t]] <= 1.0:
    ...                 return t
    ...             counts.pulls[arms[t]] += 1
    ...             counts.arm_losses[arms[t]] += row[arms[t]]
    ...         return len(losses)
    ...     def certificates(self, *, delta=0.05):
    ...         return (self._post_hoc(delta),)
    >>> bandit = InTurn(n_arms=2)
    >>> bandit.play([[0.25, 1.0], [0.0, 0.5], [1.0, 0.0]]).tolist()
    [0, 1, 0]
    >>> bandit.select(), bandit.pulls_.tolist(), bandit.cumulative_loss_
    (1, [2, 1], 1.75)
    """

    state_: BanditState = cast("Any", HandedOut())
    _is_played_on: ClassVar[bool] = True
    _begins_at_once: ClassVar[bool] = True  # a file without a state holds none

    def __init__(self, *, n_arms: int) -> None:
        self.n_arms = n_arms
        self._check_parameters()
        made_plain(self)
        counts = _no_counts(self.n_arms)
        # What was given here is in the state already: it may not change, not even before round 1.
        begun = BanditState(constructor_call(self), 0, None, counts, self._start())
        vars(self)["state_"] = begun

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense, with a sentence."""
        if not _arguments.is_whole(self.n_arms) or self.n_arms < 2:
            raise ValueError(f"n_arms={self.n_arms!r} must be a whole number, 2 or more")

    def _start(self) -> Any:
        """Return the state of a learner that has played no round."""
        return NothingMore()

    @abstractmethod
    def _play(
        self, losses: Matrix, n_before: int, counts: Counts, state: Any, arms: Indices
    ) -> int:
        """Play the rows in order and return how many were played, with `arms` chosen in each.

        `n_before` rounds were played before; `counts` and `state` change in place. The arm is
        written before its loss is read. A loss outside [0, 1] ends the play: what the coins gave
        for its round is kept in `state`, and nothing else changes.
        """

    @abstractmethod
    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the rounds played so far prove about the regret."""

    @property
    def n_rounds_(self) -> int:
        """The rounds played."""
        return self.state_.n_rounds

    @property
    def pulls_(self) -> Indices:
        """How often each arm was played."""
        return self.state_.counts.pulls

    @property
    def arm_losses_(self) -> Vector:
        """The losses paid on each arm, summed."""
        return self.state_.counts.arm_losses

    @property
    def cumulative_loss_(self) -> float:
        """The sum of the losses paid."""
        return float(self.arm_losses_.sum())

    @property
    def probabilities(self) -> Vector:
        """The chance of each arm in this round: here the arm is certain, given the past."""
        chances = np.zeros(self.n_arms)
        _, n, _, counts, learnt = vars(self)["state_"]
        chances[self._next_arm(n, counts, learnt)] = 1.0  # without coins this changes nothing
        return chances

    @in_turn
    def select(self) -> int:
        """Return the arm of this round; asked again before `update`, the same arm."""
        begun_as, n, arm, counts, learnt = vars(self)["state_"]
        begun_as = call_of_first_round(self, begun_as)
        if arm is None:
            with CoinsSetBack(learnt):
                learnt = copy_of(learnt)
                arm = self._next_arm(n, counts, learnt)  # before a loss is seen, counts stay
                vars(self)["state_"] = BanditState(begun_as, n, arm, counts, learnt)
        return arm

    @in_turn
    def update(self, arm: int, loss: float) -> None:
        """Pay and learn the loss of the arm selected in this round."""
        begun_as, n, selected, counts, learnt = vars(self)["state_"]
        self._check_arm(arm, selected)
        begun_as = call_of_first_round(self, begun_as)
        row = _no_losses(self.n_arms).copy()
        row[0, arm] = _checked_loss(loss)
        counts, learnt = copy_of(counts), copy_of(learnt)
        if self._play(row, n, counts, learnt, np.empty(1, dtype=np.int64)) == 0:
            raise ValueError(f"arm {selected} is not the arm of this round any more: begin anew")
        vars(self)["state_"] = BanditState(begun_as, n + 1, None, counts, learnt)

    @in_turn
    def play(self, losses: ArrayLike) -> Indices:
        """Play a round for each row of a table with a column per arm, and return the arms.

        Only the losses of the arms played are read: the others may be missing (NaN). How the rows
        are cut into calls does not matter.
        """
        table = self._check_table(losses)
        arms = np.empty(len(table), dtype=np.int64)
        if len(table) == 0:
            return arms
        begun_as, n, _, counts, learnt = vars(self)["state_"]
        begun_as = call_of_first_round(self, begun_as)
        with CoinsSetBack(learnt):
            counts, learnt = copy_of(counts), copy_of(learnt)
            n_played = self._play(table, n, counts, learnt, arms)
            if n_played < len(table):
                arm = arms[n_played]
                loss = table[n_played, arm]
                raise ValueError(f"row {n_played} has loss {loss} for arm {arm}: {_RANGE}")
            vars(self)["state_"] = BanditState(begun_as, n + n_played, None, counts, learnt)
        return arms

    def _next_arm(self, n_before: int, counts: Counts, state: Any) -> int:
        """Return the arm of a round whose losses cannot be seen; coins may be drawn for it."""
        arm = np.empty(1, dtype=np.int64)
        self._play(_no_losses(self.n_arms), n_before, counts, state, arm)
        return int(arm[0])

    def _check_arm(self, arm: int, selected: int | None) -> None:
        if selected is None:
            raise ValueError("no arm is selected: call select() first, then update(arm, loss)")
        try:
            index = operator.index(arm)
        except TypeError:
            index = -1
        if not 0 <= index < self.n_arms:
            raise ValueError(f"arm={arm!r} is none of 0 to {self.n_arms - 1}")
        if index != selected:
            raise ValueError(
                f"arm {index} was not selected: this round belongs to arm {selected}, and "
                "what is learnt would be wrong for another"
            )

    def _check_table(self, losses: ArrayLike) -> Matrix:
        if sparse.issparse(losses):
            raise ValueError("losses is a sparse matrix; give losses.toarray()")
        table = np.ascontiguousarray(_arguments.numbers("losses", sound(losses)))
        if table.ndim != 2 or table.shape[1] != self.n_arms:
            raise ValueError(
                f"losses has shape {table.shape}; give a row per round and a column for each "
                f"of the {self.n_arms} arms"
            )
        return table

    def _certify(
        self,
        guarantee: Guarantee,
        claim: str,
        *,
        observed: float,
        evidence: Mapping[str, Evidence],
        also: Iterable[Precondition] = (),
    ) -> Certificate:
        """Bind a bound on the regret to the rounds played; `{bound}` in the claim is filled in."""
        refuse_changed(self)
        call_of_first_round(self, self.state_.begun_as)
        return certify(
            guarantee,
            kind="regret",
            subject=f"this run of {type(self).__name__}",
            observed=observed,
            n=self.n_rounds_,
            claim=claim.format(bound=outward(guarantee.bound, "upper")),
            evidence=evidence,
            also=also,
            reproduce={"model": fingerprint(self)},
        )

    def _post_hoc(self, delta: float) -> Certificate:
        """Certify the pseudo-regret by confidence sequences, whatever rule chose the arms."""
        guarantee = bandits_stochastic.stochastic_post_hoc(
            totals=self.arm_losses_, pulls=self.pulls_, delta=delta
        )
        return self._certify(
            guarantee,
            f"With confidence {confidence(delta)}, the arms played have mean losses that sum to "
            "at most {bound} more than those of the best arm. Observed is the same for the mean "
            "losses seen.",
            observed=self._plug_in_regret,
            evidence={
                "arms": assumed("no arm may get better or worse in the course of time"),
                "feedback": by_construction("no arm is selected before the last loss is told"),
            },
        )

    @property
    def _plug_in_regret(self) -> float:
        """The sum over arms of pulls times gap, were the mean losses seen the true ones."""
        played = self.pulls_ > 0
        least = float(np.min(self.arm_losses_[played] / self.pulls_[played]))
        return max(0.0, self.cumulative_loss_ - self.n_rounds_ * least)

    def __repr__(self) -> str:
        return constructor_call(self)

    @in_turn
    def __copy__(self) -> Self:
        """Return a bandit that plays on with coins of its own, without changing this one."""
        return twin_of(self)

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: a state of another form than it starts with."""
        self._check_form()
        _, n, selected, counts, learnt = vars(self)["state_"]
        if counts.pulls.sum() != n or counts.pulls.min() < 0:
            raise ValueError(f"its counts are not those of {self.n_arms} arms and {n} rounds")
        if (counts.arm_losses < 0.0).any() or (counts.arm_losses > counts.pulls).any():
            raise ValueError("losses lie in [0, 1], and those of an arm sum to its rounds at most")
        self._check_learnt(n, selected, learnt)
        if selected is not None and selected != self._next_arm(n, *map(copy_of, (counts, learnt))):
            raise ValueError(f"arm {selected} is selected, which is not the arm of this round")

    def _check_form(self) -> None:
        self._check_parameters()
        begun_as, n, selected, counts, learnt = game = vars(self)["state_"]
        whole = type(begun_as) is str and type(n) is int and type(selected) in {int, NoneType}
        if type(game) is not BanditState or not whole:
            raise ValueError("it is not the state of a bandit")
        if np.shape(counts.pulls) != (self.n_arms,):
            raise ValueError(f"its counts are not those of {self.n_arms} arms")
        refuse_unlike(counts, _no_counts(self.n_arms))
        refuse_unlike(learnt, self._start())

    def _check_learnt(self, n_rounds: int, selected: int | None, learnt: Any) -> None:
        """Refuse a state of the right form that no rounds can have led to."""

    @classmethod
    def _upgrade_state(cls, attributes: dict[str, Any]) -> dict[str, Any]:
        """Return today's attributes for those of a model file of format 1.

        It cannot hold coins, so that the learner is one without a state of its own.
        """
        begun_as, n, arm = (attributes[name] for name in ("_begun_as", "n_rounds_", "_selected"))
        counts = Counts(attributes["pulls_"], attributes["arm_losses_"])
        game = BanditState(begun_as, n, arm, counts, NothingMore())
        return {"n_arms": attributes["n_arms"], "state_": game}


def _no_counts(n_arms: int) -> Counts:
    return Counts(np.zeros(n_arms, dtype=np.int64), np.zeros(n_arms))


@cache
def _no_losses(n_arms: int) -> Matrix:
    """Return a row in which no loss can be seen; it is shared, and nobody writes to it."""
    return np.full((1, n_arms), np.nan)


def _checked_loss(loss: Any) -> float:
    try:
        number = float(loss)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"loss={str(loss)[:60]} is not a number: {_RANGE}") from None
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"loss={loss!r} is outside its range: {_RANGE}")
    return number


def check_seed(seed: int | Generator) -> None:
    """Refuse what is no seed."""
    if not isinstance(seed, Generator) and (not _arguments.is_whole(seed) or seed < 0):
        raise ValueError(f"seed={seed!r} must be a whole number, 0 or more, or a NumPy Generator")
