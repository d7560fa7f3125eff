"""Groups of rows, the worst of them and how far they are apart; two models on the same rows."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn.bounds import Guarantee, groups, regions
from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Direction, Seen
from surelearn.claims.predictions import Predictions, differ

MOST_GROUPS = 30
"""Groups whose pairs are compared if nobody asks for it."""

_MOST_ASKED = 100  # that are compared at all


@dataclass(frozen=True)
class OfGroups(Claim):
    """A claim about the error rates of groups."""

    direction: ClassVar[Direction] = "upper"

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no groups to compare."""
        if rows.task == "regression":
            return "there are no errors to count"
        if "group" not in rows.columns:
            return "no column of groups was named"
        return "" if len(rows.codes("group")[0]) > 1 else "all rows are of one group"

    def counts(self, rows: Predictions) -> tuple[list[int], list[int]]:
        """Return the errors and the size of each group, in the order of their names."""
        _, places = rows.codes("group")
        wrong, sizes = rows.errors_at(places)
        return wrong.tolist(), sizes.tolist()


@dataclass(frozen=True)
class OfTheWorst(Claim):
    """The largest of several error rates: of groups, or of classes."""

    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "risk"

    @abstractmethod
    def counts(self, rows: Predictions) -> tuple[list[int], list[int]]:
        """Return the errors and the size of each group."""

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the counts of each group."""
        return dict(zip(("errors", "n_in_groups"), self.counts(rows), strict=True))

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the worst of the bounds of all groups."""
        return groups.worst_group(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the largest share of errors, and all rows."""
        wrong, sizes = (np.asarray(statistics[k]) for k in ("errors", "n_in_groups"))
        return Seen(float(np.max(wrong / sizes)), int(sizes.sum()))


@dataclass(frozen=True)
class WorstGroup(OfGroups, OfTheWorst):
    """The largest error rate of a group; their number costs nothing.

    Examples
    --------
    >>> counts = {"errors": [2, 3, 3, 9, 25], "n_in_groups": [50, 80, 120, 200, 400]}
    >>> round(WorstGroup().guarantee(delta=0.05, **counts).bound, 4)
    0.1206
    """

    name: ClassVar[str] = "worst-group"
    title: ClassVar[str] = "Error rate of the worst group"

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - told beside
        """Return the claim in words."""
        return f"in no group present in these rows does it err on more than {limit} of such cases"


@dataclass(frozen=True)
class GroupGap(OfGroups):
    """How far the error rates of any two groups are apart.

    Examples
    --------
    >>> found = GroupGap().guarantee(errors=[10, 5], sizes=[100, 100], delta=0.05)
    >>> 0.1189 < found.bound < 0.1200
    True
    """

    name: ClassVar[str] = "group-gap"
    title: ClassVar[str] = "Largest gap between groups"
    kind: ClassVar[Kind] = "rate"

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no groups to compare, or too many."""
        if why := super().lacks(rows):
            return why
        n = len(rows.codes("group")[0])
        return "" if n <= _MOST_ASKED else f"every two of {n:,} groups cannot be compared"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the counts of each group."""
        return dict(zip(("errors", "sizes"), self.counts(rows), strict=True))

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the largest of the bounds of all pairs."""
        return regions.gap(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the largest difference of two shares of errors, and all rows."""
        wrong, sizes = (np.asarray(statistics[k]) for k in ("errors", "sizes"))
        shares = wrong / sizes
        return Seen(float(shares.max() - shares.min()), int(sizes.sum()))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return (
            "the error rates of any two groups present in these rows differ by at most "
            f"{str(limit).removesuffix('%')} points"
        )


@dataclass(frozen=True)
class Difference(Claim):
    """How much more often the model errs than another one on the same rows.

    Below 0 it errs less often; at most a margin, it is not worse by more than that.

    Examples
    --------
    >>> counts = {"only_first_wrong": 10, "only_second_wrong": 40, "n": 1000}
    >>> Difference().guarantee(delta=0.05, **counts).bound < -0.0178
    True
    """

    name: ClassVar[str] = "difference"
    title: ClassVar[str] = "Error rate minus that of the baseline"
    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "rate"

    def lacks(self, rows: Predictions) -> str:
        """Return why there is nothing to compare with."""
        if rows.task == "regression":
            return "there are no errors to count"
        return "" if rows.baseline is not None else "no column of a baseline was named"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return how often one of the two was wrong and the other right."""
        assert rows.baseline is not None  # noqa: S101 - `lacks` has looked
        other = differ(rows.truth, rows.baseline)
        return {
            "only_first_wrong": int((rows.wrong & ~other).sum()),
            "only_second_wrong": int((~rows.wrong & other).sum()),
            "n": rows.n,
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound over the region."""
        return regions.error_difference(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the difference of the error rates."""
        first, second = statistics["only_first_wrong"], statistics["only_second_wrong"]
        return Seen((first - second) / statistics["n"], statistics["n"])

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        points = str(limit).removesuffix("%")
        if points.startswith("-"):
            return f"it errs less often than the baseline, by at least {points[1:]} points"
        return f"it errs more often than the baseline by at most {points} points"
