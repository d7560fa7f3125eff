"""The base of bandits: choose an arm, pay its loss, see no other.

A learner supplies `_play`, which plays the rows of a table in order, reads of each row only the
loss of the arm it chose, and stops before a loss outside [0, 1]. Everything else is that: `select`
plays a row in which no loss can be seen, `update` the same row with the loss of the arm chosen.
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy import sparse

from surelearn._typing import Indices, Matrix, Vector
from surelearn._wording import confidence, outward
from surelearn.base.begun import call_of, refuse_changes
from surelearn.base.fingerprint import fingerprint
from surelearn.bounds import Guarantee, bandits_stochastic
from surelearn.certificate import Certificate, Precondition, Status, certify

_RANGE = "losses lie in [0, 1]; rescale them first"
STOPPING = Precondition(
    "fixed_n",
    "the number of rounds was fixed without looking at the run",
    "assumed",
    "the statement is about one number of rounds, not about the best of many",
)


class Bandit(ABC):
    """A game in rounds: `select` an arm, then `update` with its loss; `play` does both for a table.

    Examples
    --------
    >>> class InTurn(Bandit):
    ...     def _play(self, losses, arms):
    ...         for t, row in enumerate(losses):
    ...             arms[t] = (self.n_rounds_ + t) % self.n_arms
    ...             if not 0.0 <= row[arms[t]] <= 1.0:
    ...                 return t
    ...             self._pay(arms[t : t + 1], row[arms[t : t + 1]])
    ...         return len(losses)
    ...     def certificates(self, *, delta=0.05):
    ...         return (self._post_hoc(delta),)
    >>> bandit = InTurn(n_arms=2)
    >>> bandit.play([[0.25, 1.0], [0.0, 0.5], [1.0, 0.0]]).tolist()
    [0, 1, 0]
    >>> bandit.select(), bandit.pulls_.tolist(), bandit.cumulative_loss_
    (1, [2, 1], 1.75)
    """

    def __init__(self, *, n_arms: int) -> None:
        if not isinstance(n_arms, Integral) or n_arms < 2:
            raise ValueError(f"n_arms={n_arms!r} must be a whole number, 2 or more")
        self.n_arms = int(n_arms)
        self.n_rounds_ = 0
        self.pulls_: Indices = np.zeros(self.n_arms, dtype=np.int64)
        self.arm_losses_: Vector = np.zeros(self.n_arms)
        self._selected: int | None = None
        self._begun_as = ""

    @abstractmethod
    def _play(self, losses: Matrix, arms: Indices) -> int:
        """Play the rows in order and return how many were played, with `arms` chosen in each.

        The arm is written before its loss is read, and a loss outside [0, 1] changes nothing.
        `n_rounds_` counts the rounds before the first row.
        """

    @abstractmethod
    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the rounds played so far prove about the regret."""

    @property
    def cumulative_loss_(self) -> float:
        """The sum of the losses paid."""
        return float(self.arm_losses_.sum())

    @property
    def probabilities(self) -> Vector:
        """The chance of each arm in this round: here the arm is certain, given the past."""
        chances = np.zeros(self.n_arms)
        chances[self._next_arm()] = 1.0
        return chances

    def select(self) -> int:
        """Return the arm of this round; asked again before `update`, the same arm."""
        self._enter()
        if self._selected is None:
            self._selected = self._next_arm()
        return self._selected

    def update(self, arm: int, loss: float) -> None:
        """Pay and learn the loss of the arm selected in this round."""
        self._check_arm(arm)
        self._enter()
        row = self._blank_row()
        row[0, arm] = _checked_loss(loss)
        self._play(row, np.empty(1, dtype=np.int64))
        self.n_rounds_, self._selected = self.n_rounds_ + 1, None

    def play(self, losses: ArrayLike) -> Indices:
        """Play a round for each row of a table with a column per arm, and return the arms.

        Only the losses of the arms played are read: the others may be missing (NaN). How the rows
        are cut into calls does not matter.
        """
        table = self._check_table(losses)
        arms = np.empty(len(table), dtype=np.int64)
        if len(table) == 0:
            return arms
        before = {name: _content(value) for name, value in vars(self).items()}
        self._enter()
        n_played = self._play(table, arms)
        if n_played < len(table):
            self._return_to(before)
            loss = table[n_played, arms[n_played]]
            raise ValueError(f"row {n_played} has loss {loss} for arm {arms[n_played]}: {_RANGE}")
        self.n_rounds_, self._selected = self.n_rounds_ + n_played, None
        return arms

    def _enter(self) -> None:
        """Note as what the game is begun; refuse to go on as something else."""
        self._begun_as = self._begun_as or call_of(self)
        refuse_changes(self, self._begun_as)

    def _next_arm(self) -> int:
        arm = np.empty(1, dtype=np.int64)
        self._play(self._blank_row(), arm)
        return int(arm[0])

    def _blank_row(self) -> Matrix:
        return np.full((1, self.n_arms), np.nan)

    def _return_to(self, before: dict[str, Any]) -> None:
        for name, content in before.items():
            held = vars(self)[name]
            if isinstance(held, Generator):
                held.bit_generator.state = content
            else:
                vars(self)[name] = content

    def _pay(self, arms: Indices, losses: Vector) -> None:
        """Count the arms played and add what they cost, one by one: blocks must not matter."""
        self.pulls_ += np.bincount(arms, minlength=self.n_arms)
        np.add.at(self.arm_losses_, arms, losses)

    def _check_arm(self, arm: int) -> None:
        if self._selected is None:
            raise ValueError("no arm is selected: call select() first, then update(arm, loss)")
        try:
            index = operator.index(arm)
        except TypeError:
            index = -1
        if not 0 <= index < self.n_arms:
            raise ValueError(f"arm={arm!r} is none of 0 to {self.n_arms - 1}")
        if index != self._selected:
            raise ValueError(
                f"arm {index} was not selected: this round belongs to arm {self._selected}, and "
                "what is learnt would be wrong for another"
            )

    def _check_table(self, losses: ArrayLike) -> Matrix:
        if sparse.issparse(losses):
            raise ValueError("losses is a sparse matrix; give losses.toarray()")
        table = np.ascontiguousarray(losses, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != self.n_arms:
            raise ValueError(
                f"losses has shape {np.shape(losses)}; give a row per round and a column for each "
                f"of the {self.n_arms} arms"
            )
        return table

    def _certify(
        self,
        guarantee: Guarantee,
        claim: str,
        *,
        observed: float,
        statuses: Sequence[tuple[Status, str]],
        also: Iterable[Precondition] = (),
    ) -> Certificate:
        """Bind a bound on the regret to the rounds played; `{bound}` in the claim is filled in."""
        self._enter()
        return certify(
            guarantee,
            kind="regret",
            subject=f"this run of {type(self).__name__}",
            observed=observed,
            n=self.n_rounds_,
            claim=claim.format(bound=outward(guarantee.bound, "upper")),
            statuses=statuses,
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
            statuses=(
                ("assumed", "no arm may get better or worse in the course of time"),
                ("by-construction", "no arm is selected before the last loss is told"),
            ),
        )

    @property
    def _plug_in_regret(self) -> float:
        """The sum over arms of pulls times gap, were the mean losses seen the true ones."""
        played = self.pulls_ > 0
        least = float(np.min(self.arm_losses_[played] / self.pulls_[played]))
        return max(0.0, self.cumulative_loss_ - self.n_rounds_ * least)

    def __repr__(self) -> str:
        return call_of(self)


def _content(value: Any) -> Any:
    """Return what must be kept of a part of the state to come back to it."""
    if isinstance(value, Generator):
        return value.bit_generator.state
    return value.copy() if isinstance(value, np.ndarray) else value


def _checked_loss(loss: Any) -> float:
    try:
        number = float(loss)
    except (TypeError, ValueError):
        raise ValueError(f"loss={loss!r} is not a number: {_RANGE}") from None
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"loss={loss!r} is outside its range: {_RANGE}")
    return number


def generator(seed: int | Generator) -> Generator:
    """Return the source of coins that `seed` stands for."""
    if isinstance(seed, Generator):
        return seed
    if not isinstance(seed, Integral) or seed < 0:
        raise ValueError(f"seed={seed!r} must be a whole number, 0 or more, or a NumPy Generator")
    return np.random.default_rng(int(seed))
