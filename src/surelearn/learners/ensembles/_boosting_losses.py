"""How boosting descends a loss: where it starts, its slopes, and the best step of a leaf."""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy import special

from surelearn import _threads
from surelearn._typing import Matrix, Vector
from surelearn.learners.ensembles._boosting_steps import (
    gradients_of,
    logistic_slopes,
    newton_steps,
    root,
    share_out,
    weighted_quantile,
)
from surelearn.learners.ensembles._histogram.training import GrownTree
from surelearn.losses import (
    Absolute,
    Exponential,
    Logistic,
    Loss,
    Multinomial,
    QuantileLoss,
    Square,
)

_SURE = 1e-12  # the least share of a class that a start knows


class Descent(ABC):
    """A loss as boosting needs it; scores have a row for each output, a column for each example.

    Slopes are the gradient and the hessian of each row's weighted loss, or weights for hessians
    where the loss has none of use: the tree is then a least-squares fit to the gradients.
    """

    n_outputs = 1

    def __init__(self, loss: Loss) -> None:
        self.loss = loss

    @abstractmethod
    def start(self, y: Vector, weights: Vector) -> Vector:
        """Return the constant scores of least loss."""

    @abstractmethod
    def slopes(self, y: Vector, scores: Matrix, weights: Vector) -> tuple[Matrix, Matrix]:
        """Return gradients and hessians."""

    @property
    def is_newton(self) -> bool:
        """Whether each leaf takes a Newton step, for which its slopes are enough."""
        return type(self).steps is Descent.steps

    def steps(
        self,
        tree: GrownTree,
        y: Vector,
        scores: Vector,
        weights: Vector,
        slopes: Any,
        l2: float,
        workers: _threads.Workers,
    ) -> Vector:
        """Return what each leaf adds to the score at a rate of 1: by default a Newton step."""
        del y, scores, weights
        starts, stops = tree.starts, tree.stops
        steps = np.zeros(len(starts))

        def sum_up(part: slice) -> None:
            leaves = (starts[part], stops[part])
            newton_steps(tree.rows, *leaves, slopes[0], slopes[1], l2, steps[part])

        workers.map(sum_up, share_out(stops - starts, workers.size))
        return steps

    def mean(self, y: Vector, scores: Matrix, weights: Vector) -> float:
        """Return the mean loss."""
        return self.loss.mean(y, scores[0], weights=weights)


class SquareDescent(Descent):
    """Squared error: residuals, and their means."""

    def start(self, y: Vector, weights: Vector) -> Vector:
        """Return the mean."""
        return np.array([np.average(y, weights=weights)])

    def slopes(self, y: Vector, scores: Matrix, weights: Vector) -> tuple[Matrix, Matrix]:
        """Return half the derivatives of the squared error."""
        return (weights * (scores[0] - y))[np.newaxis], weights[np.newaxis]


class LogisticDescent(Descent):
    """Two classes, 0 and 1, by the log odds of the second."""

    def start(self, y: Vector, weights: Vector) -> Vector:
        """Return the log odds of all rows."""
        share = np.clip(np.average(y, weights=weights), _SURE, 1.0 - _SURE)
        return np.array([special.logit(share)])

    def slopes(self, y: Vector, scores: Matrix, weights: Vector) -> tuple[Matrix, Matrix]:
        """Return p - y and p (1 - p), times the weights."""
        gradients, hessians = np.empty((1, len(y))), np.empty((1, len(y)))
        shares = weights[:1].copy() if weights.strides == (0,) else weights  # see `alike`
        logistic_slopes(y, scores[0], shares, gradients[0], hessians[0])
        return gradients, hessians

    def mean(self, y: Vector, scores: Matrix, weights: Vector) -> float:
        """Return the mean log loss."""
        return self.loss.mean(2.0 * y - 1.0, scores[0], weights=weights)


class ExponentialDescent(Descent):
    """Two classes, 0 and 1, by half the log odds: the loss of AdaBoost."""

    def start(self, y: Vector, weights: Vector) -> Vector:
        """Return half the log odds of all rows."""
        share = np.clip(np.average(y, weights=weights), _SURE, 1.0 - _SURE)
        return np.array([0.5 * special.logit(share)])

    def slopes(self, y: Vector, scores: Matrix, weights: Vector) -> tuple[Matrix, Matrix]:
        """Return -s exp(-s f) and exp(-s f) for the sign s, times the weights."""
        signs = 2.0 * y - 1.0
        hessians = weights * np.exp(np.minimum(-signs * scores[0], 300.0))
        return (-signs * hessians)[np.newaxis], hessians[np.newaxis]

    def mean(self, y: Vector, scores: Matrix, weights: Vector) -> float:
        """Return the mean loss."""
        return self.loss.mean(2.0 * y - 1.0, scores[0], weights=weights)


class MultinomialDescent(Descent):
    """Many classes by one score each, whose softmax are probabilities."""

    def __init__(self, loss: Loss, n_classes: int) -> None:
        super().__init__(loss)
        self.n_outputs = n_classes

    def start(self, y: Vector, weights: Vector) -> Vector:
        """Return the logarithms of the shares, which sum to 0 then."""
        shares = np.bincount(y.astype(np.int64), weights=weights, minlength=self.n_outputs)
        logs = np.log(np.maximum(shares / shares.sum(), _SURE))
        return logs - logs.mean()

    def slopes(self, y: Vector, scores: Matrix, weights: Vector) -> tuple[Matrix, Matrix]:
        """Return p - [y = k] and p (1 - p) K / (K - 1), times the weights (Friedman 2001)."""
        shares = np.exp(scores - scores.max(axis=0))
        shares /= shares.sum(axis=0)
        hessians = shares * (1.0 - shares)
        hessians *= weights * (self.n_outputs / (self.n_outputs - 1.0))
        shares[y.astype(np.int64), np.arange(len(y))] -= 1.0
        shares *= weights
        return shares, hessians

    def mean(self, y: Vector, scores: Matrix, weights: Vector) -> float:
        """Return the mean log loss."""
        return self.loss.mean(y, np.ascontiguousarray(scores.T), weights=weights)


