"""What every loss offers, and how labels and predictions are read."""

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector

Interval: TypeAlias = tuple[float, float]
"""The least and the largest value something can take."""

LabelSet: TypeAlias = Literal["signs", "bits", "fractions", "reals", "classes", "positions"]
"""Which labels a loss reads: -1 and +1, 0 and 1, all of [0, 1], any number, anything, or 0, 1, ...

A loss of "positions" reads one score per class, the position being that of the true class.
"""

_LINE: Interval = (-math.inf, math.inf)
_UNIT: Interval = (0.0, 1.0)
_LABELS: dict[LabelSet, Interval] = {"signs": (-1.0, 1.0), "bits": _UNIT, "fractions": _UNIT}


HINGE, LOGISTIC, SQUARE, EPSILON_INSENSITIVE, HUBER, PERCEPTRON, QUANTILE = range(7)
"""The formulas that compiled code knows; see `surelearn.losses.compiled`."""


class CompiledLoss(NamedTuple):
    """A loss in the form that compiled code accepts: a formula and its only parameter."""

    formula: int
    parameter: float


class Box(NamedTuple):
    """All pairs of a prediction in one interval and a label in another."""

    predictions: Interval
    labels: Interval

    @property
    def margins(self) -> Interval:
        """The least and the largest product of a label and a prediction."""
        products = [y * p for y in self.labels for p in self.predictions]
        return min(products), max(products)

    @property
    def distances(self) -> Interval:
        """The least and the largest distance between a label and a prediction."""
        below = self.labels[1] - self.predictions[0]
        above = self.predictions[1] - self.labels[0]
        return max(0.0, -below, -above), max(below, above)

    @property
    def corners(self) -> tuple[Vector, Vector]:
        """The labels and the predictions of the four corners."""
        y, prediction = np.meshgrid(self.labels, self.predictions)
        return y, prediction


