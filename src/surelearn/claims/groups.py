"""Groups of rows: the worst of them, and two models on the same rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn.bounds import Guarantee, groups
from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Direction, Seen
from surelearn.claims.predictions import Predictions


@dataclass(frozen=True)
class WorstGroup(Claim):
    """The largest error rate of a group; their number costs nothing.

    Examples
    --------
    >>> counts = {"errors": [2, 3, 3, 9, 25], "n_in_groups": [50, 80, 120, 200, 400]}
    >>> round(WorstGroup().guarantee(delta=0.05, **counts).bound, 4)
    0.1207
    """

    name: ClassVar[str] = "worst-group"
    title: ClassVar[str] = "Error rate of the worst group"
    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "risk"

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no groups to compare."""
        if rows.task == "regression":
            return "there are no errors to count"
        return "" if "group" in rows.columns else "no column of groups was named"

    def names(self, rows: Predictions) -> dict[str, str]:
        """Return which group has the largest share of errors here."""
        labels, places = rows.codes("group")
        rates = np.bincount(places, weights=rows.wrong) / np.bincount(places)
        return {"worst": str(labels[int(np.argmax(rates))])}

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the errors and the size of each group, in the order of their names."""
        _, places = rows.codes("group")
        wrong = np.bincount(places, weights=rows.wrong).astype(np.int64)
        return {"errors": wrong.tolist(), "n_in_groups": np.bincount(places).tolist()}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the worst of the bounds of all groups."""
        return groups.worst_group(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the largest share of errors, and all rows."""
        wrong, sizes = (np.asarray(statistics[k]) for k in ("errors", "n_in_groups"))
        return Seen(float(np.max(wrong / sizes)), int(sizes.sum()))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - told beside
        """Return the claim in words."""
        return f"in no group present in these rows does it err on more than {limit} of such cases"
