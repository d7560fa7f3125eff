"""Curves over all thresholds or sizes, with the lines that the truth lies beyond."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from surelearn._shown import Shown
from surelearn._typing import Vector
from surelearn.bounds import bands, sharing
from surelearn.claims import Predictions
from surelearn.claims.curves import at_thresholds, spread

_DECISIONS = 199  # thresholds of a decision curve


@dataclass(frozen=True, eq=False, repr=False)
class CurveBand(Shown, drawn_by="bands.plot_roc_band"):
    """A curve over thresholds, as it was seen, and the line that the true one is not beyond.

    Attributes
    ----------
    x, y
        What was seen at each threshold: for a ROC curve the rates of false alarms and of hits, for
        precision the share found and the precision, for answers that are confident enough their
        share and their risk, for decisions the threshold and the net benefit, for errors their size
        and the share of those as large at most.
    low_x, low_y
        The lower line: for a ROC curve, at a rate of false alarms of `low_x` or more, the true
        curve is at least `low_y`; for precision, that of the threshold is at least `low_y`, where
        `low_x` is the share it found in these rows, which the true share may fall short of. For
        risks it is an upper line, and `low_x` the share answered in these rows.
    thresholds
        The thresholds, largest first.
    delta
        The probability that the true curve is beyond the line anywhere.
    beside
        What is drawn beside it: of decisions what calling every row positive gave.
    kind
        Which of these curves it is.
    """

    x: Vector
    y: Vector
    low_x: Vector
    low_y: Vector
    thresholds: Vector
    delta: float
    beside: Vector | None = None
    kind: Literal["roc", "precision", "risk", "benefit", "size"] = "roc"

    def _picture(self) -> tuple[str, Any]:
        return f"bands.plot_{self.kind}_band", self


def _counts(rows: Predictions, thresholds: Vector) -> tuple[Vector, Vector]:
    """Return how many positive and negative rows score at least each threshold."""
    score, positive = np.asarray(rows.score), rows.is_positive
    return _at_least(score[positive], thresholds), _at_least(score[~positive], thresholds)


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
    return CurveBand(found, hits / (hits + alarms), found, low, thresholds, delta, kind="precision")


def risk_band(rows: Predictions, *, delta: float = 0.05) -> CurveBand:
    """Return the risk of confident answers over their share, and a line it is not above.

    Examples
    --------
    >>> from surelearn import claims
    >>> sure = list(range(1000, 0, -1))
    >>> band = risk_band(claims.record([1] * 1000, [1] * 990 + [0] * 10, confidence=sure))
    >>> round(float(band.y[499]), 3), round(float(band.low_y[499]), 3)
    (0.0, 0.017)
    """
    sure = np.asarray(rows.columns["confidence"], dtype=np.float64)
    thresholds = spread(np.unique(sure)[::-1])
    kept = _at_least(sure, thresholds)
    wrong = _at_least(sure[rows.wrong], thresholds)
    high = bands.upper(wrong, rows.n, delta / 2.0)
    answered = bands.lower(kept, rows.n, delta / 2.0)
    with np.errstate(divide="ignore"):
        line = np.minimum(1.0, high / answered)
    share = kept / rows.n
    return CurveBand(share, wrong / kept, share, line, thresholds, delta, kind="risk")


def benefit_band(rows: Predictions, *, delta: float = 0.05) -> CurveBand:
    """Return the net benefit of "stated probability >= p" over p, and a line it is not below.

    Examples
    --------
    >>> from surelearn import claims
    >>> labels, stated = [1] * 50 + [0] * 50, [0.9] * 50 + [0.1] * 50
    >>> band = benefit_band(claims.record(labels, labels, score=stated))
    >>> round(float(band.y[100]), 3), round(float(band.low_y[100]), 3)
    (0.5, 0.279)
    """
    thresholds = np.linspace(0.005, 0.995, _DECISIONS)
    hits, alarms = _counts(rows, thresholds)
    odds, n = thresholds / (1.0 - thresholds), rows.n
    low = bands.lower(hits, n, delta / 2.0) - odds * bands.upper(alarms, n, delta / 2.0)
    share = float(rows.is_positive.mean())
    seen, everyone = (hits - odds * alarms) / n, share - odds * (1.0 - share)
    return CurveBand(thresholds, seen, thresholds, low, thresholds, delta, everyone, kind="benefit")


def size_band(rows: Predictions, *, delta: float = 0.05) -> CurveBand:
    """Return the share of errors up to each size, and a line that the true one is not below.

    Examples
    --------
    >>> from surelearn import claims
    >>> rows = claims.record([i / 7 for i in range(500)], [0.0] * 500)
    >>> band = size_band(rows)
    >>> round(float(band.y[449]), 3), round(float(band.low_y[449]), 3)
    (0.9, 0.854)
    """
    sizes = spread(np.unique(rows.residuals))
    ranks = np.searchsorted(np.sort(rows.residuals), sizes, side="right").astype(np.float64)
    low = bands.lower(ranks, rows.n, delta)
    return CurveBand(sizes, ranks / rows.n, sizes, low, sizes, delta, kind="size")


def _at_least(values: Vector, thresholds: Vector) -> Vector:
    """Return how many values reach each threshold."""
    ordered = np.sort(values)
    return len(ordered) - np.searchsorted(ordered, thresholds, side="left").astype(np.float64)
