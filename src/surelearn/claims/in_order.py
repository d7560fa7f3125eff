"""A target that is one of several, tried in an order fixed beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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

    def told(self, *, delta: float, **statistics: Any) -> dict[str, str]:
        """Return what the claim tells from statistics."""
        return self.claim.told(delta=delta, **statistics)

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the statement that the target is met."""
        found = self.claim.guarantee(delta=delta, **statistics)
        given = {k: v for k, v in found.inputs.items() if k != "delta"}
        proved = targets.in_order(
            method=found.theorem,
            statistics=given,
            target=self.value / self.claim.scale,
            delta=delta,
        )
        return replace(proved, bound=self.value, trivial=found.trivial)

    def stored(self) -> dict[str, Any]:
        """Return what the claim keeps."""
        return self.claim.stored()

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
