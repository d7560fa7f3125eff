"""What the files on mistakes share: their phrases, and the root of M <= loss + slope sqrt(M)."""

import math

from surelearn import _arguments
from surelearn.bounds import _rounding

MISTAKES = "the number of mistakes"
PERCEPTRON = "the Perceptron starts at 0 and updates exactly when the signed score is <= 0"
UNIT_STEP = "an update adds the row once, with its sign"
RADIUS = "no row is longer than radius"
MARGIN = "one unit vector gives every row a signed score of at least margin"
LOSS = "the hinge losses are those of one comparator on the rows of the mistakes"


def slope(radius: float, norm: float) -> float:
    """Return radius times norm, both checked: what sqrt(M) is multiplied by."""
    return _arguments.non_negative("radius", radius) * _arguments.non_negative("norm", norm)


def largest_count(slope: float, loss: float) -> float:
    """Return the largest M with M <= loss + slope sqrt(M)."""
    root = slope / 2.0 + math.hypot(slope / 2.0, math.sqrt(loss))
    return root * root


def realised(hinge_loss: float, norm: float, length: float) -> float:
    """Return hinge_loss + norm length: Cauchy-Schwarz against the sum of the rows added."""
    loss = _arguments.non_negative("hinge_loss", hinge_loss)
    return _rounding.up(loss + _arguments.non_negative("norm", norm) * length)
