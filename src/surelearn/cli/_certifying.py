"""What `surelearn certify` shows while it works and when it is done."""

import json
import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from surelearn._wording import amount, percent_outward
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.certify import certify_table
from surelearn.app.choosing.choice import Choice, Tried
from surelearn.app.in_parts.first_look import look_as_told
from surelearn.app.in_parts.workers import working
from surelearn.app.ledger import Ledger, NoLedger, UserLedger
from surelearn.app.ledger_files import Look
from surelearn.app.options import check_options
from surelearn.app.output import check_folder, fresh_folder, write_run
from surelearn.app.problem.ledger_entry import Entry
from surelearn.app.problem.problem import check_target
from surelearn.app.tables.notes import latest
from surelearn.app.tables.parted_file import is_in_parts
from surelearn.app.tables.read import TableFile, read_in_its_encoding, read_table_file
from surelearn.cli._claims import STATUS, show_beside
from surelearn.cli._panels import certificate_panel
from surelearn.cli._terminal import Terminal, say, shown

_WIDEST_NOTE = 14  # that stands beside a learner; longer ones stand below all of them


def run(  # noqa: PLR0913 - an argument for each way in which the command can be told to work
    table: Path,
    *,
    out: Path | None,
    force: bool,
    form: Mapping[str, Any],
    quiet: bool = False,
    as_json: bool = False,
    on: Mapping[str, Any] | None = None,
    prepare: Callable[[], object] = lambda: None,
    remember: bool = True,
    **options: Any,
) -> int:
    """Read, certify, write and print, the certificate first; return the exit status.

    Parameters
    ----------
    table, out, force
        The file, the folder for the results, and whether it may hold some already. None: a fresh
        one, named after the table.
    quiet, as_json
        Whether nothing is printed, or the result alone, as JSON.
    form
        How to read the file: options of `read_table_file`.
    on
        Who works on the parts of a table: workers, cluster, checkpoint.
    prepare
        Makes the file, once the folder is known to be writable.
    remember
        Whether the ledger of the user is kept.
    **options
        Options of `certify_table`.
    """
    console = Terminal(quiet=quiet or as_json)
    out = fresh_folder(table) if out is None else out
    rules = ("delta", "holdout", "seed", "select", "copies", "looks")
    check_options(**{name: options[name] for name in rules if name in options})
    check_folder(out, force=force)
    prepare()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with (
        Progress(*columns, console=console, transient=True) as progress,
        ExitStack() as stack,
    ):
        bar = progress.add_task(f"reading {shown(table.name)}", total=None)

        def show_bytes(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        read = partial(read_table_file, on_progress=show_bytes)
        sharing = {name: value for name, value in (on or {}).items() if value is not None}
        if is_in_parts(table) or sharing:
            stack.enter_context(working(**sharing, progress=show_bytes))
            file, form = look_as_told(table, form, options)
        else:
            file, form = read_in_its_encoding(read, table, form)
            check_target(options["target"], file.table.column_names)
        ledger = UserLedger(out) if remember else NoLedger()
        _foresee(console, ledger, file, options)
        best = Best()

        def show_begin(name: str, done: int, total: int) -> None:
            progress.update(bar, description=best.before(name), completed=done, total=total)

        def show_trial(trial: Tried, done: int, total: int) -> None:
            progress.update(bar, description=best.after(trial), completed=done, total=total)

        noted = Noted(ledger)
        try:
            certified = certify_table(
                file,
                form=form,
                ledger=noted,
                on_trial=show_trial,
                on_begin=show_begin,
                **options,
            )
            progress.update(bar, description="writing the report", completed=0, total=None)
            files = write_run(certified, file, out)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(noted.left) from None
    if isinstance(ledger, UserLedger):
        ledger.answered(certified.certificate)
        for trouble in dict.fromkeys(ledger.troubles):
            _warn(console, trouble)
    _show(console, certified, file, files)
    if as_json:
        say(json.dumps(summary(certified, files), indent=2, ensure_ascii=True))
    return 1 if certified.is_void else STATUS[certified.verdict]


def summary(run: CertifiedRun, files: tuple[Path, ...]) -> dict[str, Any]:
    """Return what was certified, for other programs: plain numbers and sentences."""
    found = run.certificate
    return {
        "status": found.status,
        "claim": found.headline[0],
        "observed": found.observed if math.isfinite(found.observed) else None,
        "bound": found.bound if math.isfinite(found.bound) else None,
        "delta": found.delta,
        "learner": run.name,
        "task": run.problem.task,
        "target": run.problem.target,
        "assumptions": {p.key: p.status for p in found.preconditions},
        "warnings": list(run.warnings),
        "files": {path.name: str(path) for path in files},
    }


class Noted:
    """A ledger, and whether this run was entered in it: what an interrupted run has left."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.left = "nothing was written, and the ledger does not count this run"

    def enter(self, look: Look) -> Entry:
        """Enter a look, and note it."""
        found = self._ledger.enter(look)
        self.left = (
            "no file is half-written, and the ledger counts this look at the table; the same "
            "command gives the same certificate, and is the same look"
        )
        return found


def _foresee(
    console: Console, ledger: UserLedger | NoLedger, file: TableFile, options: Mapping[str, Any]
) -> None:
    """Say before the work begins if its certificate will be void."""
    if isinstance(ledger, NoLedger):
        return
    plan = {"delta": options.get("delta", 0.05), "looks": options.get("looks", 1)}
    said = ledger.foresee(file, options["target"], **plan)
    if said:
        _warn(console, said)


def _warn(console: Console, sentence: str) -> None:
    console.print(f"[yellow]Warning:[/] {shown(sentence)}", highlight=False)


class Best:
    """The best learner so far, for the progress display."""

    def __init__(self) -> None:
        self.trial: Tried | None = None

    def before(self, name: str) -> str:
        """Return a line about the learner that is trained now, and the best one so far."""
        if self.trial is None:
            return f"training {shown(name)} (the first run compiles)"
        return f"training {shown(name)}; {self._line()}"

    def after(self, trial: Tried) -> str:
        """Return a line about the trial just made and the best one so far."""
        if self.trial is None or trial.score < self.trial.score:
            self.trial = trial
        return f"{shown(trial.name)} {trial.seconds:.1f} s; {self._line()}"

    def _line(self) -> str:
        best = self.trial
        if best is None:
            return ""
        return f"best so far: {shown(best.name)} ({number(best.score, rates=best.rates)})"


def _show(console: Console, run: CertifiedRun, file: TableFile, files: tuple[Path, ...]) -> None:
    title = f"{run.name} on {file.name}"
    console.print(certificate_panel(run, title=shown(title)))
    show_beside(console, run)
    console.print(shown(run.choice.beforehand), highlight=False)
    for warning in run.warnings:
        _warn(console, warning)
    console.print(f"\n{shown(run.choice.title)}", highlight=False)
    console.print(_board(run.choice, rates=run.problem.task != "regression"))
    for note in dict.fromkeys(line.note for line in run.choice.lines):
        if len(note) > _WIDEST_NOTE:
            names = ", ".join(line.name for line in run.choice.lines if line.note == note)
            console.print(f"[dim]{shown(f'{names}: {note}')}[/]", highlight=False)
    console.print()
    for note in latest(file.notes, run.notes):
        console.print(f"[dim]{shown(str(note))}[/]", highlight=False)
    names = ", ".join(path.name for path in files)
    console.print(f"Written to {shown(files[0].parent)}: {names}")


def _board(choice: Choice, *, rates: bool) -> Table:
    """Return the learners tried, best first, and what they are compared with."""
    board = Table(box=None, padding=(0, 2, 0, 0))
    board.add_column("learner")
    for name in (*choice.columns, "seconds"):
        board.add_column(shown(name), justify="right")
    board.add_column("", max_width=_WIDEST_NOTE)
    for line in choice.lines:
        remark = "chosen" if line.chosen else line.note if len(line.note) <= _WIDEST_NOTE else ""
        board.add_row(
            shown(line.name),
            *(
                _cell(name, value, rates=rates)
                for name, value in zip(choice.columns, line.numbers, strict=True)
            ),
            f"{line.seconds:.1f}",
            shown(remark),
        )
    return board


def _cell(column: str, value: float, *, rates: bool) -> str:
    """Return a number of the board: a bound rounded outward, since it is said to hold."""
    if math.isnan(value):
        return "-"
    return percent_outward(value, "upper") if column == "bound" else number(value, rates=rates)


def number(value: float, *, rates: bool) -> str:
    """Return an estimate as it is shown: rates in percent.

    Examples
    --------
    >>> number(0.0312, rates=True), number(0.0312, rates=False), number(123.456, rates=False)
    ('3.1%', '0.0312', '123.5')
    """
    if rates and math.isfinite(value):
        return f"{100 * value:.1f}%"
    return amount(value) if abs(value) >= 1.0 else f"{value:.3g}"
