"""Curves at all thresholds at once: whoever reads them may choose one by looking."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._wording import exactly
from surelearn.bounds import Guarantee, bands
from surelearn.certificate import Kind
from surelearn.claims._claim import Direction, Seen
from surelearn.claims.predictions import Predictions
from surelearn.claims.probabilities import OfProbabilities
from surelearn.claims.scores import OfScores


@dataclass(frozen=True)
class _OfAllThresholds(OfScores):
    """A claim at all thresholds, whose certificate has its value at the threshold in use."""

    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "rate"
    at_every_threshold: ClassVar[bool] = True

    def lacks(self, rows: Predictions) -> str:
        """Return why no threshold is in use: answers do not follow from the scores."""
        if why := super().lacks(rows):
            return why
        if in_use(rows) is not None:
            return ""
        if not _said(rows).any():
            return "no row is called positive, so that no threshold of the scores is in use"
        return "the answers are no threshold of the scores"

    def names(self, rows: Predictions) -> dict[str, str]:
        """Return the positive class and the threshold in use."""
        return {**super().names(rows), "threshold": repr(in_use(rows))}


def in_use(rows: Predictions) -> float | None:
    """Return the smallest score that is called positive, if none that is not is as large.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> in_use(record([1, 0, 0], [1, 1, 0], score=[0.9, 0.6, 0.2]))
    0.6
    """
    said = _said(rows)
    if rows.score is None or not said.any():
        return None
    least = float(rows.score[said].min())
    return least if said.all() or float(rows.score[~said].max()) < least else None


def _said(rows: Predictions) -> NDArray[np.bool_]:
    """Return which rows are called positive."""
    return rows.is_positive != rows.mistaken  # what is not mistaken is said as it is


@dataclass(frozen=True)
class RocBand(_OfAllThresholds):
    """The ROC curve from below, at every threshold at once.

    Examples
    --------
    >>> round(RocBand().guarantee(n_hits=90, n_positive=100, delta=0.05).bound, 4)
    0.7767
    """

    name: ClassVar[str] = "roc"
    title: ClassVar[str] = "Sensitivity, as at every threshold"
    given_labels: ClassVar[bool] = True

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the positive rows that the threshold in use finds, and all of them."""
        counts = rows.confusion
        return {"n_hits": counts.true_positives, "n_positive": counts.positives}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound of the band."""
        return bands.sensitivity(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the sensitivity at the threshold in use."""
        return Seen(statistics["n_hits"] / statistics["n_positive"], statistics["n_positive"])

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return (
            "the true ROC curve lies nowhere below the lower line of the band, so that any "
            f"threshold may be chosen by it; at the one in use, {about['threshold']}, the model "
            f"finds at least {limit} of such cases that are {about['positive']}"
        )


@dataclass(frozen=True)
class PrecisionBand(_OfAllThresholds):
    """Precision from below, at every threshold at once.

    Examples
    --------
    >>> round(PrecisionBand().guarantee(n_hits=90, n_false=40, n=1000, delta=0.05).bound, 4)
    0.4945
    """

    name: ClassVar[str] = "precision-recall"
    title: ClassVar[str] = "Precision, as at every threshold"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the right and the false alarms of the threshold in use, and all rows."""
        counts = rows.confusion
        return {
            "n_hits": counts.true_positives,
            "n_false": counts.false_positives,
            "n": rows.n,
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound of the band."""
        return bands.precision(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the precision at the threshold in use."""
        said = statistics["n_hits"] + statistics["n_false"]
        return Seen(statistics["n_hits"] / said, said)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return (
            "the true precision is nowhere below the lower line of the band, so that any threshold "
            f"may be chosen by it; at the one in use, {about['threshold']}, at least {limit} of "
            f"such cases that it calls {about['positive']} are so"
        )


@dataclass(frozen=True)
class DecisionCurve(OfProbabilities):
    """The net benefit of "stated probability >= p", from below, at every p at once.

    Net benefit is P(true positive) - p/(1 - p) P(false positive), with p the probability from which
    on acting is worth a false alarm.

    Parameters
    ----------
    threshold
        The p at which its certificate tells the value; the figure has all of them.

    Examples
    --------
    >>> counts = {"n_hits": 90, "n_false": 40, "n": 1000}
    >>> round(DecisionCurve(threshold=0.2).guarantee(delta=0.05, **counts).bound, 4)
    0.0469
    """

    threshold: float
    name: ClassVar[str] = "decision-curve"
    title: ClassVar[str] = "Net benefit, as at every threshold"
    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "value"
    at_every_threshold: ClassVar[bool] = True
    stores_rows: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse a threshold that is none."""
        at = _arguments.open_fraction("threshold", self.threshold)
        object.__setattr__(self, "threshold", at)

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the right and the false alarms at the threshold, and all rows."""
        called = np.asarray(rows.score) >= self.threshold
        hits = int((called & rows.is_positive).sum())
        return {"n_hits": hits, "n_false": int(called.sum()) - hits, "n": rows.n}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound of the band."""
        given: dict[str, Any] = {**statistics, "threshold_probability": self.threshold}
        return bands.net_benefit(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the net benefit in the rows."""
        odds, n = self.threshold / (1.0 - self.threshold), statistics["n"]
        return Seen((statistics["n_hits"] - odds * statistics["n_false"]) / n, n)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return (
            f"acting on a stated probability of {exactly(self.threshold)} or more has a net "
            f"benefit of at least {limit} per case, in units of one case rightly called "
            f"{about['positive']}; such bounds hold at all thresholds at once"
        )


def at_thresholds(rows: Predictions) -> np.ndarray[Any, Any]:
    """Return the distinct scores, largest first, or a thousand of them, evenly spread.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> at_thresholds(record([1, 0], [1, 0], score=[0.2, 0.7])).tolist()
    [0.7, 0.2]
    """
    return spread(np.unique(np.asarray(rows.score))[::-1])


def spread(found: np.ndarray[Any, Any], most: int = 1000) -> np.ndarray[Any, Any]:
    """Return the values of a curve, or so many of them, evenly spread.

    Examples
    --------
    >>> spread(np.arange(10.0), most=4).tolist()
    [0.0, 3.0, 6.0, 9.0]
    """
    if len(found) <= most:
        return found
    return found[np.unique(np.linspace(0, len(found) - 1, most).astype(int))]
