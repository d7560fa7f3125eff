"""Watch two models on the same stream: a champion, and a challenger that would replace it."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from surelearn import _arguments
from surelearn._locks import in_turn
from surelearn._shown import Shown
from surelearn._typing import ArrayLike
from surelearn._wording import confidence, outward
from surelearn.bounds import Guarantee, ratios, sequences
from surelearn.certificate import Certificate, assumed, by_construction, certify
from surelearn.evaluate._monitoring import (
    HOWEVER_OFTEN,
    FixedBeforehand,
    MonitorHistory,
    history_of,
    pair_of_losses,
)

_RANGE = (-1.0, 1.0)


class ModelDifferenceMonitor(FixedBeforehand, Shown, drawn_by="monitor.plot_monitor"):
    """A bound on how much more a first model loses than a second, valid at every look.

    Both models are scored on every row. Differences of losses in [0, 1] lie in [-1, 1]; by default
    the bound is on their average given the past, which may drift.

    Parameters
    ----------
    delta
        The probability that the bound fails at any time at all.
    constant
        Whether the expected difference is known not to change: then the bound is on it, and
        sharper where most differences are 0.

    Examples
    --------
    >>> monitor = ModelDifferenceMonitor(constant=True)
    >>> monitor = monitor.update([0] * 960 + [1] * 40, [0] * 840 + [1] * 160)
    >>> monitor.certificate().bound < 0.0, monitor.first_is_better()
    (True, True)
    """

    def __init__(self, *, delta: float = 0.05, constant: bool = False) -> None:
        self.delta = _arguments.open_fraction("delta", delta)
        self.constant = _arguments.flag("constant", constant)
        self._n_rows = 0
        self._total = 0.0  # of (1 + difference) / 2
        self._counts: Counter[float] = Counter()
        self._looks: list[tuple[int, float]] = []

    @in_turn
    def update(self, first: ArrayLike, second: ArrayLike) -> Self:
        """Add the losses of both models on the next rows, in [0, 1]."""
        one, other = pair_of_losses(first, second)
        halves = (1.0 + (one - other)) / 2.0
        self._total += math.fsum(halves)
        self._n_rows += len(halves)
        self._looks.append((self.n_rows, self._total))
        self._counts.update(halves.tolist())
        return self

    @in_turn
    def certificate(self) -> Certificate:
        """Return the bound on the first model's loss minus the second's, as of now."""
        if self.n_rows == 0:
            raise ValueError("no losses yet: call update(first, second) before asking")
        guarantee = self._now()
        limit = outward(guarantee.bound, "upper")
        what = "expected loss" if self.constant else "average expected loss so far"
        evidence = {"range": assumed(self._range_evidence())}
        if self.constant:
            evidence = {
                "largest": by_construction("a mean has pairs of the size 1"),
                "nonzero": by_construction("a mean has pairs of the size 1"),
                "same_ratio": assumed("that the difference does not change is yours to know"),
            }
        return certify(
            guarantee,
            kind="difference",
            subject="this run of ModelDifferenceMonitor",
            observed=2.0 * self._total / self.n_rows - 1.0,
            n=self.n_rows,
            claim=f"With confidence {confidence(self.delta)}, {HOWEVER_OFTEN}, the {what} of the "
            f"first model minus that of the second is at most {limit}.",
            evidence=evidence,
            reproduce={"loss_range": list(_RANGE)},
        )

    def first_is_better(self) -> bool:
        """Whether it is shown that the first model was the better one at some time.

        Only the rows that one of them gets wrong and the other right count: losses must be 0 or 1.
        If which of them wins such a row has always the same probability, the first one is better,
        and not at some time only.
        """
        if other := sorted(self._counts.keys() - {0.0, 0.5, 1.0}):
            raise ValueError(
                f"losses that differ by {2.0 * other[0] - 1.0:g} are no errors to count: who often "
                "loses a little less may lose more in all. Compare them by certificate()"
            )
        worse = sum(count for half, count in self._counts.items() if half > 0.5)
        differ = worse + sum(count for half, count in self._counts.items() if half < 0.5)
        if differ == 0 or not self.delta < math.exp(-1.0):
            return False
        return sequences.beta_mixture(total=worse, n=differ, delta=self.delta).bound < 0.5

    @property
    def n_rows(self) -> int:
        """How many rows there were."""
        return self._n_rows

    def _facts(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in ("delta", "constant", "n_rows")}

    def _picture(self) -> tuple[str, Any]:
        return self._drawn_by, self.history()

    @in_turn
    def history(self) -> MonitorHistory:
        """Return the average difference so far and the bound that allows for drift."""
        return history_of(self._looks, self._drifting, lambda mean: 2.0 * mean - 1.0)

    def _now(self) -> Guarantee:
        if not self.constant:
            return self._drifting(self.n_rows, self._total)
        values = sorted(self._counts)
        guarantee = ratios.ratio_order_free(
            tops=values,
            bottoms=np.ones(len(values)).tolist(),
            counts=[self._counts[value] for value in values],
            largest=1.0,
            delta=self.delta,
        )
        return _scaled(guarantee)

    def _drifting(self, n: int, total: float) -> Guarantee:
        return _scaled(sequences.progressive_mixture(total=total, n=n, delta=self.delta))

    def _range_evidence(self) -> str:
        return "losses outside [0, 1] are refused; they stand here as (1 + difference) / 2"


def _scaled(guarantee: Guarantee) -> Guarantee:
    low, high = _RANGE
    return replace(
        guarantee,
        bound=low + (high - low) * guarantee.bound,
        trivial=low + (high - low) * guarantee.trivial,
    )
