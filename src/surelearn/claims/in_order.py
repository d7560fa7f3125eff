"""A target that is one of several, tried in an order fixed beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from surelearn.bounds import Guarantee, targets
from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Design, Direction, Seen
from surelearn.claims.predictions import Predictions


@dataclass(frozen=True)
class InOrder(Claim):
    """That a claim reaches its target: no more can be said of one of several targets.

    Examples
    --------
    >>> from surelearn.claims.rates import Accuracy
    >>> claim = InOrder(Accuracy(), 0.9)
    >>> claim.guarantee(correct=99, n=100, delta=0.05).bound
    0.9
    """

    claim: Claim
    value: float

    @property
    def direction(self) -> Direction:  # type: ignore[override]
        """The direction of the claim."""
        return self.claim.direction

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """The kind of the claim."""
        return self.claim.kind

    @property
    def design(self) -> Design:  # type: ignore[override]
        """The design of the claim."""
        return self.claim.design

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the statistics of the claim."""
        return self.claim.statistics(rows)

    def names(self, rows: Predictions) -> dict[str, str]:
        """Return the names in the sentence of the claim."""
        return self.claim.names(rows)

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the statement that the target is met."""
        method = self.claim.guarantee(delta=delta, **statistics).theorem
        return targets.in_order(
            method=method, statistics=statistics, target=self.value, delta=delta
        )

    def seen(self, **statistics: Any) -> Seen:
        """Return what the claim sees."""
        return self.claim.seen(**statistics)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the sentence of the claim, with the target as its bound."""
        return self.claim.sentence(limit, about)

    def limit(self, bound: float) -> str:
        """Return the target as the claim prints a bound."""
        return self.claim.limit(bound)

    def __str__(self) -> str:
        """Return the claim as the command line takes it."""
        return str(self.claim)
