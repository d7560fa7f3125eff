"""The error rate of one group, where those of all are claimed together; which groups are good."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from surelearn import _arguments
from surelearn._wording import listing, percent_exactly
from surelearn.bounds import Guarantee, passing, rates
from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Direction, Seen
from surelearn.claims.groups import OfGroups
from surelearn.claims.predictions import Predictions

MOST_NAMED = 1000
"""Groups, or models, whose names a certificate keeps."""


@dataclass(frozen=True)
class GroupError(Claim):
    """The error rate of one group of rows.

    Parameters
    ----------
    group
        The group, as its column names it.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> rows = record([0, 1, 1], [0, 1, 0], group=["a", "b", "b"])
    >>> GroupError(group="b").statistics(rows)
    {'successes': 1, 'n': 2}
    """

    group: str
    name: ClassVar[str] = "group-error"
    title: ClassVar[str] = "Error rate of a group"
    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "risk"

    def __post_init__(self) -> None:
        """Take the name of a group as text: 3 is the group 3."""
        object.__setattr__(self, "group", str(self.group))
        if not self.group:
            raise _arguments.refuse("group", self.group, "the name of a group")

    @property
    def full_title(self) -> str:
        """Its title with the name of the group."""
        return f"Error rate of the group {self.group}"

    def lacks(self, rows: Predictions) -> str:
        """Return why there is no such group."""
        if rows.task == "regression":
            return "there are no errors to count"
        if "group" not in rows.columns:
            return "no column of groups was named"
        here = bool((rows.columns["group"].astype(str) == self.group).any())
        return "" if here else f"no row is of the group {self.group!r}"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the errors of the group, and its rows."""
        within = rows.columns["group"].astype(str) == self.group
        return {"successes": int((rows.wrong & within).sum()), "n": int(within.sum())}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the binomial bound."""
        return rates.rate_upper(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share of errors."""
        return Seen(statistics["successes"] / statistics["n"], statistics["n"])

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"it errs on at most {limit} of such cases in the group {self.group}"


@dataclass(frozen=True)
class GroupsWithin(OfGroups):
    """Which groups err at a rate that was fixed beforehand at most, and how many do at least.

    Parameters
    ----------
    rate
        The largest error rate that is good enough.

    Examples
    --------
    >>> claim = GroupsWithin(rate=0.1)
    >>> counts = {"errors": [2, 3, 3, 9, 25], "n_in_groups": [50, 80, 120, 200, 400]}
    >>> claim.guarantee(delta=0.05, **counts).bound
    3.0
    """

    rate: float
    name: ClassVar[str] = "groups-within"
    title: ClassVar[str] = "Groups within an error rate"
    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "value"
    at_every_threshold: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a rate that is none."""
        object.__setattr__(self, "rate", _arguments.open_fraction("rate", self.rate))

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no groups, or too many to name."""
        if why := super().lacks(rows):
            return why
        n = len(rows.codes("group")[0])
        return "" if n <= MOST_NAMED else f"there are more than {MOST_NAMED:,} groups"

    def names(self, rows: Predictions) -> dict[str, str]:
        """Return the names of all groups, in the order of their counts."""
        return {"groups": json.dumps([str(name) for name in rows.codes("group")[0].tolist()])}

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the counts of each group."""
        return dict(zip(("errors", "n_in_groups"), self.counts(rows), strict=True))

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return how many groups pass."""
        given: dict[str, Any] = {**statistics, "rate": self.rate}
        return passing.groups_within(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return how many groups err at most so often in these rows, and all rows."""
        pairs = list(zip(statistics["errors"], statistics["n_in_groups"], strict=True))
        good = sum(wrong <= self.rate * n for wrong, n in pairs)
        return Seen(float(good), sum(n for _, n in pairs))

    def told(self, *, delta: float, **statistics: Any) -> dict[str, str]:
        """Return the places of the groups that pass."""
        counts = {k: statistics[k] for k in ("errors", "n_in_groups")}
        shown = passing.which_groups(**counts, rate=self.rate, delta=delta)
        return {"passing": json.dumps(shown)}

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        names, shown = json.loads(about["groups"]), json.loads(about["passing"])
        good = [str(name) for name, one in zip(names, shown, strict=True) if one]
        rate = f"err on at most {percent_exactly(self.rate)} of such cases"
        several = f"{limit} or more of the {len(names):,} groups present in these rows"
        return f"{several} {rate}: {listing(good) if good else 'none is shown to'}"
