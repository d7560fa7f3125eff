"""Watch a stream of outcomes: a bound at every moment, and an alarm with a stated rate."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from surelearn._locks import in_turn
from surelearn._shown import Shown
from surelearn._wording import exactly
from surelearn.app.errors import ArgumentError, TableError
from surelearn.app.monitoring.outcomes import Columns
from surelearn.app.monitoring.reading import Block, read_blocks
from surelearn.certificate import Certificate
from surelearn.certificate._certificate import plain
from surelearn.evaluate._monitoring import MonitorHistory
from surelearn.evaluate.drift_alarm import DriftAlarm
from surelearn.evaluate.model_difference_monitor import ModelDifferenceMonitor
from surelearn.evaluate.risk_monitor import RiskMonitor
from surelearn.plots import style
from surelearn.plots.monitor import plot_alarm, plot_monitor
from surelearn.report.content import svg

__all__ = ["Columns", "StreamMonitor", "watch"]


@dataclass(eq=False)
class StreamMonitor(Shown, drawn_by="monitor.plot_monitor"):
    """What a stream has shown so far.

    Attributes
    ----------
    delta
        The probability that the bound fails at any moment at all.
    tolerated
        The risk above which it rings; with another model, by how much the first may lose more.
    alarm_every
        How many rows pass on average, at least, before a false alarm; without it, an alarm is ever
        false with probability delta.
    paired
        Whether there is another model to compare with.
    n_rows, rang_at
        The rows seen, and the number of rows after which it rang first.

    Examples
    --------
    >>> import numpy as np
    >>> stream = StreamMonitor(tolerated=0.1)
    >>> stream.update(Block(np.zeros(50), None))
    >>> stream.update(Block(np.ones(30), None))
    >>> stream.n_rows, stream.rang_at, round(stream.certificate.observed, 3)
    (80, 80, 0.375)
    """

    delta: float = 0.05
    tolerated: float | None = None
    alarm_every: float | None = None
    paired: bool = False
    n_rows: int = 0
    rang_at: int | None = None
    _risk: RiskMonitor = field(init=False, repr=False)
    _pair: ModelDifferenceMonitor = field(init=False, repr=False)
    _reversed: ModelDifferenceMonitor = field(init=False, repr=False)
    _drift: DriftAlarm | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        """Refuse rules that contradict each other."""
        if self.alarm_every is not None and (self.tolerated is None or self.paired):
            raise ArgumentError(
                "--alarm-every needs --tolerated, the risk at which it stays quiet, and watches "
                "one model only"
            )
        limits = (-1.0, 1.0) if self.paired else (0.0, 1.0)
        if self.tolerated is not None and not limits[0] <= self.tolerated < limits[1]:
            raise ArgumentError(
                f"--tolerated {self.tolerated:g} must lie in [{limits[0]:g}, {limits[1]:g})"
            )
        try:
            self._risk = RiskMonitor(delta=self.delta)
            self._pair = ModelDifferenceMonitor(delta=self.delta)
            self._reversed = ModelDifferenceMonitor(delta=self.delta)
            if self.alarm_every is not None:
                assert self.tolerated is not None  # noqa: S101 - else it was refused
                self._drift = DriftAlarm(tolerated=self.tolerated, rows_between=self.alarm_every)
        except (TypeError, ValueError) as error:
            raise ArgumentError(str(error)) from None

    @in_turn
    def update(self, block: Block) -> None:
        """Count the rows of a block, and look whether the alarm rings."""
        self.n_rows += len(block.losses)
        if block.others is not None:
            self._pair.update(block.losses, block.others)
            self._reversed.update(block.others, block.losses)
        else:
            self._risk.update(block.losses)
        if self._drift is not None:
            self._drift.update(block.losses)
        if self.rang_at is None:
            self.rang_at = self._rings()

    def _rings(self) -> int | None:
        """Return after how many rows it has rung; None if it has not."""
        if self._drift is not None:
            return self._drift.alarms[0] if self._drift.alarms else None
        if self.paired:
            # The other loses at most so much more than the first: less than nothing, if it is worse
            shown = -self._reversed.certificate().bound
            return self.n_rows if shown > (self.tolerated or 0.0) else None
        if self.tolerated is None or not self._risk.alarm(tolerated=self.tolerated):
            return None
        return self.n_rows

    def _picture(self) -> tuple[str, Any]:
        return self._drawn_by, (self._pair if self.paired else self._risk).history()

    @property
    def certificate(self) -> Certificate:
        """The bound as of now."""
        return self.certificates[0]

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """The bound as of now, and what is known of the alarm."""
        if self.n_rows == 0:
            raise TableError("the stream had no rows: there is nothing to certify")
        first = self._pair.certificate() if self.paired else self._risk.certificate()
        return (first,) if self._drift is None else (first, self._drift.certificate())

    @property
    def better(self) -> bool:
        """Whether the first model is shown to lose less than the other."""
        return self.paired and self.n_rows > 0 and self._pair.certificate().bound < 0.0

    @property
    def rule(self) -> str:
        """What an alarm means, in words; nothing if none was asked for."""
        if self._drift is not None:
            return (
                f"while losses are expected to be at most {exactly(self._drift.tolerated)}, a "
                f"false alarm comes after {exactly(self._drift.rows_between)} rows or more on "
                "average"
            )
        falsely = f"ever falsely with probability {exactly(self.delta)} at most"
        if self.paired:
            margin = f" by more than {exactly(self.tolerated)}" if self.tolerated else ""
            return (
                f"it rings once the model is shown to lose more than the baseline{margin}; "
                f"{falsely}"
            )
        if self.tolerated is None:
            return ""
        return (
            f"it rings once the average risk is shown to exceed {exactly(self.tolerated)}; "
            f"{falsely}"
        )

    def history(self) -> MonitorHistory:
        """Return what was shown over time."""
        return self._pair.history() if self.paired else self._risk.history()

    def figure(self) -> str:
        """Return the bound over time as a drawing, and the statistic of the alarm if it has one."""
        title = "The bound may be looked at whenever one likes"
        figure, axes = style.new_figure(title, columns=1 if self._drift is None else 2)
        plot_monitor(self.history(), ax=axes[0])
        if self._drift is not None:
            plot_alarm(self._drift, ax=axes[1])
        return svg(figure, name="monitor")

    def content(self) -> dict[str, Any]:
        """Return what a stream has shown, made of what JSON knows."""
        first, history = self.certificate, self.history()
        return plain(
            {
                "rows": self.n_rows,
                "observed": first.observed,
                "bound": first.bound,
                "delta": self.delta,
                "claims": [certificate.claim for certificate in self.certificates],
                "alarm": {
                    "rule": self.rule,
                    "tolerated": self.tolerated,
                    "every": self.alarm_every,
                    "rang": self.rang_at is not None,
                    "first_at_row": self.rang_at,
                    "rows": [] if self._drift is None else self._drift.alarms,
                },
                "history": {
                    "rows": history.rows,
                    "observed": history.observed,
                    "bounds": history.bounds,
                },
            }
        )


def watch(
    source: str,
    columns: Columns,
    monitor: StreamMonitor,
    *,
    pipe: BinaryIO,
    on_block: Callable[[StreamMonitor], object] = lambda _: None,
    counting: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> StreamMonitor:
    """Let a monitor see a stream to its end; what it has counted stays, however the stream ends.

    Parameters
    ----------
    source, columns, pipe
        Where the stream comes from and what its columns hold: see `read_blocks`.
    monitor
        The monitor.
    on_block
        Called after each block of rows.
    counting
        Holds while a block is counted: an interruption there would leave half of it counted.
    """
    for block in read_blocks(source, columns, pipe):
        with counting():
            monitor.update(block)
        on_block(monitor)
    if monitor.n_rows == 0:
        raise TableError("the stream had no rows: there is nothing to certify")
    return monitor
