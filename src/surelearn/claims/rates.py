"""Shares of rows: errors, what is found among positives, what is right among alarms, F1.

Each is a count among rows that count, so that the exact binomial bound applies given how many
there are.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from surelearn.bounds import Guarantee, concentration, rates
from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Direction, Seen
from surelearn.claims._two_classes import OfFScore, OfTwoClasses
from surelearn.claims.predictions import Predictions


@dataclass(frozen=True)
class Share(Claim):
    """A share of rows: how many there are of those that count.

    Attributes
    ----------
    theorem
        The theorem.
    takes
        What it calls the count, and the number of rows that count.
    """

    theorem: ClassVar[Callable[..., Guarantee]]
    takes: ClassVar[tuple[str, str]]

    def count(self, rows: Predictions) -> tuple[int, int]:
        """Return how many rows there are of those that count, and how many count."""
        raise NotImplementedError

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the two counts."""
        return dict(zip(self.takes, self.count(rows), strict=True))

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the binomial bound."""
        return type(self).theorem(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share."""
        found, n = (int(statistics[name]) for name in self.takes)
        return Seen(found / n, n)

    def lacks(self, rows: Predictions) -> str:
        """Return why there is no such share; nothing if there is."""
        return super().lacks(rows) or ("" if self.count(rows)[1] else "no row counts for it")

    def larger(self, factor: float, **statistics: Any) -> dict[str, Any]:
        """Return so many times the counts, rounded to the worse."""
        found, n = (int(statistics[name]) for name in self.takes)
        total = round(factor * n)
        good = found if self.direction == "lower" else n - found
        kept = good * total // n
        counts = (kept if self.direction == "lower" else total - kept, total)
        return dict(zip(self.takes, counts, strict=True))

    def refuting(self, *, delta: float, **statistics: Any) -> float:
        """Return the bound on the share from the other side."""
        found, n = (int(statistics[name]) for name in self.takes)
        theorem = rates.rate_upper if self.direction == "lower" else rates.rate_lower
        return theorem(successes=found, n=n, delta=delta).bound


@dataclass(frozen=True)
class ErrorRate(Share):
    """The share of cases that the model gets wrong.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> claim, rows = ErrorRate(), record([0, 1, 1, 0] * 25, [0, 1, 1, 1] * 25)
    >>> round(claim.guarantee(delta=0.05, **claim.statistics(rows)).bound, 4)
    0.3313
    """

    name: ClassVar[str] = "error"
    title: ClassVar[str] = "Error rate"
    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "risk"
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(concentration.clopper_pearson)
    takes: ClassVar[tuple[str, str]] = ("errors", "n")

    def count(self, rows: Predictions) -> tuple[int, int]:
        """Return the errors and the rows."""
        return int(rows.wrong.sum()), rows.n

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"it errs on at most {limit} of such cases"


@dataclass(frozen=True)
class Accuracy(Share):
    """The share of cases that the model gets right.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> Accuracy().count(record([0, 1, 1, 0], [0, 1, 1, 1]))
    (3, 4)
    """

    name: ClassVar[str] = "accuracy"
    title: ClassVar[str] = "Accuracy"
    direction: ClassVar[Direction] = "lower"
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(rates.accuracy)
    takes: ClassVar[tuple[str, str]] = ("correct", "n")

    def count(self, rows: Predictions) -> tuple[int, int]:
        """Return the rows answered rightly, and all."""
        return rows.n - int(rows.wrong.sum()), rows.n

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"it is right on at least {limit} of such cases"


@dataclass(frozen=True)
class PassRate(Accuracy):
    """The share of cases that pass: for files that record the results of an evaluation only.

    Examples
    --------
    >>> from surelearn.claims.predictions import results
    >>> PassRate().count(results([True, True, False]))
    (2, 3)
    """

    name: ClassVar[str] = "pass-rate"
    title: ClassVar[str] = "Pass rate"

    def lacks(self, rows: Predictions) -> str:
        """Return why nothing passes or fails here."""
        marked = rows.task == "results" and "covered" not in rows.columns
        return "" if marked else "the rows are not marked as passed or failed"

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"it passes at least {limit} of such cases"


@dataclass(frozen=True)
class _OfTwoClasses(Share, OfTwoClasses):
    """A share that speaks of the positive class."""

    direction: ClassVar[Direction] = "lower"

    def lacks(self, rows: Predictions) -> str:
        """Return why there is no positive class, or no row that counts."""
        return OfTwoClasses.lacks(self, rows) or Share.lacks(self, rows)


@dataclass(frozen=True)
class Sensitivity(_OfTwoClasses):
    """The share of positive cases that the model finds: recall.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> Sensitivity().count(record(["ill", "ill", "well"], ["ill", "well", "ill"], positive="ill"))
    (1, 2)
    """

    name: ClassVar[str] = "sensitivity"
    title: ClassVar[str] = "Sensitivity"
    given_labels: ClassVar[bool] = True
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(rates.sensitivity)
    takes: ClassVar[tuple[str, str]] = ("true_positives", "n_positive")

    def count(self, rows: Predictions) -> tuple[int, int]:
        """Return the positive rows that were found, and all of them."""
        return rows.confusion.true_positives, rows.confusion.positives

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return f"it finds at least {limit} of such cases that are {about['positive']}"