class LineSearchDescent(Descent):
    """Any convex loss of a real number: trees fit its gradients, leaves minimise it exactly."""

    def start(self, y: Vector, weights: Vector) -> Vector:
        """Return the best constant."""
        zeros = np.zeros(len(y))
        gradients_of(self.loss, y, zeros)  # it refuses what is none for each row
        return np.array([self._best_step(y, zeros, weights)])

    def slopes(self, y: Vector, scores: Matrix, weights: Vector) -> tuple[Matrix, Matrix]:
        """Return subgradients times the weights, and weights."""
        return (weights * gradients_of(self.loss, y, scores[0]))[np.newaxis], weights[np.newaxis]

    def steps(
        self,
        tree: GrownTree,
        y: Vector,
        scores: Vector,
        weights: Vector,
        slopes: Any,
        l2: float,
        workers: _threads.Workers,
    ) -> Vector:
        """Return the best step of each leaf, shrunk as by `l2` more weight at 0."""
        del slopes, workers
        found = np.empty(len(tree.leaves))
        for i, (start, stop) in enumerate(zip(tree.starts, tree.stops, strict=True)):
            rows = tree.rows[start:stop]
            own = weights[rows]
            total = own.sum()
            found[i] = self._best_step(y[rows], scores[rows], own) * (total / (total + l2))
        return found

    def _best_step(self, y: Vector, scores: Vector, weights: Vector) -> float:
        """Return a c of least Σ w loss(y, score + c): where the sum of slopes changes its sign."""

        def slope(step: float) -> float:
            return float(weights @ self.loss.gradient(y, scores + step))

        return root(slope, y - scores)


class QuantileDescent(LineSearchDescent):
    """The loss of a quantile; of a median the absolute error."""

    def __init__(self, loss: Loss, level: float) -> None:
        super().__init__(loss)
        self._level = level

    def _best_step(self, y: Vector, scores: Vector, weights: Vector) -> float:
        return weighted_quantile(y - scores, weights, self._level)


_NAMED: dict[str, Loss] = {"squared_error": Square(), "absolute_error": Absolute()}


def regression_descent(loss: Any) -> Descent:
    """Return how a loss of numbers is descended; refuse one that boosting cannot descend."""
    if isinstance(loss, str):
        if loss not in _NAMED:
            raise ValueError(
                f"loss={loss!r} must be one of {[*_NAMED]}, or a loss such as "
                "surelearn.losses.Huber(threshold=1.0) or QuantileLoss(level=0.9)"
            )
        loss = _NAMED[loss]
    if not isinstance(loss, Loss) or loss.label_set != "reals":
        raise ValueError(f"loss={loss!r} is no loss of numbers, such as surelearn.losses.Square()")
    if isinstance(loss, Square):
        return SquareDescent(loss)
    if isinstance(loss, Absolute):
        return QuantileDescent(loss, 0.5)
    if isinstance(loss, QuantileLoss):
        return QuantileDescent(loss, loss.level)
    refuse_without_gradient(loss)
    return LineSearchDescent(loss)


def classification_descent(loss: Any, n_classes: int) -> Descent:
    """Return how a loss of classes is descended; refuse one that boosting cannot descend."""
    known = isinstance(loss, Logistic) and loss.base == math.e
    if loss == "log_loss" or known or isinstance(loss, Multinomial):
        if isinstance(loss, Multinomial) and loss.n_classes not in {None, n_classes}:
            raise ValueError(f"loss={loss!r} has another number of classes than y: {n_classes}")
        if n_classes == 2 and not isinstance(loss, Multinomial):
            return LogisticDescent(Logistic())
        if known:
            raise ValueError(f"loss={loss!r} is of two classes, and y has {n_classes}")
        return MultinomialDescent(Multinomial(n_classes=n_classes), n_classes)
    if loss == "exponential" or isinstance(loss, Exponential):
        if n_classes > 2:
            raise ValueError(
                f"the exponential loss is of two classes, and y has {n_classes}; 'log_loss' takes "
                "any number"
            )
        return ExponentialDescent(Exponential())
    raise ValueError(
        f"loss={loss!r} must be 'log_loss', 'exponential', or one of Logistic(), Multinomial() and "
        "Exponential() of surelearn.losses"
    )


def refuse_without_gradient(loss: Loss) -> None:
    """Refuse a loss without a gradient, or one whose sums may have several valleys."""
    try:
        loss.gradient(np.ones(1), np.zeros(1))  # 1 is a label of losses of margins, too
    except (TypeError, NotImplementedError) as error:
        raise ValueError(
            f"loss={loss!r} has no gradient, and boosting follows it: give the loss a `_gradient`, "
            "or take a surrogate such as surelearn.losses.Square()"
        ) from error
    if not loss.convex:
        raise ValueError(f"loss={loss!r} is not convex: its best step could not be found")
