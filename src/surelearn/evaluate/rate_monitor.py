"""Watch a rate of a model in use, such as its sensitivity, at every moment."""

from collections.abc import Mapping
from typing import Any, Literal, Self, cast

import numpy as np

from surelearn import _arguments
from surelearn._locks import in_turn
from surelearn._shown import Shown
from surelearn._wording import confidence, nearest, percent_outward
from surelearn.bounds import Guarantee, sequences
from surelearn.certificate import Certificate, assumed, by_construction, certify
from surelearn.evaluate._monitoring import (
    HOWEVER_OFTEN,
    FixedBeforehand,
    MonitorHistory,
    a_label,
    history_of,
    is_label,
    pair_of_labels,
)

Rate = Literal[
    "sensitivity", "specificity", "positive predictive value", "negative predictive value"
]

_COUNTS: dict[str, tuple[str, str, bool]] = {
    # which column selects the rows that count, what they are called, and whether positive
    "sensitivity": ("truth", "positive cases", True),
    "specificity": ("truth", "negative cases", False),
    "positive predictive value": ("answer", "cases called positive", True),
    "negative predictive value": ("answer", "cases called negative", False),
}


class RateMonitor(FixedBeforehand, Shown, drawn_by="monitor.plot_monitor"):
    """A lower bound on a rate in a condition, valid whenever one chooses to stop and look.

    Only rows that meet the condition count: positive cases for the sensitivity, cases called
    positive for the positive predictive value.

    Parameters
    ----------
    rate
        "sensitivity", "specificity", "positive predictive value" or "negative predictive value".
    positive
        The label that is called positive; every other label is negative.
    delta
        The probability that the bound fails at any time at all.
    constant
        Whether the rate is known not to change: then the bound is on the rate and sharper, and
        delta must be below 1/e. Otherwise it is on the average over the rows so far that counted.

    Examples
    --------
    >>> monitor = RateMonitor(rate="sensitivity", constant=True)
    >>> truth = [1] * 100 + [0] * 400
    >>> monitor = monitor.update(truth, [1] * 95 + [0] * 405)
    >>> monitor.n_rows, round(monitor.certificate().bound, 6)
    (100, 0.862571)
    >>> monitor.alarm(required=0.999)
    True
    """

    def __init__(
        self,
        *,
        rate: Rate = "sensitivity",
        positive: Any = 1,
        delta: float = 0.05,
        constant: bool = False,
    ) -> None:
        if not isinstance(cast("object", rate), str) or rate not in _COUNTS:
            known = nearest(str(rate), _COUNTS)
            raise ValueError(f"rate={_arguments.short(rate)} is no rate that can be watched{known}")
        self.rate: Rate = rate
        self.positive = a_label("positive", positive)
        self.delta = _arguments.open_fraction("delta", delta)
        self.constant = _arguments.flag("constant", constant)
        if self.constant and not self.delta < np.exp(-1.0):
            raise _arguments.refuse("delta", delta, "below 1/e for a constant rate")
        self._n_rows = 0
        self._right = 0
        self._looks: list[tuple[int, float]] = []

    @in_turn
    def update(self, y_true: Any, y_pred: Any) -> Self:
        """Add the truths and predictions of the next rows; those outside the condition pass by."""
        labels = pair_of_labels(y_true, y_pred)
        truth, answer = (is_label(values, self.positive) for values in labels)
        column, _, side = _COUNTS[self.rate]
        counted = (truth if column == "truth" else answer) == side
        self._n_rows += int(counted.sum())
        self._right += int((truth == answer)[counted].sum())
        if counted.any():
            self._looks.append((self.n_rows, float(self._right)))
        return self

    @in_turn
    def certificate(self) -> Certificate:
        """Return the bound as of now; it may be asked for as often as one likes."""
        if self.n_rows == 0:
            raise ValueError(f"no {_COUNTS[self.rate][1]} yet: there is nothing to certify")
        guarantee = self._guarantee(self.n_rows, self._right)
        limit, cases = percent_outward(guarantee.bound, "lower"), _COUNTS[self.rate][1]
        what = f"the {self.rate}" if self.constant else f"the average {self.rate} so far"
        order = "labels must not arrive sooner for cases that the model got right"
        evidence = {
            "range": by_construction("a case is counted as 0 or 1"),
            "same_mean" if self.constant else "conditional": assumed(order),
        }
        return certify(
            guarantee,
            kind="risk",
            subject=f"this run of RateMonitor, the {cases} of its stream",
            observed=self._right / self.n_rows,
            n=self.n_rows,
            claim=f"With confidence {confidence(self.delta)}, {HOWEVER_OFTEN}, {what} is at least "
            f"{limit}.",
            evidence=evidence,
        )

    @in_turn
    def alarm(self, *, required: float) -> bool:
        """Whether the rate is shown to be below `required`; ever falsely with at most `delta`."""
        share = _arguments.fraction("required", required)
        if self.n_rows == 0:
            return False
        name = "beta_mixture" if self.constant else "progressive_mixture"
        bound = getattr(sequences, name)(total=self._right, n=self.n_rows, delta=self.delta).bound
        return bool(bound < share)

    @property
    def n_rows(self) -> int:
        """How many rows have counted."""
        return self._n_rows

    def _facts(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in ("rate", "delta", "n_rows")}

    def _picture(self) -> tuple[str, Any]:
        return self._drawn_by, self.history()

    @in_turn
    def history(self) -> MonitorHistory:
        """Return the rate so far and its bound at the moments of the updates."""
        return history_of(self._looks, self._guarantee, float)

    def _guarantee(self, n: int, right: float) -> Guarantee:
        if self.constant:
            return sequences.beta_mixture_lower(total=right, n=n, delta=self.delta)
        return sequences.progressive_mixture_lower(total=right, n=n, delta=self.delta)
