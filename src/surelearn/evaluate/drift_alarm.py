"""An alarm for long use: it rings when a risk has risen, and rarely while it has not."""

from array import array
from collections.abc import Mapping
from typing import Any, Self

from surelearn import _arguments
from surelearn._locks import in_turn
from surelearn._shown import Shown
from surelearn._typing import ArrayLike
from surelearn._wording import exactly, outward
from surelearn.bounds import alarms
from surelearn.certificate import Certificate, assumed, by_construction, certify
from surelearn.evaluate._monitoring import FixedBeforehand


class DriftAlarm(FixedBeforehand, Shown, drawn_by="monitor.plot_alarm"):
    """A detector that rings once losses are no longer expected to be at most `tolerated`.

    It multiplies bets that a loss exceeds what is tolerated (Shiryaev and Roberts), rings when
    their average reaches `rows_between`, and starts again. While every loss is expected, given the
    past, to be at most `tolerated`, a first alarm comes after `rows_between` rows or more on
    average, and within n rows with probability n / rows_between at most.

    Parameters
    ----------
    tolerated
        The expected loss that is tolerated, in (0, 1), fixed beforehand.
    rows_between
        How many rows pass on average, at least, before a false alarm.
    bets
        How boldly to bet, each below 1 / tolerated; by default 8 bets from 0.2 to 0.9 / tolerated.

    Attributes
    ----------
    n_rows
        The rows seen.
    alarms
        The numbers of the rows, counted from 1, at which it rang.
    path
        The statistic after each row.

    Examples
    --------
    >>> alarm = DriftAlarm(tolerated=0.05, rows_between=1000)
    >>> alarm = alarm.update(([0] * 19 + [1]) * 20)
    >>> alarm.alarms
    []
    >>> alarm.update([1, 0, 1, 1, 0, 1] * 3).alarms
    [404, 410, 416]
    >>> print(alarm.certificate().claim)
    While losses are expected to be at most 0.05, this alarm rings on average at most 0.4181 times \
in 418 rows.
    """

    def __init__(
        self,
        *,
        tolerated: float,
        rows_between: float = 1000.0,
        bets: ArrayLike | None = None,
    ) -> None:
        self.tolerated = _arguments.open_fraction("tolerated", tolerated)
        if not _arguments.real("rows_between", rows_between) > 1.0:
            raise _arguments.refuse("rows_between", rows_between, "a number above 1")
        self.rows_between = float(rows_between)
        chosen = alarms.bets_for(self.tolerated) if bets is None else bets
        self._bets: list[float] = alarms.sound_bets(chosen, self.tolerated).tolist()
        self._n_rows = 0
        self._alarms: list[int] = []
        self.path = array("d")
        self._state = [0.0] * len(self._bets)

    @property
    def n_rows(self) -> int:
        """How many losses there were."""
        return self._n_rows

    @property
    def alarms(self) -> list[int]:
        """The rows at which it rang."""
        return list(self._alarms)

    @property
    def bets(self) -> list[float]:
        """The shares that are bet on a change."""
        return list(self._bets)

    def _facts(self) -> Mapping[str, Any]:
        names = ("tolerated", "rows_between", "n_rows", "alarms")
        return {name: getattr(self, name) for name in names}

    @property
    def statistic(self) -> float:
        """The statistic now: it rings at `rows_between`."""
        return sum(self._state) / len(self._state)

    @in_turn
    def update(self, losses: ArrayLike) -> Self:
        """Add the losses of the next rows, in [0, 1]; blocks of any size ring at the same rows."""
        path, self._state = alarms.shiryaev_roberts(
            losses,
            tolerated=self.tolerated,
            bets=self.bets,
            threshold=self.rows_between,
            start=self._state,
        )
        for row, value in enumerate(path, start=self.n_rows + 1):
            if alarms.rings(value, self.rows_between):
                self._alarms.append(row)
        self.path.extend(path)
        self._n_rows += len(path)
        return self

    @in_turn
    def certificate(self) -> Certificate:
        """Return how many alarms are to be expected in so many rows while nothing has changed."""
        if self.n_rows == 0:
            raise ValueError("no losses yet: call update(losses) before asking what they show")
        guarantee = alarms.false_alarms(threshold=self.rows_between, n_rows=self.n_rows)
        times = outward(guarantee.bound, "upper")
        return certify(
            guarantee,
            kind="mistakes",
            subject="this run of DriftAlarm",
            observed=len(self.alarms),
            n=self.n_rows,
            claim=f"While losses are expected to be at most {exactly(self.tolerated)}, "
            f"this alarm rings on average at most {times} times in {self.n_rows} rows.",
            evidence={
                "range": by_construction("a loss outside [0, 1] is refused"),
                "quiet": assumed("an alarm is a reason to doubt it"),
                "fixed_before": assumed(
                    "that they were not chosen by these losses is yours to know"
                ),
            },
            reproduce={"tolerated": self.tolerated, "bets": self.bets},
        )