@dataclass(frozen=True)
class Specificity(_OfTwoClasses):
    """The share of negative cases that the model calls negative.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> Specificity().count(record([1, 0, 0], [1, 0, 1]))
    (1, 2)
    """

    name: ClassVar[str] = "specificity"
    title: ClassVar[str] = "Specificity"
    given_labels: ClassVar[bool] = True
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(rates.specificity)
    takes: ClassVar[tuple[str, str]] = ("true_negatives", "n_negative")

    def count(self, rows: Predictions) -> tuple[int, int]:
        """Return the negative rows that were called so, and all of them."""
        return rows.confusion.true_negatives, rows.confusion.negatives

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        negative = f"not {about['positive']}"
        return f"of such cases that are {negative} it calls at least {limit} {negative}"


@dataclass(frozen=True)
class PositivePredictiveValue(_OfTwoClasses):
    """The share of cases called positive that are positive: precision.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> PositivePredictiveValue().count(record([1, 0, 0], [1, 0, 1]))
    (1, 2)
    """

    name: ClassVar[str] = "ppv"
    title: ClassVar[str] = "Positive predictive value (precision)"
    of_answers: ClassVar[bool] = True
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(rates.positive_predictive_value)
    takes: ClassVar[tuple[str, str]] = ("true_positives", "n_predicted_positive")

    def count(self, rows: Predictions) -> tuple[int, int]:
        """Return the rows rightly called positive, and all that were called so."""
        counts = rows.confusion
        return counts.true_positives, counts.true_positives + counts.false_positives

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return f"at least {limit} of such cases that it calls {about['positive']} are so"


@dataclass(frozen=True)
class NegativePredictiveValue(_OfTwoClasses):
    """The share of cases called negative that are negative.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> NegativePredictiveValue().count(record([1, 0, 0], [0, 0, 1]))
    (1, 2)
    """

    name: ClassVar[str] = "npv"
    title: ClassVar[str] = "Negative predictive value"
    of_answers: ClassVar[bool] = True
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(rates.negative_predictive_value)
    takes: ClassVar[tuple[str, str]] = ("true_negatives", "n_predicted_negative")

    def count(self, rows: Predictions) -> tuple[int, int]:
        """Return the rows rightly called negative, and all that were called so."""
        counts = rows.confusion
        return counts.true_negatives, counts.true_negatives + counts.false_negatives

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return f"at least {limit} of such cases that it calls not {about['positive']} are not"


@dataclass(frozen=True)
class Prevalence(_OfTwoClasses):
    """The share of cases that are positive, from below; `PrevalenceAtMost` is its other side.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> claim, rows = Prevalence(), record([1] * 100 + [0] * 900, [0] * 1000, positive=1)
    >>> round(claim.guarantee(delta=0.05, **claim.statistics(rows)).bound, 7)
    0.0847848
    """

    name: ClassVar[str] = "prevalence"
    title: ClassVar[str] = "Prevalence, at least"
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(rates.rate_lower)
    takes: ClassVar[tuple[str, str]] = ("successes", "n")

    def count(self, rows: Predictions) -> tuple[int, int]:
        """Return the positive rows, and all."""
        return rows.confusion.positives, rows.n

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return f"at least {limit} of such cases are {about['positive']}"


@dataclass(frozen=True)
class PrevalenceAtMost(Prevalence):
    """The share of cases that are positive, from above.

    Examples
    --------
    >>> from surelearn.claims.predictions import record
    >>> claim, rows = PrevalenceAtMost(), record([1] * 100 + [0] * 900, [0] * 1000, positive=1)
    >>> round(claim.guarantee(delta=0.05, **claim.statistics(rows)).bound, 6)
    0.116992
    """

    name: ClassVar[str] = "prevalence-at-most"
    title: ClassVar[str] = "Prevalence, at most"
    direction: ClassVar[Direction] = "upper"
    theorem: ClassVar[Callable[..., Guarantee]] = staticmethod(rates.rate_upper)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return f"at most {limit} of such cases are {about['positive']}"


@dataclass(frozen=True)
class F1(OfFScore):
    """The F1 score of the population: the harmonic mean of precision and sensitivity.

    Examples
    --------
    >>> counts = {"true_positives": 90, "false_positives": 40, "false_negatives": 10}
    >>> round(F1().guarantee(delta=0.05, **counts).bound, 4)
    0.7268
    """

    name: ClassVar[str] = "f1"
    title: ClassVar[str] = "F1 score"
    of_answers: ClassVar[bool] = True

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the binomial bound on Jaccard's index, as an F1 score."""
        return rates.f1(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the F1 score of the rows, and how many of them are no true negatives."""
        hits, n = statistics["true_positives"], sum(statistics.values())
        return Seen(2 * hits / (hits + n), n)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return f"its F1 score for {about['positive']} is at least {limit} on such cases"

    def larger(self, factor: float, **statistics: Any) -> dict[str, Any]:
        """Return so many times the counts, rounded to the worse."""
        n = sum(statistics.values())
        total, wrong = round(factor * n), round(factor * statistics["false_negatives"] + 0.5)
        hits = statistics["true_positives"] * total // n
        wrong = min(wrong, total - hits)
        return {
            "true_positives": hits,
            "false_positives": total - hits - wrong,
            "false_negatives": wrong,
        }

    def refuting(self, *, delta: float, **statistics: Any) -> float:
        """Return the bound on the F1 score from above, by Jaccard's index."""
        counts = {"successes": statistics["true_positives"], "n": sum(statistics.values())}
        jaccard = rates.rate_upper(**counts, delta=delta).bound
        return math.nextafter(2.0 * jaccard / (1.0 + jaccard), math.inf)
