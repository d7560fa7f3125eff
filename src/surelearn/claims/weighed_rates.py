"""F-scores that weigh misses, and predictive values at another frequency of positive cases."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from surelearn import _arguments
from surelearn._wording import exactly, percent_exactly
from surelearn.bounds import Guarantee, rates, ratios
from surelearn.certificate import Kind
from surelearn.claims._claim import Direction, Seen
from surelearn.claims._two_classes import OfBothClasses, OfFScore
from surelearn.claims.predictions import Predictions


@dataclass(frozen=True)
class FScore(OfFScore):
    """The F-score of the population in which a miss weighs beta squared false alarms.

    Parameters
    ----------
    beta
        How much more sensitivity counts than precision, fixed beforehand.

    Examples
    --------
    >>> counts = {"true_positives": 90, "false_positives": 40, "false_negatives": 10}
    >>> round(FScore(beta=2.0).guarantee(delta=0.05, **counts).bound, 4)
    0.7459
    """

    beta: float
    name: ClassVar[str] = "f-score"
    title: ClassVar[str] = "F-score"
    kind: ClassVar[Kind] = "rate"

    def __post_init__(self) -> None:
        """Refuse a weight that is none."""
        object.__setattr__(self, "beta", _arguments.positive("beta", self.beta))

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound by betting."""
        given: dict[str, Any] = {**statistics, "beta": self.beta}
        return ratios.f_beta(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the F-score of the rows, and how many of them are no true negatives."""
        hits, alarms, misses = (
            statistics[k] for k in ("true_positives", "false_positives", "false_negatives")
        )
        square = self.beta**2
        top = (1.0 + square) * hits
        return Seen(top / (top + square * misses + alarms), hits + alarms + misses)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        named = f"its F-score for {about['positive']} with beta = {exactly(self.beta)}"
        return f"{named} is at least {limit} on such cases"


@dataclass(frozen=True)
class _AtPrevalence(OfBothClasses):
    """A predictive value where positive cases have another, known frequency."""

    prevalence: float
    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "rate"
    given_labels: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a frequency that is none."""
        share = _arguments.open_fraction("prevalence", self.prevalence)
        object.__setattr__(self, "prevalence", share)

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return what was found in each class, and its rows."""
        counts = rows.confusion
        return {
            "true_positives": counts.true_positives,
            "n_positive": counts.positives,
            "true_negatives": counts.true_negatives,
            "n_negative": counts.negatives,
        }

    def rates(self, statistics: Mapping[str, Any]) -> tuple[float, float, int]:
        """Return sensitivity, specificity and the number of rows."""
        found = statistics["true_positives"] / statistics["n_positive"]
        spared = statistics["true_negatives"] / statistics["n_negative"]
        return found, spared, statistics["n_positive"] + statistics["n_negative"]


@dataclass(frozen=True)
class PositivePredictiveValueAt(_AtPrevalence):
    """Precision where positive cases have another, known frequency, such as in screening.

    Parameters
    ----------
    prevalence
        The share of cases in use that are positive, known beforehand.

    Examples
    --------
    >>> counts = {
    ...     "true_positives": 90, "n_positive": 100, "true_negatives": 860, "n_negative": 900
    ... }
    >>> round(PositivePredictiveValueAt(0.02).guarantee(delta=0.05, **counts).bound, 4)
    0.219
    """

    name: ClassVar[str] = "ppv-at"
    title: ClassVar[str] = "Positive predictive value at a prevalence"

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound from those of both rates."""
        given: dict[str, Any] = {**statistics, "prevalence": self.prevalence}
        return rates.positive_predictive_value_at(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the value at the rates that were seen."""
        found, spared, n = self.rates(statistics)
        right, wrong = self.prevalence * found, (1.0 - self.prevalence) * (1.0 - spared)
        return Seen(right / (right + wrong) if right + wrong else 0.0, n)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        positive = about["positive"]
        return (
            f"where {percent_exactly(self.prevalence)} of cases are {positive}, at least {limit} "
            f"of those that it calls {positive} are so"
        )


@dataclass(frozen=True)
class NegativePredictiveValueAt(_AtPrevalence):
    """The negative predictive value where positive cases have another, known frequency.

    Parameters
    ----------
    prevalence
        The share of cases in use that are positive, known beforehand.

    Examples
    --------
    >>> counts = {
    ...     "true_positives": 90, "n_positive": 100, "true_negatives": 860, "n_negative": 900
    ... }
    >>> round(NegativePredictiveValueAt(0.02).guarantee(delta=0.05, **counts).bound, 4)
    0.9962
    """

    name: ClassVar[str] = "npv-at"
    title: ClassVar[str] = "Negative predictive value at a prevalence"

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound from those of both rates."""
        given: dict[str, Any] = {**statistics, "prevalence": self.prevalence}
        return rates.negative_predictive_value_at(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the value at the rates that were seen."""
        found, spared, n = self.rates(statistics)
        right, wrong = (1.0 - self.prevalence) * spared, self.prevalence * (1.0 - found)
        return Seen(right / (right + wrong) if right + wrong else 0.0, n)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        positive = about["positive"]
        return (
            f"where {percent_exactly(self.prevalence)} of cases are {positive}, at least {limit} "
            f"of those that it calls not {positive} are not"
        )
