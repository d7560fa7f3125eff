"""Losses of the margin: the product of a label -1 or +1 and a real score."""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import Vector
from surelearn.losses._loss import HINGE, LOGISTIC, PERCEPTRON, Box, CompiledLoss, Interval, Loss


class MarginLoss(Loss):
    """A convex, never increasing function of the margin, given with its right derivative."""

    label_set = "signs"

    @abstractmethod
    def _of_margin(self, margin: Vector) -> Vector: ...

    @abstractmethod
    def _slope(self, margin: Vector) -> Vector: ...

    def _value(self, y: Vector, prediction: Vector) -> Vector:
        return self._of_margin(y * prediction)

    def _gradient(self, y: Vector, prediction: Vector) -> Vector:
        return y * self._slope(y * prediction)

    def _range(self, box: Box) -> Interval:
        largest, least = self._of_margin(np.array(box.margins))
        return float(least), float(largest)

    def _lipschitz(self, box: Box) -> float:
        return abs(float(self._slope(np.array(box.margins))[0]))


@dataclass(frozen=True)
class Hinge(MarginLoss):
    """max(0, 1 - margin), the loss of support vector machines.

    Its subgradient at margin 1 is 0.

    Examples
    --------
    >>> loss = Hinge()
    >>> loss([1, 1, -1], [-0.5, 0.5, 0.0])
    array([1.5, 0.5, 1. ])
    """

    def compiled(self) -> CompiledLoss:
        """Return the loss in the form that compiled code accepts."""
        return CompiledLoss(HINGE, 0.0)

    def _of_margin(self, margin: Vector) -> Vector:
        return np.maximum(0.0, 1.0 - margin)

    def _slope(self, margin: Vector) -> Vector:
        return 0.0 - np.heaviside(1.0 - margin, 0.0)


@dataclass(frozen=True)
class PerceptronLoss(MarginLoss):
    """max(0, -margin), the loss whose subgradient steps are the Perceptron's updates.

    Its subgradient at margin 0 is that of a mistake, -y, and not 0: from weights of 0 every margin
    is 0, and steps of 0 would never leave them. Weights of 0 minimise it on any data, so a small
    loss says nothing by itself; it is no surrogate of the zero-one loss.

    Examples
    --------
    >>> loss = PerceptronLoss()
    >>> loss([1, 1, -1], [-0.5, 0.5, 0.0])
    array([0.5, 0. , 0. ])
    >>> loss.gradient([1, 1, -1], [-0.5, 0.5, 0.0])
    array([-1.,  0.,  1.])
    """

    def compiled(self) -> CompiledLoss:
        """Return the loss in the form that compiled code accepts."""
        return CompiledLoss(PERCEPTRON, 0.0)

    def _of_margin(self, margin: Vector) -> Vector:
        return np.maximum(0.0, -margin)

    def _slope(self, margin: Vector) -> Vector:
        return 0.0 - np.heaviside(-margin, 1.0)

    def _lipschitz(self, box: Box) -> float:
        return float(box.margins[0] < 0.0)  # to the right of a margin of 0 it is flat


@dataclass(frozen=True, kw_only=True)
class Logistic(MarginLoss):
    """ln(1 + exp(-margin)), the log loss of a score whose probability is a sigmoid.

    Parameters
    ----------
    base
        The base of the logarithm. Only up to base 2 is the loss nowhere below the zero-one loss.

    Examples
    --------
    >>> loss = Logistic()
    >>> loss([1, -1], [-0.5, 0.0])
    array([0.97407698, 0.69314718])
    >>> Logistic(base=2.0)([1, -1], [-0.5, 0.0])
    array([1.40529603, 1.        ])
    """

    base: float = math.e

    def __post_init__(self) -> None:
        """Refuse a base that gives no increasing logarithm."""
        if not _arguments.real("base", self.base) > 1.0:
            raise _arguments.refuse("base", self.base, "a finite number > 1")
        _arguments.settle(self)

    def compiled(self) -> CompiledLoss:
        """Return the loss in the form that compiled code accepts."""
        return CompiledLoss(LOGISTIC, 1.0 / math.log(self.base))

    def _of_margin(self, margin: Vector) -> Vector:
        with np.errstate(invalid="ignore"):  # NumPy warns of NaN here, and nowhere else
            return np.logaddexp(0.0, -margin) / math.log(self.base)

    def _slope(self, margin: Vector) -> Vector:
        return -special.expit(-margin) / math.log(self.base)

    def _smoothness(self, box: Box) -> float:
        low, high = box.predictions  # the curvature is even and largest at score 0
        return self._curvature(min(max(0.0, low), high))

    def _strong_convexity(self, box: Box) -> float:
        return self._curvature(max(map(abs, box.predictions)))

    def _exp_concavity(self, box: Box) -> float:
        return math.log(self.base) * math.exp(box.margins[0])

    def _mixability(self, box: Box) -> float:
        # It is the log loss of the score's probability, and between the probabilities of two
        # scores there are only probabilities of scores between them.
        del box
        return math.log(self.base)

    def _curvature(self, score: float) -> float:
        return float(special.expit(score) * special.expit(-score)) / math.log(self.base)


@dataclass(frozen=True)
class Exponential(MarginLoss):
    """exp(-margin), the loss that AdaBoost descends.

    Examples
    --------
    >>> loss = Exponential()
    >>> loss([1, -1], [0.0, -2.0])
    array([1.        , 0.13533528])
    """

    def _of_margin(self, margin: Vector) -> Vector:
        with np.errstate(over="ignore"):  # infinity is the nearest float
            return np.exp(-margin)

    def _slope(self, margin: Vector) -> Vector:
        return -self._of_margin(margin)

    def _smoothness(self, box: Box) -> float:
        return self._range(box)[1]

    def _strong_convexity(self, box: Box) -> float:
        return self._range(box)[0]

    def _exp_concavity(self, box: Box) -> float:
        return math.exp(box.margins[0])
