"""Losses of the residual: a real prediction minus a real label."""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from surelearn import _arguments
from surelearn._typing import Vector
from surelearn.losses._loss import (
    EPSILON_INSENSITIVE,
    HUBER,
    QUANTILE,
    SQUARE,
    Box,
    CompiledLoss,
    Interval,
    Loss,
)


class ResidualLoss(Loss):
    """A convex and even function of the residual, given with its derivative."""

    label_set = "reals"

    @abstractmethod
    def _of_residual(self, residual: Vector) -> Vector: ...

    @abstractmethod
    def _slope(self, residual: Vector) -> Vector: ...

    def _value(self, y: Vector, prediction: Vector) -> Vector:
        return self._of_residual(prediction - y)

    def _gradient(self, y: Vector, prediction: Vector) -> Vector:
        return self._slope(prediction - y)

    def _range(self, box: Box) -> Interval:
        least, largest = self._of_residual(np.array(box.distances))
        return float(least), float(largest)

    def _lipschitz(self, box: Box) -> float:
        return float(self._slope(np.array(box.distances))[1])


@dataclass(frozen=True)
class Square(ResidualLoss):
    """(prediction - y)², least in expectation at the conditional mean.

    Examples
    --------
    >>> loss = Square()
    >>> loss([1.0, 0.0], [0.5, 2.0])
    array([0.25, 4.  ])
    >>> loss.exp_concavity((0.0, 1.0)), loss.mixability((0.0, 1.0))
    (0.5, 2.0)
    """

    def compiled(self) -> CompiledLoss:
        """Return the loss in the form that compiled code accepts."""
        return CompiledLoss(SQUARE, 0.0)

    def _of_residual(self, residual: Vector) -> Vector:
        return residual * residual

    def _slope(self, residual: Vector) -> Vector:
        return 2.0 * residual

    def _smoothness(self, box: Box) -> float:
        del box
        return 2.0

    def _strong_convexity(self, box: Box) -> float:
        del box
        return 2.0

    def _exp_concavity(self, box: Box) -> float:
        farthest = box.distances[1]
        return 0.5 / farthest**2 if farthest else math.inf

    def _mixability(self, box: Box) -> float:
        width = max(map(max, box)) - min(map(min, box))
        return 2.0 / width**2 if width else math.inf


@dataclass(frozen=True)
class Absolute(ResidualLoss):
    """|prediction - y|, least in expectation at the conditional median.

    Its subgradient at residual 0 is 0.

    Examples
    --------
    >>> loss = Absolute()
    >>> loss([1.0, 0.0], [0.5, 2.0])
    array([0.5, 2. ])
    """

    def compiled(self) -> CompiledLoss:
        """Return the loss in the form that compiled code accepts."""
        return CompiledLoss(EPSILON_INSENSITIVE, 0.0)

    def _of_residual(self, residual: Vector) -> Vector:
        return np.abs(residual)

    def _slope(self, residual: Vector) -> Vector:
        return np.sign(residual)


@dataclass(frozen=True, kw_only=True)
class EpsilonInsensitive(ResidualLoss):
    """max(0, |prediction - y| - epsilon), the loss of support vector regression.

    Its subgradient at |residual| = epsilon is 0.

    Parameters
    ----------
    epsilon
        The residual that costs nothing.

    Examples
    --------
    >>> loss = EpsilonInsensitive(epsilon=0.5)
    >>> loss([1.0, 0.0], [0.75, 2.0])
    array([0. , 1.5])
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        """Refuse a negative tolerance."""
        _arguments.non_negative("epsilon", self.epsilon)
        _arguments.settle(self)

    def compiled(self) -> CompiledLoss:
        """Return the loss in the form that compiled code accepts."""
        return CompiledLoss(EPSILON_INSENSITIVE, self.epsilon)

    def _of_residual(self, residual: Vector) -> Vector:
        return np.maximum(0.0, np.abs(residual) - self.epsilon)

    def _slope(self, residual: Vector) -> Vector:
        return np.sign(residual) * np.heaviside(np.abs(residual) - self.epsilon, 0.0)


@dataclass(frozen=True, kw_only=True)
class Huber(ResidualLoss):
    """Half the square of a small residual, linear beyond `threshold`: outliers pull less.

    Parameters
    ----------
    threshold
        The absolute residual at which the loss turns linear, and its Lipschitz constant.

    Examples
    --------
    >>> loss = Huber(threshold=1.0)
    >>> loss([0.0, 0.0], [0.5, 3.0])
    array([0.125, 2.5  ])
    """

    threshold: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a threshold at which nothing is left of the square."""
        _arguments.positive("threshold", self.threshold)
        _arguments.settle(self)

    def compiled(self) -> CompiledLoss:
        """Return the loss in the form that compiled code accepts."""
        return CompiledLoss(HUBER, self.threshold)

    def _of_residual(self, residual: Vector) -> Vector:
        size = np.abs(residual)
        small = np.minimum(size, self.threshold)
        return small * (size - 0.5 * small)

    def _slope(self, residual: Vector) -> Vector:
        return np.clip(residual, -self.threshold, self.threshold)

    def _smoothness(self, box: Box) -> float:
        return float(box.distances[0] < self.threshold)

    def _strong_convexity(self, box: Box) -> float:
        return float(box.distances[1] <= self.threshold)

    def _exp_concavity(self, box: Box) -> float:
        farthest = box.distances[1]
        return 1.0 / farthest**2 if 0.0 < farthest <= self.threshold else 0.0


@dataclass(frozen=True, kw_only=True)
class QuantileLoss(Loss):
    """The pinball loss, least in expectation at the conditional quantile of that level.

    A label above the prediction costs `level` a unit, one below it costs 1 - `level`. At level 1/2
    it is half the absolute loss. Its subgradient at residual 0 is 0.

    Parameters
    ----------
    level
        The share of labels that should lie below the prediction, strictly between 0 and 1.

    Examples
    --------
    >>> loss = QuantileLoss(level=0.75)
    >>> loss([1.0, 0.0], [0.5, 2.0])
    array([0.375, 0.5  ])
    >>> loss.gradient([1.0, 0.0], [0.5, 2.0])
    array([-0.75,  0.25])
    """

    level: float = 0.5

    label_set = "reals"

    def __post_init__(self) -> None:
        """Refuse levels of which no finite number is the quantile."""
        _arguments.open_fraction("level", self.level)
        _arguments.settle(self)

    def compiled(self) -> CompiledLoss:
        """Return the loss in the form that compiled code accepts."""
        return CompiledLoss(QUANTILE, self.level)

    def _value(self, y: Vector, prediction: Vector) -> Vector:
        residual = prediction - y
        return np.maximum(-self.level * residual, (1.0 - self.level) * residual)

    def _gradient(self, y: Vector, prediction: Vector) -> Vector:
        residual = prediction - y
        above, below = np.heaviside(residual, 0.0), np.heaviside(-residual, 0.0)
        return (1.0 - self.level) * above - self.level * below

    def _range(self, box: Box) -> Interval:
        values = self._value(*box.corners)
        least = 0.0 if box.distances[0] == 0.0 else float(values.min())
        return least, float(values.max())

    def _lipschitz(self, box: Box) -> float:
        return float(np.abs(self._gradient(*box.corners)).max())
