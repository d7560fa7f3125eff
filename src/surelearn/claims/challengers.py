"""Other models on the same rows: how much better the best of them is, and which are better."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from surelearn._wording import listing
from surelearn.bounds import Guarantee, challengers
from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Direction, Seen
from surelearn.claims.each_group import MOST_NAMED
from surelearn.claims.predictions import Predictions, differ


@dataclass(frozen=True)
class _OfChallengers(Claim):
    """A claim about several other models."""

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no other models, or too many."""
        if rows.task == "regression":
            return "there are no errors to count"
        if not rows.challengers:
            return "no column of challengers was named"
        few = len(rows.challengers) <= MOST_NAMED
        return "" if few else f"there are more than {MOST_NAMED:,} challengers"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return how often only the model was wrong, and how often only each challenger."""
        others = [differ(rows.truth, answers) for answers in rows.challengers.values()]
        return {
            "only_champion_wrong": [int((rows.wrong & ~other).sum()) for other in others],
            "only_challenger_wrong": [int((~rows.wrong & other).sum()) for other in others],
        }


@dataclass(frozen=True)
class BestChallenger(_OfChallengers):
    """How much less often the best of several challengers errs; their number costs nothing.

    At most a margin, no challenger is worth the change.

    Examples
    --------
    >>> counts = {"only_champion_wrong": [20, 10], "only_challenger_wrong": [20, 40], "n": 1000}
    >>> BestChallenger().guarantee(delta=0.05, **counts).bound < 0.0120
    True
    """

    name: ClassVar[str] = "best-challenger"
    title: ClassVar[str] = "Error rate minus that of the best challenger"
    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "rate"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return how often only one of two was wrong, and all rows."""
        return {**super().statistics(rows), "n": rows.n}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the largest of the bounds of all challengers."""
        return challengers.largest_advantage(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the largest difference of the error rates."""
        won, lost = statistics["only_champion_wrong"], statistics["only_challenger_wrong"]
        most = max(b - c for b, c in zip(won, lost, strict=True))
        return Seen(most / statistics["n"], statistics["n"])

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        points = limit.removesuffix("%")
        if points.startswith("-"):
            return f"it errs less often than every challenger, by at least {points[1:]} points"
        return f"no challenger errs less often than it by more than {points} points"


@dataclass(frozen=True)
class ChallengersBetter(_OfChallengers):
    """Which challengers err less often than the model, and how many do at least.

    Examples
    --------
    >>> counts = {"only_champion_wrong": [40, 20], "only_challenger_wrong": [10, 20]}
    >>> ChallengersBetter().guarantee(delta=0.05, **counts).bound
    1.0
    """

    name: ClassVar[str] = "challengers-better"
    title: ClassVar[str] = "Challengers that err less often"
    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "value"
    at_every_threshold: ClassVar[bool] = True

    def names(self, rows: Predictions) -> dict[str, str]:
        """Return the names of the challengers, in the order of their counts."""
        return {"challengers": json.dumps([str(name) for name in rows.challengers])}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return how many are shown to be better."""
        return challengers.n_better(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return how many erred less often here, and the rows on which one of two was right."""
        pairs = list(zip(*(statistics[k] for k in _COUNTS), strict=True))
        return Seen(float(sum(b > c for b, c in pairs)), max(1, *(b + c for b, c in pairs)))

    def told(self, *, delta: float, **statistics: Any) -> dict[str, str]:
        """Return the places of those that are better."""
        counts = {k: statistics[k] for k in _COUNTS}
        return {"passing": json.dumps(challengers.which_better(**counts, delta=delta))}

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        names, shown = json.loads(about["challengers"]), json.loads(about["passing"])
        good = [str(name) for name, one in zip(names, shown, strict=True) if one]
        told = listing(good) if good else "none is shown to"
        several = f"{limit} or more of {len(names):,} challenger{'s' if len(names) > 1 else ''}"
        return f"{several} err less often than it on such cases: {told}"


_COUNTS = ("only_champion_wrong", "only_challenger_wrong")
