"""Certificates on the terminal: the claim first, then what it rests on."""

from collections.abc import Iterable

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from surelearn._wording import outward
from surelearn.certificate import Certificate

_MARKS = {
    "checked": "[green]checked[/]",
    "by-construction": "[green]by construction[/]",
    "assumed": "[yellow]assumed[/]",
    "violated": "[red]violated[/]",
}
_BORDERS = {"valid": "green", "vacuous": "yellow", "void": "red"}


def certificate_panel(certificate: Certificate, *, title: str) -> Panel:
    """Return a panel with the claim, the numbers and every assumption with its status."""
    claim, *numbers = certificate.headline
    conditions = Table.grid(padding=(0, 2))
    for condition in certificate.preconditions:
        conditions.add_row(
            _MARKS[condition.status], condition.name, f"[dim]{condition.evidence}[/]"
        )
    body = Group(
        Text(claim, style="bold"),
        Text("\n".join(numbers)),
        Text(),
        conditions,
        Text(),
        Text(certificate.reference, style="dim"),
    )
    return Panel(
        body,
        title=f"[bold]{certificate.status}[/] certificate: {title}",
        border_style=_BORDERS[certificate.status],
        padding=(1, 2),
    )


def run_panel(certificates: Iterable[Certificate]) -> Panel:
    """Return a panel with what a training run proves about itself, a line each."""
    rows = Table.grid(padding=(0, 2))
    for c in certificates:
        limit = outward(c.bound, c.direction)
        rows.add_row(c.quantity, f"{c.observed:g} <= {limit}", c.status, f"[dim]{c.method}[/]")
    return Panel(rows, title="what the training run proves about itself", padding=(1, 2))
