"""What claims about two classes share: a positive class, which somebody has named."""

from dataclasses import dataclass
from typing import Any, ClassVar

from surelearn.claims._claim import Claim, Direction
from surelearn.claims.predictions import Predictions

UNNAMED = "which of the two labels is positive was not said: name it"


@dataclass(frozen=True)
class OfTwoClasses(Claim):
    """A claim that speaks of the positive class."""

    def lacks(self, rows: Predictions) -> str:
        """Return why there is no positive class."""
        if rows.task != "binary":
            return "there are not two classes"
        return "" if rows.positive is not None else UNNAMED

    def names(self, rows: Predictions) -> dict[str, str]:
        """Return the name of the positive class."""
        return {"positive": str(rows.positive)}


@dataclass(frozen=True)
class OfBothClasses(OfTwoClasses):
    """A claim that needs rows of the positive class and of the other."""

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no rows of two classes."""
        if why := super().lacks(rows):
            return why
        counts = rows.confusion
        return "" if counts.positives and counts.negatives else "one of the classes has no rows"


@dataclass(frozen=True)
class OfFScore(OfTwoClasses):
    """A claim about sensitivity and precision in one number, which true negatives do not change."""

    direction: ClassVar[Direction] = "lower"

    def lacks(self, rows: Predictions) -> str:
        """Return why there is no F-score."""
        if why := super().lacks(rows):
            return why
        none = rows.confusion.true_negatives == rows.n
        return "no row is positive, in truth or as answered" if none else ""

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the counts of all rows but true negatives."""
        counts = rows.confusion
        return {
            "true_positives": counts.true_positives,
            "false_positives": counts.false_positives,
            "false_negatives": counts.false_negatives,
        }
