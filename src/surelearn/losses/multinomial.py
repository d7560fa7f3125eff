"""The loss of one score per class, whose probabilities are a softmax."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.losses._loss import Box, Interval, Loss

_FEWEST = 2


@dataclass(frozen=True, kw_only=True)
class Multinomial(Loss):
    """-ln of the softmax of the true class: the log loss of one score per class.

    Labels are the positions 0, 1, ... of the classes; the last axis of a prediction runs over them,
    as does that of a gradient, softmax - indicator of the label. An interval of predictions is one
    in which each score lies, and constants are in the Euclidean norm of the scores. Equal shifts of
    all scores change nothing, so no box makes it strongly convex.

    Parameters
    ----------
    n_classes
        The number of classes; None takes any, and then constants hold for all numbers of classes.

    Examples
    --------
    >>> loss = Multinomial(n_classes=3)
    >>> loss([0, 2], [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).round(4)
    array([0.5514, 1.5514])
    >>> loss.gradient(0, [1.0, 0.0, 0.0]).round(4)
    array([-0.4239,  0.2119,  0.2119])
    """

    n_classes: int | None = None

    label_set = "positions"

    def __post_init__(self) -> None:
        """Refuse fewer than two classes, between which there is nothing to choose."""
        if self.n_classes is not None:
            number = _arguments.count("n_classes", self.n_classes, at_least=_FEWEST)
            object.__setattr__(self, "n_classes", number)

    def _value(self, y: Vector, prediction: Matrix) -> Vector:
        return special.logsumexp(prediction - _own(y, prediction), axis=-1)

    def _gradient(self, y: Vector, prediction: Matrix) -> Matrix:
        slopes = special.softmax(prediction, axis=-1)
        own = np.take_along_axis(slopes, _index(y), axis=-1) - 1.0
        np.put_along_axis(slopes, _index(y), own, axis=-1)
        return slopes

    def _range(self, box: Box) -> Interval:
        width, others = _width(box), (self.n_classes or _FEWEST) - 1
        least = math.log1p(others * math.exp(-width))
        # ln(1 + others · exp(width)), written so that it does not overflow
        largest = width + math.log(others + math.exp(-width)) if self.n_classes else math.inf
        return least, largest

    def _lipschitz(self, box: Box) -> float:
        if self.n_classes is None:
            return math.sqrt(2.0)
        # The steepest corner has the label's score lowest and `high` others highest; each
        # exponential is taken relative to the highest score.
        high = np.arange(1, self.n_classes)
        low = math.exp(-_width(box))
        total = high + (self.n_classes - high) * low
        squares = (total - low) ** 2 + high + (self.n_classes - 1 - high) * low**2
        return float((np.sqrt(squares) / total).max())

    def _smoothness(self, box: Box) -> float:
        if self.n_classes is None:
            return 0.5
        # diag(p) - pp' is at most diag(p), and by Gershgorin's circles at most 2p(1 - p) <= 1/2.
        return min(0.5, 1.0 / (1.0 + (self.n_classes - 1) * math.exp(-_width(box))))

    def _mixability(self, box: Box) -> float:
        # A mean of softmax vectors is the softmax of scores in the same box.
        del box
        return 1.0

    def _read(self, y: ArrayLike, prediction: ArrayLike) -> tuple[Vector, Matrix]:
        labels = _arguments.numbers("y", y)
        scores = _arguments.numbers("prediction", prediction)
        if scores.ndim != labels.ndim + 1 or scores.shape[:-1] != labels.shape:
            raise ValueError(
                f"y has shape {labels.shape} and prediction has shape {scores.shape}: there must "
                "be one prediction for each label, a row of one score per class"
            )
        n_classes = self.n_classes or max(_FEWEST, scores.shape[-1])
        if scores.shape[-1] != n_classes:
            raise ValueError(
                f"prediction has {scores.shape[-1]} scores in a row; there must be {n_classes}, "
                "one for each class"
            )
        if not ((labels >= 0) & (labels < n_classes) & (labels == np.floor(labels))).all():
            raise ValueError(f"y must hold the positions of classes, 0 to {n_classes - 1}")
        return labels, scores


def _index(y: Vector) -> np.ndarray:
    return np.asarray(y, dtype=np.intp)[..., np.newaxis]


def _own(y: Vector, scores: Matrix) -> Matrix:
    return np.take_along_axis(scores, _index(y), axis=-1)


def _width(box: Box) -> float:
    low, high = box.predictions
    return high - low
