"""Scores that are probabilities: whether they come true, and what they lose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn import _arguments
from surelearn._wording import exactly
from surelearn.bounds import Guarantee, calibration
from surelearn.certificate import Kind
from surelearn.claims._claim import Direction, Seen
from surelearn.claims.predictions import Predictions
from surelearn.claims.scores import MOST_STORED, OfScores

_MOST_BINS = 1000


@dataclass(frozen=True)
class OfProbabilities(OfScores):
    """A claim about scores that are probabilities."""

    direction: ClassVar[Direction] = "upper"
    stores_rows: ClassVar[bool] = True

    def lacks(self, rows: Predictions) -> str:
        """Return why scores are no probabilities, or too many to store."""
        if why := super().lacks(rows):
            return why
        if rows.score is None or rows.score.min() < 0.0 or rows.score.max() > 1.0:
            return "the scores are no probabilities"
        many = self.stores_rows and rows.n > MOST_STORED
        return f"there are more than {MOST_STORED:,} rows" if many else ""


@dataclass(frozen=True)
class CalibrationError(OfProbabilities):
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

    @property
    def full_title(self) -> str:
        """Its title with the number of bins."""
        return f"Calibration error over {self.bins} {'bin' if self.bins == 1 else 'bins'}"

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
            f"{str(limit).removesuffix('%')} points, on average over such cases in "
            f"{self.bins} equal {'bin' if self.bins == 1 else 'bins'}"
        )


@dataclass(frozen=True)
class BrierScore(OfProbabilities):
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
class LogLoss(OfProbabilities):
    """The mean of minus the logarithm of the probability stated for what happened.

    Without a limit on it no bound on its mean exists. The claim is about the model that states no
    probability below the floor or above one minus it: what it stated was clipped so, and must be
    in use.

    Parameters
    ----------
    floor
        The least probability that the model as used gives to anything, fixed beforehand.

    Examples
    --------
    >>> found = LogLoss(floor=0.01)
    >>> round(found.guarantee(stated_of_truth=[0.8, 0.7, 0.9, 0.3] * 100, delta=0.05).bound, 4)
    0.5503
    """

    floor: float
    name: ClassVar[str] = "log-loss"
    title: ClassVar[str] = "Log loss"
    kind: ClassVar[Kind] = "value"

    def __post_init__(self) -> None:
        """Refuse a floor that is none: of two probabilities one is 1/2 or less."""
        floor = _arguments.open_fraction("floor", self.floor)
        if floor >= 0.5:
            raise _arguments.refuse("floor", self.floor, "below 0.5")
        object.__setattr__(self, "floor", floor)

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the probability that was stated for what happened, clipped."""
        score: Any = np.clip(np.asarray(rows.score), self.floor, 1.0 - self.floor)
        other = np.maximum(1.0 - score, self.floor)  # rounding may take it below
        return {"stated_of_truth": np.where(rows.is_positive, score, other).tolist()}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound by betting."""
        given: dict[str, Any] = {**statistics, "floor": self.floor}
        return calibration.log_loss(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the mean."""
        stated = statistics["stated_of_truth"]
        return Seen(float(-np.mean(np.log(stated))), len(stated))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        ends = f"{exactly(self.floor)} and {exactly(1.0 - self.floor)}"
        clipped = f"with its probabilities clipped to between {ends}"
        return f"its log loss on such cases, {clipped}, is at most {limit}"
