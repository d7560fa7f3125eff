"""What claims about errors share, for which rows were drawn in a way of its own."""

from dataclasses import dataclass
from typing import ClassVar

from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Direction
from surelearn.claims.predictions import Predictions

_PLURALS = {"cluster": "clusters", "weight": "weights", "stratum": "strata", "time": "times"}


@dataclass(frozen=True)
class OfErrors(Claim):
    """A claim about errors, for which the rows were drawn in a way of its own."""

    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "risk"

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no errors to count, or no column that says how rows were drawn."""
        if rows.task == "regression":
            return "there are no errors to count"
        if self.design in {"rows", "table"}:
            return ""
        return (
            "" if self.design in rows.columns else f"no column of {_PLURALS[self.design]} was named"
        )
