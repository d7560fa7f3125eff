"""Recalls of several classes: their mean, and the worst of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn.bounds import Guarantee, regions
from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Direction, Seen
from surelearn.claims.groups import OfTheWorst
from surelearn.claims.predictions import Predictions

_MOST_CLASSES = 1000


@dataclass(frozen=True)
class _OfClasses(Claim):
    """A claim about the recall of each class that has rows; given the labels, they are separate."""

    given_labels: ClassVar[bool] = True

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no classes to compare."""
        if why := super().lacks(rows):
            return why
        n = len(np.unique(rows.truth))
        if n > _MOST_CLASSES:
            return f"there are more than {_MOST_CLASSES:,} classes"
        return "" if n > 1 else "all rows are of one class"

    def counts(self, rows: Predictions) -> tuple[list[int], list[int]]:
        """Return the errors and the rows of each class, in the order of their labels."""
        _, places = np.unique(rows.truth, return_inverse=True)
        wrong, sizes = rows.errors_at(places)
        return wrong.tolist(), sizes.tolist()


@dataclass(frozen=True)
class MacroRecall(_OfClasses):
    """The mean over classes of the share of their cases that is recognised.

    Examples
    --------
    >>> found = MacroRecall().guarantee(errors=[3, 5, 2], sizes=[100, 200, 50], delta=0.05)
    >>> round(found.bound, 4)
    0.9231
    """

    name: ClassVar[str] = "macro-recall"
    title: ClassVar[str] = "Mean recall of the classes"
    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "rate"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the counts of each class."""
        return dict(zip(("errors", "sizes"), self.counts(rows), strict=True))

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound over the region of all classes."""
        return regions.macro_recall(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the mean of the recalls, and all rows."""
        wrong, sizes = (np.asarray(statistics[k]) for k in ("errors", "sizes"))
        return Seen(float(np.mean(1.0 - wrong / sizes)), int(sizes.sum()))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return (
            f"it recognises at least {limit} of the cases of a class, on average over the classes "
            "present in these rows"
        )


@dataclass(frozen=True)
class WorstClass(_OfClasses, OfTheWorst):
    """The largest share of cases that is missed in a class; their number costs nothing.

    Examples
    --------
    >>> found = WorstClass().guarantee(errors=[2, 3], n_in_groups=[50, 80], delta=0.05)
    >>> round(found.bound, 4)
    0.1206
    """

    name: ClassVar[str] = "worst-class"
    title: ClassVar[str] = "Missed in the worst class"

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"of no class present in these rows does it miss more than {limit} of such cases"
