"""Sizes of errors: all of them at once, and in units of a width that differs from row to row."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn import _arguments
from surelearn._typing import Vector
from surelearn._wording import confidence, outward, percent_outward
from surelearn.bounds import Guarantee, bands
from surelearn.certificate import Kind
from surelearn.claims import _ranks
from surelearn.claims._claim import Direction, Seen
from surelearn.claims.predictions import Predictions
from surelearn.claims.regression import OfNumbers

_SHARES = (0.5, 0.9, 0.99)
"""Of the errors seen, those whose sizes a sentence tells."""


@dataclass(frozen=True)
class ErrorSizes(OfNumbers):
    """How many errors stay below a size, for all sizes at once: any may be read off the rows.

    Its certificate has the share of errors up to the size that 9 of 10 rows stayed within.

    Examples
    --------
    >>> round(ErrorSizes().guarantee(rank=450, n=500, delta=0.05).bound, 4)
    0.854
    """

    name: ClassVar[str] = "error-sizes"
    title: ClassVar[str] = "Errors up to a size, as for every size"
    direction: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "rate"
    at_every_threshold: ClassVar[bool] = True

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the rank of the error whose size is told, and all rows."""
        return {"rank": math.ceil(0.9 * rows.n), "n": rows.n}

    def names(self, rows: Predictions) -> dict[str, str]:
        """Return the sizes of a few errors, rounded up: at most so large is all that is claimed."""
        sizes = np.sort(rows.residuals)
        return {
            f"size at {share:g}": outward(float(sizes[math.ceil(share * rows.n) - 1]), "upper")
            for share in _SHARES
        }

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound of the band."""
        return bands.share_within(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share of the rows up to that rank."""
        return Seen(statistics["rank"] / statistics["n"], statistics["n"])

    def told(self, *, delta: float, **statistics: Any) -> dict[str, str]:
        """Return the shares that are guaranteed up to a few sizes."""
        n = statistics["n"]
        ranks = [math.ceil(share * n) for share in _SHARES]
        found = bands.lower(ranks, n, delta).tolist()
        return {
            f"share at {share:g}": percent_outward(bound, "lower")
            for share, bound in zip(_SHARES, found, strict=True)
        }

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words."""
        shares = [limit if s == 0.9 else about[f"share at {s:g}"] for s in _SHARES]
        sizes = [about[f"size at {share:g}"] for share in _SHARES]
        first, *rest = zip(shares, sizes, strict=True)
        more = "".join(f", at least {share} one of at most {size}" for share, size in rest)
        start = f"at least {first[0]} of such cases have an absolute error of at most {first[1]}"
        return f"{start}{more}; such bounds hold for all sizes at once"


@dataclass(frozen=True)
class ScaledErrorQuantile(OfNumbers):
    """How many widths around its answer hold the truth of all but a share of cases.

    The width of each row was given beside the answer, before the truth was known: an interval of so
    many widths is wide where the model is unsure.

    Parameters
    ----------
    alpha
        The share of cases that the intervals may miss.

    Examples
    --------
    >>> claim = ScaledErrorQuantile(alpha=0.1)
    >>> claim.guarantee(residuals=[i / 50 for i in range(1, 101)], delta=0.05).bound
    1.92
    """

    alpha: float = 0.1
    name: ClassVar[str] = "scaled-error-quantile"
    title: ClassVar[str] = "Widths that hold most truths"
    direction: ClassVar[Direction] = "upper"
    kind: ClassVar[Kind] = "quantile"

    def __post_init__(self) -> None:
        """Refuse a share that is none."""
        object.__setattr__(self, "alpha", _arguments.open_fraction("alpha", self.alpha))

    @property
    def full_title(self) -> str:
        """Its title with the share of the errors."""
        return f"Absolute error in {confidence(self.alpha)} of cases, in widths"

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no errors in units of a width, or too few."""
        if why := super().lacks(rows):
            return why
        if "width" not in rows.columns:
            return "no column of widths was named"
        widths = rows.columns["width"]
        if widths.dtype.kind not in "biuf":
            return "the widths are words"
        if not bool(np.all((widths > 0) & np.isfinite(widths))):
            return "a width is 0, below 0 or infinite"
        if not np.isfinite(_in_widths(rows)).all():
            return "an error has more widths than floating-point numbers can count"
        few = (1.0 - self.alpha) ** rows.n > 1e-3
        return "there are too few rows for much confidence" if few else ""

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the absolute errors in units of their widths, rounded up."""
        return _ranks.statistics_of(_in_widths(rows), alpha=self.alpha)

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the error whose rank is large enough."""
        return _ranks.guarantee_of(statistics, alpha=self.alpha, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the quantile of the errors seen."""
        return Seen(*_ranks.seen_in(statistics, self.alpha))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        most = confidence(self.alpha)
        return f"at least {most} of such cases lie at most {limit} of their widths from its answer"


def _in_widths(rows: Predictions) -> Vector:
    with np.errstate(over="ignore"):
        found = rows.residuals / rows.columns["width"].astype(np.float64)
    return np.nextafter(found, np.inf)
