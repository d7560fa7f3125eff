"""Errors of numbers: how large all but a share of them are, how many are too large, their mean."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from surelearn import _arguments
from surelearn._wording import confidence, exactly
from surelearn.base.error_sizes import absolute_errors
from surelearn.bounds import Guarantee, rates, sequences
from surelearn.certificate import Kind
from surelearn.claims import _ranks
from surelearn.claims._claim import Claim, Direction, Seen
from surelearn.claims.predictions import Predictions
from surelearn.claims.rates import Share


@dataclass(frozen=True)
class OfNumbers(Claim):
    """A claim about errors of numbers."""

    direction: ClassVar[Direction] = "upper"

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no errors of numbers."""
        return "" if rows.task == "regression" else "the truths are labels, not numbers"


@dataclass(frozen=True)
class ErrorQuantile(OfNumbers):
    """The size that all but a share of the errors stay below.

    Parameters
    ----------
    alpha
        The share that may be larger.

    Examples
    --------
    >>> ErrorQuantile(alpha=0.1).guarantee(residuals=list(range(1, 101)), delta=0.05).bound
    96.0
    """

    alpha: float = 0.1
    name: ClassVar[str] = "error-quantile"
    title: ClassVar[str] = "Size of most errors"
    kind: ClassVar[Kind] = "quantile"

    def __post_init__(self) -> None:
        """Refuse a share that is none."""
        object.__setattr__(self, "alpha", _arguments.open_fraction("alpha", self.alpha))

    @property
    def full_title(self) -> str:
        """Its title with the share of the errors."""
        return f"Absolute error in {confidence(self.alpha)} of cases"

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no errors of numbers, or too few."""
        why = super().lacks(rows)
        few = (1.0 - self.alpha) ** rows.n > 1e-3
        return why or ("there are too few rows for much confidence" if few else "")

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the absolute errors that the bound may rest on, with their ranks."""
        return _ranks.statistics_of(rows.residuals, alpha=self.alpha)

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the error whose rank is large enough."""
        return _ranks.guarantee_of(statistics, alpha=self.alpha, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the quantile of the errors seen."""
        return Seen(*_ranks.seen_in(statistics, self.alpha))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        most = confidence(self.alpha)
        return f"at least {most} of such cases have an absolute error of at most {limit}"


@dataclass(frozen=True)
class BeyondTolerance(OfNumbers):
    """The share of errors that are larger than a tolerance.

    Parameters
    ----------
    tolerance
        The largest error that is tolerated, fixed beforehand.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> BeyondTolerance(tolerance=1.0).statistics(record([0.5, 2.5], [1.0, 0.5]))
    {'successes': 1, 'n': 2}
    """

    tolerance: float
    name: ClassVar[str] = "beyond"
    title: ClassVar[str] = "Errors beyond the tolerance"
    kind: ClassVar[Kind] = "rate"

    def __post_init__(self) -> None:
        """Refuse a tolerance that is none."""
        value = _arguments.real("tolerance", self.tolerance)
        if value < 0.0:
            raise _arguments.refuse("tolerance", self.tolerance, "0 or more")
        object.__setattr__(self, "tolerance", value)

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return how many errors are larger, and all rows."""
        return {"successes": int((rows.residuals > self.tolerance).sum()), "n": rows.n}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the binomial bound."""
        return rates.rate_upper(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share."""
        return Seen(statistics["successes"] / statistics["n"], statistics["n"])

    def refuting(self, *, delta: float, **statistics: Any) -> float:
        """Return the bound on the share from below."""
        counts = {name: statistics[name] for name in ("successes", "n")}
        return rates.rate_lower(**counts, delta=delta).bound

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return (
            f"at most {limit} of such cases have an absolute error beyond {exactly(self.tolerance)}"
        )


@dataclass(frozen=True)
class CloserThanBaseline(Share):
    """The share of cases in which the answer is closer to the truth than the baseline's is.

    Where both are equally far away, the baseline wins.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> rows = record([0.5, 2.5, 4.0], [1.0, 2.0, 4.5], baseline=[2.0, 2.0, 2.0])
    >>> CloserThanBaseline().statistics(rows)
    {'successes': 2, 'n': 3}
    """

    name: ClassVar[str] = "closer-than-baseline"
    title: ClassVar[str] = "Closer to the truth than the baseline"
    direction: ClassVar[Direction] = "lower"
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(rates.rate_lower)
    takes: ClassVar[tuple[str, str]] = ("successes", "n")

    def lacks(self, rows: Predictions) -> str:
        """Return why there is nothing to compare with."""
        if rows.task != "regression":
            return "the truths are labels, not numbers"
        return "no column of a baseline was named" if rows.baseline is None else ""

    def count(self, rows: Predictions) -> tuple[int, int]:
        """Return in how many rows the answer is closer, and all of them."""
        assert rows.baseline is not None  # noqa: S101 - `lacks` has looked
        other = absolute_errors(rows.truth, rows.baseline, side="lower")
        return int((rows.residuals < other).sum()), rows.n

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"in at least {limit} of such cases it is closer to the truth than the baseline"


@dataclass(frozen=True)
class MeanError(OfNumbers):
    """The mean absolute error, larger errors counted as the largest that counts.

    Without a limit on errors no bound on their mean exists. Where truth and answer are known to lie
    so close together, none is larger.

    Parameters
    ----------
    largest
        The error at which larger ones are counted, fixed beforehand.

    Examples
    --------
    >>> found = MeanError(largest=10.0).guarantee(losses=[0.1, 0.3, 0.2] * 100, delta=0.05)
    >>> round(found.bound, 4)
    2.1821
    """

    largest: float
    name: ClassVar[str] = "mean-error"
    title: ClassVar[str] = "Mean absolute error"
    kind: ClassVar[Kind] = "value"

    def __post_init__(self) -> None:
        """Refuse a limit that is none."""
        object.__setattr__(self, "largest", _arguments.positive("largest", self.largest))

    @property
    def scale(self) -> float:
        """The largest error, in whose units the theorem counts."""
        return self.largest

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the errors in units of the largest."""
        return {"losses": np.minimum(rows.residuals / self.largest, 1.0).tolist()}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound by betting, in units of the truth."""
        found = sequences.betting_order_free(losses=statistics["losses"], delta=delta)
        return replace(found, bound=self.largest * found.bound, trivial=self.largest)

    def stored(self) -> dict[str, Any]:
        """Return the range that the bound is in."""
        return {"loss_range": [0.0, self.largest]}

    def seen(self, **statistics: Any) -> Seen:
        """Return the mean."""
        losses = statistics["losses"]
        return Seen(self.largest * float(np.mean(losses)), len(losses))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        counted = f"errors above {exactly(self.largest)} counted as {exactly(self.largest)}"
        return f"its mean absolute error on such cases, {counted}, is at most {limit}"
