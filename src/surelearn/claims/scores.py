"""What scores show: how well they rank, where to cut them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn import _arguments
from surelearn.bounds import Guarantee, ranking, thresholds
from surelearn.certificate import Kind
from surelearn.claims._claim import Direction, Seen
from surelearn.claims._two_classes import OfBothClasses
from surelearn.claims.predictions import Predictions

MOST_STORED = 20_000  # scores that a certificate carries
_SURELY_SORTED = 20  # distinct scores that stand sorted by chance once in 10^18 times


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
        if rows.n <= MOST_STORED and not (_is_sorted(positive) or _is_sorted(negative)):
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
