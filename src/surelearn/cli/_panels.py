"""Certificates on the terminal: the claim first, then what it rests on."""

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from surelearn._wording import printable
from surelearn.app.audit import AuditRun
from surelearn.app.certified_run import CertifiedRun
from surelearn.cli._terminal import shown

_MARKS = {
    "checked": "[green]checked[/]",
    "by-construction": "[green]by construction[/]",
    "assumed": "[yellow]assumed[/]",
    "violated": "[red]violated[/]",
}
_BORDERS = {"valid": "green", "vacuous": "yellow", "void": "red"}


def certificate_panel(run: CertifiedRun, *, title: str) -> Panel:
    """Return a panel with the claim, the numbers and every assumption with its status."""
    certificate = run.certificate
    claim, *numbers = certificate.headline
    body = Group(
        Text(claim, style="bold"),
        Text("\n".join(numbers)),
        Text(),
        conditions_of(run),
        Text(),
        Text(printable(certificate.reference), style="dim"),
    )
    return Panel(
        body,
        title=f"[bold]{certificate.status}[/] certificate: {title}",
        border_style=_BORDERS[certificate.status],
        padding=(1, 2),
    )


def conditions_of(run: CertifiedRun | AuditRun) -> Table:
    """Return every assumption with its status."""
    conditions = Table.grid(padding=(0, 2))
    for condition in run.certificate.preconditions:
        evidence = f"[dim]{shown(condition.evidence)}[/]"
        conditions.add_row(_MARKS[condition.status], shown(condition.name), evidence)
    return conditions
