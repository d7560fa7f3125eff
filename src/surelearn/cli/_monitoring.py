"""What `surelearn monitor` shows while rows come in, and when they have ended."""

import signal
import sys
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live

from surelearn._wording import outward, percent_outward
from surelearn.app.monitor import Columns, StreamMonitor, watch
from surelearn.app.output import OF_MONITORS, check_folder, write_monitor
from surelearn.cli._terminal import Terminal, shown

_PAUSE = 0.1  # seconds between two looks: a bound takes longer than a row


def run(
    stream: str,
    *,
    columns: Mapping[str, str | None],
    out: Path | None,
    force: bool,
    **rules: Any,
) -> int:
    """Watch a stream, print and write what it showed; return the exit status."""
    console = Terminal()
    named = Columns(**columns)
    monitor = StreamMonitor(paired=named.baseline is not None, **rules)
    if out is not None:
        check_folder(out, force=force, names=OF_MONITORS)
    try:
        _watch(console, stream, named, monitor)
    finally:
        if monitor.n_rows:
            _show(console, monitor)
    if out is not None:
        files = write_monitor(monitor, out)
        names = ", ".join(path.name for path in files)
        console.print(f"Written to {shown(out)}: {names}", highlight=False)
    return 0 if monitor.rang_at is None else 1


def _watch(console: Console, stream: str, columns: Columns, monitor: StreamMonitor) -> None:
    """Watch a stream with a line that stays in its place; the keyboard may end it."""
    due = 0.0
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def look(seen: StreamMonitor) -> None:
            nonlocal due
            if console.is_terminal and time.monotonic() >= due:
                live.update(line_of(seen), refresh=True)
                due = time.monotonic() + _PAUSE

        try:
            pipe = sys.stdin.buffer
            watch(stream, columns, monitor, pipe=pipe, on_block=look, counting=held)
        except KeyboardInterrupt:
            if not monitor.n_rows:
                raise


@contextmanager
def held() -> Generator[None]:
    """Let the keyboard wait: a block that is half counted makes wrong bounds, or none."""
    if threading.current_thread() is not threading.main_thread():  # it gets no signals
        yield
        return
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def line_of(monitor: StreamMonitor) -> str:
    """Return rows seen, what was observed, the bound so far and the alarm in one line."""
    found = monitor.certificate
    if monitor.paired:
        seen, limit = f"{found.observed:+.4f}", outward(found.bound, "upper")
    else:
        seen, limit = f"{100 * found.observed:.2f}%", percent_outward(found.bound, "upper")
    return f"{monitor.n_rows:,} rows  observed {seen}  at most {limit}  {_alarm(monitor)}"


def _alarm(monitor: StreamMonitor) -> str:
    if monitor.rang_at is not None:
        return f"[red]ALARM since row {monitor.rang_at:,}[/]"
    if monitor.better:
        return "[green]better than the baseline[/]"
    return "[green]quiet[/]" if monitor.rule else "[dim]no alarm asked for[/]"


def _show(console: Console, monitor: StreamMonitor) -> None:
    console.print(line_of(monitor), highlight=False)
    for certificate in monitor.certificates:
        console.print(shown(certificate.headline[0]), highlight=False)
    if monitor.rule:
        console.print(f"[dim]Alarm: {shown(monitor.rule)}.[/]", highlight=False)
    resting = [p for p in monitor.certificate.preconditions if p.status == "assumed"]
    told = "; ".join(p.name for p in resting)
    console.print(f"[dim]Assumed: {shown(told)}.[/]", highlight=False)
