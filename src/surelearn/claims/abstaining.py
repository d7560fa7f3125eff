"""Answering only when confident: the risk of what is answered."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn import _arguments
from surelearn._wording import exactly, listing, percent_exactly
from surelearn.bounds import Guarantee, bands, passing, rates
from surelearn.certificate import Kind
from surelearn.claims._claim import Claim, Direction, Seen
from surelearn.claims.predictions import Predictions


@dataclass(frozen=True)
class _OfConfidence(Claim):
    """A claim about rows whose confidence reaches a threshold."""

    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "risk"

    def lacks(self, rows: Predictions) -> str:
        """Return why there is no confidence to go by."""
        if rows.task == "regression":
            return "there are no errors to count"
        if "confidence" not in rows.columns:
            return "no column of confidences was named"
        numbers = rows.columns["confidence"].dtype.kind in "biuf"
        return "" if numbers else "the confidences are words"


@dataclass(frozen=True)
class SelectiveRisk(_OfConfidence):
    """The error rate of answers whose confidence reaches a threshold.

    Parameters
    ----------
    threshold
        The confidence from which on an answer counts, fixed beforehand.

    Examples
    --------
    >>> round(SelectiveRisk(threshold=0.8).guarantee(successes=10, n=500, delta=0.05).bound, 4)
    0.0337
    """

    threshold: float
    name: ClassVar[str] = "selective-risk"
    title: ClassVar[str] = "Error rate of confident answers"

    def __post_init__(self) -> None:
        """Refuse a threshold that is none."""
        object.__setattr__(self, "threshold", _arguments.real("threshold", self.threshold))

    def lacks(self, rows: Predictions) -> str:
        """Return why no answer is confident."""
        if why := super().lacks(rows):
            return why
        some = bool(np.any(rows.columns["confidence"] >= self.threshold))
        return "" if some else "no answer is so confident"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the errors among confident answers, and their number."""
        kept = rows.columns["confidence"] >= self.threshold
        return {"successes": int((rows.wrong & kept).sum()), "n": int(kept.sum())}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the binomial bound."""
        return rates.rate_upper(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share of errors."""
        return Seen(statistics["successes"] / statistics["n"], statistics["n"])

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        sure = f"when its confidence is at least {exactly(self.threshold)}"
        return f"{sure}, it errs on at most {limit} of such cases"


@dataclass(frozen=True)
class RiskCoverage(SelectiveRisk):
    """The error rate of confident answers, at every threshold at once.

    Examples
    --------
    >>> found = RiskCoverage(threshold=0.8).guarantee(errors=10, n_kept=500, n=1000, delta=0.05)
    >>> round(found.bound, 4)
    0.0557
    """

    name: ClassVar[str] = "risk-coverage"
    title: ClassVar[str] = "Error rate of confident answers, as at every threshold"
    at_every_threshold: ClassVar[bool] = True

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the errors among confident answers, their number, and all rows."""
        kept = rows.columns["confidence"] >= self.threshold
        wrong = int((rows.wrong & kept).sum())
        return {"errors": wrong, "n_kept": int(kept.sum()), "n": rows.n}

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound of the band."""
        return bands.selective_risk(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share of errors."""
        return Seen(statistics["errors"] / statistics["n_kept"], statistics["n_kept"])

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        return f"{super().sentence(limit, about)}; such bounds hold at all thresholds at once"


@dataclass(frozen=True)
class ThresholdsWithinRisk(_OfConfidence):
    """How many of several thresholds of confidence keep the risk of what is answered.

    They are tried from the largest on until one fails: the last that passes may be used. None may
    pass, and then the claim says so.

    Parameters
    ----------
    risk
        The share of errors among its answers that is allowed, fixed beforehand.
    thresholds
        The thresholds, from the largest to the smallest, such as "0.95;0.9;0.8"; fixed without
        these rows.

    Examples
    --------
    >>> claim = ThresholdsWithinRisk(risk=0.05, thresholds="0.95;0.9;0.8")
    >>> claim.guarantee(errors=[0, 2, 9], n_kept=[120, 260, 270], delta=0.05).bound
    2.0
    """

    risk: float
    thresholds: str
    name: ClassVar[str] = "abstaining"
    title: ClassVar[str] = "Thresholds that keep the risk of answers"
    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "value"
    at_every_threshold: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a risk that is none, and thresholds that are none or do not fall."""
        object.__setattr__(self, "risk", _arguments.open_fraction("risk", self.risk))
        object.__setattr__(self, "thresholds", str(self.thresholds))
        found = self.values()
        if any(a <= b for a, b in itertools.pairwise(found)):
            raise _arguments.refuse("thresholds", self.thresholds, "from the largest on, each once")

    def values(self) -> list[float]:
        """Return the thresholds."""
        try:
            found = [float(text) for text in self.thresholds.split(";")]
        except ValueError:
            found = [math.nan]
        if not all(math.isfinite(one) for one in found):
            raise _arguments.refuse("thresholds", self.thresholds, "numbers such as 0.95;0.9;0.8")
        return found

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return how many answers reach each threshold, and the errors among them."""
        kept = [rows.columns["confidence"] >= t for t in self.values()]
        return {
            "errors": [int((rows.wrong & one).sum()) for one in kept],
            "n_kept": [int(one.sum()) for one in kept],
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return how many pass their tests, in their order."""
        given: dict[str, Any] = {**statistics, "risk": self.risk}
        return passing.thresholds_within(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return how many stay within the risk in these rows, and the rows the last one keeps."""
        pairs = zip(statistics["errors"], statistics["n_kept"], strict=True)
        good = sum(wrong <= self.risk * kept for wrong, kept in pairs)
        return Seen(float(good), max(1, int(statistics["n_kept"][-1])))

    def told(self, *, delta: float, **statistics: Any) -> dict[str, str]:
        """Return the thresholds that pass, and how many rows the last of them keeps."""
        n = int(self.guarantee(delta=delta, **statistics).bound)
        if not n:
            return {"passing": "no threshold passes"}
        values, kept = self.values()[:n], statistics["n_kept"][n - 1]
        shown = listing([exactly(t) for t in values], most=len(values))
        return {"passing": f"{shown}, which {kept:,} of these rows reach"}

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        n = len(self.values())
        several = f"at {limit} or more of {n} threshold{'s' if n > 1 else ''} of confidence"
        wrong = f"at most {percent_exactly(self.risk)} of the answers that reach it are wrong"
        return f"{several}, {wrong}: {about['passing']}"
