"""What learners by the gradient of a convex loss share: a ledger, and what it proves."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._typing import Matrix, Vector
from surelearn._wording import outward
from surelearn.base.online.learner import OnlineLearner
from surelearn.base.seal import fingerprint_of_fit
from surelearn.bounds import Guarantee
from surelearn.certificate import (
    Certificate,
    Evidence,
    Precondition,
    by_construction,
    certify,
    checked,
)
from surelearn.losses import Loss
from surelearn.losses._loss import CompiledLoss
from surelearn.losses.compiled import total, value, values

ROUNDS, LONGEST, LOSS, LOSS_OF_ZERO, N_COMMON = range(5)
"""Columns of a ledger: rounds played, longest gradient, own loss, that of zero weights."""

_CODE = by_construction("the code does exactly this")
_EVIDENCE: dict[str, Evidence] = {
    "convex": _CODE,
    "step": _CODE,
    "learning_rate": _CODE,
    "strongly_convex": _CODE,
    "gradient": checked("every gradient of the run was measured"),
}
"""What is known, in every run, of the assumptions of the theorems on descent, by their keys."""


@jit
def enter(loss: CompiledLoss, y: Vector, predictions: Vector, ledger: Vector) -> None:
    """Count rounds in the ledger, with their losses and those of zero weights."""
    ledger[ROUNDS] += len(y)
    ledger[LOSS] += total(loss, y, predictions)
    of_zero = 0.0
    for t in range(len(y)):
        of_zero += value(loss, y[t], 0.0)
    ledger[LOSS_OF_ZERO] += of_zero


class GradientLearner(OnlineLearner):
    """A learner by gradients: it keeps a ledger of its run and certifies its regret.

    A learner stores `loss` and defines `guarantee`, the bound known before the run, `_realised`,
    the bound computed from the run, and `_rivals`, whom the regret is to. Its states have a
    `ledger`, whose first columns the compiled loop keeps as this module names them.
    """

    loss: Loss
    fit_intercept: bool

    @abstractmethod
    def guarantee(self, *, gradient_norm: float, n_rounds: int) -> Guarantee:
        """Bound the regret after `n_rounds` rounds, if no gradient is longer."""

    @abstractmethod
    def _realised(self, state: Any) -> Guarantee:
        """Bound the regret of the run on one problem by its own gradients."""

    @abstractmethod
    def _rivals(self) -> str:
        """Say whom the regret is to, after "any fixed weights"."""

    @property
    def ledger_(self) -> Matrix:
        """What the run leaves behind for its certificates, a row per problem."""
        return np.array([state.ledger for state in self.states_])

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the whole run since the start proves about the regret, problem by problem.

        First the bound by the gradients of the run, then the one known beforehand to those who
        know the longest gradient. The regret observed is the one against weights of zero, all that
        the run alone knows; the bounds hold against all weights allowed.

        Parameters
        ----------
        delta
            Not used, the statements hold surely; every learner takes it.
        """
        check_is_fitted(self)
        _arguments.open_fraction("delta", delta)
        names = [f"this run of {type(self).__name__}"]
        if len(self.states_) > 1:
            classes = cast("Any", self).classes_.tolist()
            names = [f"{names[0]}, class {label!r} against the rest" for label in classes]
        known = fingerprint_of_fit(self)  # of all problems at once: not anew for each
        return tuple(
            self._certify(name, state.ledger, guarantee, also, known)
            for name, state in zip(names, self.states_, strict=True)
            for guarantee, also in self._bounds(state)
        )

    def _bounds(self, state: Any) -> Iterator[tuple[Guarantee, tuple[Precondition, ...]]]:
        """Yield the bounds on the regret of one problem, with what each demands beside."""
        yield self.begun_._realised(state), ()  # noqa: SLF001 - our own copy
        longest = float(state.ledger[LONGEST])
        if longest > 0.0:
            n_rounds, name = int(state.ledger[ROUNDS]), f"gradient_norm is {longest:.6g}"
            found = "the longest gradient of this run"
            known = Precondition("gradient_norm", name, "checked", found)
            yield self.guarantee(gradient_norm=longest, n_rounds=n_rounds), (known,)

    def _certify(
        self,
        subject: str,
        ledger: Vector,
        guarantee: Guarantee,
        also: tuple[Precondition, ...],
        known: str,
    ) -> Certificate:
        rivals = self.begun_._rivals()  # noqa: SLF001 - our own copy
        return certify(
            replace(guarantee, trivial=float(ledger[LOSS])),  # no loss is negative
            kind="regret",
            subject=subject,
            observed=float(ledger[LOSS] - ledger[LOSS_OF_ZERO]),
            n=int(ledger[ROUNDS]),
            amount=float(ledger[LOSS] + ledger[LOSS_OF_ZERO]),
            claim=f"With certainty, this run lost at most {outward(guarantee.bound, 'upper')} more "
            f"than any fixed weights {rivals}; what is observed is against weights of 0.",
            evidence={key: _EVIDENCE[key] for key in guarantee.assumes},
            also=also,
            reproduce={
                "model": known,
                **({"measured": ["gradient_norm"]} if also else {}),
            },
        )

    def _losses(self, targets: Vector, predictions: Vector, /) -> Vector:
        return values(self.loss.compiled(), targets, predictions)

    def _loss(self, targets: Vector, predictions: Vector, /) -> float:
        return total(self.loss.compiled(), targets, predictions)

    def _check_parameters(self) -> None:
        if not isinstance(cast("object", self.loss), Loss):
            raise ValueError(  # noqa: TRY004 - the same refusal as for a loss without a compiled form
                f"loss={self.loss!r} is none of those compiled here; use Hinge(), "
                "PerceptronLoss(), Logistic(), Square(), Absolute(), EpsilonInsensitive(), "
                "Huber() or QuantileLoss()"
            )
        self.loss.compiled()  # refuses those without
        if self._targets == "numbers" and self.loss.label_set != "reals":
            raise ValueError(f"loss={self.loss!r} reads labels; for numbers use Square()")
