"""ROC and precision at all thresholds, with the lines that the truth lies beyond."""

from dataclasses import dataclass

import numpy as np

from surelearn._typing import Vector
from surelearn.bounds import bands, sharing
from surelearn.claims import Predictions
from surelearn.claims.curves import at_thresholds


@dataclass(frozen=True, eq=False)
class CurveBand:
    """A curve over thresholds, as it was seen, and the line that the true one is not below.

    Attributes
    ----------
    x, y
        What was seen at each threshold: for a ROC curve the rates of false alarms and of hits, for
        precision the share found and the precision.
    low_x, low_y
        The lower line: for a ROC curve, at a rate of false alarms of `low_x` or more, the true
        curve is at least `low_y`; for precision, that of the threshold is at least `low_y`, where
        `low_x` is the share it found in these rows, which the true share may fall short of.
    thresholds
        The thresholds, largest first.
    delta
        The probability that the true curve is below the line anywhere.
    """

    x: Vector
    y: Vector
    low_x: Vector
    low_y: Vector
    thresholds: Vector
    delta: float


def _counts(rows: Predictions, thresholds: Vector) -> tuple[Vector, Vector]:
    """Return how many positive and negative rows score at least each threshold."""
    score, positive = np.asarray(rows.score), rows.is_positive
    up, down = np.sort(score[positive]), np.sort(score[~positive])
    hits = len(up) - np.searchsorted(up, thresholds, side="left")
    alarms = len(down) - np.searchsorted(down, thresholds, side="left")
    return hits.astype(np.float64), alarms.astype(np.float64)


def roc_band(rows: Predictions, *, delta: float = 0.05) -> CurveBand:
    """Return the ROC curve of recorded scores, and a line that the true one is not below.

    Examples
    --------
    >>> from surelearn import claims
    >>> labels, scores = [1] * 50 + [0] * 50, list(range(100, 0, -1))
    >>> band = roc_band(claims.record(labels, labels, score=scores))
    >>> round(float(band.y[49]), 3), round(float(band.low_y[49]), 3)
    (1.0, 0.878)
    """
    thresholds = at_thresholds(rows)
    hits, alarms = _counts(rows, thresholds)
    n_positive = int(rows.is_positive.sum())
    n_negative = rows.n - n_positive
    level = sharing.sidak(delta, 2)
    return CurveBand(
        alarms / n_negative,
        hits / n_positive,
        bands.upper(alarms, n_negative, level),
        bands.lower(hits, n_positive, level),
        thresholds,
        delta,
    )


def precision_band(rows: Predictions, *, delta: float = 0.05) -> CurveBand:
    """Return precision over the share of positive rows found, and a line it is not below.

    Examples
    --------
    >>> from surelearn import claims
    >>> labels, scores = [1] * 50 + [0] * 50, list(range(100, 0, -1))
    >>> band = precision_band(claims.record(labels, labels, score=scores))
    >>> round(float(band.y[49]), 3), round(float(band.low_y[49]), 3)
    (1.0, 0.84)
    """
    thresholds = at_thresholds(rows)
    hits, alarms = _counts(rows, thresholds)
    found = hits / int(rows.is_positive.sum())
    right = bands.lower(hits, rows.n, delta / 2.0)
    wrong = bands.upper(alarms, rows.n, delta / 2.0)
    low = right / (right + wrong)
    return CurveBand(found, hits / (hits + alarms), found, low, thresholds, delta)
