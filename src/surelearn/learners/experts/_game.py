"""The game of experts: in each round the learner weighs them, then their losses are shown.

Experts are not estimators: there are no features, only what each expert predicts or loses. Every
call is played on a copy of the state, which takes the place of the old one when all went well, so
that a refused input leaves the learner exactly as it was.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from surelearn._locks import in_turn
from surelearn._stored import holds, stored
from surelearn.base.constructor_calls import call_of_first_round, constructor_call
from surelearn.base.fingerprint import fingerprint
from surelearn.base.parameters import made_plain
from surelearn.base.read_only import HandedOut, OwnsItsState
from surelearn.base.seal import refuse_changed
from surelearn.base.states import copy_of, refuse_unlike, twin_of
from surelearn.bounds import Guarantee
from surelearn.certificate import (
    Certificate,
    Evidence,
    Kind,
    Precondition,
    by_construction,
    certify,
)

BUILT = by_construction("the code does exactly this")
"""Evidence for what a theorem says of the algorithm itself."""

_CHARGED = Precondition(
    "charged",
    "a sleeping expert is charged the learner's own loss",
    "by-construction",
    "the code does this",
)


@stored("expert-game")
@holds(
    begun_as="text",
    tallies=tuple,
    learnt=tuple,
)
class GameState(NamedTuple):
    """All that a game has come to.

    Parameters
    ----------
    begun_as
        The call that made the learner, as of the first round.
    tallies
        What learner and experts have lost: a NamedTuple of arrays.
    learnt
        What this learner keeps: its own `State`, a NamedTuple of arrays (and coins, if it draws).
    """

    begun_as: str
    tallies: Any
    learnt: Any


@holds(
    state_=GameState,
)
class ExpertGame(OwnsItsState, ABC):
    """What all learners of expert advice share: the state of the game and the certificates.

    A learner stores its parameters in the constructor, refuses bad ones in `_check_parameters`,
    declares its state as a NamedTuple of arrays and makes it in `_start`.

    Attributes
    ----------
    state_
        All that the game has come to, from the first call on.
    """

    state_: GameState = cast("Any", HandedOut())
    _is_played_on: ClassVar[bool] = True

    def __repr__(self) -> str:
        """Return the call that makes this learner anew."""
        return constructor_call(self)

    @in_turn
    def __copy__(self) -> Self:
        """Return a learner that plays on with coins of its own, without changing this one."""
        return twin_of(self)

    @property
    def n_experts_(self) -> int:
        """How many experts there are."""
        return len(self.state_.tallies.expert_losses)

    @property
    def n_rounds_(self) -> int:
        """How many rounds were played."""
        return int(self.state_.tallies.n_rounds[0])

    @property
    def expert_losses_(self) -> NDArray[Any]:
        """What each expert lost; a sleeping expert is charged the learner's loss."""
        return self.state_.tallies.expert_losses

    @property
    @abstractmethod
    def cumulative_loss_(self) -> float:
        """What the learner lost."""

    @property
    @abstractmethod
    def regret_(self) -> float:
        """The learner's cumulative loss minus that of the best expert."""

    @abstractmethod
    def _certificates(self) -> Iterable[Certificate]:
        """Yield what the run proves; there was at least one round."""

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what this run proves so far: the realised bound, then the one known beforehand.

        Parameters
        ----------
        delta
            Not used: the bounds on the regret to experts hold surely.
        """
        del delta
        if not getattr(self, "n_rounds_", 0):
            return ()
        refuse_changed(self)
        call_of_first_round(self, self.state_.begun_as)
        return tuple(self._certificates())

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense, with a sentence."""

    def _settle_parameters(self) -> None:
        """Refuse bad parameters, and hold the others as numbers that theorems and loops know."""
        self._check_parameters()
        made_plain(self)

    @abstractmethod
    def _tallies(self, n_experts: int) -> Any:
        """Return the tallies of a game of no rounds."""

    @abstractmethod
    def _start(self, n_experts: int) -> Any:
        """Return the state of a learner that has played no round."""

    def _state_to_play_on(self, n_experts: int) -> GameState:
        """Return a copy of the state, or that of a new game; whoever keeps it sets `state_`."""
        held = vars(self).get("state_")  # once: another thread may set it meanwhile
        if held is None:
            return self._new_game(n_experts)
        if n_experts != len(held.tallies.expert_losses):
            raise ValueError(
                f"{n_experts} experts where there were {len(held.tallies.expert_losses)}; to let "
                "some join later give them a column from the start and let them sleep: "
                "learn(losses, awake=...)"
            )
        call_of_first_round(self, held.begun_as)
        return copy_of(held)

    def _new_game(self, n_experts: int) -> GameState:
        if n_experts < 1:
            raise ValueError("the table has no column: a game needs at least one expert")
        self._settle_parameters()
        return GameState(constructor_call(self), self._tallies(n_experts), self._start(n_experts))

    def _refuse_before_the_first_round(self) -> None:
        if "state_" not in vars(self):
            raise self._not_begun()

    def _not_begun(self) -> NotFittedError:
        return NotFittedError(
            f"This {type(self).__name__} is not fitted yet: no expert has been met; learn or "
            "update first"
        )

    def _certify(
        self,
        guarantee: Guarantee,
        evidence: Mapping[str, Evidence],
        *,
        kind: Kind,
        observed: float,
        amount: float = 0.0,
        scale: float = 1.0,
        slept: bool = False,
        measured: tuple[str, ...] = (),
    ) -> Certificate:
        """Bind a theorem on losses of range 1 to this run, in which their range is `scale`.

        If experts `slept`, a theorem that does not speak of sleepers is read for the losses that
        they were charged. `measured` names inputs of a theorem known beforehand that are the run's.
        """
        charged = slept and "awake" not in guarantee.assumes
        return certify(
            replace(
                guarantee,
                quantity=guarantee.quantity + ", each on its awake rounds" * charged,
                bound=scale * guarantee.bound,
                trivial=scale * guarantee.trivial,
            ),
            kind=kind,
            subject=f"this run of {type(self).__name__}",
            observed=observed,
            amount=amount,
            n=self.n_rounds_,
            evidence=evidence,
            also=[_CHARGED] if charged else [],
            reproduce={
                "model": fingerprint(self),
                "loss_range": [0.0, scale],
                **({"measured": list(measured)} if measured else {}),
            },
        )

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: a state of another form than it starts with."""
        self._check_form()
        if not 0 <= self.n_rounds_ <= 2**53:
            raise ValueError("it has played less than no round")

    def _check_form(self) -> None:
        self._check_parameters()
        game = vars(self)["state_"]
        if type(game) is not GameState or type(game.begun_as) is not str:
            raise ValueError("it is not the state of a game of experts")
        n_experts = np.size(getattr(game.tallies, "expert_losses", ()))
        if n_experts < 1:
            raise ValueError("it has no experts")
        refuse_unlike(game.tallies, self._tallies(n_experts))
        refuse_unlike(game.learnt, self._start(n_experts))

    @classmethod
    def _upgrade_state(cls, attributes: dict[str, Any]) -> dict[str, Any]:
        """Return today's attributes for those of a model file of format 1, one for each number."""
        kept = {name: value for name, value in attributes.items() if not name.endswith("_")}
        if "begun_as_" in attributes:
            game = cls._tallies_of_format_1(attributes), cls._state_of_format_1(attributes)
            kept["state_"] = GameState(attributes["begun_as_"], *game)
        return kept

    @classmethod
    @abstractmethod
    def _tallies_of_format_1(cls, old: Mapping[str, Any]) -> Any:
        """Return the tallies that the attributes in an old model file hold."""

    @classmethod
    def _state_of_format_1(cls, old: Mapping[str, Any]) -> Any:
        """Return the state that the attributes in an old model file hold."""
        raise ValueError(f"no file of format 1 can hold {cls.__name__}: {sorted(old)}")
