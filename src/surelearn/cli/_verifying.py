"""What `surelearn verify` does once its options are parsed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from surelearn.app.choosing.choice import Tried
from surelearn.app.verify import Finding, not_checked, read_certificate, verify_certificate
from surelearn.cli._showing import shown


def run(
    path: Path, *, model: Path | None, table: Path | None, retrain: bool, form: Mapping[str, Any]
) -> bool:
    """Check a certificate, print what was found, and return whether it holds."""
    console = Console(highlight=False)
    certificate = read_certificate(path)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not retrain) as progress:
        bar = progress.add_task("training again", total=None)

        def show_trial(trial: Tried, done: int, total: int) -> None:
            told = f"training again: {shown(trial.name)} {trial.seconds:.1f} s"
            progress.update(bar, description=told, completed=done, total=total)

        findings = verify_certificate(
            certificate, model=model, table=table, retrain=retrain, on_trial=show_trial, **form
        )
    for line in certificate.headline:
        console.print(shown(line))
    for finding in findings:
        console.print(_line(finding))
    holds = all(finding.holds for finding in findings)
    if not holds:
        console.print("[red]This certificate must not be relied on.[/]")
        return False
    for sentence in not_checked(certificate, with_model=model is not None, retrained=retrain):
        console.print(f"[yellow]{shown(sentence)}[/]")
    if table is None and "options" in certificate.reproduce:
        console.print("Give --model and --data to check the statistics themselves.")
    return True


def _line(finding: Finding) -> str:
    mark = "[green]holds[/]  " if finding.holds else "[red]differs[/]"
    return f"{mark}  {shown(finding.name)} [dim]({shown(finding.evidence)})[/]"
