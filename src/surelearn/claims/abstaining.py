"""Answering only when confident: the risk of what is answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn import _arguments
from surelearn.bounds import Guarantee, bands, rates
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
        sure = f"when its confidence is at least {self.threshold:g}"
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
