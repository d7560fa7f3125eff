"""Forward stagewise additive regression: each member follows the steepest descent of a loss.

    b_m fits −∂L/∂f by least squares,   β_m = argmin_β Σ L(y, f_{m−1} + β b_m)

With the square loss and regression trees these are boosted regression trees: each tree is fitted to
the residuals. Hastie, Tibshirani and Friedman (2009), sections 10.2 to 10.4.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from surelearn._typing import ArrayLike, Vector
from surelearn.base.fitting import at_one_moment, check_numbers
from surelearn.base.validation import refuse_huge
from surelearn.learners.ensembles._boosting_losses import refuse_without_gradient
from surelearn.learners.ensembles._member_kinds import answers_of, refuse_other_kinds
from surelearn.learners.ensembles._stagewise_learner import StagewiseLearner
from surelearn.learners.trees.cart_regressor import CARTRegressor
from surelearn.losses import Loss, Square

_SQUARE = Square()
_STUMP = CARTRegressor(max_depth=1)


@at_one_moment
class ForwardStagewiseRegressor(RegressorMixin, StagewiseLearner):
    """Sum of base learners for any loss of a residual, added one by one and never refitted.

    Parameters
    ----------
    loss
        What is to be small: `Square()`, `Absolute()`, `Huber()`, `QuantileLoss(level=0.9)`, or any
        loss of real labels with a gradient.
    estimator
        The base learner, any regressor; None means a regression tree of one question.
    n_estimators
        The largest number of stages.
    learning_rate
        The share of each step that is taken.

    Attributes
    ----------
    estimators_, steps_
        The members and the step of each, the learning rate included.
    training_losses_
        The mean loss on the training rows from f = 0 on; it never rises with a learning rate
        of at most 1.
    stop_reason_
        Why the stages ended early; empty if they did not.

    Examples
    --------
    >>> x, y = np.arange(1.0, 11.0), [5.56, 5.7, 5.91, 6.4, 6.8, 7.05, 8.9, 8.7, 9.0, 9.05]
    >>> model = ForwardStagewiseRegressor(n_estimators=6).fit(x[:, np.newaxis], y)
    >>> (10 * model.training_losses_[1:]).round(4).tolist()
    [1.93, 0.8007, 0.478, 0.3056, 0.2289, 0.1722]
    """

    def __init__(
        self,
        *,
        loss: Loss = _SQUARE,
        estimator: Any = None,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
    ) -> None:
        self.loss = loss
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate

    def predict(self, X: Any) -> Vector:
        """Return f(x) of each row."""
        return self._scores(X)

    def staged_predict(self, X: Any) -> Iterator[Vector]:
        """Yield the predictions after each stage."""
        yield from self._stages(X)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.loss.label_set != "reals":
            raise ValueError(f"loss={self.loss!r} reads labels; for numbers use Square()")
        refuse_without_gradient(self.loss)
        refuse_other_kinds(self._prototype(), "regressor")

    def _prototype(self) -> Any:
        return _STUMP if self.estimator is None else self.estimator

    def _targets(self, y: ArrayLike, n: int) -> Vector:
        targets = check_numbers(y, n=n)
        if isinstance(self.loss, Square):
            refuse_huge(targets, "targets")
        return targets

    def _member(self, X: Any, directions: Vector, weights: Vector) -> tuple[Any, Vector]:
        # Half of the slope of the square loss is the residual, which the algorithm is named for.
        targets = directions / 2.0 if isinstance(self.loss, Square) else directions
        member = self._fitted(self._new_member(), X, targets, weights)
        return member, self._values(member, X)

    def _values(self, member: Any, X: Any) -> Vector:
        return answers_of(member, X).astype(np.float64)
