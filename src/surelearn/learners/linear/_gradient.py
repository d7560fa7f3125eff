"""What learners that step against the gradient of a convex loss share."""

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._typing import Matrix, Vector
from surelearn._wording import outward
from surelearn.base.fingerprint import fingerprint
from surelearn.base.online.learner import OnlineLearner
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Precondition, Status, certify
from surelearn.learners.linear._slopes import (
    EPSILON_INSENSITIVE,
    HINGE,
    HUBER,
    LOGISTIC,
    LONGEST,
    LOSS,
    LOSS_OF_ZERO,
    ROUNDS,
    SQUARE,
    CompiledLoss,
    total,
    values,
)
from surelearn.losses import Absolute, EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Square


class GradientLearner(OnlineLearner):
    """A learner by gradients: it keeps a ledger of its run and certifies its regret.

    A learner stores `loss` and defines `guarantee`, the bound known before the run, `_realised`,
    the bound computed from the run, and `_rivals`, whom the regret is to. Its compiled loop keeps
    the first columns of `ledger_`, a row per problem, as `_slopes` names them.
    """

    loss: Loss
    fit_intercept: bool
    ledger_: Matrix

    @abstractmethod
    def guarantee(self, *, gradient_norm: float, n_rounds: int) -> Guarantee:
        """Bound the regret after `n_rounds` rounds, if no gradient is longer."""

    @abstractmethod
    def _realised(self, problem: int) -> Guarantee:
        """Bound the regret of the run on one problem by its own gradients."""

    @abstractmethod
    def _rivals(self) -> str:
        """Say whom the regret is to, after "any fixed weights"."""

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
        return tuple(c for problem in range(len(self.ledger_)) for c in self._of_run(problem))

    def _of_run(self, problem: int) -> list[Certificate]:
        longest = float(self.ledger_[problem, LONGEST])
        stated: list[tuple[Guarantee, tuple[Precondition, ...]]] = [(self._realised(problem), ())]
        if longest > 0.0:
            n_rounds = int(self.ledger_[problem, ROUNDS])
            name = f"gradient_norm is {longest:.6g}"
            known = Precondition(
                "gradient_norm", name, "checked", "the longest gradient of this run"
            )
            stated.append((self.guarantee(gradient_norm=longest, n_rounds=n_rounds), (known,)))
        return [self._certify(problem, guarantee, also) for guarantee, also in stated]

    def _certify(
        self, problem: int, guarantee: Guarantee, also: tuple[Precondition, ...]
    ) -> Certificate:
        ledger = self.ledger_[problem]
        statuses = [_status(assumption) for assumption in guarantee.assumes.values()]
        return certify(
            replace(guarantee, trivial=float(ledger[LOSS])),  # no loss is negative
            kind="regret",
            subject=self._subject(problem),
            observed=float(ledger[LOSS] - ledger[LOSS_OF_ZERO]),
            n=int(ledger[ROUNDS]),
            claim=f"With certainty, this run lost at most {outward(guarantee.bound, 'upper')} more "
            f"than any fixed weights {self._rivals()}; what is observed is against weights of 0.",
            statuses=statuses,
            also=also,
            reproduce={"model": fingerprint(self)},
        )

    def _subject(self, problem: int) -> str:
        name = f"this run of {type(self).__name__}"
        if len(self.ledger_) == 1:
            return name
        return f"{name}, class {vars(self)['classes_'].tolist()[problem]!r} against the rest"

    def _losses(self, targets: Vector, predictions: Vector, /) -> Vector:
        return values(compiled(self._begun_as.loss), targets, predictions)

    def _loss(self, targets: Vector, predictions: Vector, /) -> float:
        return total(compiled(self._begun_as.loss), targets, predictions)

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], dict[str, Any]]:
        self._check_parameters()  # before anything learnt is forgotten
        return super()._check_first_rows(X, y)

    def _check_parameters(self) -> None:
        """Refuse parameters outside their domains."""
        compiled(self.loss)
        if self._targets == "numbers" and self.loss.label_set != "reals":
            raise ValueError(f"loss={self.loss!r} reads labels; for numbers use Square()")


def compiled(loss: Loss) -> CompiledLoss:
    """Return a loss in the form that compiled code accepts.

    Examples
    --------
    >>> compiled(Huber(threshold=2.0)).parameter
    2.0
    """
    match loss:
        case Hinge():
            return CompiledLoss(HINGE, 0.0)
        case Logistic():
            return CompiledLoss(LOGISTIC, 1.0 / math.log(loss.base))
        case Square():
            return CompiledLoss(SQUARE, 0.0)
        case Absolute():
            return CompiledLoss(EPSILON_INSENSITIVE, 0.0)
        case EpsilonInsensitive():
            return CompiledLoss(EPSILON_INSENSITIVE, loss.epsilon)
        case Huber():
            return CompiledLoss(HUBER, loss.threshold)
        case _:
            raise ValueError(
                f"loss={loss!r} is none of those compiled here; use Hinge(), Logistic(), "
                "Square(), Absolute(), EpsilonInsensitive() or Huber()"
            )


def _status(assumption: str) -> tuple[Status, str]:
    if "longer than gradient_norm" in assumption:
        return "checked", "every gradient of the run was measured"
    return "by-construction", "the code does exactly this"
