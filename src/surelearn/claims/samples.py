"""Error rates of rows that were not drawn one by one: weights, strata, time, a table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from surelearn import _arguments
from surelearn._typing import Vector
from surelearn._wording import exactly
from surelearn.bounds import Guarantee, finite_population, ratios, regions, sequences
from surelearn.certificate import Kind
from surelearn.claims._claim import Design, Seen
from surelearn.claims._errors import OfErrors
from surelearn.claims.predictions import Predictions

_MOST_WEIGHTS = 100_000  # different ones that a certificate carries
_DIGITS = 10  # binary ones that are kept of more


def _rounded(weights: Vector, how: Callable[[Vector], Vector]) -> Vector:
    """Return numbers of so few binary digits that few are different."""
    mantissa, power = np.frexp(weights)
    return np.ldexp(how(np.ldexp(mantissa, _DIGITS)), power - _DIGITS)


@dataclass(frozen=True)
class WeightedError(OfErrors):
    """The error rate where each row stands for as many cases as its weight says.

    Parameters
    ----------
    largest
        The largest weight that a row can have, known beforehand.

    Examples
    --------
    >>> rows = {"losses": [0, 1], "weights": [1.0, 2.0], "counts": [380, 20]}
    >>> round(WeightedError(largest=4).guarantee(delta=0.05, **rows).bound, 3)
    0.169
    """

    largest: float
    name: ClassVar[str] = "weighted-error"
    title: ClassVar[str] = "Weighted error rate"
    design: ClassVar[Design] = "weight"

    def __post_init__(self) -> None:
        """Refuse a weight that is none."""
        object.__setattr__(self, "largest", _arguments.positive("largest", self.largest))

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no weights, or what is wrong with them."""
        if why := super().lacks(rows):
            return why
        weights = rows.columns["weight"]
        if weights.dtype.kind not in "biuf":
            return "the weights are words"
        if not np.all((weights >= 0) & (weights <= self.largest)):
            return f"a weight is below 0 or above the largest, {exactly(self.largest)}"
        return "" if weights.any() else "all weights are 0"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return how many rows have so large a weight and are right or wrong.

        Of very many different weights a thousandth is rounded, to the worse: a wrong row weighs
        more, a right one less. No bet on the rows then gains more than it would have.
        """
        weights, wrong = rows.columns["weight"].astype(np.float64), rows.wrong
        if len(np.unique(weights)) > _MOST_WEIGHTS:
            up = np.minimum(_rounded(weights, np.ceil), self.largest)
            weights = np.where(wrong, up, _rounded(weights, np.floor))
        found: list[tuple[float, Any, Any]] = []
        for loss in (0.0, 1.0):
            own = weights[wrong == bool(loss)]
            found.append((loss, *np.unique(own, return_counts=True)))
        return {
            "losses": [loss for loss, distinct, _ in found for _ in distinct],
            "weights": [w for _, distinct, _ in found for w in distinct.tolist()],
            "counts": [n for _, _, counts in found for n in counts.tolist()],
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound by betting."""
        given: dict[str, Any] = {**statistics, "largest": self.largest}
        return ratios.weighted_to_scale(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the weighted share of errors, and the number of rows."""
        wrong, weights, counts = (
            np.asarray(statistics[k]) for k in ("losses", "weights", "counts")
        )
        total = float(np.sum(counts * weights))
        return Seen(float(np.sum(counts * weights * wrong)) / total, int(counts.sum()))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"it errs on at most {limit} of such cases, each weighted as the column says"


@dataclass(frozen=True)
class ErrorOfStrata(OfErrors):
    """The error rate of a population from strata that were sampled separately.

    Parameters
    ----------
    shares
        The share of each stratum in use, such as "urban:0.7;rural:0.3", known beforehand.

    Examples
    --------
    >>> counts = {"errors": [3, 5, 2], "sizes": [100, 200, 50], "shares": [0.5, 0.3, 0.2]}
    >>> round(ErrorOfStrata("a:0.5;b:0.3;c:0.2").guarantee(delta=0.05, **counts).bound, 3)
    0.07
    """

    shares: str
    name: ClassVar[str] = "error-of-strata"
    title: ClassVar[str] = "Error rate over all strata"
    design: ClassVar[Design] = "stratum"

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        if not isinstance(cast("object", self.shares), str):
            raise TypeError(self._none())
        self.by_name()

    def by_name(self) -> dict[str, float]:
        """Return the share of each stratum."""
        found: dict[str, float] = {}
        for part in str(self.shares).split(";"):
            name, sign, value = (text.strip() for text in part.rpartition(":"))
            if not sign:
                raise ValueError(self._none())
            if name in found:
                raise ValueError(
                    f"stratum {_arguments.short(name)} has two shares: name each stratum once"
                )
            try:
                found[name] = _arguments.fraction("a share", float(value))
            except ValueError:
                raise ValueError(self._none()) from None
        if abs(sum(found.values()) - 1.0) > 1e-9:
            raise ValueError(f"the shares {_arguments.short(self.shares)} must sum to 1")
        return found

    def _none(self) -> str:
        return (
            f"shares={_arguments.short(self.shares)} must name each stratum once, with its share, "
            "such as urban:0.7;rural:0.3"
        )

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no strata, or which has no share or no rows."""
        if why := super().lacks(rows):
            return why
        present, declared = set(rows.codes("stratum")[0].astype(str).tolist()), set(self.by_name())
        if present - declared:
            return f"stratum {min(present - declared)!r} has no share"
        return f"stratum {min(declared - present)!r} has no rows" if declared - present else ""

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return errors, rows and share of each stratum, in the order of their names."""
        names, places = rows.codes("stratum")
        wrong, sizes = rows.errors_at(places)
        shares = self.by_name()
        return {
            "errors": wrong.tolist(),
            "sizes": sizes.tolist(),
            "shares": [shares[str(name)] for name in names.tolist()],
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound over the region of all strata."""
        two = len(statistics["errors"]) == 2
        return (regions.two_strata if two else regions.strata)(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the error rates weighted by the shares, and all rows."""
        wrong, sizes, shares = (np.asarray(statistics[k]) for k in ("errors", "sizes", "shares"))
        return Seen(float(np.sum(shares * wrong / sizes)), int(sizes.sum()))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"it errs on at most {limit} of all cases, strata weighted by their shares"


@dataclass(frozen=True)
class ErrorOverTime(OfErrors):
    """The average risk over the period of the rows, however it changes in time.

    Examples
    --------
    >>> round(ErrorOverTime().guarantee(total=100, n=2000, delta=0.05).bound, 4)
    0.0669
    """

    name: ClassVar[str] = "error-over-time"
    title: ClassVar[str] = "Error rate over the period"
    design: ClassVar[Design] = "time"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the errors and the rows."""
        return {"total": int(rows.wrong.sum()), "n": rows.n}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound that bears drift."""
        return sequences.progressive_mixture(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share of errors."""
        return Seen(statistics["total"] / statistics["n"], statistics["n"])

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"its risk, on average over the period of these rows, was at most {limit}"


@dataclass(frozen=True)
class WrongInTable(OfErrors):
    """How many rows of a finite table are wrong, from rows drawn out of it at random.

    Parameters
    ----------
    size
        The number of rows of the table.

    Examples
    --------
    >>> WrongInTable(size=1000).guarantee(errors=3, n=200, delta=0.05).bound
    35.0
    """

    size: int
    name: ClassVar[str] = "wrong-in-table"
    title: ClassVar[str] = "Wrong rows of the table"
    kind: ClassVar[Kind] = "value"
    design: ClassVar[Design] = "table"

    def __post_init__(self) -> None:
        """Refuse a size that is none."""
        object.__setattr__(self, "size", _arguments.count("size", self.size, at_least=1))

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no errors to count, or too many rows."""
        why = super().lacks(rows)
        return why or (
            "" if rows.n <= self.size else f"there are {rows.n:,} rows, more than the table has"
        )

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the errors and the rows drawn."""
        return {"errors": int(rows.wrong.sum()), "n": rows.n}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the hypergeometric bound."""
        given: dict[str, Any] = {**statistics, "n_table": self.size}
        return finite_population.wrong_rows(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return how many would be wrong if the table were as these rows."""
        return Seen(self.size * statistics["errors"] / statistics["n"], statistics["n"])

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"at most {limit} of the {self.size:,} rows of the table are wrong"
