"""The game of experts: in each round the learner weighs them, then their losses are shown.

Experts are not estimators: there are no features, only what each expert says or loses. Every call
is played on copies of the state that are kept when all went well, so that a refused input leaves
the learner exactly as it was.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from numpy.random import Generator as Random
from numpy.typing import NDArray

from surelearn.base.begun import call_of, refuse_changes
from surelearn.base.fingerprint import fingerprint
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Kind, Precondition, Status, certify

_CHARGED = Precondition(
    "charged",
    "a sleeping expert is charged the learner's own loss",
    "by-construction",
    "the code does this",
)


class ExpertGame(ABC):
    """What all learners of expert advice share: the tallies of the game and the certificates.

    A learner stores its parameters in the constructor, refuses bad ones in `_check_parameters` and
    makes all its state in `_start`.
    """

    begun_as_: str
    n_experts_: int
    n_rounds_: int
    cumulative_loss_: float
    expert_losses_: NDArray[Any]

    def __repr__(self) -> str:
        """Return the call that makes this learner anew."""
        return call_of(self)

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
        refuse_changes(self, self.begun_as_)
        return tuple(self._certificates())

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense, with a sentence."""

    @abstractmethod
    def _start(self, n_experts: int) -> None:
        """Make the state of a learner that has played no round."""

    @contextmanager
    def _tentatively(self, n_experts: int, *, keep: bool = True) -> Generator[None]:
        """Play with so many experts on copies of the state; the originals return on any failure.

        A generator may be shared with others, so it is drawn from itself, and set back.
        """
        before = vars(self).copy()
        coins = {id(v): v for v in before.values() if isinstance(v, Random)}
        states = [coin.bit_generator.state for coin in coins.values()]
        vars(self).update(copy.deepcopy(before, {**coins}))
        try:
            self._enter(n_experts)
            yield
        except BaseException:
            keep = False
            raise
        finally:
            if not keep:
                vars(self).clear()
                vars(self).update(before)
                for coin, state in zip(coins.values(), states, strict=True):
                    coin.bit_generator.state = state

    def _enter(self, n_experts: int) -> None:
        if not hasattr(self, "n_experts_"):
            if n_experts < 1:
                raise ValueError("the table has no column: a game needs at least one expert")
            self._check_parameters()
            self.begun_as_ = call_of(self)
            self.n_experts_, self.n_rounds_, self.cumulative_loss_ = n_experts, 0, 0.0
            self._start(n_experts)
        elif n_experts != self.n_experts_:
            raise ValueError(
                f"{n_experts} experts where there were {self.n_experts_}; to let some join later "
                "give them a column from the start and let them sleep: learn(losses, awake=...)"
            )
        else:
            refuse_changes(self, self.begun_as_)

    def _refuse_before_the_first_round(self) -> None:
        if not hasattr(self, "n_experts_"):
            raise AttributeError("no expert has been met yet: learn or update first")

    def _certify(
        self,
        guarantee: Guarantee,
        *statuses: tuple[Status, str],
        kind: Kind,
        observed: float,
        scale: float = 1.0,
    ) -> Certificate:
        """Bind a theorem on losses of range 1 to this run, in which their range is `scale`."""
        slept = getattr(self, "slept_", False) and "awake" not in guarantee.quantity
        return certify(
            replace(
                guarantee,
                quantity=guarantee.quantity + ", each on its awake rounds" * slept,
                bound=scale * guarantee.bound,
                trivial=scale * guarantee.trivial,
            ),
            kind=kind,
            subject=f"this run of {type(self).__name__}",
            observed=observed,
            n=self.n_rounds_,
            statuses=statuses,
            also=[_CHARGED] if slept else [],
            reproduce={"model": fingerprint(self), "loss_range": [0.0, scale]},
        )