class Loss(ABC):
    """A loss of one prediction, with the constants of learning theory.

    A constant is over a box: all predictions in the interval `predictions`, all labels in the
    interval `labels`. Predictions left out are all predictions that the loss can read, labels left
    out all labels; for real labels, the interval of the predictions. A constant without a finite
    value is infinite.

    A subclass says which labels it reads (`label_set`) and whether it is convex in the prediction
    (`convex`). It gives the value and the least and largest value on a box; a convex one gives the
    subgradient and its largest size as well. The other constants default to those of a loss about
    which nothing is known.
    """

    label_set: LabelSet
    convex: ClassVar[bool] = True
    is_quoted_by_theorems: ClassVar[bool] = True

    def value(self, y: ArrayLike, prediction: ArrayLike) -> Vector:
        """Return the loss of each prediction."""
        return np.asarray(self._value(*self._read(y, prediction)))[()]

    def __call__(self, y: ArrayLike, prediction: ArrayLike) -> Vector:
        """Return the loss of each prediction."""
        return self.value(y, prediction)

    def mean(
        self, y: ArrayLike, prediction: ArrayLike, *, weights: ArrayLike | None = None
    ) -> float:
        """Return the (weighted) average loss: the empirical risk."""
        losses = np.asarray(self.value(y, prediction))
        if weights is None:
            return float(np.mean(losses))
        shares = _arguments.numbers("weights", weights)
        if shares.shape != losses.shape or not shares.sum() > 0.0:
            raise _arguments.refuse("weights", weights, f"{losses.size} numbers with a sum above 0")
        return float(np.average(losses, weights=shares))

    def gradient(self, y: ArrayLike, prediction: ArrayLike) -> Vector:
        """Return a subgradient in the prediction; at a kink, the one of least absolute value.

        Only `PerceptronLoss` takes the other end there, for a reason that it gives.
        """
        return np.asarray(self._gradient(*self._read(y, prediction)))[()]

    def range(
        self, predictions: Interval | None = None, labels: Interval | None = None
    ) -> tuple[float, float]:
        """Return the least interval that contains every loss on the box."""
        return self._range(self._box(predictions, labels))

    def lipschitz(
        self, predictions: Interval | None = None, labels: Interval | None = None
    ) -> float:
        """Return the least L with |loss(y, p) - loss(y, q)| <= L |p - q| on the box."""
        return self._lipschitz(self._box(predictions, labels))

    def smoothness(
        self, predictions: Interval | None = None, labels: Interval | None = None
    ) -> float:
        """Return the least Lipschitz constant of the gradient on the box."""
        return self._smoothness(self._box(predictions, labels))

    def strong_convexity(
        self, predictions: Interval | None = None, labels: Interval | None = None
    ) -> float:
        """Return the largest m for which loss - m p²/2 is convex in the prediction p."""
        return self._strong_convexity(self._box(predictions, labels))

    def exp_concavity(
        self, predictions: Interval | None = None, labels: Interval | None = None
    ) -> float:
        """Return a rate r at which exp(-r loss) is concave in the prediction; 0 if none is known.

        At this rate the weighted average of K experts has regret at most ln(K) / r.
        """
        return self._exp_concavity(self._box(predictions, labels))

    def mixability(
        self, predictions: Interval | None = None, labels: Interval | None = None
    ) -> float:
        """Return a rate r at which some substitution function has regret at most ln(K) / r."""
        return self._mixability(self._box(predictions, labels))

    def compiled(self) -> CompiledLoss:
        """Return the loss in the form that compiled code accepts, if it has one."""
        raise ValueError(
            f"loss={self!r} is none of those compiled here; use Hinge(), PerceptronLoss(), "
            "Logistic(), Square(), Absolute(), EpsilonInsensitive(), Huber() or QuantileLoss()"
        )

    @property
    def is_margin(self) -> bool:
        """Whether labels are signs and the loss depends on y times the prediction alone."""
        return self.label_set == "signs"

    @property
    def is_surrogate(self) -> bool:
        """Whether, for labels -1 and +1, it is nowhere below `ZeroOne(margin=True)`."""
        # Losses of margin or residual grow as the score moves to the wrong side, from 0 on.
        return self.label_set in {"signs", "reals"} and float(self.value(1.0, 0.0)) >= 1.0

    @abstractmethod
    def _value(self, y: Vector, prediction: Vector) -> Vector: ...

    @abstractmethod
    def _range(self, box: Box) -> Interval: ...

    def _gradient(self, y: Vector, prediction: Vector) -> Vector:
        del y, prediction
        raise TypeError(f"{self} has no subgradients; use a surrogate such as Hinge()")

    def _lipschitz(self, box: Box) -> float:
        del box
        return math.inf

    def _smoothness(self, box: Box) -> float:
        del box
        return math.inf

    def _strong_convexity(self, box: Box) -> float:
        del box
        return 0.0

    def _exp_concavity(self, box: Box) -> float:
        del box
        return 0.0

    def _mixability(self, box: Box) -> float:
        return self._exp_concavity(box)

    def _read(self, y: ArrayLike, prediction: ArrayLike) -> tuple[Vector, Vector]:
        """Return labels and predictions as floats that pair up and lie in their domains."""
        labels = _arguments.numbers("y", y)
        guesses = _arguments.numbers("prediction", prediction)
        check_shapes(labels, guesses)
        if self.label_set == "signs" and not (np.abs(labels) == 1.0).all():
            raise ValueError("y must hold only the labels -1 and +1; for 0 and 1 pass 2 * y - 1")
        if self.label_set == "bits" and not ((labels == 0.0) | (labels == 1.0)).all():
            raise ValueError("y must hold only the labels 0 and 1; Entropic() reads fractions")
        if self.label_set == "fractions" and not ((labels >= 0.0) & (labels <= 1.0)).all():
            raise ValueError("y must lie in [0, 1]")
        low, high = self._predictable
        if ((guesses < low) | (guesses > high)).any():
            raise ValueError(f"prediction must lie in [{low:g}, {high:g}]")
        return labels, guesses

    @property
    def _predictable(self) -> Interval:
        return _UNIT if self.label_set in {"bits", "fractions"} else _LINE

    def _box(self, predictions: Interval | None, labels: Interval | None) -> Box:
        limits = self._predictable
        guesses = _interval("predictions", limits if predictions is None else predictions, limits)
        every = _LABELS.get(self.label_set, _LINE)
        default = guesses if self.label_set == "reals" else every
        return Box(guesses, _interval("labels", default if labels is None else labels, every))


def check_shapes(y: NDArray[Any], prediction: NDArray[Any]) -> None:
    """Refuse arrays that do not pair up: (n,) against (n, 1) would make n² losses."""
    if y.shape != prediction.shape and y.ndim and prediction.ndim:
        raise ValueError(
            f"y has shape {y.shape} and prediction has shape {prediction.shape}: "
            "there must be one prediction for each label"
        )


def _interval(name: str, interval: Interval, limits: Interval) -> Interval:
    low, high = _arguments.interval(name, interval)
    if not limits[0] <= low <= high <= limits[1]:
        raise ValueError(
            f"{name}={interval!r} must be a pair (low, high) with "
            f"{limits[0]:g} <= low <= high <= {limits[1]:g}"
        )
    return low, high
