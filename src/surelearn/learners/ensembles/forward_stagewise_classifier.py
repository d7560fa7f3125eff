"""Forward stagewise additive classification: rows weigh as much as the loss falls with them.

    b_m = ±1 of least error under weights |∂L/∂f|,   β_m = argmin_β Σ L(y, f_{m−1} + β b_m)

With the exponential loss this is AdaBoost. Friedman, Hastie and Tibshirani (2000), "Additive
logistic regression: a statistical view of boosting".
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment, learn_classes
from surelearn.learners.ensembles._boosting_losses import refuse_without_gradient
from surelearn.learners.ensembles._member_kinds import (
    answers_of,
    refuse_other_kinds,
    with_labels,
)
from surelearn.learners.ensembles._stagewise_learner import StagewiseLearner
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.losses import Exponential, Loss

_EXPONENTIAL = Exponential()
_STUMP = CARTClassifier(criterion="misclassification", max_depth=1)


@at_one_moment
@holds(classes_="classes")
class ForwardStagewiseClassifier(ClassifierMixin, StagewiseLearner):
    """Weighted vote of classifiers for any loss of the margin, added one by one; two classes.

    Parameters
    ----------
    loss
        What is to be small: `Exponential()`, `Logistic()`, or any loss of a margin with a gradient.
    estimator
        The base learner, any classifier whose `fit` takes `sample_weight`; None means a tree of
        one question, of least weighted error.
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
    classes_
        The sorted labels; scores above 0 mean the last.

    Examples
    --------
    >>> X, y = np.arange(10.0)[:, np.newaxis], [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    >>> model = ForwardStagewiseClassifier(n_estimators=3).fit(X, y)
    >>> model.steps_.round(4).tolist(), model.training_losses_.round(4).tolist()
    ([0.4236, 0.6496, 0.752], [1.0, 0.9165, 0.7521, 0.5802])
    """

    classes_: NDArray[Any]

    def __init__(
        self,
        *,
        loss: Loss = _EXPONENTIAL,
        estimator: Any = None,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
    ) -> None:
        self.loss = loss
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate

    def decision_function(self, X: Any) -> Vector:
        """Return f(x) of each row."""
        return self._scores(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the last class where the score is above 0, the first elsewhere."""
        scores = self._scores(X)
        return self.classes_[(scores > 0.0).astype(np.int64)]

    def staged_decision_function(self, X: Any) -> Iterator[Vector]:
        """Yield the scores after each stage."""
        yield from self._stages(X)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predictions after each stage."""
        for scores in self._stages(X):
            yield self.classes_[(scores > 0.0).astype(np.int64)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not self.loss.is_margin or not self.loss.convex:
            raise ValueError(f"loss={self.loss!r} is no convex loss of a margin; use Logistic()")
        refuse_without_gradient(self.loss)
        refuse_other_kinds(self._prototype(), "classifier")

    def _prototype(self) -> Any:
        return _STUMP if self.estimator is None else self.estimator

    def _targets(self, y: ArrayLike, n: int) -> Vector:
        codes = learn_classes(self, y, n=n)
        validation.two_or_more(self.classes_)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"{self.classes_.tolist()}; AdaBoostClassifier takes many classes"
            )
        return np.where(codes == 1, 1.0, -1.0)

    def _new_member(self) -> Any:
        return with_labels(self._prototype(), self.classes_.tolist(), [-1, 1])

    def _member(self, X: Any, directions: Vector, weights: Vector) -> tuple[Any, Vector]:
        signs = np.where(directions > 0.0, 1, -1)
        sizes = weights * np.abs(directions)
        member = self._new_member()
        if (signs[sizes > 0.0] == signs[np.argmax(sizes)]).all():
            raise ValueError("all rows that have weight are of one class: nothing to tell apart")
        member = self._fitted(member, X, signs, sizes / sizes.sum())
        return member, self._values(member, X)

    def _values(self, member: Any, X: Any) -> Vector:
        return answers_of(member, X).astype(np.float64)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that there are two classes."""
        tags: Any = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
