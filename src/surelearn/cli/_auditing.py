"""What `surelearn audit` shows while it works and when it is done."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from surelearn._wording import confidence
from surelearn.app.audit import AuditRun, audit_table
from surelearn.app.auditing.in_parts import gather_parts, roles_in
from surelearn.app.auditing.plan import Plan, read_plan
from surelearn.app.errors import TableError
from surelearn.app.in_parts.first_look import only_missing
from surelearn.app.in_parts.workers import working
from surelearn.app.ledger import UserLedger
from surelearn.app.output import OF_AUDITS, check_folder, not_there_yet, write_audit
from surelearn.app.tables.parted_file import is_in_parts
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.cli._claims import STATUS, board_of, verdict_of
from surelearn.cli._panels import conditions_of
from surelearn.cli._terminal import Terminal, shown

_DELTA = 0.05  # if nobody says otherwise
_SAID = {"claim": "what is claimed", "delta": "what delta is", "looks": "how many looks there are"}


def run(
    path: Path,
    *,
    out: Path | None,
    force: bool,
    form: Mapping[str, Any],
    plan: Path | None,
    on: Mapping[str, Any] | None = None,
    **options: Any,
) -> int:
    """Read, audit, write and print; return the exit status."""
    console = Terminal()
    out = not_there_yet("audited") if out is None else out
    check_folder(out, force=force, names=OF_AUDITS)
    made = None if plan is None else read_plan(plan)
    if made is not None:
        _refuse_beside(made, options)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with (
        Progress(*columns, console=console, transient=True) as progress,
        ExitStack() as stack,
    ):
        bar = progress.add_task(f"reading {shown(path.name)}", total=None)
        sharing = {name: value for name, value in (on or {}).items() if value is not None}
        if is_in_parts(path) or sharing:
            stack.enter_context(working(**sharing))
            form = only_missing(form)
            file: TableFile = gather_parts(path, roles_in(options), **form)
        else:
            file = read_table_file(path, alone=True, **form)
        progress.update(bar, description="auditing")
        ledger = UserLedger(out)
        audited = audit_table(file, plan=made, ledger=ledger, form=form, **options)
        progress.update(bar, description="writing the report")
        files = write_audit(audited, out)
    ledger.answered(audited.certificate)
    for trouble in dict.fromkeys(ledger.troubles):
        console.print(f"[yellow]Warning:[/] {shown(trouble)}", highlight=False)
    _show(console, audited, files)
    void = any(certificate.violated for certificate in audited.audit.certificates)
    return 1 if void else STATUS[audited.verdict]


def _refuse_beside(plan: Plan, options: Mapping[str, Any]) -> None:
    """Refuse options that say otherwise than the plan: they would be of no effect."""
    told = {"claim": not options["claims"]}
    told["delta"] = options["delta"] in {_DELTA, plan.delta}
    told["looks"] = options["looks"] in {1, plan.looks}
    for name, unsaid in told.items():
        if not unsaid:
            raise TableError(f"the plan says {_SAID[name]}: leave out --{name}, or change the plan")


def _show(console: Console, run: AuditRun, files: tuple[Path, ...]) -> None:
    first = run.certificate
    if first.violated:
        console.print(f"[red]{shown(first.headline[0])}[/]", highlight=False)
    else:
        level, several = confidence(run.audit.delta), len(run.audit.certificates) > 1
        console.print(
            f"{shown(run.premise)}{level}{' all of this holds' if several else ''}:",
            highlight=False,
        )
        console.print(board_of(run.claims))
    for outcome in run.claims:
        if outcome.target is not None:
            console.print(verdict_of(outcome), highlight=False)
    console.print("\nWhat it rests on", style="bold")
    console.print(conditions_of(run))
    for warning in run.warnings:
        console.print(f"[yellow]Warning:[/] {shown(warning)}", highlight=False)
    for name, why in run.audit.left_out.items():
        console.print(f"[dim]Not claimed: {shown(name)}, because {shown(why)}[/]", highlight=False)
    for note in run.notes:
        console.print(f"[dim]{shown(str(note))}[/]", highlight=False)
    names = ", ".join(path.name for path in files)
    console.print(f"Written to {shown(files[0].parent)}: {names}")
