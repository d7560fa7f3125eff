"""Losses: their values, their subgradients and the constants that theorems ask for.

Every loss is read `loss(y, prediction)`, truth first; see `Loss` for what all of them offer. `of`
turns a name such as "squared" into the loss it stands for.
"""

from surelearn.losses._aliases import of
from surelearn.losses._loss import Interval, LabelSet, Loss
from surelearn.losses.decisions import CostMatrix, ZeroOne
from surelearn.losses.margins import (
    Exponential,
    Hinge,
    Logistic,
    MarginLoss,
    PerceptronLoss,
)
from surelearn.losses.multinomial import Multinomial
from surelearn.losses.probabilities import Entropic, Logarithmic, relative_entropy
from surelearn.losses.residuals import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    QuantileLoss,
    ResidualLoss,
    Square,
)

__all__ = [
    "Absolute",
    "CostMatrix",
    "Entropic",
    "EpsilonInsensitive",
    "Exponential",
    "Hinge",
    "Huber",
    "Interval",
    "LabelSet",
    "Logarithmic",
    "Logistic",
    "Loss",
    "MarginLoss",
    "Multinomial",
    "PerceptronLoss",
    "QuantileLoss",
    "ResidualLoss",
    "Square",
    "ZeroOne",
    "of",
    "relative_entropy",
]
