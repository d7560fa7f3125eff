"""What `surelearn verify` does once its options are parsed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from surelearn.app.auditing.bundle import Bundle
from surelearn.app.choosing.choice import Tried
from surelearn.app.errors import TableError
from surelearn.app.in_parts.workers import working
from surelearn.app.predict import MODEL
from surelearn.app.signatures import check_signature
from surelearn.app.verify import (
    BESIDE,
    Finding,
    certificate_in,
    may_have_model_file,
    not_checked,
    read_beside,
    read_signed,
    verify_audit,
    verify_certificate,
    with_its_certificate,
)
from surelearn.cli._terminal import Terminal, shown


class Signed(NamedTuple):
    """A signature to check, and the key that the reader trusts; both or neither."""

    signature: Path | None
    public_key: Path | None


def run(
    path: Path,
    *,
    model: Path | None,
    table: Path | None,
    retrain: bool,
    form: Mapping[str, Any],
    signed: Signed,
    on: Mapping[str, Any] | None = None,
) -> bool:
    """Check a certificate, print what was found, and return whether it holds."""
    if table is not None and model is None and (path / MODEL).is_file():
        model = path / MODEL  # a folder of results has its model
    with working(**(on or {})):
        return _run(path, model=model, table=table, retrain=retrain, form=form, signed=signed)


def _run(
    path: Path,
    *,
    model: Path | None,
    table: Path | None,
    retrain: bool,
    form: Mapping[str, Any],
    signed: Signed,
) -> bool:
    console = Terminal(highlight=False)
    path = certificate_in(path)
    text, certificate = read_signed(path)
    by = _check_signature(text, path, signed)
    path, certificate = with_its_certificate(path, certificate)
    if isinstance(certificate, Bundle):
        if model is not None or retrain:
            raise TableError("an audit knows no model: give its file of answers with --data alone")
        return _audited(console, certificate, table, form, by)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not retrain) as progress:
        bar = progress.add_task("training again", total=None)

        def show_trial(trial: Tried, done: int, total: int) -> None:
            told = f"training again: {shown(trial.name)} {trial.seconds:.1f} s"
            progress.update(bar, description=told, completed=done, total=total)

        beside = read_beside(path, certificate)
        findings = verify_certificate(
            certificate,
            model=model,
            table=table,
            retrain=retrain,
            on_trial=show_trial,
            beside=beside,
            **form,
        )
    for line in certificate.headline:
        console.print(shown(line))
    if beside is not None:
        console.print(f"{len(beside.outcomes)} claims stand beside it in {BESIDE}.")
    findings = (*findings, *by)
    for finding in findings:
        console.print(_line(finding))
    holds = all(finding.holds for finding in findings)
    if not holds:
        console.print("[red]This certificate must not be relied on.[/]")
        return False
    for sentence in not_checked(certificate, with_model=model is not None, retrained=retrain):
        console.print(f"[yellow]{shown(sentence)}[/]")
    if table is None and may_have_model_file(certificate):
        console.print("Give --model and --data to check the statistics themselves.")
    return True


def _audited(
    console: Console,
    bundle: Bundle,
    table: Path | None,
    form: Mapping[str, Any],
    by: tuple[Finding, ...],
) -> bool:
    """Check the certificates of an audit, print what was found, and return whether they hold."""
    findings = (*by, *verify_audit(bundle, table=table, **form))
    for certificate in bundle.certificates:
        console.print(shown(certificate.headline[0]))
    for finding in findings:
        console.print(_line(finding))
    if not all(finding.holds for finding in findings):
        console.print("[red]This audit must not be relied on.[/]")
        return False
    n = len(bundle.outcomes)
    counted = "1 claim, SHA-256 over it" if n == 1 else f"{n:,} claims, SHA-256 over them"
    console.print(f"{counted} {bundle.sha256}")
    console.print(
        "[yellow]Not checked: how the rows were drawn, and whether the model or its threshold was "
        "made or chosen with them. No file can show it.[/]"
    )
    if table is None:
        console.print("Give --data to count again in the file of answers.")
    return True


def _check_signature(text: str, path: Path, signed: Signed) -> tuple[Finding, ...]:
    """Return what is found of a signature; nothing if there is none to check."""
    signature, key = signed
    if signature is None and key is None:
        return ()
    if signature is None or key is None:
        raise TableError(
            "give both --signature and --public-key, or neither: a signature says nothing without "
            "a key that you trust"
        )
    return (check_signature(text, path, signature=signature, public_key=key),)


def _line(finding: Finding) -> str:
    words = ("hold", "differ") if finding.several else ("holds", "differs")
    mark = f"[green]{words[0]:7}[/]" if finding.holds else f"[red]{words[1]:7}[/]"
    return f"{mark}  {shown(finding.name)} [dim]({shown(finding.evidence)})[/]"
