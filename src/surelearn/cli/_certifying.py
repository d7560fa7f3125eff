"""What `surelearn certify` shows while it works and when it is done."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from surelearn.app.certify import CertifiedRun, Trial, certify_table
from surelearn.app.output import check_folder, write_run
from surelearn.app.tables import TableFile, read_table_file
from surelearn.cli._panels import certificate_panel


def run(table: Path, *, out: Path, force: bool, form: Mapping[str, Any], **options: Any) -> None:
    """Read, certify, write and print; the certificate first, the learners after."""
    console = Console()
    check_folder(out, force=force)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(f"reading {table.name}", total=None)
        file = read_table_file(
            table,
            on_progress=lambda done, total: progress.update(bar, completed=done, total=total),
            **form,
        )
        progress.update(
            bar, description="training (the first run compiles)", completed=0, total=None
        )
        best = Best()

        def tell(trial: Trial, done: int, total: int) -> None:
            progress.update(bar, description=best.hear(trial), completed=done, total=total)

        certified = certify_table(file, on_trial=tell, **options)
        progress.update(bar, description="writing the report", completed=0, total=None)
        files = write_run(certified, file, out)
    _show(console, certified, file, files)


class Best:
    """The best learner so far, for the progress display."""

    def __init__(self) -> None:
        self.trial: Trial | None = None

    def hear(self, trial: Trial) -> str:
        """Return a line about the trial just made and the best one so far."""
        if self.trial is None or trial.estimate < self.trial.estimate:
            self.trial = trial
        return (
            f"{trial.name} {trial.seconds:.1f} s; best so far: {self.trial.name} "
            f"({self.trial.estimate:.4g})"
        )


def _show(console: Console, run: CertifiedRun, file: TableFile, files: tuple[Path, ...]) -> None:
    title = f"{run.name} on {file.path.name}"
    console.print(certificate_panel(run.certificate, title=title))
    for warning in run.problem.warnings:
        console.print(f"[yellow]Warning:[/] {warning}")
    board = Table(title="Learners on the training rows (no certificates)", title_justify="left")
    for name, justify in (("learner", "left"), ("loss", "right"), ("±", "right"), ("s", "right")):
        board.add_column(name, justify=justify)  # pyright: ignore[reportArgumentType]
    board.add_column("")
    for trial in run.trials:
        known = trial.result is not None
        board.add_row(
            trial.name,
            f"{trial.estimate:.4g}" if known else "-",
            f"{trial.spread:.2g}" if known else "-",
            f"{trial.seconds:.1f}",
            "chosen" if trial.name == run.name else trial.problem,
        )
    console.print(board)
    for note in (*file.notes, *run.problem.notes):
        console.print(f"[dim]{note}[/]")
    console.print("Written: " + ", ".join(str(path) for path in files))
