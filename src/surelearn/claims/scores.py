"""What scores show: how well they rank, whether they are probabilities, where to cut them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn import _arguments
from surelearn.bounds import Guarantee, calibration, ranking, thresholds
from surelearn.certificate import Kind
from surelearn.claims._claim import Direction, Seen
from surelearn.claims._two_classes import OfBothClasses
from surelearn.claims.predictions import Predictions

_MOST_STORED = 20_000  # scores that a certificate carries
_SURELY_SORTED = 20  # distinct scores that stand sorted by chance once in 10^18 times
_MOST_BINS = 1000


@dataclass(frozen=True)
class OfScores(OfBothClasses):
    """A claim about the scores of two classes, both of which have rows."""

    direction: ClassVar[Direction] = "lower"

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no scores of two classes."""
        return "no column of scores was named" if rows.score is None else super().lacks(rows)


@dataclass(frozen=True)
class AreaUnderCurve(OfScores):
    """The probability that a positive case scores higher than a negative one, ties half.

    Up to 20,000 rows by bets on blocks of rows, drawn by a seed that is always 0, which needs rows
    in their order of arrival; beyond, and for scores that stand sorted, by the estimate over all
    pairs.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> claim = AreaUnderCurve()
    >>> rows = record([1, 1, 0, 0], [1, 1, 0, 0], score=[0.9, 0.4, 0.4, 0.1])
    >>> claim.seen(**claim.statistics(rows)).value
    0.875
    """

    name: ClassVar[str] = "auc"
    title: ClassVar[str] = "Area under the ROC curve"
    kind: ClassVar[Kind] = "rate"
    given_labels: ClassVar[bool] = True

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the ranks of the scores of each class, or their number and the estimate."""
        ranks = np.unique(np.asarray(rows.score), return_inverse=True)[1]
        positive, negative = ranks[rows.is_positive], ranks[~rows.is_positive]
        if rows.n <= _MOST_STORED and not (_is_sorted(positive) or _is_sorted(negative)):
            return {"positive": positive.tolist(), "negative": negative.tolist()}
        return {
            "estimate": _area(positive, negative),
            "n_positive": len(positive),
            "n_negative": len(negative),
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound by betting, or by the estimate."""
        theorem = ranking.auc_kl if "estimate" in statistics else ranking.auc
        return theorem(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share of pairs in the right order, and all rows."""
        if "estimate" in statistics:
            n = statistics["n_positive"] + statistics["n_negative"]
            return Seen(float(statistics["estimate"]), n)
        positive, negative = (np.asarray(statistics[k]) for k in ("positive", "negative"))
        return Seen(_area(positive, negative), len(positive) + len(negative))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return (
            f"such a case that is {about['positive']} scores higher than one that is not with "
            f"probability at least {limit}, ties counted half"
        )


def _is_sorted(ranks: Any) -> bool:
    """Return whether scores rise or fall from row to row, as they hardly arrive."""
    steps = np.diff(ranks)
    distinct = np.count_nonzero(steps) + 1 >= _SURELY_SORTED
    return bool(distinct and (np.all(steps >= 0) or np.all(steps <= 0)))


def _area(positive: Any, negative: Any) -> float:
    """Return the share of pairs in the right order, ties half."""
    below = np.sort(negative)
    first = np.searchsorted(below, positive, side="left")
    last = np.searchsorted(below, positive, side="right")
    return float((first + last).sum() / (2.0 * len(positive) * len(negative)))


@dataclass(frozen=True)
class _OfProbabilities(OfScores):
    """A claim about scores that are probabilities."""

    direction: ClassVar[Direction] = "upper"

    def lacks(self, rows: Predictions) -> str:
        """Return why scores are no probabilities, or too many to store."""
        if why := super().lacks(rows):
            return why
        if rows.score is None or rows.score.min() < 0.0 or rows.score.max() > 1.0:
            return "the scores are no probabilities"
        return "" if rows.n <= _MOST_STORED else f"there are more than {_MOST_STORED:,} rows"


@dataclass(frozen=True)
class CalibrationError(_OfProbabilities):
    """How far stated probabilities are from frequencies, on average over equal bins.

    Parameters
    ----------
    bins
        The number of equal bins, fixed beforehand.

    Examples
    --------
    >>> CalibrationError(bins=4).edges()
    [0.25, 0.5, 0.75]
    """

    bins: int = 10
    name: ClassVar[str] = "calibration-error"
    title: ClassVar[str] = "Calibration error"
    kind: ClassVar[Kind] = "rate"

    def __post_init__(self) -> None:
        """Refuse a number of bins that is none."""
        bins = _arguments.count("bins", self.bins, at_least=1, at_most=_MOST_BINS)
        object.__setattr__(self, "bins", bins)

    def edges(self) -> list[float]:
        """Return the edges between bins."""
        return [i / self.bins for i in range(1, self.bins)]

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the probabilities that were stated, and whether each came true."""
        score: Any = rows.score
        return {"stated": score.tolist(), "outcomes": rows.is_positive.astype(int).tolist()}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound by betting on the worst signs."""
        given: dict[str, Any] = {**statistics, "edges": self.edges()}
        return calibration.binned_error(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the calibration error of the rows."""
        stated, outcomes = (np.asarray(statistics[k]) for k in ("stated", "outcomes"))
        places = np.searchsorted(self.edges(), stated, side="right")
        gaps = np.bincount(places, weights=outcomes - stated)
        return Seen(float(np.abs(gaps).sum() / len(stated)), len(stated))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return (
            "stated probability and frequency differ by at most "
            f"{limit.removesuffix('%')} points, on average over such cases in "
            f"{self.bins} equal bins"
        )


@dataclass(frozen=True)
class BrierScore(_OfProbabilities):
    """The mean squared distance of stated probabilities from what came true.

    Examples
    --------
    >>> BrierScore().seen(losses=[0.04, 0.64])
    Seen(value=0.34, n=2)
    """

    name: ClassVar[str] = "brier"
    title: ClassVar[str] = "Brier score"
    kind: ClassVar[Kind] = "value"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the squared distances."""
        score: Any = rows.score
        return {"losses": ((score - rows.is_positive) ** 2).tolist()}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound by betting."""
        return calibration.brier(losses=statistics["losses"], delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the mean."""
        return Seen(float(np.mean(statistics["losses"])), len(statistics["losses"]))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"its Brier score is at most {limit} on such cases"


@dataclass(frozen=True)
class ThresholdFor(OfScores):
    """The sensitivity of the rule "score >= t", where t is chosen on these rows for a target.

    Choosing costs nothing: the largest threshold that still proves the target is taken.

    Parameters
    ----------
    sensitivity
        The share of positive cases that the rule must find, fixed beforehand.
    level
        The failure probability at which the threshold is chosen: at most that of the claim, or the
        claim falls short of the target.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> labels = [1] * 100 + [0] * 100
    >>> rows = record(labels, labels, score=list(range(200, 0, -1)))
    >>> ThresholdFor(sensitivity=0.9).names(rows)["threshold"]
    '104.0'
    """

    sensitivity: float
    level: float = 0.01
    name: ClassVar[str] = "threshold-for"
    title: ClassVar[str] = "Sensitivity at a threshold chosen here"
    kind: ClassVar[Kind] = "rate"
    given_labels: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a share that is none."""
        for name in ("sensitivity", "level"):
            share = _arguments.open_fraction(name, getattr(self, name))
            object.__setattr__(self, name, share)

    def lacks(self, rows: Predictions) -> str:
        """Return why no threshold can be proved: there are too few positive rows."""
        if why := super().lacks(rows):
            return why
        few = self.sensitivity**rows.confusion.positives > self.level
        return "there are too few positive rows" if few else ""

    def rank(self, n_positive: int) -> int:
        """Return which of the positive scores, counted from the smallest, is the threshold."""
        return thresholds.threshold_index(
            n_positive=n_positive, sensitivity=self.sensitivity, delta=self.level
        )

    def names(self, rows: Predictions) -> dict[str, str]:
        """Return the positive class, and the threshold in full: rounded up it would find fewer."""
        scores = np.sort(np.asarray(rows.score)[rows.is_positive])
        rank = self.rank(len(scores))
        return {**super().names(rows), "threshold": repr(float(scores[rank - 1]))}

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the rank of the threshold among the positive scores, and their number."""
        n = rows.confusion.positives
        return {"rank": self.rank(n), "n_positive": n}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound on the sensitivity of the rule."""
        return thresholds.sensitivity_at_rank(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share of positive rows at or above the threshold."""
        n = statistics["n_positive"]
        return Seen((n - statistics["rank"] + 1) / n, n)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return (
            f"the rule that says {about['positive']} if the score is at least "
            f"{about['threshold']} finds at least {limit} of such cases that are"
        )
