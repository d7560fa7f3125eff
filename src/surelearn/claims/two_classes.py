"""Numbers that weigh both classes: balanced accuracy, likelihood ratios, correlation, costs.

Each is a function of the two rates of errors, or of the two shares of wrong rows, and is bounded
over the confidence region whose order fits it: see `surelearn.bounds.regions`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from surelearn import _arguments
from surelearn._wording import exactly
from surelearn.bounds import Guarantee, regions
from surelearn.certificate import Kind
from surelearn.claims._claim import Direction, Seen
from surelearn.claims._two_classes import OfBothClasses, OfTwoClasses
from surelearn.claims.predictions import Predictions


@dataclass(frozen=True)
class _OfBothRates(OfBothClasses):
    """A function of sensitivity and specificity; both classes must have rows."""

    theorem: ClassVar[Callable[..., Guarantee]]
    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "value"
    given_labels: ClassVar[bool] = True

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the errors and the rows of each class."""
        counts = rows.confusion
        return {
            "false_negatives": counts.false_negatives,
            "n_positive": counts.positives,
            "false_positives": counts.false_positives,
            "n_negative": counts.negatives,
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound over the region."""
        return type(self).theorem(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the value of the two rates that were seen, and all rows."""
        miss = statistics["false_negatives"] / statistics["n_positive"]
        alarm = statistics["false_positives"] / statistics["n_negative"]
        n = statistics["n_positive"] + statistics["n_negative"]
        return Seen(self._of_rates(miss, alarm, statistics["n_positive"] / n), n)

    def _of_rates(self, miss: float, alarm: float, prevalence: float) -> float:
        """Return the value at rates of misses and false alarms."""
        raise NotImplementedError


@dataclass(frozen=True)
class BalancedAccuracy(_OfBothRates):
    """The mean of sensitivity and specificity.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> claim, rows = BalancedAccuracy(), record([1, 1, 0, 0], [1, 0, 0, 0])
    >>> claim.seen(**claim.statistics(rows))
    Seen(value=0.75, n=4)
    """

    name: ClassVar[str] = "balanced-accuracy"
    title: ClassVar[str] = "Balanced accuracy"
    kind: ClassVar[Kind] = "rate"
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(regions.balanced_accuracy)

    def _of_rates(self, miss: float, alarm: float, prevalence: float) -> float:  # noqa: ARG002
        """Return the mean of both accuracies."""
        return 1.0 - (miss + alarm) / 2.0

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"its balanced accuracy is at least {limit} on such cases"


@dataclass(frozen=True)
class PositiveLikelihoodRatio(_OfBothRates):
    """How many times as likely an alarm is in a positive case as in a negative one.

    Examples
    --------
    >>> counts = {"false_negatives": 1, "n_positive": 10, "false_positives": 1, "n_negative": 20}
    >>> PositiveLikelihoodRatio().seen(**counts).value
    18.0
    """

    name: ClassVar[str] = "lr+"
    title: ClassVar[str] = "Positive likelihood ratio"
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(regions.positive_likelihood_ratio)

    def _of_rates(self, miss: float, alarm: float, prevalence: float) -> float:  # noqa: ARG002
        """Return sensitivity over the rate of false alarms."""
        return (1.0 - miss) / alarm if alarm else float("inf")

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        positive = about["positive"]
        return (
            f"it says {positive} at least {limit} times as often of such cases that are {positive} "
            "as of those that are not"
        )


@dataclass(frozen=True)
class NegativeLikelihoodRatio(_OfBothRates):
    """How many times as likely no alarm is in a positive case as in a negative one.

    Examples
    --------
    >>> counts = {"false_negatives": 1, "n_positive": 10, "false_positives": 5, "n_negative": 10}
    >>> NegativeLikelihoodRatio().seen(**counts).value
    0.2
    """

    name: ClassVar[str] = "lr-"
    title: ClassVar[str] = "Negative likelihood ratio"
    direction: ClassVar[Direction] = "upper"
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(regions.negative_likelihood_ratio)

    def _of_rates(self, miss: float, alarm: float, prevalence: float) -> float:  # noqa: ARG002
        """Return the rate of misses over specificity."""
        return miss / (1.0 - alarm) if alarm < 1.0 else float("inf")

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        positive = about["positive"]
        return (
            f"it says not {positive} at most {limit} times as often of such cases that are "
            f"{positive} as of those that are not"
        )


@dataclass(frozen=True)
class MatthewsCorrelation(_OfBothRates):
    """The correlation of truth and answer.

    Examples
    --------
    >>> counts = {"false_negatives": 0, "n_positive": 3, "false_positives": 0, "n_negative": 7}
    >>> MatthewsCorrelation().seen(**counts).value
    1.0
    """

    name: ClassVar[str] = "mcc"
    title: ClassVar[str] = "Matthews correlation"
    given_labels: ClassVar[bool] = False
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(regions.matthews_correlation)

    def _of_rates(self, miss: float, alarm: float, prevalence: float) -> float:
        """Return the correlation at these rates."""
        said = prevalence * (1.0 - miss) + (1.0 - prevalence) * alarm
        spread = (
            (prevalence * (1.0 - prevalence) / (said * (1.0 - said))) ** 0.5
            if 0 < said < 1
            else 0.0
        )
        return spread * (1.0 - miss - alarm)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"the correlation of its answers with the truth (MCC) is at least {limit}"


@dataclass(frozen=True)
class Cost(OfTwoClasses):
    """The mean cost of a decision, where a miss and a false alarm cost different amounts.

    Parameters
    ----------
    miss, false_alarm
        What each costs, fixed beforehand.

    Examples
    --------
    >>> Cost(miss=10, false_alarm=1).seen(false_negatives=10, false_positives=40, n=1000)
    Seen(value=0.14, n=1000)
    """

    miss: float
    false_alarm: float
    name: ClassVar[str] = "cost"
    title: ClassVar[str] = "Cost of a decision"
    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "value"

    def __post_init__(self) -> None:
        """Refuse costs that are none."""
        for cost in ("miss", "false_alarm"):
            object.__setattr__(self, cost, _arguments.positive(cost, getattr(self, cost)))

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the two counts of errors, and all rows."""
        counts = rows.confusion
        return {
            "false_negatives": counts.false_negatives,
            "false_positives": counts.false_positives,
            "n": rows.n,
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound over the region."""
        given: dict[str, Any] = {
            **statistics,
            "cost_false_negative": self.miss,
            "cost_false_positive": self.false_alarm,
        }
        return regions.cost(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the mean cost."""
        n = statistics["n"]
        missed, alarms = statistics["false_negatives"], statistics["false_positives"]
        return Seen((self.miss * missed + self.false_alarm * alarms) / n, n)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        prices = f"{exactly(self.miss)} for a miss, {exactly(self.false_alarm)} for a false alarm"
        return f"a decision by it costs at most {limit} on average ({prices})"


@dataclass(frozen=True)
class NetBenefit(OfTwoClasses):
    """The net benefit of acting on its alarms, at a threshold probability.

    Parameters
    ----------
    threshold
        The probability at which acting and not acting are worth the same, fixed beforehand.

    Examples
    --------
    >>> NetBenefit(threshold=0.2).seen(true_positives=90, false_positives=40, n=1000)
    Seen(value=0.08, n=1000)
    """

    threshold: float
    name: ClassVar[str] = "net-benefit"
    title: ClassVar[str] = "Net benefit"
    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "value"

    def __post_init__(self) -> None:
        """Refuse a threshold that is no probability."""
        object.__setattr__(self, "threshold", _arguments.open_fraction("threshold", self.threshold))

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the right and the false alarms, and all rows."""
        counts = rows.confusion
        return {
            "true_positives": counts.true_positives,
            "false_positives": counts.false_positives,
            "n": rows.n,
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound over the region."""
        given: dict[str, Any] = {**statistics, "threshold": self.threshold}
        return regions.net_benefit(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the net benefit of the rows."""
        n, weight = statistics["n"], self.threshold / (1.0 - self.threshold)
        hits, alarms = statistics["true_positives"], statistics["false_positives"]
        return Seen(round((hits - weight * alarms) / n, 12), n)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return (
            f"its net benefit at the threshold probability {exactly(self.threshold)} is at least "
            f"{limit} per case"
        )
