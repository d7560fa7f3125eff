"""Convex losses in compiled code: their values and their slopes.

Compiled loops take no functions as arguments: there a loss is the number of its formula and one
parameter, which `Loss.compiled()` gives. A test holds values and slopes to those of the losses.
"""

import math

import numpy as np

from surelearn._jit import inner, jit
from surelearn._typing import Vector
from surelearn.losses._loss import (
    HINGE,
    HUBER,
    LOGISTIC,
    PERCEPTRON,
    QUANTILE,
    SQUARE,
    CompiledLoss,
)


@inner
def _slope_of_residual(loss: CompiledLoss, residual: float) -> float:
    """Return the slope of a loss of prediction minus target."""
    if loss.formula == SQUARE:
        return 2.0 * residual
    if loss.formula == HUBER:
        return min(max(residual, -loss.parameter), loss.parameter)
    if loss.formula == QUANTILE:
        return 0.0 if residual == 0.0 else (1.0 if residual > 0.0 else 0.0) - loss.parameter
    # epsilon-insensitive, and absolute with epsilon 0
    return 0.0 if abs(residual) <= loss.parameter else math.copysign(1.0, residual)


@inner
def _value_of_residual(loss: CompiledLoss, residual: float) -> float:
    """Return the value of a loss of prediction minus target."""
    if loss.formula == QUANTILE:
        return max(-loss.parameter * residual, (1.0 - loss.parameter) * residual)
    size = abs(residual)
    if loss.formula == SQUARE:
        return size * size
    if loss.formula == HUBER:
        small = min(size, loss.parameter)
        return small * (size - 0.5 * small)
    return max(0.0, size - loss.parameter)


@jit
def slope(loss: CompiledLoss, y: float, prediction: float) -> float:
    """Return the subgradient of the loss in the prediction, at a kink that of the loss itself.

    Examples
    --------
    >>> from surelearn.losses import Hinge, Square
    >>> slope(Hinge().compiled(), 1.0, 0.5), slope(Square().compiled(), 1.0, 0.5)
    (-1.0, -1.0)
    """
    if loss.formula == HINGE:
        return -y if y * prediction < 1.0 else 0.0
    if loss.formula == LOGISTIC:
        decay = math.exp(-abs(prediction))  # never overflows
        return -y * loss.parameter * (decay if y * prediction > 0.0 else 1.0) / (1.0 + decay)
    if loss.formula == PERCEPTRON:
        return -y if y * prediction <= 0.0 else 0.0  # at 0 too, or zero weights would never move
    return _slope_of_residual(loss, prediction - y)


@jit
def value(loss: CompiledLoss, y: float, prediction: float) -> float:
    """Return the loss of a prediction.

    Examples
    --------
    >>> from surelearn.losses import Hinge, Square
    >>> value(Hinge().compiled(), 1.0, 0.5), value(Square().compiled(), 1.0, 0.5)
    (0.5, 0.25)
    """
    if loss.formula == HINGE:
        return max(0.0, 1.0 - y * prediction)
    if loss.formula == LOGISTIC:
        margin = y * prediction
        return loss.parameter * (max(0.0, -margin) + math.log1p(math.exp(-abs(margin))))
    if loss.formula == PERCEPTRON:
        return max(0.0, -y * prediction)
    return _value_of_residual(loss, prediction - y)


@jit
def values(loss: CompiledLoss, y: Vector, predictions: Vector) -> Vector:
    """Return the loss of each prediction.

    Examples
    --------
    >>> values(CompiledLoss(HINGE, 0.0), np.array([1.0, -1.0]), np.array([0.5, 0.5]))
    array([0.5, 1.5])
    """
    result = np.empty(len(y))
    for t in range(len(y)):
        result[t] = value(loss, y[t], predictions[t])
    return result


@jit
def total(loss: CompiledLoss, y: Vector, predictions: Vector) -> float:
    """Return the sum of the losses, without an array of them.

    Examples
    --------
    >>> total(CompiledLoss(HINGE, 0.0), np.array([1.0, -1.0]), np.array([0.5, 0.5]))
    2.0
    """
    result = 0.0
    for t in range(len(y)):
        result += value(loss, y[t], predictions[t])
    return result
