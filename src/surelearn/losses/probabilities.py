"""Losses of a predicted probability: the surprise at what came."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.losses._loss import Box, Interval, Loss


def relative_entropy(u: ArrayLike, v: ArrayLike) -> Vector:
    """Return sum u ln(u / v) over the last axis, for probability vectors; infinite if v misses u.

    Examples
    --------
    >>> round(float(relative_entropy([0.3, 0.7], [0.6, 0.4])), 10)
    0.1837868974
    >>> float(relative_entropy([1.0, 0.0], [0.0, 1.0]))
    inf
    """
    first, second = _arguments.numbers("u", u), _arguments.numbers("v", v)
    if first.shape[-1:] != second.shape[-1:] or not first.ndim:
        raise ValueError(f"u of shape {first.shape} and v of shape {second.shape} do not pair up")
    for name, p in (("u", first), ("v", second)):
        if not ((p >= 0.0).all() and np.allclose(p.sum(axis=-1), 1.0, rtol=0.0, atol=1e-8)):
            raise ValueError(f"{name} must hold probabilities that sum to 1 over the last axis")
    # The exact sum is never negative; the computed one can be, by a rounding error.
    return np.maximum(0.0, special.rel_entr(first, second).sum(axis=-1))[()]


@dataclass(frozen=True)
class Entropic(Loss):
    """Relative entropy of the label's coin to the predicted one; labels are fractions.

    Predictions are not clipped: certainty that proves wrong costs infinity. To avoid it clip them
    with `np.clip`, and pass the interval to which they are clipped to the constants. At 0 and 1 the
    subgradient is the limit from inside.

    Examples
    --------
    >>> loss = Entropic()
    >>> loss([0.3, 1.0], [0.6, 0.0])
    array([0.1837869,       inf])
    """

    label_set = "fractions"

    def _value(self, y: Vector, prediction: Vector) -> Vector:
        ones = special.xlogy(y, y) - special.xlogy(y, prediction)
        zeros = special.xlog1py(1.0 - y, -y) - special.xlog1py(1.0 - y, -prediction)
        return np.maximum(0.0, ones + zeros)

    def _gradient(self, y: Vector, prediction: Vector) -> Vector:
        return _quotient(1.0 - y, 1.0 - prediction) - _quotient(y, prediction)

    def _range(self, box: Box) -> Interval:
        values = self._value(*box.corners)
        least = 0.0 if box.distances[0] == 0.0 else float(values.min())
        return least, float(values.max())

    def _lipschitz(self, box: Box) -> float:
        return float(np.abs(self._gradient(*box.corners)).max())

    def _smoothness(self, box: Box) -> float:
        return float(_curvature(*box.corners).max())

    def _strong_convexity(self, box: Box) -> float:
        y = np.array(box.labels)
        # The curvature is linear in y; in p it is least where p : 1 - p is as the cube roots.
        flattest = np.cbrt(y) / (np.cbrt(y) + np.cbrt(1.0 - y))
        return float(_curvature(y, np.clip(flattest, *box.predictions)).min())

    def _exp_concavity(self, box: Box) -> float:
        del box
        return 1.0


@dataclass(frozen=True)
class Logarithmic(Entropic):
    """-ln of the probability given to what came; labels are 0 and 1.

    Examples
    --------
    >>> loss = Logarithmic()
    >>> loss([1, 0, 0], [0.8, 0.8, 1.0])
    array([0.22314355, 1.60943791,        inf])
    """

    label_set = "bits"

    def _range(self, box: Box) -> Interval:
        values = self._value(*box.corners)
        return float(values.min()), float(values.max())


def _quotient(numerator: Vector, denominator: Vector) -> Vector:
    """Return the quotient, 0 / 0 being 0: what has no weight has no slope."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numerator == 0.0, 0.0 * denominator, numerator / denominator)


def _curvature(y: Vector, prediction: Vector) -> Vector:
    return _quotient(y, prediction**2) + _quotient(1.0 - y, (1.0 - prediction) ** 2)
