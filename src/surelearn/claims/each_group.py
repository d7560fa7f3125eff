"""The error rate of one group, where those of all groups are claimed together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from surelearn import _arguments
from surelearn.bounds import Guarantee, rates
from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Direction, Seen
from surelearn.claims.predictions import Predictions


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
