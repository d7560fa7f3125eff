"""Watch the risk of a deployed model; every look is paid for in advance."""

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

from surelearn import _arguments
from surelearn._locks import in_turn
from surelearn._shown import Shown
from surelearn._typing import ArrayLike
from surelearn._wording import confidence, interval, outward
from surelearn.bounds import Guarantee, sequences
from surelearn.certificate import Certificate, assumed, certify
from surelearn.evaluate._monitoring import (
    HOWEVER_OFTEN,
    FixedBeforehand,
    MonitorHistory,
    history_of,
)


class RiskMonitor(FixedBeforehand, Shown, drawn_by="monitor.plot_monitor"):
    """A bound on the average risk of a stream, valid whenever one chooses to stop and look.

    The statement is about the average, over the rounds so far, of the risk that each round had
    given its past. It needs neither independence nor a constant risk, so drift does not void it;
    it does not speak of the next round alone.

    Parameters
    ----------
    delta
        The probability that the bound fails at any time at all.
    loss_range
        The smallest and the largest possible loss, known beforehand.

    Examples
    --------
    >>> monitor = RiskMonitor(delta=0.05).update([0, 1, 0, 0]).update([0] * 396)
    >>> certificate = monitor.certificate()
    >>> certificate.validity, round(certificate.bound, 3)
    ('anytime', 0.019)
    >>> monitor.alarm(tolerated=0.1)
    False
    """

    def __init__(
        self, *, delta: float = 0.05, loss_range: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        self.delta = _arguments.open_fraction("delta", delta)
        ends = _arguments.vector("loss_range", loss_range)
        low, high = ends if len(ends) == 2 else (0.0, 0.0)
        if not 0.0 < float(high) - float(low) < math.inf:
            domain = "a pair (low, high) with low < high, whose difference is a float"
            raise _arguments.refuse("loss_range", loss_range, domain)
        self.loss_range = (float(low), float(high))
        self._n_rounds = 0
        self._total = 0.0  # in units of the range, so that each loss lies in [0, 1]
        self._looks: list[tuple[int, float]] = []

    @property
    def n_rounds(self) -> int:
        """How many losses there were."""
        return self._n_rounds

    @in_turn
    def update(self, losses: ArrayLike) -> Self:
        """Add the losses of the next rounds; one outside the declared range is refused."""
        low, high = self.loss_range
        values = _arguments.vector("losses", losses, low=low, high=high)
        self._total += math.fsum((values - low) / (high - low))
        self._n_rounds += len(values)
        self._looks.append((self.n_rounds, self._total))
        return self

    @in_turn
    def certificate(self) -> Certificate:
        """Return the bound as of now; it may be asked for as often as one likes."""
        guarantee = self._guarantee(self.n_rounds, self._total)
        limit = outward(guarantee.bound, "upper")
        return certify(
            guarantee,
            kind="risk",
            subject="the average round of this stream",
            observed=self._in_range(self._total / self.n_rounds),
            n=self.n_rounds,
            claim=f"With confidence {confidence(self.delta)}, {HOWEVER_OFTEN}, the average risk of "
            f"the rounds so far is at most {limit}.",
            evidence={
                "range": assumed("those seen do; that none can lie outside is yours to know")
            },
            reproduce={"loss_range": list(self.loss_range)},
        )

    @in_turn
    def alarm(self, *, tolerated: float) -> bool:
        """Whether the average risk is shown to exceed `tolerated`.

        The probability of ever raising a false alarm is at most `delta`.
        """
        shown = self._guarantee(self.n_rounds, self._total, lower=True).bound
        return shown > _arguments.real("tolerated", tolerated)

    def _facts(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in ("delta", "n_rounds")}

    def _picture(self) -> tuple[str, Any]:
        return self._drawn_by, self.history()

    @in_turn
    def history(self) -> MonitorHistory:
        """Return the mean loss so far and the bound on the risk at the moments of the updates."""
        share = self.loss_range == (0.0, 1.0)
        return history_of(self._looks, self._guarantee, self._in_range, share=share)

    def _guarantee(self, n: int, total: float, *, lower: bool = False) -> Guarantee:
        if n == 0:
            raise ValueError("no losses yet: call update(losses) before asking what they show")
        mixture = sequences.progressive_mixture_lower if lower else sequences.progressive_mixture
        guarantee = mixture(total=total, n=n, delta=self.delta)
        low, high = self.loss_range
        return replace(
            guarantee,
            assumes={**guarantee.assumes, "range": f"every loss lies in {interval(low, high)}"},
            bound=self._outward(guarantee.bound, lower=lower),
            trivial=self._outward(guarantee.trivial, lower=lower),
        )

    def _outward(self, share: float, *, lower: bool) -> float:
        """Return the place of a bound in the range; far from 0 a rounded one would claim more."""
        low, high = map(Fraction, self.loss_range)
        exact = low + (high - low) * Fraction(share)
        nearest = float(exact)
        if lower:
            return nearest if nearest <= exact else math.nextafter(nearest, -math.inf)
        return nearest if nearest >= exact else math.nextafter(nearest, math.inf)

    def _in_range(self, value: float) -> float:
        low, high = self.loss_range
        return low + (high - low) * value
